package symbolic

// Inputs has the first inputs of a search, and the solver for others.
type Inputs struct {
	Table  *Table
	Solver *Solver
	Corpus [][]any // executed first; at least one input

	Removed int // targets of the search (explore/unfold) that no input reaches
}
