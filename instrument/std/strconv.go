package std

// Package strconv: Atoi, ParseInt and ParseUint of decimal digits are computed here, where labels are kept
// (Followed), and so are copies of what is no number, for errors. What they call lies below package runtime, so values would be lost there.
var strconvPatch = &pkg{
	added: embedded("strconv.go.txt"),
	files: map[string]file{"number.go": {edits: []edit{
		replace("	x, err := strconv.Atoi(s)\n", "	x, err := heddleAtoi(s)\n"),
		replace("	x, err := strconv.ParseInt(s, base, bitSize)\n", "	x, err := heddleParseInt(s, base, bitSize)\n"),
		replace("	x, err := strconv.ParseUint(s, base, bitSize)\n", "	x, err := heddleParseUint(s, base, bitSize)\n"),
		replaceAll(4, "stringslite.Clone(str)", "heddleClone(str)"),
		replace("	\"internal/stringslite\"\n", "\n"),
	}}},
}
