package predict

import (
	"slices"
	"strings"
	"testing"
)

const checkThenAct = `
# Another goroutine's write comes between a check and what relies on it.
pattern check then act
E  = e1 - e2 - e3
T  = t1 - t2 - t1
SV = s1 - s1 - s2
AR = u1 - u2 - u1
AT = r  - w  - w     # reads, writes
regions = goroutines
message = what was checked is no longer true

pattern next to each other
T=t7-t2
SV=s3-s3
AR=u1-u9
AT=w-w
adjacent
`

func TestParse(t *testing.T) {
	ps, err := Parse("f", checkThenAct)
	if err != nil || len(ps) != 2 {
		t.Fatalf("%v, %d patterns", err, len(ps))
	}
	p := ps[0]
	want := []Event{{0, 0, 0, false}, {1, 0, 1, true}, {0, 1, 0, true}}
	if p.Name != "check then act" || p.Message != "what was checked is no longer true" ||
		p.Regions != Goroutines || p.Kind != Serializability || !slices.Equal(p.E, want) {
		t.Errorf("got %+v", p)
	}
	line := "T=t1-t2-t1 SV=s1-s1-s2 AR=u1-u2-u1 AT=r-w-w regions=goroutines"
	if got := p.String(); got != line {
		t.Errorf("prints %q, want %q", got, line)
	}
	if q := ps[1]; !q.Adjacent || q.Kind != Atomicity || !slices.Equal(q.E,
		[]Event{{0, 0, 0, true}, {1, 0, 1, true}}) {
		t.Errorf("got %+v", q)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "pattern p\n"
	for _, c := range []struct{ text, want string }{
		{"T = t1-t2", `f:1: want "pattern" and its name, found "T = t1-t2"`},
		{"pattern ", `f:1: want a name after "pattern"`},
		{head + "T = t1-t2\nSV = s1-s1\nAR = u1-u2\n", `f:1: pattern p: AT is missing: write a line "AT = r - w - w" with one word for each event`},
		{head + "T = t1-t2\nSV = s1\nAR = u1-u2\nAT = r-w",
			"f:1: pattern p: row T has 2 events and SV has 1"},
		{head + "T = t1-t2\nE=e1\nSV = s1-s1\nAR = u1-u2\nAT = r-w",
			"f:1: pattern p: row E has 1 events and T has 2"},
		{head + "T = t1-x", `f:2: T: want names such as t1, found "x"`},
		{head + "AT = r-rw", `f:2: AT: want names such as r and w, found "rw"`},
		{head + "T = t1\nT = t1", "f:3: T stands twice"},
		{head + "X = 1", `f:2: want one of E, T, SV, AR, AT, regions, adjacent, message; found "X"`},
		{head + "nothing", `f:2: want one of E, T, SV, AR, AT, regions, message and "=", or adjacent; found "nothing"`},
		{head + "regions = all", `f:2: regions: want one of locks, goroutines; found "all"`},
		{head + "T = t1-t2\nSV = s1-s1\nAR = u1-u2\nAT = r-r",
			"f:1: pattern p: no two threads access one variable, at least one of them to write"},
		{head + "T = t1-t2\nSV = s1-s2\nAR = u1-u2\nAT = r-w",
			"f:1: pattern p: t1 shares no variable with another thread"},
		{head + "T = t1-t2\nSV = s1-s1\nAR = u1-u1\nAT = r-w",
			"f:1: pattern p: the region u1 is of two threads, t1 and t2"},
		{head + "T = t1\nSV = s1\nAR = u1\nAT = r", "f:1: pattern p: a pattern has two events at least"},
		{head + "T = t1-t1-t2\nSV = s1-s1-s1\nAR = u1-u1-u2\nAT = r-w-w\nadjacent",
			"f:1: pattern p: events of one thread, t1, cannot be adjacent"},
		{head + "T=" + strings.Repeat("t1-", 16) + "t2", "f:2: T has 17 events, more than 16"},
		{head + "T=t1-t2\nSV=s1-s1\nAR=u1-u2\nAT=r-w\n" + head,
			`f:6: there is a pattern "p" already: give this one another name`},
		{"# only words\n\n", `f:2: there is no pattern: want "pattern" and its name, then rows T, SV, AR and AT`},
		{"pattern stale  read\n", `f:1: heddle has a pattern "stale read": give this one another name`},
		{"pattern race", `f:1: heddle has a pattern "race": give this one another name`},
		{head + "T = t1-t2\n" + "pattern q\n",
			`f:1: pattern p: SV is missing: write a line "SV = s1 - s1 - s1" with one word for each event`},
		{"\ufeffpattern\tp\r\nT = t1-x\r\n", `f:2: T: want names such as t1, found "x"`},
	} {
		if _, err := Parse("f", c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

// FuzzParse: a file is refused, or its patterns print as they were parsed.
func FuzzParse(f *testing.F) {
	f.Add(checkThenAct)
	for _, p := range Builtin(Goroutines) {
		f.Add("pattern p\n" + strings.ReplaceAll(p.String(), " ", "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		ps, err := Parse("f", text)
		if err != nil {
			return
		}
		for _, p := range ps {
			q, err := ParseLine(p.String())
			if err != nil || q.String() != p.String() || q.Kind != p.Kind || !slices.Equal(q.E, p.E) {
				t.Errorf("%s reads as %v (%v)", p, q, err)
			}
		}
	})
}

// The eleven patterns; and the four of atomicity are all patterns on one variable with an access of
// another goroutine between two of a region, except the one that no order of whole regions explains
// and that no read observes.
func TestBuiltinPatternsAreTheUnserialisableOnes(t *testing.T) {
	names := map[string]bool{}
	got := map[string]bool{}
	for _, p := range Builtin(Locks) {
		if err := p.check(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		names[p.Name] = true
		got[p.String()] = true
		if unserialisable := !serialisable(p); !unserialisable {
			t.Errorf("%s can be serialised", p.Name)
		}
	}
	if len(names) != 11 || len(got) != 11 {
		t.Errorf("%d names, %d patterns, want eleven different ones", len(names), len(got))
	}
	// Every triple on one variable that is not conflict-serialisable is there.
	for bits := range 8 {
		p := &Pattern{E: []Event{{0, 0, 0, bits&1 != 0}, {1, 0, 1, bits&2 != 0}, {0, 0, 0, bits&4 != 0}}}
		if !serialisable(p) != got[p.String()] {
			t.Errorf("%s: serialisable %v, in the list %v", p, serialisable(p), got[p.String()])
		}
	}
}

// serialisable reports whether conflicts order the two regions of p one way only.
func serialisable(p *Pattern) bool {
	var order [2]bool
	for i, e := range p.E {
		for _, f := range p.E[i+1:] {
			if e.AR != f.AR && e.SV == f.SV && (e.Write || f.Write) {
				order[e.AR] = true
			}
		}
	}
	return !(order[0] && order[1])
}
