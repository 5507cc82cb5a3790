// Package remains has what an execution leaves behind beside its trace: the goroutines that had not
// ended, data races, panics, timers that fired early. The scheduler fills it in; engine/judge makes
// findings from it.
package remains

import (
	"heddle/detect"
	"heddle/trace"
)

// Remains is what one execution left behind. It is valid until the next execution.
type Remains struct {
	Left     []Goroutine // had not ended when the execution was over
	Races    []Race
	Deadlock *Deadlock  // nil: no lock cycle that can never be resolved
	Failures []*Failure // panics, misuses and exits, the first one first
	Early    []Timer    // that fired early

	Outside      bool // goroutines or files outside control took part
	Outsiders    bool // there are goroutines outside control
	Exited       bool // the test ended its process
	Measured     bool // the test has looked at figures of memory, which heddle changes
	RanOut       bool // a timer fired by real time
	CutOff       bool // of a verdict TimedOut: no goroutine that can go on reaches what main waits for
	KeptAsking   bool // of a verdict TimedOut: main asks for something again and again
	PolledUnseen bool // a polled side of a channel was not known when the execution began
	LateWakes    int  // timers that were let fire after the test was over

	Unstopped   []uintptr // the calls of iter.Pull whose iterators are in their middle
	OutsideWait []uintptr // the stack of what waited for something outside control; nil: nothing did
}

// Failure returns the first failure, nil if there is none.
func (r *Remains) Failure() *Failure {
	if len(r.Failures) == 0 {
		return nil
	}
	return r.Failures[0]
}

// A Goroutine had not ended when the execution was over.
type Goroutine struct {
	G       trace.GID
	Pending trace.Pending
	State   State
	Stack   []uintptr
	Holders []trace.GID // of the lock that it waits for
	Wanted  bool        // of an RWMutex: the goroutine in Holders waits to write, too
	Old     bool        // waits for something that is older than the execution
	Alive   bool        // may go on after it: a goroutine that goes on, or a timer, reaches what it waits for
	Served  bool        // of Parked: a running timer sends to what it waits for
	Made    bool        // of Blocked: what it waits for was made by this execution
}

// State says what a Goroutine was doing.
type State uint8

// States.
const (
	Blocked State = iota // waits for a lock, WaitGroup or Once
	Parked               // waits at a channel or Cond
	AtTimer              // waits for a timer
	Spinning
	Ready // could have gone on
)

// A Race is two operations that no order holds apart.
type Race struct {
	detect.Race
	G, PrevG  trace.GID // of the later and the earlier access
	Stack     []uintptr
	PrevStack []uintptr
	Step      int // how many steps the execution had
	PrevStep  int // and at the earlier access, 0: not known
	Misuse    Misuse
	Known     bool // it was said to be known: there are no stacks
}

// Misuse says which operations a Race is between that is not about memory.
type Misuse uint8

// Misuses.
const (
	MisuseNone  Misuse = iota
	MisuseWait         // WaitGroup.Add and Wait; the earlier one is the Add if PrevWrite
	MisuseClose        // a send and the close of its channel; the earlier one is the close if PrevWrite
)

// A Deadlock is a cycle of goroutines that wait for each other's locks.
type Deadlock struct {
	Members []trace.GID // each waits for a lock that the next one holds
	Steps   int         // of the execution when it formed
	Events  int
	End     End
}

// End says how an execution with a lock cycle ended.
type End uint8

// Ends.
const (
	EndUnsure End = iota // it goes on
	EndAll               // no other goroutine could go on either
	EndOver              // main ended, and no goroutine was left that could go on
	EndOthers            // others went on for ever and left the cycle alone
)

// A Failure is a panic, a misuse of an object, or the end of the process.
type Failure struct {
	Kind    Fail
	G       trace.GID
	Obj     trace.ObjID
	Value   any    // of a panic
	Message string // of a misuse or exit
	Stack   []uintptr
}

// Fail says what kind of Failure it is.
type Fail uint8

// Kinds of failures.
const (
	FailPanic Fail = iota
	FailMisuse
	FailExit // os.Exit
)

// A Timer fired before its time.
type Timer struct {
	Site   trace.Site
	By     int64     // nanoseconds
	Origin []uintptr // the stack where it was armed, if the execution records
}
