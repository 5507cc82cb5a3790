package std

// Package sort: Slice swaps elements of its caller through internal/reflectlite, which is below
// the runtime and has no hooks.
var sortPatch = &pkg{
	added: embedded("sort.go.txt"),
	files: map[string]file{"slice.go": {edits: []edit{
		replaceAll(2, "	swap := reflectlite.Swapper(x)\n", "	swap := heddleSwapper(x)\n"),
	}}},
}
