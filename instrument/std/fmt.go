package std

// Package fmt: text in bytes is read before it is cut and padded.
var fmtPatch = &pkg{added: embedded("fmt.go.txt"), files: map[string]file{"format.go": {edits: []edit{
	begin("func (f *fmt) fmtBs(b []byte) {", "_ = string(b) == \"\""),
}}}}
