package scanners

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// The same by functions of the standard library that are given a function, or that replace.

func words(t *testing.T, s string, fixed bool) {
	w := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	if len(w) == 3 && w[0] == "move" && w[1] == "all" && !fixed {
		t.Error("move all")
	}
}

func FuzzWords(f *testing.F)      { fuzz(f, "go,on", false, words) }
func FuzzWordsFixed(f *testing.F) { fuzz(f, "go,on", true, words) }

func trimmed(t *testing.T, s string, fixed bool) {
	u := strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if u != s && strings.TrimLeftFunc(u, unicode.IsDigit) == "px" && len(u) > 2 && !fixed {
		t.Error("pixels")
	}
}

func FuzzTrimmed(f *testing.F)      { fuzz(f, "(a)", false, trimmed) }
func FuzzTrimmedFixed(f *testing.F) { fuzz(f, "(a)", true, trimmed) }

func upper(t *testing.T, s string, fixed bool) {
	i := strings.IndexFunc(s, unicode.IsUpper)
	if i < 0 {
		return
	}
	j := strings.LastIndexFunc(s, unicode.IsLower)
	if j > i && s[:i] == "get" && s[i:j+1] == "Id" && !fixed {
		t.Error("getId")
	}
}

func FuzzUpper(f *testing.F)      { fuzz(f, "aB", false, upper) }
func FuzzUpperFixed(f *testing.F) { fuzz(f, "aB", true, upper) }

func replaced(t *testing.T, s string, fixed bool) {
	if strings.ReplaceAll(s, "-", "_") == "max_open_files" && strings.Count(s, "-") == 1 && !fixed {
		t.Error("mixed")
	}
}

func FuzzReplaced(f *testing.F)      { fuzz(f, "a-b", false, replaced) }
func FuzzReplacedFixed(f *testing.F) { fuzz(f, "a-b", true, replaced) }

func escaped(t *testing.T, s string, fixed bool) {
	u := strings.ReplaceAll(s, "&amp;", "&")
	if strings.HasPrefix(u, "q=1&") && strings.HasSuffix(u, "&r") && len(u) < len(s) && !fixed {
		t.Error("escaped")
	}
}

func FuzzEscaped(f *testing.F)      { fuzz(f, "a&b", false, escaped) }
func FuzzEscapedFixed(f *testing.F) { fuzz(f, "a&b", true, escaped) }

func mapped(t *testing.T, s string, fixed bool) {
	u := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ':
			return '-'
		case r == '!':
			return -1
		}
		return r
	}, s)
	if u == "hello-world" && strings.Contains(s, "!") && !fixed {
		t.Error("hello")
	}
}

func FuzzMapped(f *testing.F)      { fuzz(f, "a b", false, mapped) }
func FuzzMappedFixed(f *testing.F) { fuzz(f, "a b", true, mapped) }

func splits(t *testing.T, s string, fixed bool) {
	p := strings.SplitN(s, ":", 3)
	if len(p) < 3 || p[0] != "user" {
		return
	}
	q := strings.SplitAfter(p[2], ",")
	if len(q) == 2 && q[0] == "wheel," && q[1] != "" && !fixed {
		t.Errorf("%s has two groups", p[1])
	}
}

func FuzzSplits(f *testing.F)      { fuzz(f, "a:b", false, splits) }
func FuzzSplitsFixed(f *testing.F) { fuzz(f, "a:b", true, splits) }

func unquoted(t *testing.T, s string, fixed bool) {
	u, err := strconv.Unquote(s)
	if err == nil && u == "a\tb" && !fixed {
		t.Error("a tab")
	}
}

func FuzzUnquoted(f *testing.F)      { fuzz(f, `"a"`, false, unquoted) }
func FuzzUnquotedFixed(f *testing.F) { fuzz(f, `"a"`, true, unquoted) }

func lines(t *testing.T, s string, fixed bool) {
	level := 0
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		switch key, value, ok := strings.Cut(line, ": "); {
		case key == "begin" && !ok:
			level++
		case key == "end" && !ok:
			if level--; level < 0 && !fixed {
				t.Error("end without begin")
			}
		case key == "stop" && value == "now":
			return
		}
		if level < 0 {
			return
		}
	}
}

func FuzzLines(f *testing.F)      { fuzz(f, "a: b\n", false, lines) }
func FuzzLinesFixed(f *testing.F) { fuzz(f, "a: b\n", true, lines) }

func frames(t *testing.T, s string, fixed bool) {
	b := []byte(s)
	for _, part := range bytes.FieldsFunc(b, func(r rune) bool { return r == '|' }) {
		part = bytes.TrimFunc(part, unicode.IsSpace)
		if n, err := strconv.Atoi(string(bytes.TrimPrefix(part, []byte("len=")))); err == nil && n == 77 &&
			len(part) > 2 && !fixed {
			t.Error("77")
		}
	}
}

func FuzzFrames(f *testing.F)      { fuzz(f, "a|b", false, frames) }
func FuzzFramesFixed(f *testing.F) { fuzz(f, "a|b", true, frames) }
