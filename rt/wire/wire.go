// Package wire is what the command and the test binary say to each other: a
// Config goes in (a JSON file named by the environment variable Env), Records
// come out (JSON lines on file descriptor FD). It is compiled into both sides.
package wire

import (
	"fmt"
	"slices"
	"strings"

	"heddle/explore/question"
	"heddle/explore/why"
	"heddle/rt/counters"
)

// Env names the environment variable that holds the path of the Config file.
// Where it is not set the test binary behaves as under go test.
const Env = "HEDDLE_CONFIG"

// FD is the file descriptor of the Records, the first of exec.Cmd.ExtraFiles.
const FD = 3

// A Config says what a test binary is to do. Names and patterns (-run, -skip, -short ...) go as the
// ordinary -test.* flags of the binary.
type Config struct {
	// "test", "replay" (Clips has one, or some of one test if Brief), "execute" (Test, once, as
	// Request says), "list", "bench", "work" (Items, as they come)
	Mode     string
	Test     string            // Mode execute
	Request  *Request          // Mode execute
	Package  string            // import path, for records
	Strategy string            // the name of an explore.Unit
	Options  map[string]string `json:",omitempty"` // of the strategy, those that were given
	Seed     uint64            // base of all seeds
	// executions a test at most (Mode bench: at least); 0: until the budget ends
	Runs   int
	Budget int64 // nanoseconds a test; 0: until Runs (Mode bench: a second)
	// Mode test, if not nil: nanoseconds by test, in the place of Budget; what a test does not need
	// goes to those after it, up to Most (0: no bound). Until: when all of it is over, nanoseconds
	// since 1970.
	Budgets     map[string]int64 `json:",omitempty"`
	Most, Until int64            `json:",omitempty"`
	Steps       int              // step bound of an execution
	Longest     int64            // nanoseconds, time bound of an execution; 0: none
	Visible     string           // "sync", "auto", "all"
	Time        string           // "virtual", "free", "" (virtual first, then free)
	Lose        int              // packets of an execution that may be lost
	Race        bool             // race detection
	FailFast    bool             // stop a test at its first finding
	Count       int              // explore every test that many times
	Clips       []Clip           // to be replayed first (Mode test) or alone (Mode replay)
	Settled     bool             // Mode replay: the test is executed once before, without the clip
	// Mode replay: where the clip does not fit it is followed as far as it goes
	// (trace.Schedule.Rejoin)
	Rejoin    bool
	Brief     bool     // Mode replay: of each clip only how it went, without its events
	Debug     *Debug   `json:",omitempty"` // Mode replay: a debugger looks at its execution
	VisibleAt []uint64 // sites that are visible from the start (from clips)
	// "none", "vars", "process", "auto": vars, but tell where process is needed
	Isolate   string
	CrashFile string // a file the test binary maps and keeps the running schedule in
	// a file that the Records are appended to, where FD cannot be inherited; "": they go to FD
	RecordFile string
	// a file for what the program prints in all executions but one; "": it is not kept from the
	// user
	PrintFile        string
	CheckDeterminism bool
	Flow             bool // record data flow in every execution, where the binary is built for it
	// what every execution calls a fuzz target with, in the notation of package corpus; nil: its
	// corpus
	Input      []string            `json:",omitempty"`
	Fuzz       string              // pattern of the fuzz targets whose inputs are searched for
	Symbolic   []string            `json:",omitempty"` // names of what else is an input, see package drive
	Solved     bool                `json:",omitempty"` // only by solving conditions, none by chance
	Constants  *counters.Constants `json:",omitempty"` // of the program, for inputs by chance
	FuzzCache  string              `json:",omitempty"` // folder of kept inputs; "": none
	LeftAlone  bool                `json:",omitempty"` // packages could not be rewritten
	Properties bool                `json:",omitempty"` // testing/quick or rapid is in the binary
	Solver     string              // of the conditions on them: "", "z3"
	ForFlow    bool                // the binary is built for data flow, recorded or not
	FlowMemory int64               // bytes that an execution may take for that; 0: as many as it comes to
	Memory     int64               // bytes that a search may hold; 0: as many as it comes to

	// Ask, if not nil, is what is asked of the executions of each test (heddle ask).
	Ask *question.Question `json:",omitempty"`

	MapCover bool // tell MAP-coverage, with strategies that do not go by it too
	Forms    bool // with MapCover: tell Coverage.Forms
	Whole    bool // go on until the budget ends, whatever was found

	Depths bool // Mode bench: tell the depths of a search by strategy reach, and nothing else
	Begun  bool // Mode bench: measure the executions that begin within Budget, not a whole search

	Share int64 // nanoseconds after which a test that can be split is given away; 0: never

	// Compare: count the orders that executions show (Record.Orders), and tell of findings as
	// they come, without a clip.
	Compare bool

	// Predict: strategy "sample" begins with what one execution lets expect of
	// others. Strategy "predict" is only that. Patterns is the text of the user's pattern files.
	Predict  bool
	Patterns string
	Regions  string // "locks" or "goroutines": what is to be atomic
	Complete bool   // of races and deadlocks, everything that a correct order of the trace has
	Measure  bool   // times are of the CPU, and those of executions the average of many
	// executions by a randomised active tester for each race and pattern that was predicted, to
	// compare with
	Active int
	Solve  int64 // nanoseconds for one question to the solver, 0: as the driver sees fit
}

