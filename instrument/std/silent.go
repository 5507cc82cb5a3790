package std

// Variants of functions that announce nothing. Packages call them for memory that was announced at
// their border: a regular expression reads runes many times.
var (
	utf8Patch   = &pkg{added: embedded("utf8.go.txt")}
	syntaxPatch = &pkg{added: embedded("syntax.go.txt")}
)

// Silent reports whether a function has a variant that announces nothing: HeddleValid for Valid.
// The variant of a method, T.f, is Heddlef with the receiver as first argument.
func Silent(importPath, name string) bool {
	switch importPath + "." + name {
	case "unicode/utf8.DecodeRune", "unicode/utf8.DecodeLastRune", "unicode/utf8.FullRune",
		"unicode/utf8.RuneCount", "unicode/utf8.Valid", "unicode/utf8.AppendRune",
		"regexp/syntax.Inst.MatchRune", "regexp/syntax.Inst.MatchRunePos":
		return true
	}
	return false
}
