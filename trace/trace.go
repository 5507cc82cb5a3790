// Package trace holds what an execution leaves behind: its events with their
// order, and the schedules that make executions. Every other room speaks in
// its types. It is compiled into the program under test too, and packages of
// the standard library that are rewritten for data flow, such as strconv,
// import it, so it imports next to nothing.
//
// Words (one word per idea, everywhere in heddle): an operation is what a
// goroutine is about to do that others can notice; an event is an operation
// that was performed; a step goes from one choice of the scheduler to the
// next; an execution is one run of a test from start to end; a trace is the
// events of an execution with their order; a schedule is the choices to
// follow, and the policy for what comes after them.
package trace

// A GID names a goroutine within one execution: its place in the order of
// creation, main is 0. Two executions that agree on a prefix agree on the GIDs
// made in it; across others compare Names.
type GID int32

// NoG is "no goroutine".
const NoG GID = -1

// An ObjID is an object's place in Trace.Objects; 0 is "no object".
type ObjID int32

// A Goroutine is one row of Trace.Goroutines.
type Goroutine struct {
	Parent GID   // NoG for main
	N      int32 // the N-th goroutine its parent started, from 1
	Site   Site  // its go statement
}

// An Object is one row of Trace.Objects: what operations are about.
type Object struct {
	Kind   ObjKind
	Addr   uintptr // where it was in that execution; never compared across executions
	G      GID     // who created it; NoG if it is older than the execution
	N      int32   // creator's N-th allocation, from 1
	Offset uint32  // bytes from the start of that allocation
	Cap    int32   // capacity, of a channel
	Site   Site    // where it was created, or first used if that is not known
	Made   Site    // where it was created; 0 if that is not known
	Nth    int32   // creator's Nth allocation there, from 1; of exhaustive executions
	Init   uint64  // what it was before the first operation, where that is not nothing: see below
}

// What Init is depends on the kind: of an atomic, in an exhaustive execution, its value; the count of a semaphore; of what is older than the execution,
// 1 if the function of a Once has run, a Mutex was locked, or an RWMutex for writing, the counter of a WaitGroup, and ChanState of a channel that is offered in an exhaustive execution.

const closedChan = 1 << 32

// ChanState is the state of a channel as a number: how many values it holds, and whether it is closed.
func ChanState(n int, closed bool) uint64 {
	if closed {
		return uint64(n) | closedChan
	}
	return uint64(n)
}

// OfChanState is the inverse of ChanState.
func OfChanState(v uint64) (n int, closed bool) { return int(v &^ closedChan), v&closedChan != 0 }

// ObjKind says what an object is.
type ObjKind uint8

const (
	ObjOther ObjKind = iota
	ObjChan
	ObjMutex
	ObjRWMutex
	ObjCond
	ObjWaitGroup
	ObjOnce
	ObjMap
	ObjPool
	ObjAtomic
	ObjMemory
	ObjTimer
	ObjModel     // an object of a model that is not Go's own: its operations are totally ordered
	ObjSemaphore // a counting semaphore
)

var objNames = [...]string{"object", "chan", "mutex", "rwmutex", "cond", "waitgroup", "once", "sync.Map", "sync.Pool", "atomic", "memory", "timer", "model", "semaphore"}

func (k ObjKind) String() string { return objNames[k] }

// An Event is an operation that was performed. 48 bytes.
type Event struct {
	G       GID
	Op      Op
	Quiet   bool  // was no scheduling point
	Obj     ObjID // what it was about
	Partner int32 // index of the event that completed with this one (a receive's send and the other way round), -1 if none
	Arg     int64 // outcome; see the Op
	Site    Site
	Val     int32 // index in Trace.Values + 1 of the value moved, when values are recorded
	Step    int32 // index in Trace.Steps of the step it is part of
}

// A Step is one choice of the scheduler: which goroutine went on, with which
// pending operation, and for operations with several outcomes (select, draws,
// which waiter) which one.
type Step struct {
	G       GID
	Op      Op    // what it was about to do; OpNone in a schedule means "whatever it is"
	Choice  int32 // outcome taken; -1 when there was only one
	Default GID   // whom the non-preemptive policy would have chosen: a step with G != Default is a switch
	Site    Site  // of the pending operation

	// Of exhaustive executions (Schedule.Exhaustive). A communication over an
	// unbuffered channel is one step of both goroutines; G is the sender, or who
	// polls. Choice is then which of the ways to go on it was, when there were
	// several; a schedule may name With, Case and WithCase instead.
	// For OpChoose, With is the number of outcomes there were.
	With     int32 // GID + 1 of the receiver that the operation completed with; 0 if none
	Case     int16 // index + 1 of the case that G's select took; 0 if G is in no select
	WithCase int16 // the same of the receiver's
}