// Named is Config.Fuzz for a test whose inputs are searched for since it has what Config.Symbolic
// names.
const Named = "(named)"

// A Clip is a schedule with what it shows; package clip reads and writes it as text.
type Clip struct {
	Path       string // where it was read from
	Test       string // top-level name, e.g. "TestTransfer"
	Kind       string // of the finding
	Message    string
	Policy     string // of what comes after Steps
	Seed       uint64
	Depth      int
	Free       bool
	Exhaustive bool // recorded under trace.Schedule.Exhaustive
	Sequence   bool // no schedule, but a sequence written by hand: what the program may do or not
	// of a sequence: the instrumented sites that stand where each step does
	StepSites [][]uint64 `json:",omitempty"`
	Isolate   string
	// of a fuzz target: what it is called with, in the notation of package corpus; nil: its corpus
	Input   []string `json:",omitempty"`
	Named   []string `json:",omitempty"` // what its values are, see Result.Named. No clip has it.
	Visible []uint64 // sites whose memory accesses are steps; the numbers are those of one build
	Spots   []Place  // the same sites as they stand in the file, by what the source says
	Steps   Steps
	Places  []Place // of the finding
	// of an anomaly: how its accesses belong together, see Expectation; of an answer: the question
	Pattern string

	// What decided beside the schedule. A clip without Code is from before that was kept.
	Flags []string `json:",omitempty"` // of heddle test, each as "-run=TestA/B"
	Args  []string `json:",omitempty"` // of the program
	Env   []string `json:",omitempty"` // variables that the Go runtime reads, as "GODEBUG=..."
	Code  string   `json:",omitempty"` // hash of the sources
	Same  bool     `json:",omitempty"` // it is the hash of what is explored
	Loose bool     `json:",omitempty"` // it may be of another subtest: that it does not fit says nothing
	Fixed string   `json:",omitempty"` // how its bug was judged to be fixed; "": it was not

	Ask *question.Question `json:",omitempty"` // the question, its places known; see Config.Ask
}

// Early reports whether a test that fails after a timer fired early has a bug, as -time=free has
// it.
func (c *Clip) Early() bool { return slices.Contains(c.Flags, "-time=free") }

// A Step of a clip. Where and Object are for the reader and for divergence messages; G, Op and
// Choice are followed.
type Step struct {
	G      string // "main/2"
	Op     string // "lock"
	Choice int    // -1: none
	Where  Place
	Switch bool // without the clip another goroutine would have gone on
	// the program's own call that led to a step in the standard library or in a dependency, if that
	// was recorded. Its Op is the function that it calls. No clip has it.
	Call *Place `json:",omitempty"`
	// what came of it, where the operation alone does not say: trace.Event.Arg of a select or of
	// WaitGroup.Add. No clip has it. Of a select, and of a goroutine that goes on after one, it is
	// the case that was taken: among Cases that waited, or, if Cases is 0, among all.
	Arg   *int64 `json:",omitempty"`
	Cases int    `json:",omitempty"`
	// CameDone, CameWaits or CameArrives, "" if that is not known. No clip has it.
	Came string `json:",omitempty"`

	// Of a sequence written by hand.
	With string `json:",omitempty"` // partner of a communication
	Row  int    `json:",omitempty"` // line of the file
}

// What came of a step: its operation was performed, its goroutine waits at it, or it has arrived at
// a lock and takes it in its next step, before any other goroutine makes one.
const (
	CameDone    = "done"
	CameWaits   = "waits"
	CameArrives = "arrives"
)

// A Place is a position in the source with what happened there. Either File and Line are set
// or Site is an instrumented site (trace.Site) that the command looks up in its position tables.
type Place struct {
	Site uint64 `json:",omitempty"`
	File string `json:",omitempty"`
	Line int    `json:",omitempty"`
	Col  int    `json:",omitempty"` // in bytes, from 1; 0 where it is not known
	Func string `json:",omitempty"`
	// of an instrumented site: its number, from 1, among those of its Func and Object
	Nth int `json:",omitempty"`
	// of another place: how many lines below the beginning of the function, from 1
	Down      int    `json:",omitempty"`
	Op        string `json:",omitempty"` // "write", "lock", ...
	Object    string `json:",omitempty"` // source text, when known
	Goroutine string `json:",omitempty"` // "main/2"
	Note      string `json:",omitempty"` // e.g. "previous", "waits since"
}

