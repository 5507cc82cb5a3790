package instrument

import (
	"fmt"
	"go/ast"
	"strings"
)

// Packages strings and bytes search with assembly and with functions below the runtime. Neither
// can carry labels. With Mode.Exprs they call these functions instead, which go byte by byte and
// are rewritten like any other.

const plainStrings = `
func heddleFind(way int, s, what string) int { return -2 }
func heddleFold(_ int, s, t string) int { return -2 }
func heddleAmong(_ int, set string, r rune) bool { return false }
func heddleSpaced(way int, s, _ string) int { return -2 }
func heddleMapped(_ int, s, table string) string { return s }
func heddleFindByte(way int, s string, c byte) int { return -2 }
func heddleHasPrefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }
func heddleHasSuffix(s, p string) bool { return len(s) >= len(p) && s[len(s)-len(p):] == p }
func heddleIndex(s, p string) int {
	if i := heddleFind(0, s, p); i != -2 { return i }
	for i := 0; i+len(p) <= len(s); i++ { if s[i:i+len(p)] == p { return i } }
	return -1
}
func heddleIndexByte(s string, c byte) int {
	if i := heddleFindByte(0, s, c); i != -2 { return i }
	for i := 0; i < len(s); i++ { if s[i] == c { return i } }
	return -1
}
func heddleLastIndexByte(s string, c byte) int {
	if i := heddleFindByte(1, s, c); i != -2 { return i }
	for i := len(s) - 1; i >= 0; i-- { if s[i] == c { return i } }
	return -1
}
func heddleCount(s string, c byte) (n int) {
	for {
		i := heddleIndexByte(s, c)
		if i < 0 { return n }
		s = s[i+1:]
		n++
	}
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

const (
	heddleSpaces  = "\x00\x3e\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	heddleOthers  = "\xff\xc1\xff\xff\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	heddleHigh    = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
	// what a space that is not ASCII begins with, as a set and as runes, and what it ends with
	heddleFirst   = "\u00c2\u00e1\u00e2\u00e3"
	heddleLast    = "\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087" +
		"\u0088\u0089\u008a\u009f\u00a0\u00a8\u00a9\u00af"
	heddleSpace   = "\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x0e\x00\x00\x00"
	heddleNone    = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)
func heddleSet(chars string, is bool) string {
	var b [32]byte
	for i := 0; i < len(chars); i++ {
		if chars[i] >= 0x80 { return "" }
		b[chars[i]/8] |= 1 << (chars[i] % 8)
	}
	for i := 0; !is && i < len(b); i++ { b[i] = ^b[i] }
	return string(b[:])
}
func heddleTrim(s, cutset string, left, right bool) (string, bool) {
	if heddleFind(2, s, heddleHigh + heddleHigh) == -2 || cutset == "" { return s, false }
	set := heddleSet(cutset, false)
	if set == "" { return s, false }
	if right {
		j := heddleFind(3, s, set)
		if j == -2 { return s, false }
		s = s[:j+1]
	}
	if left {
		i := heddleFind(2, s, set)
		if i == -2 { return s, false }
		if i < 0 { return s[len(s):], true }
		s = s[i:]
	}
	return s, true
}
func heddleTrimSpace(all string) (string, bool) {
	s := all
	for {
		i := heddleFind(2, s, heddleOthers + heddleHigh)
		if i == -2 { return all, false }
		if i < 0 { return "", true }
		s = s[i:]
		if !heddleAmong(0, heddleFirst, rune(s[0])) { break }
		n := heddleSpaced(0, s, "")
		if n == -2 { return all, false }
		if n == 0 { break }
		if n == 2 { s = s[2:] } else { s = s[3:] }
	}
	for {
		j := heddleFind(3, s, heddleOthers + heddleHigh)
		if j < 0 { return all, false }
		u := s[j:]
		s = s[:j+1]
		if !heddleAmong(0, heddleLast, rune(u[0])) { return s, true }
		n := heddleSpaced(1, s, "")
		if n == -2 { return all, false }
		if n == 0 { return s, true }
		if n == 2 { s = s[:len(s)-2] } else { s = s[:len(s)-3] }
	}
}
func heddleFields(s string) ([]string, bool) {
	if heddleFind(2, s, heddleOthers + heddleHigh) == -2 { return nil, false }
	a := make([]string, 0, len(s)/2+1)
	for {
		i := heddleFind(2, s, heddleOthers + heddleHigh)
		if i == -2 { return nil, false }
		if i < 0 { return a[:len(a):len(a)], true }
		s = s[i:]
		j := heddleFind(2, s, heddleSpaces + heddleSpace)
		if j == -2 { return nil, false }
		if j < 0 {
			a = append(a, s)
			return a[:len(a):len(a)], true
		}
		t := s[j:]
		if t[0] >= 0x80 { return nil, false }
		a = append(a, s[:j])
		s = t[1:]
	}
}
func heddleIndexAny(way int, s, chars string) int {
	if len(chars) < 2 || heddleFind(2, s, heddleHigh + heddleHigh) == -2 { return -2 }
	set := heddleSet(chars, true)
	if set == "" { return -2 }
	return heddleFind(way, s, set)
}
func heddleCase(s string, from byte) (string, bool) {
	if heddleFind(2, s, heddleNone + heddleHigh) != -1 { return s, false }
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
		if c := byte(i); c >= from && c < from + 26 { table[i] = c ^ 0x20 }
	}
	return heddleMapped(0, s, string(table[:])), true
}
`

