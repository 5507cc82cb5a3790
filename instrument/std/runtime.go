package std

// Package runtime: one added file, heddle's only contact with the runtime's
// internals, and a new name for the function behind time.Sleep, whose old name
// package time takes for its own.
var runtimePatch = &pkg{
	added: embedded("runtime.go.txt"),
	files: map[string]file{
		"time.go": {edits: []edit{
			replace("//go:linkname timeSleep time.Sleep\n", "//go:linkname timeSleep time.heddleNativeSleep\n"),
		}},
	},
}
