package instrument

import "strings"

// Packages strings and bytes search with assembly and with functions below the runtime. Neither
// can carry labels. With Mode.Exprs they call these functions instead, which go byte by byte and
// are rewritten like any other.

const plainStrings = `
func heddleHasPrefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }
func heddleHasSuffix(s, p string) bool { return len(s) >= len(p) && s[len(s)-len(p):] == p }
func heddleIndex(s, p string) int {
	for i := 0; i+len(p) <= len(s); i++ { if s[i:i+len(p)] == p { return i } }
	return -1
}
func heddleIndexByte(s string, c byte) int {
	for i := 0; i < len(s); i++ { if s[i] == c { return i } }
	return -1
}
func heddleLastIndexByte(s string, c byte) int {
	for i := len(s) - 1; i >= 0; i-- { if s[i] == c { return i } }
	return -1
}
func heddleCount(s string, c byte) (n int) {
	for i := 0; i < len(s); i++ { if s[i] == c { n++ } }
	return n
}
func heddleCut(s, p string) (string, string, bool) {
	if i := heddleIndex(s, p); i >= 0 { return s[:i], s[i+len(p):], true }
	return s, "", false
}
func heddleCutPrefix(s, p string) (string, bool) {
	if heddleHasPrefix(s, p) { return s[len(p):], true }
	return s, false
}
func heddleCutSuffix(s, p string) (string, bool) {
	if heddleHasSuffix(s, p) { return s[:len(s)-len(p)], true }
	return s, false
}
func heddleTrimPrefix(s, p string) string { s, _ = heddleCutPrefix(s, p); return s }
func heddleTrimSuffix(s, p string) string { s, _ = heddleCutSuffix(s, p); return s }
func heddleCompare(s, t string) int {
	if s == t { return 0 }
	if s < t { return -1 }
	return 1
}
`

// Slices are converted to strings: these functions have no hooks, which would give the elements
// labels.
const plainBytes = `
func heddleIndexByte(s []byte, c byte) int {
	t := string(s)
	for i := 0; i < len(t); i++ { if t[i] == c { return i } }
	return -1
}
func heddleLastIndexByte(s []byte, c byte) int {
	t := string(s)
	for i := len(t) - 1; i >= 0; i-- { if t[i] == c { return i } }
	return -1
}
func heddleCount(s []byte, c byte) (n int) {
	t := string(s)
	for i := 0; i < len(t); i++ { if t[i] == c { n++ } }
	return n
}
func heddleIndex(s, p []byte) int {
	for i := 0; i+len(p) <= len(s); i++ { if string(s[i:i+len(p)]) == string(p) { return i } }
	return -1
}
func heddleCompare(s, t []byte) int {
	if string(s) == string(t) { return 0 }
	if string(s) < string(t) { return -1 }
	return 1
}
`

// plainCalls are the calls that are replaced, by package.
var plainCalls = map[string]struct {
	text  string
	calls *strings.Replacer
}{
	"strings": {plainStrings, strings.NewReplacer(
		"stringslite.HasPrefix(", "heddleHasPrefix(", "stringslite.HasSuffix(", "heddleHasSuffix(",
		"stringslite.Index(", "heddleIndex(",
		"stringslite.IndexByte(", "heddleIndexByte(", "stringslite.Cut(", "heddleCut(",
		"stringslite.CutPrefix(", "heddleCutPrefix(",
		"stringslite.CutSuffix(", "heddleCutSuffix(", "stringslite.TrimPrefix(", "heddleTrimPrefix(",
		"stringslite.TrimSuffix(", "heddleTrimSuffix(",
		"bytealg.IndexByteString(", "heddleIndexByte(", "bytealg.LastIndexByteString(",
		"heddleLastIndexByte(", "bytealg.CountString(", "heddleCount(",
		"bytealg.IndexString(", "heddleIndex(", "bytealg.CompareString(", "heddleCompare(",
	)},
	"bytes": {plainBytes, strings.NewReplacer(
		"bytealg.IndexByte(", "heddleIndexByte(", "bytealg.LastIndexByte(", "heddleLastIndexByte(",
		"bytealg.Count(", "heddleCount(",
		"bytealg.Index(", "heddleIndex(", "bytealg.Compare(", "heddleCompare(",
	)},
}

// plainly returns the text of a file with the calls replaced. first: the file also gets the
// functions.
func plainly(importPath string, text []byte, first bool) []byte {
	p, ok := plainCalls[importPath]
	if !ok {
		return text
	}
	out := p.calls.Replace(string(text))
	for _, imp := range []struct{ path, name string }{{`"internal/stringslite"`, "stringslite.Clone"},
		{`"internal/bytealg"`, "bytealg.MakeNoZero"}} {
		if strings.Contains(out, imp.path) {
			out += "\nvar _ = " + imp.name + "\n" // the import may be unused now
		}
	}
	if first {
		out += p.text
	}
	return []byte(out)
}
