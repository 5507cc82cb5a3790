package std

// Functions beside a package's own that announce nothing. Packages call them whose callers' memory was announced at their
// border: a regular expression looks at runes many times.
var (
	utf8Patch   = &pkg{added: embedded("utf8.go.txt")}
	syntaxPatch = &pkg{added: embedded("syntax.go.txt")}
)

// Silent reports whether there is a function, beside the one of a package's that is named, that announces nothing: HeddleValid for Valid. Where the name is
// that of a method, T.f, its receiver is the first argument of Heddlef.
func Silent(importPath, name string) bool {
	switch importPath + "." + name {
	case "unicode/utf8.DecodeRune", "unicode/utf8.DecodeLastRune", "unicode/utf8.FullRune", "unicode/utf8.RuneCount", "unicode/utf8.Valid", "unicode/utf8.AppendRune",
		"regexp/syntax.Inst.MatchRune", "regexp/syntax.Inst.MatchRunePos":
		return true
	}
	return false
}
