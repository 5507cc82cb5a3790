package wire

import (
	"slices"

	"heddle/explore/why"
	"heddle/trace"
)

// What a test binary says that gives the rest of a test's exploration away (a
// Record of type "share" in the place of "end"), and what is said between the
// command and binaries that work on it together (Mode "work"): Items go in, a
// JSON line each, on file descriptor ItemFD, and for each a Record of type "worked" comes out.

// ItemFD is the file descriptor of Items, the second of exec.Cmd.ExtraFiles.
const ItemFD = 4

// CrashHurry is where in the crash file a byte tells a worker that others have
// nothing to do: it is to give back what it has.
const CrashHurry = 800

// Knowledge is what executions of a test have taught that the next ones go by.
// All processes that explore one test must have the same.
type Knowledge struct {
	Visible []trace.Site     `json:",omitempty"` // sites whose memory accesses are scheduling points
	Polled  []trace.Site     `json:",omitempty"` // sides of channels at which arriving is a step
	Ordered []trace.Identity `json:",omitempty"` // objects whose operations do not commute after all
	Loose   bool             `json:",omitempty"` // executions are loose (trace.Schedule.Loose)
	OneWay  bool             `json:",omitempty"` // accesses that race are no scheduling points
	Unseen  []Unseen         `json:",omitempty"` // what was not seen of executions
	// lock cycles that are known to be deadlocks, and two more things that the scheduler
	// remembers: see sched.Memory
	Cycles     map[uint64]uint8 `json:",omitempty"`
	HandedOver bool             `json:",omitempty"`
	Waits      []trace.Pending  `json:",omitempty"`
}

// Join adds what l knows and reports whether k has learnt from it what changes executions.
func (k *Knowledge) Join(l *Knowledge) (learnt bool) {
	add := func(to *[]trace.Site, from []trace.Site) {
		for _, s := range from {
			if !slices.Contains(*to, s) {
				*to, learnt = append(*to, s), true
			}
		}
		slices.Sort(*to)
	}
	add(&k.Visible, l.Visible)
	add(&k.Polled, l.Polled)
	for _, o := range l.Ordered {
		if !slices.ContainsFunc(k.Ordered, func(p trace.Identity) bool { return same(o, p) }) {
			k.Ordered, learnt = append(k.Ordered, o), true
		}
	}
	for key, end := range l.Cycles {
		if k.Cycles == nil {
			k.Cycles = make(map[uint64]uint8)
		}
		if k.Cycles[key] != end {
			k.Cycles[key], learnt = end, true
		}
	}
	for _, w := range l.Waits {
		if !slices.Contains(k.Waits, w) {
			k.Waits, learnt = append(k.Waits, w), true
		}
	}
	if l.HandedOver && !k.HandedOver {
		k.HandedOver, learnt = true, true
	}
	if l.Loose && !k.Loose {
		k.Loose, learnt = true, true
	}
	k.OneWay = k.OneWay || l.OneWay // which changes no execution
	for _, u := range l.Unseen {    // nor do these
		if !slices.Contains(k.Unseen, u) {
			k.Unseen = append(k.Unseen, u)
		}
	}
	return learnt
}

// Clone returns a copy that shares nothing with k.
func (k *Knowledge) Clone() *Knowledge {
	l := new(Knowledge)
	l.Join(k)
	return l
}

func same(a, b trace.Identity) bool {
	return slices.Equal(a.By, b.By) && a.Made == b.Made && a.N == b.N && a.Offset == b.Offset &&
		a.Addr == b.Addr && a.Kind == b.Kind && a.Size == b.Size
}

// Cuts are how many executions a bound has ended before their end.
type Cuts struct {
	Steps int `json:",omitempty"` // the step bound
	Time  int `json:",omitempty"` // the time bound
	Full  int `json:",omitempty"` // the memory bound
	Crowd int `json:",omitempty"` // the bound on goroutines
}

// Count counts an execution that ended so.
func (c *Cuts) Count(v trace.Verdict) {
	switch v {
	case trace.Bounded:
		c.Steps++
	case trace.Expired:
		c.Time++
	case trace.Filled:
		c.Full++
	case trace.Crowded:
		c.Crowd++
	}
}

// Add adds d.
func (c *Cuts) Add(d Cuts) {
	c.Steps += d.Steps
	c.Time += d.Time
	c.Full += d.Full
	c.Crowd += d.Crowd
}

// Since returns how many there are beside those of before.
func (c Cuts) Since(before Cuts) Cuts {
	return Cuts{c.Steps - before.Steps, c.Time - before.Time, c.Full - before.Full, c.Crowd - before.Crowd}
}

// Reason says which bound was reached; none if none was.
func (c Cuts) Reason() why.Reason {
	switch {
	case c.Steps > 0:
		return why.Of(why.StepBound)
	case c.Time > 0:
		return why.Of(why.TimeBound)
	case c.Full > 0:
		return why.Of(why.MemoryBound)
	case c.Crowd > 0:
		return why.Of(why.CrowdBound)
	}
	return why.Reason{}
}

// Early reports whether one of them was ended by time or memory: a test is explored no further
// then that another time would come farther.
func (c Cuts) Early() bool { return c.Time > 0 || c.Full > 0 }

