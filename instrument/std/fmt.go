package std

// Package fmt: text in bytes is read before it is cut and padded.
var fmtPatch = &pkg{files: map[string]file{"format.go": {edits: []edit{
	begin("func (f *fmt) fmtBs(b []byte) {", "_ = string(b) == \"\""),
}}}}