// A Trace is what one execution left behind. Slices are reused by the next
// execution of the same executor: Clone what must live longer.
type Trace struct {
	Goroutines []Goroutine
	Objects    []Object // index 0 is unused
	Steps      []Step
	Events     []Event
	Values     []string // printed values, when recorded
	Verdict    Verdict

	// Of exhaustive executions.
	Offers   []Offer   // in the order in which they were announced
	Left     []Left    // goroutines that had not ended, in order of creation
	Plain    []Plain   // memory accesses that were no steps, if they were asked for
	Compares []Compare // in order of their events
	Affects  []Affect  // of quiet events whose effect is known, in their order
	Crashed  []GID     // those whose panic, or fatal error, ends the program
	Ways     []Way     // if asked for (Schedule.Ways): all ways to go on, by step
	Twins    []GID     // if asked for: of each goroutine the first that its parent started by the same go statement with equal arguments
	Spun     bool      // a goroutine that polled was held back by a guess: other executions may be missing

	Flow *Flow // data flow of values; nil unless it was asked for
}

// An Offer is a case of a channel operation that a goroutine announced; a send
// or receive outside a select is an operation with one case.
type Offer struct {
	G    GID
	Step int32 // index of the step at whose end it was announced, -1: before the first
	Case int16 // index + 1 in the select; 0 outside one; or see below
	Send bool
	Poll bool // of a select with default, which waits for nobody
	Obj  ObjID

	// Of a loop that polls.
	Site  Site
	After int32 // how many events there were before
}

// The Cases of offers that are none.
const (
	LoopWaits  int16 = -1 - iota // a polling loop looked at it, and waits until it is written
	LoopGoesOn                   // the same, but something that it looked at was written meanwhile
	Arriving                     // somebody who was left was about to arrive there
)

// A Plain is an access to memory that is on no stack, within a step.
type Plain struct {
	G     GID
	Step  int32
	Write bool
	Size  uint32
	Site  Site
	Mem   Object // by its creation
	After int32  // how many events there were before, in executions that record expressions over inputs
}

// A Compare tells what a CompareAndSwap compared the value of its atomic with.
type Compare struct {
	Event int32 // index of its event, an OpAtomicRMW or an OpAtomicLoad
	Old   uint64
}

// Left is what a goroutine was about to do when the execution was over.
type Left struct {
	G GID
	Pending
	Step    int32 // index of the step at whose end it announced that
	Enabled bool  // it could have gone on (the execution was ended by somebody else)
}

// Verdict says how an execution ended.
type Verdict uint8

const (
	Finished   Verdict = iota // the test is over and nobody can go on
	Panicked                  // an unrecovered panic or fatal error
	Deadlocked                // nobody can go on and the test is not over
	Livelocked                // somebody spins, and nobody is left to write what it reads
	Bounded                   // the step bound was reached
	Diverged                  // the schedule did not fit
	Aborted                   // stopped from outside
	TimedOut                  // the test still waited when go test would have ended it, and only the clock woke somebody
	Expired                   // the time bound was reached
	Filled                    // the memory bound was reached
	Crowded                   // the bound on goroutines was reached
)

// Cut reports whether a bound of heddle's ended the execution before its end.
func (v Verdict) Cut() bool { return v == Bounded || v == Crowded || v.Early() }

// Early reports whether that bound is one of the machine's, time or memory: the same schedule may come farther another time.
func (v Verdict) Early() bool { return v == Expired || v == Filled }

func (v Verdict) String() string {
	return [...]string{"finished", "panicked", "deadlocked", "livelocked", "bound reached", "diverged", "aborted", "timed out", "time bound reached", "memory bound reached", "goroutine bound reached"}[v]
}

// Name returns a goroutine's name, its place in the tree of go statements:
// "main", "main/2", "main/2/1".
func (t *Trace) Name(g GID) string {
	if g < 0 || int(g) >= len(t.Goroutines) {
		return "g?"
	}
	r := t.Goroutines[g]
	if r.Parent == NoG {
		if r.N > 0 {
			return "timers"
		}
		return "main"
	}
	return t.Name(r.Parent) + "/" + decimal(r.N)
}

// decimal returns n, which is not negative, in decimal digits.
func decimal(n int32) string {
	digit := string(rune('0' + n%10))
	if n < 10 {
		return digit
	}
	return decimal(n/10) + digit
}

// Switches counts the steps at which somebody else than the non-preemptive policy's choice went on.
func (t *Trace) Switches() int {
	n := 0
	for _, s := range t.Steps {
		if s.G != s.Default {
			n++
		}
	}
	return n
}

// Clone returns a deep copy that later executions do not touch.
func (t *Trace) Clone() *Trace {
	c := *t
	c.Goroutines = append([]Goroutine(nil), t.Goroutines...)
	c.Objects = append([]Object(nil), t.Objects...)
	c.Steps = append([]Step(nil), t.Steps...)
	c.Events = append([]Event(nil), t.Events...)
	c.Values = append([]string(nil), t.Values...)
	c.Offers = append([]Offer(nil), t.Offers...)
	c.Left = append([]Left(nil), t.Left...)
	c.Plain = append([]Plain(nil), t.Plain...)
	c.Compares = append([]Compare(nil), t.Compares...)
	c.Affects = append([]Affect(nil), t.Affects...)
	c.Crashed = append([]GID(nil), t.Crashed...)
	c.Twins = append([]GID(nil), t.Twins...)
	c.Ways = append([]Way(nil), t.Ways...)
	c.Flow = t.Flow.clone()
	return &c
}