// A Tally is what executions of an exploration add up to.
type Tally struct {
	Executions int
	Buggy      int        `json:",omitempty"` // that showed something wrong
	Aborted    int        `json:",omitempty"` // executions beside these that a strategy broke off
	Cuts       Cuts       `json:",omitzero"`
	Timers     bool       `json:",omitempty"` // timers were used
	Real       bool       `json:",omitempty"` // goroutines or files outside control took part
	Nondet     bool       `json:",omitempty"` // the same schedule gave two different executions
	Spun       bool       `json:",omitempty"` // a polling loop was held back
	Short      why.Reason `json:",omitzero"`  // why a search cannot be complete that goes on
	Failed     why.Reason `json:",omitzero"`  // why it does not go on
	Within     why.Bounds `json:",omitzero"`  // within which all was covered
}

// Add adds u.
func (t *Tally) Add(u *Tally) {
	t.Executions += u.Executions
	t.Buggy += u.Buggy
	t.Aborted += u.Aborted
	t.Cuts.Add(u.Cuts)
	t.Timers, t.Real, t.Nondet, t.Spun = t.Timers || u.Timers, t.Real || u.Real, t.Nondet ||
		u.Nondet, t.Spun || u.Spun
	if t.Short.None() {
		t.Short = u.Short
	}
	if t.Failed.None() {
		t.Failed = u.Failed
	}
	t.Within = t.Within.Wider(u.Within)
}

// A Share is an exploration that others go on with.
type Share struct {
	// others make the executions that the strategy asks for, one by one; the strategy stays in one
	// process, and begins anew there
	RemoteExecutions bool

	Closure  bool      // Pieces are executions to be made; what they lead to is more of them
	States   []uint64  `json:",omitempty"` // that some are known to lead to
	Formulas *Formulas `json:",omitempty"` // of what was asked so far

	// an exhaustive search: Pieces are what is left of it. Otherwise schedules are sampled, from
	// State on
	Search bool
	// of a search: what is left is in wakeup trees (dpor.Tree), of which the one piece says how
	// the first leaf is split
	Wakeups bool    `json:",omitempty"`
	Result  string  // of the plain run
	Tally   Tally   // of the search; of samples all
	Others  int     // executions that are none of the search
	Elapsed float64 // seconds
	// seconds until it is to end since something was found; 0: as the budget says
	Left   float64   `json:",omitempty"`
	Found  int       // findings that were told
	Seen   []string  // their keys
	Told   []Finding `json:",omitempty"` // themselves, for the command to keep
	Know   Knowledge
	Pieces []Piece `json:",omitempty"`
	State  *State  `json:",omitempty"` // of a search too, if a portfolio goes on where it is given up
	Began  float64 `json:",omitempty"` // of such a search: what share of the budget was spent before it
	Guess  float64 `json:",omitempty"` // and about how many executions it would take at least; 0: not known

	Portfolio bool `json:",omitempty"` // samples are made by the strategies of a portfolio
	Free      bool `json:",omitempty"` // only in free time

	Predicting *Predicting `json:",omitempty"` // a prediction, and no search or samples

	// Of samples: why they are not all, and about how many all would be, as far as that is known.
	Why      why.End
	Estimate float64
}

// A Piece of a search is opaque to the coordinator.
type Piece struct {
	Data []byte  // empty: the whole search
	Size float64 // about how many executions

	// Of a closure: the state that it leads to, or has led to if it was Made; 0: whatever that is.
	// Bare ones come last.
	State uint64 `json:",omitempty"`
	Made  bool   `json:",omitempty"`
	Bare  bool   `json:",omitempty"`
	N     int    `json:",omitempty"` // its number, for the coordinator
}

// A State is where a sequence of samples is: what the next execution goes by beside Knowledge.
type State struct {
	Next    int            // number of the next sample
	Timers  bool           `json:",omitempty"`
	Lengths map[string]int `json:",omitempty"` // of policies that learn the length of executions, by name
}

// An Item of work is a Piece of a search, some of a closure, a range of samples, a turn with a
// portfolio, tasks of a prediction, executions that the engine asks for, or an input that it
// wants explored.
type Item struct {
	N      int // its number
	Epoch  int // changes with what is known: an Item of another one is void
	Test   string
	Know   *Knowledge
	Seen   []string // keys of findings that need not be told
	Before int      // executions so far, all together

	Piece *Piece  `json:",omitempty"`
	More  []Piece `json:",omitempty"` // of a closure: others
	Known []byte  `json:",omitempty"` // and states that are known (some of them, 8 bytes each)
	Parts int     `json:",omitempty"` // in how many pieces what is left is to be split

	State *State `json:",omitempty"` // of the first of the samples
	To    int    `json:",omitempty"` // number of the one after the last

	Turn *Turn `json:",omitempty"`

	Tasks *Tasks `json:",omitempty"`

	RemoteExecutions []RemoteExecution `json:",omitempty"`

	Input *Input `json:",omitempty"`

	// Same, if not nil, makes the Item exactly as far as it was made before, whatever time that
	// takes: so that the results can be compared.
	Same *Extent `json:",omitempty"`

	// nanoseconds after which a piece is to be given back; 0: when nothing is left of it
	Quantum int64 `json:",omitempty"`
	// nanoseconds before which it is not, though other workers have nothing to do
	Least  int64 `json:",omitempty"`
	Budget int64 `json:",omitempty"` // nanoseconds until the test's budget is spent; 0: none
}

