package wire

import (
	"time"

	"heddle/explore/question"
	"heddle/rt/counters"
	"heddle/rt/decoded"
	"heddle/trace"
)

// A Request asks for one execution of a test.
type Request struct {
	Schedule   trace.Schedule
	Deviate    bool        // the policy is: the non-preemptive one, but for Deviations
	Deviations []Deviation `json:",omitempty"`
	// of the executions so far, for policies that learn it (policy.Lengther); 0: as learnt
	Length int `json:",omitempty"`
	// keep values, the places of all events, and the stacks of what Watched says
	Record bool `json:",omitempty"`
	Stacks bool `json:",omitempty"` // keep the stacks of events, which Executors tell that can
	// of an execution that records: sites whose memory accesses are events
	Watched []trace.Site `json:",omitempty"`
	Visible []trace.Site `json:",omitempty"` // sites whose memory accesses are scheduling points
	Only    bool         `json:",omitempty"` // whatever -visible says, no other access is one
	// of an exhaustive execution: sides of channels at which arriving is a step
	Polled []trace.Site `json:",omitempty"`

	// Known, if not nil, reports whether a data race with that key need not be told of any more.
	Known func(key string) bool `json:"-"`

	Show bool `json:",omitempty"` // the user is to see what a main package prints
	Flow bool `json:",omitempty"` // record data flow, where the binary is built for it

	// Twins: tell which goroutines are interchangeable (trace.Trace.Twins). Vouched: go by their
	// arguments alone.
	Twins   bool `json:",omitempty"`
	Vouched bool `json:",omitempty"`

	Plain bool `json:",omitempty"` // keep memory accesses that are no steps (trace.Trace.Plain)

	// Hushed: with Plain, keep those of quiet packages too.
	Hushed bool `json:",omitempty"`

	// Input, if not nil, is what a fuzz target is called with, in the notation of package corpus,
	// in place of its corpus. Exprs: record how values are computed from it, where the binary is
	// built for that. Few: with Exprs, whether texts are short is a branch where something is
	// sought in them. Corpus: tell what the corpus is. Draw: properties (pgregory.net/rapid) draw
	// by that seed, and the corpus is what they drew.
	Input  []string `json:",omitempty"`
	Exprs  bool     `json:",omitempty"`
	Few    bool     `json:",omitempty"`
	Corpus bool     `json:",omitempty"`
	Draw   uint64   `json:",omitempty"`

	// Given, in the process that asks, is what Input says.
	Given []any `json:"-"`
	// Count: count branches, where the binary has counters. Compare: keep what was compared. News:
	// of an earlier execution, is it Still so?
	Count   bool     `json:",omitempty"`
	Compare bool     `json:",omitempty"`
	News    []uint32 `json:",omitempty"`

	Values bool `json:",omitempty"` // keep the values of memory accesses that are steps

	// All: every memory access is a scheduling point, and an event. Steps bounds the execution, if
	// not 0.
	All   bool `json:",omitempty"`
	Steps int  `json:",omitempty"`
	// Until is when it is to end whatever it is at; zero: when it is over, or the time bound is
	// reached.
	Until time.Time `json:",omitzero"`
	// Expect is looked for in what was executed, and found or not.
	Expect *Expectation `json:",omitempty"`

	// timers may fire early by any amount of time, and a failure after that counts: -time=free
	Early        bool `json:",omitempty"`
	Real         bool `json:",omitempty"` // go by real time: goroutines or files outside control take part
	PastDeadlock bool `json:",omitempty"` // go on after a lock cycle that is known to be a deadlock
}

// A Deviation is one point where an execution does something else than the
// non-preemptive policy would: before goroutine G's N-th step another one
// (To) goes on, or G's N-th choice has outcome To. An execution is the
// non-preemptive one and a list of deviations.
type Deviation struct {
	G      trace.GID
	N      int32
	Choice bool `json:",omitempty"`
	To     int32
}

// A Result is what one execution left behind, beside its trace.
type Result struct {
	Encoded []byte `json:",omitempty"` // its trace, where that has to cross from one process to another

	Failed, Skipped bool   `json:",omitempty"` // the test says so
	Output          []byte `json:",omitempty"`

	Found  []Found      `json:",omitempty"`
	Polled []trace.Site `json:",omitempty"` // of an exhaustive execution: what Request.Polled did not tell
	// exhaustive executions will end sooner, where this one waited for others (see sched.Learnt)
	Learnt  bool `json:",omitempty"`
	Timers  bool `json:",omitempty"` // timers were used
	Bubble  bool `json:",omitempty"` // and timers in a bubble of testing/synctest
	Outside bool `json:",omitempty"` // goroutines or files outside control took part
	// it took a port by its number, or changed a file that is not its own: see hook.Common
	Common bool `json:",omitempty"`
	// the test failed and has looked at figures of memory, which heddle changes
	Measured bool `json:",omitempty"`
	RanOut   bool `json:",omitempty"` // the test failed, and a timer fired by real time before
	// the test failed, and a timer fired early before, which is not reported
	FailedEarly bool `json:",omitempty"`
	// nor is something else that is wrong
	Muted    bool        `json:",omitempty"`
	Diverged *Divergence `json:",omitempty"`
	Unseen   []Unseen    `json:",omitempty"` // what was not seen of it
	// Outsiders says, for the first execution with Outside, what it was that took part, in words.
	Outsiders string     `json:",omitempty"`
	Corpus    [][]string `json:",omitempty"` // of Request.Corpus
	// of Config.Symbolic: what the values of the input are, "element 2" for the one that says which
	// element of a loop has them
	Named    []string `json:",omitempty"`
	Property bool     `json:",omitempty"` // the corpus is of properties, see Request.Draw
	// where values that depend on the input were no longer followed, with Request.Exprs
	Concrete []trace.Site `json:",omitempty"`
	// With Request.Count: how many branches were taken that no execution of the test in this
	// process had taken, and those that were, or a number of times that is of an order that it had
	// never been. Compared: what was compared and differs. Decoded: what was decoded, of executions
	// in this process.
	NewBranches int             `json:",omitempty"`
	News        []uint32        `json:",omitempty"`
	Still       bool            `json:",omitempty"` // all of Request.News
	Compared    []counters.Pair `json:",omitempty"`
	Decoded     []decoded.Call  `json:"-"`
	// Final says that executing the same schedule again tells nothing, or takes too long.
	Final bool `json:",omitempty"`
	// Died says that its process ended in it, and that the events of its trace are lost.
	Died bool `json:",omitempty"`

	Places map[trace.Site]Place `json:",omitempty"` // of the program counters among the sites of its steps
}

// A Found is a finding without a clip. Executions that show the same bug have the same Key.
type Found struct {
	Key     string
	Finding *Finding
	Steps   int `json:",omitempty"` // of the execution that matter, 0: all
}

// A Divergence says where an execution left the schedule it was to follow strictly.
type Divergence struct {
	Step     int           // index in the schedule
	Got      trace.Pending // what the goroutine was about to do
	GotOK    bool          // the goroutine existed
	Enabled  bool          // what it was about to do could be done
	NoChoice bool          // a choice was expected and none was asked for, or the other way round
}

// An Expectation is accesses to memory that are to happen in one order: those of
// an anomaly that was predicted.
type Expectation struct {
	Kind    string // of the finding
	Message string
	Pattern string  // as predict.ParseLine reads it
	Places  []Place // of the accesses, in the order of the pattern: Site, Op and Goroutine

	// not of an anomaly: the question that is to hold at some moment
	Ask *question.Question `json:",omitempty"`
}