// Slices are converted to strings: these functions have no hooks, which would give the elements
// labels. Of a long slice one part after the other is: a reader asks for the end of each line in
// all that follows.
const plainBytes = `
func heddleFind(way int, s, what string) int { return -2 }
func heddleFindByte(way int, s string, c byte) int { return -2 }
func heddleFold(_ int, s, t string) int { return -2 }
func heddleIndexByte(s []byte, c byte) int {
	at := 0
	for ; len(s) > 64; s, at = s[64:], at+64 {
		if i := heddleIndexIn(string(s[:64]), c); i >= 0 { return at + i }
	}
	if i := heddleIndexIn(string(s), c); i >= 0 { return at + i }
	return -1
}
func heddleIndexIn(s string, c byte) int {
	if i := heddleFindByte(0, s, c); i != -2 { return i }
	for i := 0; i < len(s); i++ { if s[i] == c { return i } }
	return -1
}
func heddleLastIndexByte(s []byte, c byte) int {
	t := string(s)
	if i := heddleFindByte(1, t, c); i != -2 { return i }
	for i := len(t) - 1; i >= 0; i-- { if t[i] == c { return i } }
	return -1
}
func heddleCount(b []byte, c byte) (n int) {
	s := string(b)
	for {
		i := heddleIndexIn(s, c)
		if i < 0 { return n }
		s = s[i+1:]
		n++
	}
}
func heddleIndex(s, p []byte) int {
	if i := heddleFind(0, string(s), string(p)); i != -2 { return i }
	for i := 0; i+len(p) <= len(s); i++ { if string(s[i:i+len(p)]) == string(p) { return i } }
	return -1
}
func heddleCompare(s, t []byte) int {
	if string(s) == string(t) { return 0 }
	if string(s) < string(t) { return -1 }
	return 1
}
`

// Package time copies texts for errors, and multiplies with package math/bits.
const plainTime = `
func heddleClone(s string) string { return string([]byte(s)) }
func heddleMul32(x, y uint32) (hi, lo uint32) { p := uint64(x) * uint64(y); return uint32(p >> 32), uint32(p) }
`

// In genSplit: that a text has no more parts than bytes need not be asked where the parts were
// counted.
const (
	noMoreParts = "n = Count(s, sep) + 1\n"
	manyParts   = "\t\tn = len(s) + 1\n\t}\n"
	partsHere   = "heddleParts:\n\t;\n"
)

