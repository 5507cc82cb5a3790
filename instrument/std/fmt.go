package std

// Package fmt: bytes to be printed as text are read before they are cut and padded.
var fmtPatch = &pkg{added: embedded("fmt.go.txt"), files: map[string]file{"format.go": {edits: []edit{
	begin("func (f *fmt) fmtBs(b []byte) {", "_ = string(b) == \"\""),
}}}}
