package tomlfile

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const text = `# a comment
budget = "30s"
skip = ["A", # first
  "B"]
steps = 1_000

race = false
[[ignore]]
kind = 'data race'
"re.ason" = """two
lines"""
[[ignore]]
x.y = 1.5
[other]
z = {a = 1}
big = 99999999999999999999
mixed = [1, "a"]
day = 2026-01-02
`
	got, err := Read("f", []byte(strings.Replace(text, "99999999999999999999", "9223372036854775807", 1)))
	want := []Item{
		{2, "", 0, false, "budget", "30s"},
		{3, "", 0, false, "skip", []string{"A", "B"}},
		{5, "", 0, false, "steps", int64(1000)},
		{7, "", 0, false, "race", false},
		{8, "ignore", 1, true, "", nil},
		{9, "ignore", 1, true, "kind", "data race"},
		{10, "ignore", 1, true, "re.ason", "two\nlines"},
		{12, "ignore", 2, true, "", nil},
		{13, "ignore", 2, true, "x.y", Other("a number with a point")},
		{14, "other", 3, false, "", nil},
		{15, "other", 3, false, "z", Other("a table")},
		{16, "other", 3, false, "big", int64(9223372036854775807)},
		{17, "other", 3, false, "mixed", Other("an array of other things than strings")},
		{18, "other", 3, false, "day", Other("a date or time")},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
	for _, c := range []struct {
		text string
		line int
		want string
	}{
		{"a = 1\nb =\n", 2, "not TOML"},
		{"a = 1\n\na = 2\n", 3, "a"},
		{"x = [\n1,\n", 2, "not TOML"},
		{"[[a]]\n[a]\n", 2, "a"},
		{"a = 1\nb = \"x\n", 2, "not TOML"},
	} {
		_, err := Read("f.toml", []byte(c.text))
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want line %d", c.text, err, c.line)
		}
	}
}

// FuzzRead: no text makes it panic; every item and every error has a line that the text has.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "a=1", "[[x]]\na='b'", "a.b.\"c\"=[\"\\u00e9\"]",
		"x = {a=[1,{b=2}]}", "a=1\na=2",
		"\r\n[a]\r\nb=inf", "a = \"\"\"\n\n\"\"\"\nb=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		items, err := Read("f", []byte(s))
		last := strings.Count(s, "\n") + 1
		if e := new(Error); err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > last) {
			t.Fatalf("%v, of %d lines", err, last)
		}
		before := 0
		for _, it := range items {
			if it.Line < before || it.Line < 1 || it.Line > last || it.Key == "" && it.Table == "" &&
				it.N == 0 &&
				!strings.Contains(s, `""`) && !strings.Contains(s, `''`) {
				t.Fatalf("%+v after line %d of %d", it, before, last)
			}
			before = it.Line
		}
	})
}
