package std

// Package strconv: where labels are kept (Followed), Atoi, ParseInt and ParseUint parse decimal
// digits here, and copy texts that are no numbers, for errors. The functions that they call
// otherwise lie below package runtime, where labels are lost.
var strconvPatch = &pkg{
	added: embedded("strconv.go.txt"),
	files: map[string]file{"number.go": {edits: []edit{
		replace("	x, err := strconv.Atoi(s)\n", "	x, err := heddleAtoi(s)\n"),
		replace("	x, err := strconv.ParseInt(s, base, bitSize)\n",
			"	x, err := heddleParseInt(s, base, bitSize)\n"),
		replace("	x, err := strconv.ParseUint(s, base, bitSize)\n",
			"	x, err := heddleParseUint(s, base, bitSize)\n"),
		replaceAll(4, "stringslite.Clone(str)", "heddleClone(str)"),
		replace("	\"internal/stringslite\"\n", "\n"),
	}}},
}
