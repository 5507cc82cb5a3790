package std

// Package fmt: where labels are kept (Followed), digits are made, and runes looked for, by one
// expression. Bytes to be printed as text are read before they are cut and padded. What a call
// prints with has a name: package strconv writes into it, and memory without a name that is written
// is one for all goroutines; see package observe.
var fmtPatch = &pkg{added: embedded("fmt.go.txt"), files: map[string]file{
	"format.go": {edits: []edit{
		begin("func (f *fmt) fmtBs(b []byte) {", "_ = string(b) == \"\""),
		replace("	switch base {\n	case 10:\n",
			"	made := f.heddleMake(u, base, digits); i -= len(made); copy(buf[i:], made); "+
				"if made != \"\" { u = 0 }; switch base {\n	case 10:\n"),
		replace("	i--\n	buf[i] = digits[u]\n	for",
			"	if made == \"\" { i--\n	buf[i] = digits[u] }\n	for"),
	}},
	"scan.go": {edits: []edit{
		begin("func isSpace(r rune) bool {",
			"if uint32(r) < 1<<16 { return heddleAmong(0, heddleSpaces, r) }"),
		replace("	if indexRune(ok, r) >= 0 {\n", "	if heddleAmong(0, ok, r) {\n"),
		replace("	return indexRune(ok, r) >= 0\n", "	return heddleAmong(0, ok, r)\n"),
	}},
	"print.go": {hook: true, edits: []edit{
		replace("		formatter.Format(p, verb)\n",
			"		{ was := heddlePrints(0, 0, 0); formatter.Format(p, verb); heddleBack(was, \"\", 0) }\n"),
		replace("stringer.GoString())", "heddleBack(heddlePrints(0, 0, 0), stringer.GoString(), 0))"),
		replace("v.Error(), verb)", "heddleBack(heddlePrints(0, 0, 0), v.Error(), 0), verb)"),
		replace("v.String(), verb)", "heddleBack(heddlePrints(0, 0, 0), v.String(), 0), verb)"),
		replace("	p := ppFree.Get().(*pp)\n", "	_, p := _hs.Cur, _hs.New(ppFree.Get().(*pp), 0)\n"),
	}},
}}
