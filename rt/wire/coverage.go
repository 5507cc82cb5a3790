package wire

// Coverage is the MAP-coverage of a test: which memory-access patterns its executions have shown.
type Coverage struct {
	Covered   int     // patterns
	Estimate  float64 // T_C: about how many there could be
	Highest   int     // number of patterns that a run of the test came to, as far as is known
	Truncated bool    // there were more pairs of variables than are looked at
	Elapsed   float64 // seconds
	Points    []CoverPoint
	Shared    bool      // others have executed too: all that is known is Formulas
	Formulas  *Formulas `json:",omitempty"` // of strategies map and mcr

	// with Config.MapCover: the patterns, of those covered and of those that are known to be left
	Groups []CoverGroup `json:",omitempty"`
	More   int          `json:",omitempty"` // patterns that Groups has no room for
	Whole  bool         `json:",omitempty"` // the strategy knows patterns that no execution has shown
	Next   *CoverNext   `json:",omitempty"`

	// of the patterns, with Config.Forms: mapcov.Set.Forms
	Forms []uint64 `json:",omitempty"`

	Intended int // maptest: executions that intended a pattern
	Shown    int // and have shown it
}

// A CoverPoint is how much was covered at a time.
type CoverPoint struct {
	Elapsed    float64 // seconds
	Executions int
	Covered    int
}

// Formulas says what a strategy that solves formulas has asked for, and got.
type Formulas struct {
	Candidates int     // patterns that no rule left out
	Solved     int     // formulas that were given to the solver
	Found      int     // and gave a schedule
	Refuted    int     // or cannot be met
	Skipped    int     // formulas that were known to have no solution, by the core of another one
	Duplicates int     // schedules that lead where an earlier one led
	Missed     int     // executions that did not show the pattern they were made for
	Solving    float64 // seconds
	Undecided  int     // formulas that were not decided in time
	Unknown    []UnknownFormula
}

// MaxUnknown bounds the formulas that are listed.
const MaxUnknown = 20

// Add adds what others have asked for.
func (f *Formulas) Add(g *Formulas) {
	f.Candidates += g.Candidates
	f.Solved += g.Solved
	f.Found += g.Found
	f.Refuted += g.Refuted
	f.Skipped += g.Skipped
	f.Duplicates += g.Duplicates
	f.Missed += g.Missed
	f.Solving += g.Solving
	f.Undecided += g.Undecided
	f.Unknown = append(f.Unknown, g.Unknown[:min(len(g.Unknown), MaxUnknown-len(f.Unknown))]...)
}

// An UnknownFormula is one that was not decided.
type UnknownFormula struct {
	Places []Place // of the accesses of its pattern
	Reason string
}

// A CoverGroup is the patterns on one variable, or on two.
type CoverGroup struct {
	Kinds    []string // of the variables: "memory", "atomic", "mutex", ...
	IDs      []int32  // their numbers
	Patterns []CoverPattern
}

// A CoverPattern is a pattern: a row of Table 1 (mapcov.Table) with a place for each step.
type CoverPattern struct {
	Row    int
	State  string // a mapcov.State
	Places []Place
	Vars   []int // by step: the index of its variable in the group
}

// MaxPatterns bounds the patterns that are listed.
const MaxPatterns = 3000

// A CoverNext is a pattern that was not tried, with a schedule that shows it: until which place
// each goroutine goes on, in turn.
type CoverNext struct {
	Pattern  CoverPattern
	Schedule []CoverStep
}

// A CoverStep is operations of one goroutine that follow each other.
type CoverStep struct {
	Goroutine string
	Events    int
	Until     Place // of the last one
}