// finders are the functions above that look for something by one expression, if there is one: calls
// of them become calls of package flow.
var finders = map[string]string{"heddleFind": "_hf.Find", "heddleFindByte": "_hf.FindByte",
	"heddleDigits": "_hf.Digits", "heddleAmong": "_hf.Among", "heddlePrints": "_hf.Prints",
	"heddleBack": "_hf.PrintsAgain", "heddleFixed": "_hf.FloatText", "heddleFold": "_hf.Fold",
	"heddleMapped": "_hf.Mapped", "heddleSpaced": "_hf.Spaced", "heddleNumeric": "_hf.Numeric",
	"heddleNumber": "_hf.Decimal"}

// finds rewrites a call of one of finders.
func (f *flower) finds(e *ast.CallExpr) bool {
	id, ok := e.Fun.(*ast.Ident)
	if !ok || !f.exprs() || !f.in.Standard || finders[id.Name] == "" || len(e.Args) != 3 {
		return false
	}
	ls := f.argLabels(e)
	to := f.fn.newSlot()
	f.buf.Replace(f.off(id.Pos()), f.off(id.End()), finders[id.Name])
	f.after(e.Args[2], fmt.Sprintf(", %s, %s, %s, &%s", ls[1], ls[2], f.branchSite(e.Pos(), e), to))
	f.slot[e] = to + ".Get()"
	return true
}

// summed are functions of package strings that begin with a summary, where there is one.
var summed = []struct{ header, summary string }{
	{"TrimSpace(s string) string", "t, ok := heddleTrimSpace(s); ok { return t }"},
	{"Trim(s, cutset string) string", "t, ok := heddleTrim(s, cutset, true, true); ok { return t }"},
	{"TrimLeft(s, cutset string) string", "t, ok := heddleTrim(s, cutset, true, false); ok { return t }"},
	{"TrimRight(s, cutset string) string", "t, ok := heddleTrim(s, cutset, false, true); ok { return t }"},
	{"Fields(s string) []string", "t, ok := heddleFields(s); ok { return t }"},
	{"IndexAny(s, chars string) int", "i := heddleIndexAny(2, s, chars); i != -2 { return i }"},
	{"LastIndexAny(s, chars string) int", "i := heddleIndexAny(3, s, chars); i != -2 { return i }"},
	{"EqualFold(s, t string) bool", "r := heddleFold(0, s, t); r != -2 { return r == 1 }"},
	{"EqualFold(s, t []byte) bool", "r := heddleFold(0, string(s), string(t)); r != -2 { return r == 1 }"},
	{"ToLower(s string) string", "t, ok := heddleCase(s, 'A'); ok { return t }"},
	{"ToUpper(s string) string", "t, ok := heddleCase(s, 'a'); ok { return t }"},
}

// plainCalls are the calls that are replaced, by package.
var plainCalls = map[string]struct {
	text  string
	calls *strings.Replacer
}{
	"strings": {plainStrings, strings.NewReplacer(
		noMoreParts, "n = Count(s, sep) + 1\n\t\tgoto heddleParts\n", manyParts, manyParts+partsHere,
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
	// assembly is left out
	"hash/crc32": {"", strings.NewReplacer("if archAvailableIEEE() {",
		"if false && archAvailableIEEE() {",
		"if archAvailableCastagnoli() {", "if false && archAvailableCastagnoli() {")},
	"time": {plainTime, strings.NewReplacer("stringslite.Clone(", "heddleClone(",
		"bits.Mul32(", "heddleMul32(")},
	"bytes": {plainBytes, strings.NewReplacer(
		noMoreParts, "n = Count(s, sep) + 1\n\t\tgoto heddleParts\n", manyParts, manyParts+partsHere,
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
	for _, f := range summed {
		header := "\nfunc " + f.header + " {"
		out = strings.Replace(out, header, header+" if "+f.summary, 1)
	}
	for _, imp := range []struct{ path, name string }{{`"internal/stringslite"`, "stringslite.Clone"},
		{`"internal/bytealg"`, "bytealg.MakeNoZero"}, {`"math/bits"`, "bits.Len"}} {
		if strings.Contains(out, imp.path) {
			out += "\nvar _ = " + imp.name + "\n" // the import may be unused now
		}
	}
	if first {
		out += p.text
	}
	return []byte(out)
}
