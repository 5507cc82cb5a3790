package std

// Package strconv: where labels are kept (Followed), Atoi, ParseInt, ParseUint, ParseFloat and
// ParseBool read decimal digits and words here, and copy texts that are no numbers, for errors.
// Texts of integers, conditions, and floats of up to three decimals are made here. The functions
// that they call otherwise lie below package runtime, where labels are lost.
var strconvPatch = &pkg{
	added: embedded("strconv.go.txt"),
	files: map[string]file{"number.go": {edits: []edit{
		replace("	x, err := strconv.Atoi(s)\n", "	x, err := heddleAtoi(s)\n"),
		replace("	x, err := strconv.ParseInt(s, base, bitSize)\n",
			"	x, err := heddleParseInt(s, base, bitSize)\n"),
		replace("	x, err := strconv.ParseUint(s, base, bitSize)\n",
			"	x, err := heddleParseUint(s, base, bitSize)\n"),
		replace("	x, err := strconv.ParseFloat(s, bitSize)\n",
			"	x, err := heddleParseFloat(s, bitSize)\n"),
		replace("	return strconv.FormatFloat(f, fmt, prec, bitSize)\n",
			"	return heddleFormatFloat(f, fmt, prec, bitSize)\n"),
		replace("	return strconv.AppendFloat(dst, f, fmt, prec, bitSize)\n",
			"	return heddleAppendFloat(dst, f, fmt, prec, bitSize)\n"),
		replace("	x, err := strconv.ParseBool(str)\n",
			"	x, err := heddleParseBool(str)\n"),
		replace("	return strconv.FormatBool(b)\n", "	return heddleFormatBool(b)\n"),
		replace("	return strconv.AppendBool(dst, b)\n",
			"	return append(dst, heddleFormatBool(b)...)\n"),
		replace("	return strconv.FormatUint(i, base)\n", "	return heddleFormatUint(i, base)\n"),
		replace("	return strconv.FormatInt(i, base)\n", "	return heddleFormatInt(i, base)\n"),
		replace("	return strconv.Itoa(i)\n", "	return heddleFormatInt(int64(i), 10)\n"),
		replace("	return strconv.AppendInt(dst, i, base)\n",
			"	return append(dst, heddleFormatInt(i, base)...)\n"),
		replace("	return strconv.AppendUint(dst, i, base)\n",
			"	return append(dst, heddleFormatUint(i, base)...)\n"),
		replaceAll(4, "stringslite.Clone(str)", "heddleClone(str)"),
		replace("	\"internal/stringslite\"\n", "\n"),
	}}},
}