// A Stack is one goroutine's.
type Stack struct {
	Goroutine string
	State     string // "running", "waits to lock", ...
	Site      uint64 // of its go statement; 0 for main
	Frames    []Place
	// the stack of its go statement, or of what started its timer; where that is the standard
	// library alone, its starter's after it
	Start []Place `json:",omitempty"`
}

// A Record is one line from the test binary.
type Record struct {
	// "test" (Mode list), "share" (instead of end: others go on), "ready" and "worked" (Mode
	// work), "begin", "progress", "output", "finding", "near", "verdict", "predicted", "coverage",
	// "end", "isolate" (instead of end: the test needs processes of its own, Text says why), "anew"
	// (instead of end: it is to come first in another process), "event", "replayed", "result" (Mode
	// execute), "note", "done", "failure" (heddle's own: Text says which; "end" follows), "exit"
	// (the process ends by os.Exit after "done")
	Type string
	Test string `json:",omitempty"`

	// progress and end
	Executions int     `json:",omitempty"`
	Elapsed    float64 `json:",omitempty"` // seconds
	Near       *Near   `json:",omitempty"` // near: what came of the executions near a clip

	// of the executions that cover every interleaving, of exhaustive strategies
	Estimate float64 `json:",omitempty"`
	Strategy string  `json:",omitempty"`
	Complete bool    `json:",omitempty"`
	Covering int     `json:",omitempty"` // of Executions, those that made it complete; 0: all
	// "pass", "fail" (failed without heddle's doing: its plain run fails), "skip"
	Result string  `json:",omitempty"`
	Reason string  `json:",omitempty"` // text of Why; of a replay or a note too
	Why    why.End `json:",omitzero"`  // end: why not complete, or what was covered
	Text   string  `json:",omitempty"` // output: of the first execution

	Place *Place `json:",omitempty"` // of a note

	Finding *Finding `json:",omitempty"`

	Outcome *Result `json:",omitempty"` // result

	Bench *Bench `json:",omitempty"` // bench

	Predicted *Predicted  `json:",omitempty"` // predicted
	Verdict   *Prediction `json:",omitempty"` // verdict: one that is in Predicted later
	Coverage  *Coverage   `json:",omitempty"` // coverage
	Buggy     int         `json:",omitempty"` // end: executions that showed something wrong
	Orders    int         `json:",omitempty"` // end, with Config.Compare: see explore/succession
	Memory    int64       `json:",omitempty"` // the same: bytes that the process had in memory at most

	Groups *Groups `json:",omitempty"` // end, of strategy branch

	Share  *Share  `json:",omitempty"` // share
	Worked *Worked `json:",omitempty"` // worked

	// event (Mode replay): one a step, in order
	Event *Event `json:",omitempty"`

	Looks *Looks `json:",omitempty"` // of what ends a part of a test, or the process
	// end: nothing was executed; the verdict is that of an earlier run
	Cached bool `json:",omitempty"`
}

// Near is what came of the executions near a clip that does not show its finding any more.
type Near struct {
	Path       string // of the clip
	Follows    bool   // its steps can be followed
	Executions int
	Reached    int // of them, those that made all its switches, at the nearest operations
}

// Groups is what strategy branch has seen of a test, see explore.Groups.
type Groups struct {
	Goroutines, Accesses, Shared, ReadShared, Branches int     // of the first execution
	Pairs                                              float64 // test cases of criterion TPAIR for it
	Affected, Groups, Manners                          int
	Settled                                            int // executions until all groups were tested
}