// MostOrders is how many orders a Turn tells of at most, and a Worked after one. To a worker
// that does not hear of an order, the order is new as well, no more.
const MostOrders = 1 << 10

// A Turn is some time for a portfolio of strategies. A worker that has none begins one, which the
// number of the Item makes different from those of others.
type Turn struct {
	State  State
	Free   bool     `json:",omitempty"` // only executions in free time
	Orders []uint64 `json:",omitempty"` // that others have shown lately, see explore/succession
}

// A RemoteExecution is a remote execution: one that the engine asks a worker for.
type RemoteExecution struct {
	N       int     // its number
	Request Request // without the steps of its schedule
	Steps   []byte  // see trace.AppendSteps
	// nanoseconds until Request.Until, from when it is handed out: clocks differ
	Left int64 `json:",omitempty"`
}

// A Made is what a remote execution came to.
type Made struct {
	N       int
	Outcome *Result
	Bereft  bool       `json:",omitempty"` // see drive.Execution
	Learnt  *Knowledge `json:",omitempty"` // what the execution has taught
}

// An Input is what a fuzz target is called with in the executions of an Item.
type Input struct {
	N      int      // its number, for the engine that asks
	Values []string // see Request.Input
	Most   int      `json:",omitempty"` // executions; 0: no such bound
	Real   bool     `json:",omitempty"` // what executions with others have shown, see Tally
	Nondet bool     `json:",omitempty"`

	// Chance: not that one, but about so many inputs by chance, by a seed, beginning with Offers
	// beside those that the worker knows
	Chance int     `json:",omitempty"`
	Seed   uint64  `json:",omitempty"`
	Offers []Offer `json:",omitempty"`
}

// An Offer is an input that others are made of by chance. Sides is a hash of the sides of branches
// on the input that it takes in the program's own code; 0: it was not explored.
type Offer struct {
	Values []string
	Sides  uint64 `json:",omitempty"`
}

// A Fresh is an input by chance that took new branches. First: one of them none had taken before;
// else one was taken more often than before, or something compared came nearer.
type Fresh struct {
	Values []string
	First  bool `json:",omitempty"`
}

// An Explored is what an Input came to, beside what Worked says.
type Explored struct {
	Complete bool
	Why      why.End
	// traces, without steps and objects: one of each sequence of branches on the input, in their
	// order
	Paths    [][]byte     `json:",omitempty"`
	Concrete []trace.Site `json:",omitempty"` // see Result
	// of Input.Chance: inputs that took new branches, and how many of the last offers took none
	Fresh []Fresh `json:",omitempty"`
	Idle  int     `json:",omitempty"`
	// why the test is to be executed in processes of its own, and where that shows
	Move   string               `json:",omitempty"`
	MoveAt trace.Site           `json:",omitempty"`
	Places map[trace.Site]Place `json:",omitempty"` // of the program counters among these sites
}

// An Extent is how far a piece of a search was explored.
type Extent struct {
	Rounds int  // executions of it that had not been made before
	End    bool // it had no other
	Parts  int  // in which what was left was to be split
}

// A Worked is what an Item came to.
type Worked struct {
	N     int
	Epoch int
	Tally Tally
	Again int      `json:",omitempty"` // executions that had been made before, to go on from there
	Found []Found  `json:",omitempty"`
	Seen  []string `json:",omitempty"` // keys of what was found, told or not
	Notes []Record `json:",omitempty"`
	// of a search: it is to begin anew, and everything but Found is void
	Learnt  *Knowledge `json:",omitempty"`
	Isolate *Record    `json:",omitempty"` // the test is to be executed in processes of its own
	Over    bool       `json:",omitempty"` // there is no point in other executions
	Extent  *Extent    `json:",omitempty"` // of a piece of a search

	// of the piece; of one of wakeup trees one, which says what became of its leaves; of a closure
	// what its pieces lead to
	Left []Piece `json:",omitempty"`
	// of wakeup trees and closures: what the Item was made of, of a closure the first To, which
	// counts it
	Of []int `json:",omitempty"`

	Formulas *Formulas `json:",omitempty"` // of a closure

	State *State     `json:",omitempty"` // after the samples
	Know  *Knowledge `json:",omitempty"` // and what is known then, or after a turn

	Orders []uint64 `json:",omitempty"` // that were new in a turn

	// by the tasks From to To, which may be fewer than were to be done
	Predicted *Predicted `json:",omitempty"`

	// The first of the samples, and the one after the last that were to be made: for the
	// coordinator, which counts them.
	From int `json:",omitempty"`
	To   int `json:",omitempty"`

	Made     []Made    `json:",omitempty"` // of remote executions
	Explored *Explored `json:",omitempty"` // of an input

	Elapsed float64 // seconds
}
