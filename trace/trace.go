// Package trace has the types of what an execution leaves behind, its events with their order, and
// of the schedules that make executions. All other packages use them. The package is compiled into
// the program under test. Packages of the standard library that are rewritten for data flow, such
// as strconv, import it, so it imports next to nothing.
//
// docs/glossary.md defines the words.
package trace

// A GID names a goroutine within one execution: its index in the order of creation, main is 0. Two
// executions that agree on a prefix agree on the GIDs made in it. Across other executions compare
// Names.
type GID int32

// NoG is "no goroutine".
const NoG GID = -1

// An ObjID is an index in Trace.Objects; 0 is "no object".
type ObjID int32

// A Goroutine is one row of Trace.Goroutines.
type Goroutine struct {
	Parent GID   // NoG for main
	N      int32 // the N-th goroutine its parent started, from 1
	Site   Site  // its go statement
}

// An Object is one row of Trace.Objects.
type Object struct {
	Kind   ObjKind
	Static bool // a package-level variable, or part of one
	// of an atomic: the Arg of its operations is its value, in every execution; of a channel: its
	// values have no size
	Number bool
	Flat   bool    // of a channel: its values have no pointers
	Addr   uintptr // address in that execution; never compared across executions
	G      GID     // the goroutine that created it; NoG if it is older than the execution
	N      int32   // the N-th allocation of that goroutine, from 1
	Offset uint32  // bytes from the start of that allocation
	Cap    int32   // capacity, of a channel
	Site   Site    // where it was created, or first used if that is unknown
	Made   Site    // where it was created; 0 if that is unknown
	Nth    int32   // the Nth allocation of that goroutine at Made, from 1; exhaustive executions only
	Init   uint64  // state before the first operation, see below; 0 if there is none
}

// Init depends on the kind. For an atomic in an exhaustive execution it is the value, for a
// semaphore the count. For an object older than the execution it is 1 if the function of a Once has
// run, if a Mutex was locked, or an RWMutex locked for writing; the counter of a WaitGroup; and
// ChanState of a channel that a goroutine offers to use in an exhaustive execution.

const closedChan = 1 << 32

// ChanState encodes the state of a channel: how many values it holds, and whether it is closed.
func ChanState(n int, closed bool) uint64 {
	if closed {
		return uint64(n) | closedChan
	}
	return uint64(n)
}

// OfChanState is the inverse of ChanState.
func OfChanState(v uint64) (n int, closed bool) { return int(v &^ closedChan), v&closedChan != 0 }

// ObjKind is the kind of an object.
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
	ObjSocket    // a socket that carries packets
	ObjClock     // the clock, in exhaustive executions in free time
)

var objNames = [...]string{"object", "chan", "mutex", "rwmutex", "cond", "waitgroup", "once", "sync.Map",
	"sync.Pool", "atomic", "memory", "timer", "model", "semaphore", "socket", "clock"}

func (k ObjKind) String() string { return objNames[k] }

// ParseObjKind returns the kind whose String is s; ObjOther if there is none.
func ParseObjKind(s string) ObjKind {
	for i, n := range objNames {
		if n == s {
			return ObjKind(i)
		}
	}
	return ObjOther
}

// An Event is an operation that was performed. 48 bytes.
type Event struct {
	G     GID
	Op    Op
	Quiet bool  // is no scheduling point
	Width uint8 // bytes that an operation on an atomic accesses, else 0; see Bytes
	Obj   ObjID // the object it accesses
	// index of the event that completed with this one (the send of a receive, the receive of a
	// send), -1 if none
	Partner int32
	Arg     int64 // outcome; see the Op
	Site    Site
	// index in Trace.Values + 1 of the value moved, when values are recorded; of an OpTimerStart in
	// free time the ObjID of the timer's channel
	Val  int32
	Step int32 // index in Trace.Steps of its step
}

// Bytes returns how many bytes of memory an access to memory or to an atomic reads or writes: 1
// where that is unknown. It means nothing for other events.
func (e *Event) Bytes() int64 {
	if e.Op == OpRead || e.Op == OpWrite {
		return max(e.Arg, 1)
	}
	return max(int64(e.Width), 1)
}