// A Finding is something wrong that an execution showed.
type Finding struct {
	Kind    string // as in section 7 of the design
	Message string // one sentence
	Early   string `json:",omitempty"` // which timers fired early
	Places  []Place
	// the first so many places make the bug, the others suffer from it; 0: all make it
	Core   int     `json:",omitempty"`
	Stacks []Stack `json:",omitempty"`
	Output string  `json:",omitempty"` // what the test printed in that execution
	Clip   Clip    // minimised
	// What its goroutines did in that execution, in order, and, with Waits, what those that had
	// not ended wait for. Accesses of memory are those of memory that several goroutines use.
	// Empty if it is too long.
	Story Events `json:",omitempty"`
	// of an execution whose clip leaves out its end: the last steps of that
	Rest         []Step `json:",omitempty"`
	Skipped      int    `json:",omitempty"` // and how many come before them
	Pattern      string `json:",omitempty"` // of an anomaly, as in its clip
	Executions   int    // after how many it was found
	Switches     int
	Subtest      string `json:",omitempty"` // whose goroutines it is about, by its full name
	FromClip     string `json:",omitempty"` // path of the clip whose replay showed it
	InputFile    string `json:",omitempty"` // where the command has put the input that was found
	Divergence   string `json:",omitempty"` // the clip did not fit: expected and got
	Uncontrolled bool   `json:",omitempty"`
	Real         bool   `json:",omitempty"` // the execution went by real time, since not all is under control
	Died         bool   `json:",omitempty"` // the process ended in the middle of the execution
	Verbose      bool   `json:",omitempty"` // its clip shows it where testing.Verbose says so alone
	// a race with an access inside the standard library, which is no scheduling point
	Quiet bool `json:",omitempty"`
	// after how many steps of the clip's execution it was there, 0: at its end
	Decided int `json:",omitempty"`
	// of a race: after how many the earlier access came, that of Places[1]; 0: not known
	Earlier int `json:",omitempty"`
	// what its minimised execution shows beside it, in the order in which it came: kind and places
	Beside []Finding `json:",omitempty"`
}

// Name says in a few words, for a note, what was found and where. It is never empty.
func (f *Finding) Name() string {
	what := f.Message
	if what == "" && f.Kind == "data race" {
		what = "two goroutines access the same memory"
	}
	var at []string
	for i := range f.Places {
		if p := &f.Places[i]; f.Message == "" && p.File != "" && p.Line > 0 {
			at = append(at,
				fmt.Sprintf("%s at %s:%d", p.Op, p.File[strings.LastIndexByte(p.File, '/')+1:], p.Line))
		}
	}
	if len(at) > 0 {
		what += ": " + strings.Join(at, ", ")
	}
	if what == "" {
		return f.Kind
	}
	return f.Kind + " (" + strings.TrimPrefix(what, ": ") + ")"
}

// CorePlaces returns the places that make the bug, those of the others left out.
func (f *Finding) CorePlaces() []Place {
	if f.Core > 0 && f.Core <= len(f.Places) {
		return f.Places[:f.Core]
	}
	return f.Places
}

// An Event of a replay, for the table and the timeline.
type Event struct {
	Index   int
	Step    int // index of its step, or of the step before an access; -1 if there is none
	G       string
	Op      string // the word of a trace.Op, and what came of it where it matters: "trylock (fails)"
	Arg     int64  `json:",omitempty"` // of the trace.Event
	Object  string // kind, and the goroutine that made it
	Obj     int    `json:",omitempty"` // equal for operations on one object; 0: none
	Cap     int    `json:",omitempty"` // of a channel
	Value   string `json:",omitempty"`
	Child   string `json:",omitempty"` // the goroutine that it started
	Where   Place
	Call    *Place `json:",omitempty"` // as of a Step
	Switch  bool
	Quiet   bool
	Partner int // index of the event it belongs to, -1

	// of a send or receive of a select: its case, from 1, of Cases as of a Step; 0: not known
	Case  int `json:",omitempty"`
	Cases int `json:",omitempty"`

	// of a Story: it did not happen, the goroutine waits for it at the end
	Waits bool `json:",omitempty"`

	// a number for the stack of its goroutine, 0 if that is not known; the first event with a
	// number has the frames
	Stack  int     `json:",omitempty"`
	Frames []Place `json:",omitempty"`
}

// A Bench is what one test costs an execution, in Mode bench.
type Bench struct {
	Executions  int
	Nanoseconds float64 // an execution
	Steps       int     // an execution
	Switches    int     // steps by another goroutine than the one before
	BareSwitch  float64 // nanoseconds a switch without a scheduler, on this machine, now
	Bytes       float64 // allocated an execution
	Allocs      float64
	Before      uint64 // bytes of heap and stacks in use, collected, when the count begins
	After       uint64 // and when it ends; of a search, at its greatest
	// of a search: classes of equivalent executions, counted outside the strategy; 0 if there are
	// too many
	Distinct int

	// Of a search: everything was covered, and why another strategy took over, if one did.
	Complete bool   `json:",omitempty"`
	Yielded  string `json:",omitempty"`
	// of the first executions of a search: why it cannot cover everything
	Reason string `json:",omitempty"`

	// Of a search with Config.Depths: of each execution, in their order, how many variants of one
	// another it is below the first.
	Depths []byte `json:",omitempty"`

	// Of a search, in nanoseconds of processor time an execution, which others on a busy machine
	// do not change: in all, in its first tenth, in its last.
	Processor, Early, Late float64
}
