package std

// Package unicode/utf8: functions beside its own that announce nothing. Packages call them whose callers' memory was announced at their
// border: a regular expression looks at runes many times.
var utf8Patch = &pkg{added: embedded("utf8.go.txt")}

// Silent reports whether package unicode/utf8 has a function beside the one of that name that announces nothing: HeddleValid for Valid.
func Silent(name string) bool {
	switch name {
	case "DecodeRune", "DecodeLastRune", "FullRune", "RuneCount", "Valid", "AppendRune":
		return true
	}
	return false
}