// A Step is one choice of the scheduler: the goroutine that continues, its pending operation, and
// the outcome where there are several (select, draws, which waiter).
type Step struct {
	G       GID
	Op      Op    // its pending operation; OpNone in a schedule matches any
	Choice  int32 // outcome taken; -1 if there was only one
	Default GID   // the choice of the non-preemptive policy: a step with G != Default is a switch
	Site    Site  // of the pending operation

	// In exhaustive executions (Schedule.Exhaustive) a communication over an unbuffered channel is
	// one step of both goroutines. G is the sender, or the goroutine that polls. Choice is then the
	// index of the alternative, if there were several; a schedule may name With, Case and WithCase
	// instead. For OpChoose, With is the number of outcomes.
	With     int32 // GID + 1 of the receiver that took part; 0 if none
	Case     int16 // index + 1 of the case that G's select took; 0 outside a select
	WithCase int16 // the same for the receiver
}

// A Call is the program's own call that led to a step elsewhere: where it is, and the place in what
// it calls. Both are 0 if there is none.
type Call struct{ From, Into Site }

// A Trace is what one execution left behind. The next execution of the same executor reuses its
// slices: Clone what must live longer.
type Trace struct {
	Goroutines []Goroutine
	Objects    []Object // index 0 is unused
	Steps      []Step
	Events     []Event
	Values     []string // printed values, when recorded
	// when recorded, for each step: the program's own call that led to it, where the step is in the
	// standard library or a dependency; 0 elsewhere. It can be shorter than Steps.
	Calls   []Call
	Verdict Verdict

	// Exhaustive executions only.
	Offers []Offer // in the order in which they were announced
	// goroutines that had not ended, in order of creation; also of executions that record
	Left     []Left
	Plain    []Plain   // memory accesses that were no steps, if asked for
	Compares []Compare // in the order of their events
	Updates  []Updated // with Plain, in the order of their events
	Sent     []Sent    // with Plain, in the order of their events
	Heads    []Head    // with Plain, in their order
	Affects  []Affect  // effects of quiet events, where known, in the order of the events
	Crashed  []GID     // goroutines whose panic, or fatal error, ends the program
	Ways     []Way     // if asked for (Schedule.Ways): all alternatives, by step
	// If asked for: for each goroutine its elder, the last one before it with which it is
	// interchangeable (docs/design/symmetry.md), itself if there is none. If equal arguments are
	// enough: the first one that its parent started by the same go statement with such.
	Twins []GID
	// Calm comes with Twins: after how many of its first steps each goroutine did nothing until it
	// announced the next one but access memory.
	Calm []int32
	Spun bool // a polling goroutine was throttled by a guess: other executions may be missing
	// what keeps exhaustive executions in free time from covering it
	Untimed Untimed

	Flow *Flow // nil unless asked for
}

// An Offer is a case of a channel operation that a goroutine announced. A send or receive outside a
// select has one case.
type Offer struct {
	G    GID
	Step int32 // index of the step at whose end it was announced, -1 before the first
	Case int16 // index + 1 in the select; 0 outside one; or a constant below
	Send bool
	Poll bool // of a select with default, which does not wait
	Obj  ObjID

	// Polling loops only.
	Site  Site
	After int32 // the number of events before
}

// The Cases of offers that are no cases.
const (
	LoopWaits  int16 = -1 - iota // a polling loop read the object, and waits until it is written
	LoopGoesOn                   // a polling loop read the object, which was written since
	Arriving                     // a goroutine that had not ended was about to arrive there
)

// MostPlain bounds Trace.Plain. What comes after so many accesses is not in it.
const MostPlain = 1 << 16

