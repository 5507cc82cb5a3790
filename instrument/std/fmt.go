package std

// Package fmt: bytes to be printed as text are read before they are cut and padded. What a call
// prints with has a name: package strconv writes into it, and memory without a name that is written
// is one for all goroutines; see package observe.
var fmtPatch = &pkg{added: embedded("fmt.go.txt"), files: map[string]file{
	"format.go": {edits: []edit{
		begin("func (f *fmt) fmtBs(b []byte) {", "_ = string(b) == \"\""),
	}},
	"print.go": {hook: true, edits: []edit{
		replace("	p := ppFree.Get().(*pp)\n", "	p := _hs.New(ppFree.Get().(*pp), 0)\n"),
	}},
}}
