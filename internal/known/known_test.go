package known

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var kinds = Kinds{"data race", "deadlock", "leak", "panic", "test failure"}

func race() *Finding {
	return &Finding{Package: "x/bank", Test: "TestTransfer", Kind: "data race", Places: []Place{
		{"/m/bank.go", 21, "(*Bank).Move", "b.sum", "b.sum += n"},
		{"/m/bank.go", 30, "(*Bank).Sum", "b.sum", "return b.sum"}}}
}

// TestStable: what may change without making a finding new, and what may not.
func TestStable(t *testing.T) {
	fail := &Finding{Package: "x/bank", Test: "TestSum", Kind: "test failure",
		Message: "bank_test.go:12: sum is 90 at 0xc00012, want 100"}
	for _, c := range []struct {
		name   string
		of     *Finding
		change func(*Finding)
		same   bool
	}{
		{"nothing", race(), func(f *Finding) {}, true},
		{"lines", race(), func(f *Finding) { f.Places[0].Line, f.Places[1].Line = 121, 130 }, true},
		{"file", race(), func(f *Finding) { f.Places[0].File = "/m/move.go" }, true},
		{"order", race(), func(f *Finding) { f.Places[0], f.Places[1] = f.Places[1], f.Places[0] }, true},
		{"twice", race(), func(f *Finding) { f.Places = append(f.Places, f.Places[0]) }, true},
		{"package", race(), func(f *Finding) { f.Package = "x/cash" }, false},
		{"test", race(), func(f *Finding) { f.Test = "TestOther" }, false},
		{"kind", race(), func(f *Finding) { f.Kind = "deadlock" }, false},
		{"function", race(), func(f *Finding) { f.Places[0].Func = "(*Bank).Other" }, false},
		{"object", race(), func(f *Finding) { f.Places[0].Object = "b.count" }, false},
		{"text", race(), func(f *Finding) { f.Places[0].Text = "b.sum -= n" }, false},
		{"a place less", race(), func(f *Finding) { f.Places = f.Places[:1] }, false},
		{"numbers", fail,
			func(f *Finding) { f.Message = "bank_test.go:14: sum is 80 at 0xc000ff, want 100" }, true},
		{"message", fail,
			func(f *Finding) { f.Message = "bank_test.go:12: count is 90 at 0xc0, want 100" }, false},
	} {
		s := New(&Baseline{Path: "known.toml"}, nil, true)
		was := *c.of
		was.Places = append([]Place(nil), c.of.Places...)
		if s.By(&was) == "" {
			t.Fatalf("%s: not added", c.name)
		}
		text, err := s.baseline.Text()
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseBaseline("known.toml", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		now := *c.of
		now.Places = append([]Place(nil), c.of.Places...)
		c.change(&now)
		if by := New(b, nil, false).By(&now); (by != "") != c.same {
			t.Errorf("%s: known by %q", c.name, by)
		}
	}
}

// TestStale: entries that nothing matched, of tests that ran; -update drops them and keeps reasons.
func TestStale(t *testing.T) {
	b, err := ParseBaseline("k", []byte(`
[[finding]]
package = "x/bank"
test = "TestTransfer"
kind = "data race"
places = ["(*Bank).Sum: b.sum: return b.sum", "(*Bank).Move: b.sum: b.sum += n"]
reason = "issue 4"
[[finding]]
package = "x/bank"
test = "TestTransfer"
kind = "leak"
[[finding]]
package = "x/cash"
test = "TestCash"
kind = "leak"
`))
	if err != nil {
		t.Fatal(err)
	}
	s := New(b, nil, true)
	if by := s.By(race()); by != "k:2: issue 4" {
		t.Errorf("known by %q", by)
	}
	stale := s.Stale(func(pkg, _ string) bool { return pkg == "x/bank" })
	if len(stale) != 1 || stale[0].Kind != "leak" || stale[0].Package != "x/bank" {
		t.Errorf("stale: %+v", stale)
	}
	s.Drop(stale)
	text, err := b.Text()
	if err != nil || !strings.Contains(string(text), "issue 4") || strings.Count(string(text),
		"[[finding]]") != 2 ||
		!strings.HasPrefix(string(text), "# Findings that heddle knows") {
		t.Errorf("%v\n%s", err, text)
	}
	if !s.Concerns("x/cash") {
		t.Error("a package with entries does not count")
	}
	if New(b, nil, false).Concerns("x/other") {
		t.Error("a package without entries counts")
	}
}

func TestBadBaseline(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[[finding]]\npackage = \"x\"\ntest = \n", "k.toml:3: not TOML"},
		{"[[finding]]\npackage = \"x\"\nkind = \"leak\"\n", "k.toml:1: a finding without a test"},
		{"package = \"x\"\n", "k.toml:1: package is not in a table [[finding]]"},
		{"[finding]\n", "k.toml:1: [finding] is not in a table [[finding]]"},
		{"[[finding]]\npakage = \"x\"\n",
			"k.toml:2: unknown key pakage in [[finding]]: did you mean package?"},
		{"[[finding]]\nkind = 3\n", "k.toml:2: kind is a number; want a string"},
		{"[[finding]]\nplaces = \"a\"\n", "k.toml:2: places is a string; want a list of strings"},
	} {
		_, err := ParseBaseline("k.toml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "heddle test -baseline k.toml -update") {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

const source = `package bank

// Move moves.
//
//heddle:ignore data race counters are for logs
func (b *Bank) Move(n int) {
	b.sum += n //heddle:ignore leak: at this line
	//heddle:ignore Data-Race below
	b.sum++
	_ = "//heddle:ignore nothing"
	//heddle:ignored is another word
}

//heddle:ignore test failure this test is of the old kind
func TestX(t *testing.T) {}
`

func TestComments(t *testing.T) {
	rules, err := kinds.Comments("/m/bank_test.go", "x/bank", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	const f = "/m/bank_test.go"
	want := []*Rule{
		{Kind: "data race", Reason: "counters are for logs", Func: "(*Bank).Move", File: f, From: f, Line: 5},
		{Kind: "leak", Reason: "at this line", File: f, At: 7, From: f, Line: 7},
		{Kind: "data race", Reason: "below", File: f, At: 9, From: f, Line: 8},
		{Kind: "test failure", Reason: "this test is of the old kind", Test: "TestX", Package: "x/bank",
			From: f,
			Line: 14},
	}
	if !reflect.DeepEqual(rules, want) {
		for _, r := range rules {
			t.Errorf("%+v", *r)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"//heddle:ignore", `f.go:3: no kind of finding is called ""`},
		{"//heddle:ignore data rac x", `no kind of finding is called "data"`},
		{"//heddle:ignore deadlok x", "did you mean deadlock?"},
		{"//heddle:ignore leak", "f.go:3: //heddle:ignore leak without a reason"},
		{"//heddle:ignore leak:  ", "without a reason"},
	} {
		_, err := kinds.Comments("f.go", "x", []byte("package x\n\n"+c.text+"\nvar a int\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestRules: what a rule names must match, and nothing else need.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		r    Rule
		want bool
	}{
		{Rule{}, true},
		{Rule{Package: "x/bank"}, true},
		{Rule{Package: "x/..."}, true},
		{Rule{Package: "x/b"}, false},
		{Rule{Package: "x/b/..."}, false},
		{Rule{Test: "TestTransfer"}, true},
		{Rule{Test: "TestTrans"}, false},
		{Rule{Func: "(*Bank).Sum"}, true},
		{Rule{Func: "Sum"}, false},
		{Rule{Object: "b.sum", Func: "(*Bank).Sum"}, true},
		{Rule{Text: "+= n"}, true},
		{Rule{Text: "+= n", Func: "(*Bank).Sum"}, false}, // of one place, both
		{Rule{File: "/m/bank.go", At: 30}, true},
		{Rule{File: "/m/bank.go", At: 31}, false},
		{Rule{File: "/m/cash.go", At: 30}, false},
	} {
		for _, kind := range kinds {
			r := c.r
			r.Kind = kind
			if got := r.matches(race()); got != (c.want && kind == "data race") {
				t.Errorf("%+v: %v", r, got)
			}
		}
	}
	r := &Rule{Kind: "data race", Reason: "why", From: "heddle.toml", Line: 3}
	other := &Rule{Kind: "leak", Reason: "why", From: "heddle.toml", Line: 7}
	s := New(nil, []*Rule{r, other}, false)
	if by := s.By(race()); by != "heddle.toml:3: why" {
		t.Error(by)
	}
	if u := s.Unused(); len(u) != 1 || u[0] != other {
		t.Errorf("unused: %+v", u)
	}
}

func TestSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a_test.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	var s Source
	for _, c := range []struct {
		line int
		want Place
	}{
		{7, Place{file, 7, "(*Bank).Move", "o", "b.sum += n"}},
		{9, Place{file, 9, "(*Bank).Move", "o", "b.sum++"}},
		{1, Place{file, 1, "", "o", "package bank"}},
		{999, Place{file, 999, "", "o", ""}},
	} {
		if got := s.Place(file, c.line, "o"); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

// FuzzBaseline: what is written is read as the same, and no text makes the parser panic.
func FuzzBaseline(f *testing.F) {
	f.Add("x/bank", "TestA", "leak", "message \"quoted\"\n", "place", "reason")
	f.Add("", "'", "\x00", "é", "\\", "]]")
	f.Fuzz(func(t *testing.T, pkg, test, kind, msg, place, reason string) {
		ParseBaseline("k", []byte(pkg))
		kinds.Comments("k.go", "x", []byte("package x\n"+Directive+test+"\n"+msg))
		want := &Finding{Package: pkg, Test: test, Kind: kind, Message: msg, Places: []Place{{Text: place}}}
		for _, s := range []string{pkg, test, kind, msg, place, reason} {
			if s != strings.ToValidUTF8(s, "") {
				return
			}
		}
		if pkg == "" || test == "" || kind == "" {
			return
		}
		s := New(&Baseline{}, nil, true)
		s.By(want)
		s.baseline.Entries[0].Reason = reason
		text, err := s.baseline.Text()
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseBaseline("k", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if New(b, nil, false).By(want) == "" || b.Entries[0].Reason != reason {
			t.Fatalf("not known:\n%s", text)
		}
	})
}
