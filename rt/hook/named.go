package hook

// Symbolic are the names of what is an input on request, flags among them, and Flags gives flags of
// these names, to the value of each of which there is a pointer, the values of the input.
var (
	Symbolic []string
	Flags    func(set string, names []string, flags []any)
)
