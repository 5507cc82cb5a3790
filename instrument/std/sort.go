package std

// Package sort: Slice swaps elements of its caller's by way of internal/reflectlite, which is below the runtime.
var sortPatch = &pkg{
	added: embedded("sort.go.txt"),
	files: map[string]file{"slice.go": {edits: []edit{
		replaceAll(2, "	swap := reflectlite.Swapper(x)\n", "	swap := heddleSwapper(x)\n"),
	}}},
}
