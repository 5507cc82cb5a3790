package symbolic

// Inputs says which inputs a search begins with, and decides conditions on them.
type Inputs struct {
	Table  *Table
	Solver *Solver
	Corpus [][]any // they are executed before any other; at least one

	Removed int // targets that no input reaches
}