// A Plain is an access, within a step, to memory that is on no stack.
type Plain struct {
	G     GID
	Step  int32
	Write bool
	Size  uint32
	Site  Site
	Mem   Object // identified by its creation
	// the number of events before, in executions that record values or expressions over inputs
	After int32
	// Valued: it writes a number of at most 8 bytes, and Value is what the memory had once the
	// goroutine had done all that it did before its next operation, or head.
	Valued bool
	Value  uint64
	// Made is how many allocations G had made when the step began: later ones are the step's own.
	Made int32
	// It is the read, or the write, of an update, or of several that are made into one. By is 1 for
	// a read whose value went nowhere else.
	Update Update
	// Of an access to one entry of a map: a hash of its key, which is odd. Of a read of the length
	// of a map Length or Growth. Else 0.
	Key uint64
	// Of a write to one entry of a map.
	Leaves Leaves
}

// Leaves says what a write leaves, where that is the same whatever writes it.
type Leaves uint8

const (
	LeavesAny   Leaves = iota
	LeavesKey          // an entry whose value has no size, or is always the same
	LeavesNoKey        // no entry
)

// What a read of the length of a map is for; see Plain.Key.
const (
	Length = 2 // it is compared with a later length of the map, if at all
	Growth = 4 // the two are of one step: only how much the map grows between them is looked at
)

// A Compare is the value that a CompareAndSwap compared with.
type Compare struct {
	Event int32 // index of its event, an OpAtomicRMW or an OpAtomicLoad
	Old   uint64
}

// Left is a leftover: the pending operation of a goroutine when the execution ended.
type Left struct {
	G GID
	Pending
	Step    int32 // index of the step at whose end it was announced
	Enabled bool  // it was enabled (another goroutine ended the execution)
}

// Verdict says how an execution ended.
type Verdict uint8

const (
	Finished   Verdict = iota // the test is over and no goroutine is enabled
	Panicked                  // an unrecovered panic or fatal error
	Deadlocked                // no goroutine is enabled and the test is not over
	Livelocked                // a goroutine spins, and no goroutine is left to write what it reads
	Bounded                   // the step bound was reached
	Diverged                  // the schedule did not fit
	Aborted                   // stopped from outside
	// the test still waited when go test would have ended it, and only the clock woke goroutines
	TimedOut
	Expired // the time bound was reached
	Filled  // the memory bound was reached
	Crowded // the bound on goroutines was reached
)

// Cut reports whether one of heddle's bounds ended the execution.
func (v Verdict) Cut() bool { return v == Bounded || v == Crowded || v.Early() }

// Early reports whether that bound is one of the machine's, time or memory: the same schedule may
// get further another time.
func (v Verdict) Early() bool { return v == Expired || v == Filled }

func (v Verdict) String() string {
	return [...]string{"finished", "panicked", "deadlocked", "livelocked", "bound reached", "diverged",
		"aborted", "timed out", "time bound reached", "memory bound reached", "goroutine bound reached"}[v]
}

// Name returns a goroutine's name, its path in the tree of go statements: "main", "main/2",
// "main/2/1".
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

// decimal returns n, which is not negative, in decimal digits. Package strconv may be under test.
func decimal(n int32) string {
	digit := string(rune('0' + n%10))
	if n < 10 {
		return digit
	}
	return decimal(n/10) + digit
}

// Switches counts the steps of another goroutine than the non-preemptive policy's choice.
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
	c.Calls = append([]Call(nil), t.Calls...)
	c.Offers = append([]Offer(nil), t.Offers...)
	c.Left = append([]Left(nil), t.Left...)
	c.Plain = append([]Plain(nil), t.Plain...)
	c.Compares = append([]Compare(nil), t.Compares...)
	c.Updates = append([]Updated(nil), t.Updates...)
	c.Sent = append([]Sent(nil), t.Sent...)
	c.Heads = append([]Head(nil), t.Heads...)
	c.Affects = append([]Affect(nil), t.Affects...)
	c.Crashed = append([]GID(nil), t.Crashed...)
	c.Twins, c.Calm = append([]GID(nil), t.Twins...), append([]int32(nil), t.Calm...)
	c.Ways = append([]Way(nil), t.Ways...)
	c.Flow = t.Flow.clone()
	return &c
}
