package explore

import (
	"time"

	"heddle/explore/mapcov"
	"heddle/explore/question"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// Optional interfaces: what a Strategy can do beside exploring.

// A Sighted strategy gets every access to memory (Needs.Accesses).
type Sighted interface {
	Strategy
	// Sites returns the sites at which shared memory is accessed.
	Sites() []trace.Site
}

// A Counting strategy makes executions of which it only counts what they show. Values and data flow
// are not recorded in these.
type Counting interface {
	Strategy
	// Counts reports whether the schedule that Next returned last is of such an execution.
	Counts() bool
}

// A Seeded strategy can start from executions of another one.
type Seeded interface {
	Strategy
	// Seed takes an execution, before the first Next. If it returns false the strategy is unusable:
	// make a new one.
	Seed(t *trace.Trace) bool
}

// A Yielding strategy falls back to the unit of Cover where its own construction does not apply.
type Yielding interface {
	Strategy
	// Successor returns the strategy that has taken over; nil if none has.
	Successor() Strategy
	// Yields returns why the strategy does not apply; "" if it does.
	Yields() string
}

// A Trying strategy lets the unit of Cover make some of its executions, which need no more than
// those of that unit then.
type Trying interface {
	Strategy
	// Tries reports whether the schedule that Next returned last is of such an execution.
	Tries() bool
}

// A Narrow strategy says how much it has left aside on the way to where it is: while that is little
// the search goes straight ahead, and may come to its end soon.
type Narrow interface {
	Strategy
	// Aside returns how many steps are still to be tried in the states before the present one.
	Aside() int
	// Folds reports whether many ways through the program have come together: then there may be far
	// fewer states than there seem to be.
	Folds() bool
}

// An InputSearch explores the inputs of a fuzz target together with its schedules.
type InputSearch interface {
	Strategy
	// Input returns the input of the schedule that Next returned last.
	Input() []any
	// ForeseenInputs returns the inputs of the schedules that Foresee returned last.
	ForeseenInputs() [][]any
	// Unsolved returns the sites of conditions on inputs that were not solved in time.
	Unsolved() []trace.Site
	// Yields returns why inputs and schedules cannot be explored together; "" if they can.
	Yields() string
}

// An Asker answers questions about everything that it has explored.
type Asker interface {
	Strategy
	// Ask asks whether there is a moment at which q holds. stands reports whether a site is at a
	// place of q.
	Ask(q *question.Question, stands func(trace.Site, *question.Place) bool) (Inquiry, error)
}

// An Inquiry is a question that is being answered.
type Inquiry interface {
	// Next returns a schedule that leads to such a moment; nil if there is no other.
	Next() *trace.Schedule
	// Late reports whether time ran out before the search was over.
	Late() bool
}

// A Splitting strategy can give away the rest of its search.
type Splitting interface {
	Strategy
	// Part returns the strategy as a Part; nil if nothing is left to split.
	Part() Part
}

// A Part is a search, or a part of one, that can be split. It is the strategy of a worker.
type Part interface {
	Strategy
	Table() *transition.Table
	Outdated() bool // it has learnt a dependence: the whole search must begin anew
	Broken() bool   // it ended before everything was explored

	// Prepare is called before Take. places names objects that are older than the test, and known
	// has the objects whose operations are known to be dependent.
	Prepare(places transition.Places, known []trace.Identity)
	// Take sets the work unit to explore.
	Take(data []byte) error
	// Again reports whether the schedule that Next returned last repeats an execution, which is not
	// counted.
	Again() bool
	// Split returns what is left, in n pieces or in pieces that can be split into n. An empty
	// result means that nothing is left and there is nothing to report.
	Split(n int) []Piece
	// Wakeups: what is left is wakeup trees, which Split returns as one piece, for a Tree.
	Wakeups() bool
}

// A Tree holds what is left of a search whose parts depend on each other, as wakeup trees: a worker
// may find sequences that belong to the part of another worker. Its leaves are handed out.
type Tree interface {
	// Know takes what is known about dependence (transition.Table.Known), before the first Take.
	Know(known []trace.Identity)
	// Item encodes leaves for Part.Take.
	Item(leaves []int) []byte
	// Take records what became of leaves that were handed out together: report is the piece of
	// Part.Split, after so many executions. It returns the new leaves. After an error the Tree is
	// unusable.
	Take(leaves []int, report []byte, executions int) ([]Leaf, error)
	// Size returns the expected number of executions below leaves, or below all leaves if leaves is
	// nil.
	Size(leaves []int) float64
	Done() bool // everything was explored
}

// A Leaf is a leaf of a Tree. Leaf 1 of a new Tree is the whole search.
type Leaf struct {
	N     int
	Size  float64 // expected number of executions
	Depth int     // length of the path to it: the cost of handing it out
}

// An Heir is a strategy that can take over the search of another one.
type Heir interface {
	Strategy
	// Made takes executions of schedules like those of Next, no two of them equivalent, before the
	// first Next. They become part of the search, which does not repeat them.
	Made(traces []*trace.Trace)
}

// A Piece is a work unit: opaque data, and its expected number of executions.
type Piece struct {
	Data []byte
	Size float64
}

// Leads is a strategy whose work units are single executions.
type Leads interface {
	Sighted
	// Leads gives away what is left, and the known states. ok is false as long as that is
	// impossible.
	Leads() (leads []Lead, known []uint64, ok bool)
	// Know adds known states to those of earlier calls. The strategy forgets the states that it has
	// reached itself.
	Know(states []uint64)
	// Made takes the trace of a lead that was not made before, and returns the lead to continue
	// with.
	Made(l *Lead, t *trace.Trace) Lead
	// Expand examines the execution of a lead that was made before, until stop returns true. It
	// returns the leads that it found and the lead to continue with, nil if nothing is left.
	Expand(l *Lead, t *trace.Trace, stop func() bool) (leads []Lead, rest *Lead)
	// Short returns why not every candidate was examined; none if all were.
	Short() why.Reason
	// ForgetMeasures sets what Measure returns to zero.
	ForgetMeasures()
}

// A Measured strategy counts more than executions.
type Measured interface {
	Strategy
	Measure() Measures
}

// A Listing strategy tells patterns that no execution has shown, when its search is over.
type Listing interface {
	Strategy
	List() Listed
}

// Listed is what a Listing strategy tells.
type Listed struct {
	Patterns []mapcov.Listed // that no execution has shown
	Next     mapcov.Pattern  // the one that comes next; Row 0: none
	Steps    []Until         // of a schedule that shows it
}

// Until is operations of one goroutine that follow each other, up to one.
type Until struct {
	Goroutine string
	Events    int
	Op        trace.Op // of the last one
	Site      trace.Site
}

// Measures are the counts of a strategy; nil or 0 for what it does not count.
type Measures struct {
	Patterns *mapcov.Set // memory-access patterns shown so far; the strategy changes it later
	Intended int         // executions made to show a pattern
	Shown    int         // those of them that showed it
	Formulas *Formulas
	Groups   *Groups
}

// Formulas counts the formulas of a strategy and their answers.
type Formulas struct {
	Candidates int // patterns that no rule excluded
	Solved     int // formulas that the solver got
	Found      int // formulas with a schedule
	Refuted    int // formulas without one
	Skipped    int // formulas that an earlier unsatisfiable core answered
	Duplicates int // schedules to a state that an earlier one reached
	Missed     int // executions that did not show their pattern
	Solving    time.Duration
	Unknown    []Unknown
}

// Unknown is a formula that the solver did not decide.
type Unknown struct {
	Pattern mapcov.Pattern
	Reason  string
}

// Groups has the counts of branch-affect groups (strategy branch).
type Groups struct {
	Goroutines, Accesses, Shared, ReadShared, Branches int     // of the first execution
	Pairs                                              float64 // test cases of criterion TPAIR for it
	Affected, Groups, Manners                          int
	Settled                                            int // executions until all groups were tested
}

// A Suspecting strategy finds accesses that break the locking discipline.
type Suspecting interface {
	Strategy
	Suspicions() []Suspicion
}

// A Suspicion is two accesses that break the locking discipline, by their sites.
type Suspicion struct {
	Site, Other       trace.Site
	Op, OtherOp       trace.Op
	Goroutine, Second string
}
