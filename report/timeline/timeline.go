// Package timeline draws executions as one page of HTML that needs no network: what went wrong and
// where, and a timeline with a column for each goroutine, arrows for the order that
// synchronisation gives, and the source beside it.
//
//	timeline.Write(w, []timeline.Finding{{
//		Heading: "DATA RACE on n", Message: "two goroutines access n at the same time",
//		Goroutines: []timeline.Goroutine{{Name: "main"}, {Name: "main/1"}},
//		Events: []timeline.Event{
//			{G: 1, Text: "write n", Op: "write", Mark: 1}, {G: 0, Text: "read n", Op: "read", Mark: 2},
//		},
//	}})
//
// The package knows nothing of clips or test binaries: package report fills in the content. The
// part above the timeline is plain HTML and can be read without JavaScript.
package timeline

import "slices"

// A Finding is one finding with the execution that showed it.
type Finding struct {
	Kind    string   // "data race"
	Heading string   // "DATA RACE on acct.balance"
	Message string   // one sentence: what went wrong
	Why     string   // a paragraph: how it came about
	Right   []string // what to change
	Package string
	Test    string
	Clip    string   // path, "" if there is none
	Replay  string   // the command that shows it again
	Facts   []string // "found after 37 executions", ...
	Notes   []string // what the reader must know about the page: "the clip does not fit the code any more"
	Places  []Place  // numbered from 1 in this order
	Stacks  []Stack
	Text    string // the finding as text, as the terminal shows it
	Output  string // output of the test
	About   []Term // which program, which command, when
	Editor  Editor // "": no links into one

	Goroutines []Goroutine
	Objects    []Object // Event.Object counts from 1
	Events     []Event
	Files      []File
	Paths      [][]Frame // stacks of events; Event.Stack counts from 1
}

// A Term is a word and its value.
type Term struct{ Name, Value string }

// A Place is one of the places of the finding.
type Place struct {
	What      string // "write acct.balance"
	Goroutine string
	File      string
	Line      int
	Note      string // "held by main/2"
	Inside    string // the operation itself, if it is inside a library that is called there
	Path      string // absolute, for Editor
}

// A Stack is the stack of a goroutine at the end of the execution.
type Stack struct {
	Goroutine string
	State     string // "waits to lock mu"
	Frames    []Frame
}

// A Frame is a line of a stack.
type Frame struct {
	Func, File string
	Line       int
	Std        bool   // belongs to the standard library
	Path       string // absolute, for Editor
}

// Inner returns the frames above the user's first one; Outer that frame and those below it. A stack
// without a frame of the user's has outer ones only.
func (s Stack) Inner() []Frame { return s.Frames[:s.inner()] }

// Outer is documented at Inner.
func (s Stack) Outer() []Frame { return s.Frames[s.inner():] }

func (s Stack) inner() int {
	return max(0, slices.IndexFunc(s.Frames, func(f Frame) bool { return !f.Std }))
}

// A Goroutine is a column.
type Goroutine struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // position of its go statement
	End  string `json:"end,omitempty"`  // what it does at the end of the execution, "" if it has ended
	Bad  bool   `json:"bad,omitempty"`  // that state is part of the finding
}

// An Object is the object of operations.
type Object struct {
	Name string `json:"name"` // as the source calls it
	Kind string `json:"kind"` // "mutex"
	Cap  int    `json:"-"`    // of a channel
}

// An Event is a box in the column of its goroutine.
type Event struct {
	Step    int    `json:"n,omitempty"` // number of its step, from 1: that of the tables, 0: none
	G       int    `json:"g"`           // index in Goroutines
	Op      string `json:"op"`          // word of trace.Op
	Arg     int64  `json:"-"`           // trace.Event.Arg
	Text    string `json:"t"`           // "lock mu"
	Object  int    `json:"o,omitempty"` // index in Objects + 1
	Value   string `json:"v,omitempty"`
	File    int    `json:"f,omitempty"` // index in Files + 1
	Line    int    `json:"l,omitempty"`
	Where   string `json:"w,omitempty"`  // position, if the line is not in a File
	Mark    int    `json:"m,omitempty"`  // the event of Places[Mark-1]
	Switch  bool   `json:"s,omitempty"`  // the non-preemptive policy would have continued another goroutine
	Quiet   bool   `json:"q,omitempty"`  // within the standard library
	Key     bool   `json:"k,omitempty"`  // needed to understand the finding
	Partner int    `json:"-"`            // index + 1 of the event that completed with it
	Child   int    `json:"c,omitempty"`  // goroutine that it started: index in Goroutines + 1
	Stack   int    `json:"sk,omitempty"` // index in Paths + 1
}

// A File has those lines of a source file that the page shows.
type File struct {
	Name  string
	Lines []Line
	Path  string `json:",omitempty"` // absolute, for Editor
}

// A Line is a line of a file. Its parts together are its text.
type Line struct {
	N     int
	Parts []Part
}

// A Part is a piece of a line with one colour.
type Part struct {
	Class string // "", "kw", "str", "com", "num"
	Text  string
}
