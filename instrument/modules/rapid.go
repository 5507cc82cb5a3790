// Package modules has heddle's changes to modules of others: of pgregory.net/rapid, whose
// properties are called once in an execution, with what heddle lets them draw from (rapid.go.txt).
package modules

import (
	_ "embed"
	"fmt"
	"strings"
)

// Rapid is the import path of package rapid.
const Rapid = "pgregory.net/rapid"

// added is put at the end of the file with the types of streams.
//
//go:embed rapid.go.txt
var added string

// An edit puts text behind an anchor, which is in one file of the package, once.
type edit struct{ anchor, text string }

var edits = []edit{
	{"func checkTB(tb tb, deadline time.Time, prop func(*T)) {", " if heddleCheck(tb, prop) { return };"},
	{"func genUintNNoReject(s bitStream, max uint64) uint64 {",
		" if h, ok := s.(*heddleStream); ok { return h.upTo(max, false) };"},
	{"func genUintNUnbiased(s bitStream, max uint64) uint64 {",
		" if h, ok := s.(*heddleStream); ok { return h.upTo(max, false) };"},
	{"func genUintNBiased(s bitStream, max uint64) (uint64, bool, bool) {",
		" if h, ok := s.(*heddleStream); ok { return h.upTo(max, true), false, false };"},
	{"func flipBiasedCoin(s bitStream, p float64) bool {",
		" if h, ok := s.(*heddleStream); ok { return h.coin(p) };"},
	{"func (t *T) fail(now bool, msg string) {", " if heddleOwn(t) { t.tb.Fail() };"},
	{"	if t.tbLog || t.rawLog != nil {\n		if label", ""}, // see replaced
	{"type recordedBits struct {\n", ""},
}

// Patch returns the files of package rapid, by name, with heddle's changes, which add no lines but
// at the end of a file. The error says what does not fit.
func Patch(files map[string][]byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	in := func(anchor string) (name, text string, err error) {
		n := 0
		for f, b := range files {
			if c := out[f]; c != nil {
				b = c
			}
			if k := strings.Count(string(b), anchor); k > 0 && !strings.HasSuffix(f, "_test.go") {
				n += k
				name, text = f, string(b)
			}
		}
		if n != 1 {
			return "", "", fmt.Errorf("%s is not as heddle knows it: found %d times, not once: %q", Rapid, n,
				anchor)
		}
		return name, text, nil
	}
	for _, e := range edits {
		name, text, err := in(e.anchor)
		if err != nil {
			return nil, err
		}
		switch {
		case e.text != "":
			text = strings.Replace(text, e.anchor, e.anchor+e.text, 1)
		case strings.HasPrefix(e.anchor, "\tif"):
			text = strings.Replace(text, "if t.tbLog || t.rawLog != nil {\n		if label",
				"if (t.tbLog || t.rawLog != nil) && !heddleDrew(t, label, v) {\n		if label", 1)
		default:
			text = strings.TrimRight(text, "\n") + "\n\n" + added
		}
		out[name] = []byte(text)
	}
	return out, nil
}
