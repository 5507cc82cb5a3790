package timeline

import "io"

// A Covered lists the memory-access patterns of a test: those that executions have shown, and
// others.
type Covered struct {
	Package, Test string
	Summary       string   // one sentence
	Notes         []string // what is not known
	Chart         *Chart   // over time; nil: none
	States        []string // that patterns are in, in the order of Counts
	Kinds         []CoveredKind
	Groups        []CoveredGroup
	Next          *CoveredPattern // the one to try next; nil: none is known
	Schedule      []CoveredStep   // that shows it
}

// A CoveredKind is how many patterns of one row of Table 1 there are, by state.
type CoveredKind struct {
	Steps  string // of the row: "aWx bRx"
	Counts []int  // by Covered.States
}

// A CoveredGroup is the patterns on one variable, or on two.
type CoveredGroup struct {
	Name     string // of the variables, with their kinds
	Counts   string // "3 covered, 1 not tried"
	Patterns []CoveredPattern
}

// A CoveredPattern is one pattern.
type CoveredPattern struct {
	State string
	Steps string // of its row
	Of    []CoveredStep
}

// A CoveredStep is one access of a pattern, or a part of a schedule.
type CoveredStep struct {
	Goroutine string
	Other     bool // the second goroutine of the pattern
	What      string
	Where     string // its place
}

// Seen reports whether an execution has shown the pattern.
func (p CoveredPattern) Seen() bool { return p.State == "covered" }

// WriteCovered writes a page that lists the patterns of tests.
func WriteCovered(w io.Writer, all []Covered) error {
	return pages.ExecuteTemplate(w, "covered.html", struct {
		Title string
		Tests []Covered
	}{"Memory-access patterns", all})
}
