package explore

import (
	"time"

	"heddle/explore/mapcov"
	"heddle/explore/question"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// What strategies can do beside exploring: interfaces that a Strategy implements where it can.

// A Sighted strategy sees every access to memory (Needs.Accesses).
type Sighted interface {
	Strategy
	// Sites returns the sites at which shared memory is accessed.
	Sites() []trace.Site
}

// A Seeded strategy can start from executions of another one.
type Seeded interface {
	Strategy
	// Seed takes an execution before the first Next. It returns false if the strategy has to begin
	// anew without it.
	Seed(t *trace.Trace) bool
}

// A Yielding strategy hands over to another one where its own construction does not apply.
type Yielding interface {
	Strategy
	// Successor returns the strategy that has taken over; nil: none has.
	Successor() Strategy
	// Yields says why the strategy does not apply; "": it does.
	Yields() string
}

// An InputSearch explores the inputs of a fuzz target together with its schedules.
type InputSearch interface {
	Strategy
	// Input returns the input of the schedule that Next returned last.
	Input() []any
	// ForeseenInputs returns those of the schedules that Foresee returned last.
	ForeseenInputs() [][]any
	// Unsolved returns where conditions on inputs stand that were not solved in time.
	Unsolved() []trace.Site
	// Yields says why inputs and schedules cannot be explored together; "": they can.
	Yields() string
}

// An Asker answers questions about everything that it has explored.
type Asker interface {
	Strategy
	// Ask asks whether there is a moment at which q holds; stands reports whether a site is at a
	// place of it.
	Ask(q *question.Question, stands func(trace.Site, *question.Place) bool) (Inquiry, error)
}

// An Inquiry is a question that is being answered.
type Inquiry interface {
	// Next returns a schedule that leads to such a moment; nil: there is no other.
	Next() *trace.Schedule
	// Late reports whether the time was over before everything was looked at.
	Late() bool
}

// A Splitting strategy can give away what is left of its search.
type Splitting interface {
	Strategy
	// Part returns the strategy as what can be split; nil: nothing is left to be split.
	Part() Part
}

// A Part is a search, or part of one, that can be split: the strategy of a worker.
type Part interface {
	Strategy
	Table() *transition.Table
	Outdated() bool // it has learnt something, and the search is to begin anew
	Broken() bool   // it ended before everything was explored

	// Prepare is called before Take: how objects older than the test are named, and which are known
	// to have operations that depend on each other.
	Prepare(places transition.Places, known []trace.Identity)
	// Take makes a piece what is explored.
	Take(data []byte) error
	// Again reports whether the schedule that Next returned last was executed before, and counts
	// for nothing.
	Again() bool
	// Split gives back what is left, in n pieces or what can be n; none: nothing is left and
	// nothing is to be told.
	Split(n int) []Piece
	// Wakeups: what is left is wakeup trees, which a worker gives back in one piece, for a Tree.
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

// A Piece is part of a search: opaque data, and about how many executions it is.
type Piece struct {
	Data []byte
	Size float64
}

// Leads is a strategy that can be handed out as leads.
type Leads interface {
	Sighted
	// Leads gives away what is left, and the states that are known; ok is false as long as that is
	// not possible.
	Leads() (leads []Lead, known []uint64, ok bool)
	// Know tells of states that are known, beside those told before; the strategy forgets what it
	// has led to itself.
	Know(states []uint64)
	// Made takes the trace of a lead that was not made before, and returns the one by which it is
	// gone on with.
	Made(l *Lead, t *trace.Trace) Lead
	// Expand asks about the execution of a lead that was made before until stop says that it is
	// enough. rest is the lead to go on with, nil if nothing is left.
	Expand(l *Lead, t *trace.Trace, stop func() bool) (leads []Lead, rest *Lead)
	// Short says why not everything was asked; none if it was.
	Short() why.Reason
	// ForgetMeasures lets Measure begin anew.
	ForgetMeasures()
}

// A Measured strategy counts more than executions.
type Measured interface {
	Strategy
	Measure() Measures
}

// Measures are what a strategy has counted, as far as it does.
type Measures struct {
	Patterns *mapcov.Set // of memory accesses that executions have shown; the strategy goes on with it
	Intended int         // executions that intended a pattern
	Shown    int         // and have shown it
	Formulas *Formulas
	Groups   *Groups
}

// Formulas are what a strategy has asked a solver, and what it got.
type Formulas struct {
	Candidates int // patterns that no rule left out
	Solved     int // formulas given to the solver
	Found      int // schedules that it gave
	Refuted    int // formulas that have none
	Skipped    int // formulas that were not solved, because of a core
	Duplicates int // schedules that lead where an earlier one led
	Missed     int // executions that did not show what their schedule was made for
	Solving    time.Duration
	Unknown    []Unknown
}

// Unknown is a formula that was not decided.
type Unknown struct {
	Pattern mapcov.Pattern
	Reason  string
}

// Groups are what strategy branch has seen of a test.
type Groups struct {
	Goroutines, Accesses, Shared, ReadShared, Branches int     // of the first execution
	Pairs                                              float64 // test cases of criterion TPAIR for it
	Affected, Groups, Manners                          int
	Settled                                            int // executions until all groups were tested
}

// A Suspecting strategy knows where a locking discipline is broken.
type Suspecting interface {
	Strategy
	Suspicions() []Suspicion
}

// A Suspicion is a breach of the locking discipline, by where the accesses stand.
type Suspicion struct {
	Site, Other       trace.Site
	Op, OtherOp       trace.Op
	Goroutine, Second string
}
