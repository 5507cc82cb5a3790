package cause

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heddle/rt/wire"
)

// place reads "write s.n a.go:12 main/1".
func place(text string) wire.Place {
	w := strings.Fields(text)
	file, line, _ := strings.Cut(w[2], ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		panic(err)
	}
	return wire.Place{Op: w[0], Object: strings.Trim(w[1], "-"), File: file, Line: n, Goroutine: w[3]}
}

// stack is what place is at the top of, with the lines that called it.
func stack(p wire.Place, callers ...string) wire.Stack {
	s := wire.Stack{Goroutine: p.Goroutine, Frames: []wire.Place{{File: p.File, Line: p.Line}}}
	for _, c := range callers {
		f := place("- - " + c + " -")
		s.Frames = append(s.Frames, wire.Place{File: f.File, Line: f.Line})
	}
	return s
}

// finding makes a finding of a kind at places, of which all goroutines have the same callers.
func finding(test, kind string, places []string, callers ...string) Finding {
	f := Finding{Finding: &wire.Finding{Kind: kind}, Package: "p", Test: test}
	for _, text := range places {
		p := place(text)
		f.Places = append(f.Places, p)
		f.Stacks = append(f.Stacks, stack(p, callers...))
	}
	return f
}

// clone lets a finding be used for several.
func (f Finding) clone() Finding {
	c := *f.Finding
	c.Clip.Steps, c.Beside = slices.Clone(c.Clip.Steps), slices.Clone(c.Beside)
	f.Finding = &c
	return f
}

// with adds the steps of its clip: a star before a switch.
func (f Finding) with(steps ...string) Finding {
	f = f.clone()
	for _, text := range steps {
		rest, star := strings.CutPrefix(text, "* ")
		p := place(rest)
		f.Clip.Steps = append(f.Clip.Steps, wire.Step{G: p.Goroutine, Op: p.Op, Choice: -1, Switch: star,
			Where: p})
	}
	return f
}

// beside adds what its execution shows too.
func (f Finding) beside(others ...Finding) Finding {
	f = f.clone()
	for _, o := range others {
		f.Beside = append(f.Beside, wire.Finding{Kind: o.Kind, Places: o.Places})
	}
	return f
}

func (f Finding) saying(message string) Finding {
	f = f.clone()
	f.Message = message
	return f
}

// The source that the findings are of: functions of ten lines each, and two lines of text.
var code = Code{
	Foreign:  func(file string) bool { return strings.HasPrefix(file, "lib") },
	Function: func(file string, line int) string { return fmt.Sprint(file, line/10) },
	Line: func(file string, line int) string {
		if file == "conf.go" && line == 15 {
			return "conf = c"
		}
		return ""
	},
	Global: func(file string, line int, name string) bool { return name == "shared" },
}

func raceOf(test, a, b string, callers ...string) Finding {
	return finding(test, "data race", []string{a, b}, callers...)
}

// unguarded is a race of a write at h.go:12 with a read, without locks.
func unguarded(read string) Finding {
	return raceOf("T", "write m.seen h.go:12 main/1", read).with("write m.seen h.go:12 main/1", read)
}

// explained is a race with the code that its pattern is about.
func explained(a, b, code string) Finding {
	f := raceOf("T", a, b)
	f.Explained = code
	return f
}

// The report of a cause is that of what explains the others, or of what go test shows.
func TestLeadByKind(t *testing.T) {
	closed := finding("T", "misuse", []string{"send out f.go:10 main/1"}).saying("send on closed channel")
	may := finding("T", "misuse", []string{"close out f.go:13 main/2", "send out f.go:10 main/1"})
	wait := finding("T", "misuse", []string{"wg-add wg p.go:11 main/1", "wg-wait wg p.go:16 main"})
	fails := finding("T", "test failure", []string{"fails - t_test.go:30 main"})
	race := raceOf("T", "write n p.go:13 main/1", "read n t_test.go:7 main")
	stuck := finding("T", "deadlock", []string{"recv c p.go:20 main"})
	for _, test := range []struct {
		name string
		of   []Finding
		want int
	}{
		{"a send that may panic, and the panic", []Finding{may, closed}, 1},
		{"a failure and the race behind it", []Finding{fails, race}, 1},
		{"a Wait that returns too early, a race and a failure after it", []Finding{race, fails, wait}, 2},
		{"a failure and a deadlock", []Finding{stuck, fails}, 1},
	} {
		g := Groups{Code: code}
		var all []int
		for _, f := range test.of {
			all = append(all, g.Add(f.clone()))
		}
		if got := g.Lead(all); got != test.want {
			t.Errorf("%s: finding %d leads, want %d", test.name, got, test.want)
		}
	}
}

func TestCauses(t *testing.T) {
	dclFlag := raceOf("T", "write conf conf.go:23 main/1", "read conf conf.go:21 main/2")
	dclFlag = dclFlag.with("start - t_test.go:5 main/1", "lock mu conf.go:22 main/1",
		"write conf conf.go:23 main/1",
		"* start - t_test.go:5 main/2", "read conf conf.go:21 main/2")
	dclField := raceOf("T", "write conf.Limit conf.go:24 main/1", "read c.Limit t_test.go:13 main/2")
	dclFails := finding("T", "test failure", []string{"fails - t_test.go:14 main/2"}).with(
		"lock mu conf.go:22 main/1", "write conf conf.go:23 main/1", "* start - t_test.go:5 main/2")
	badWait := finding("T", "misuse", []string{"wg-add wg pool.go:11 main/1", "wg-wait wg pool.go:16 main"})
	early := raceOf("T", "write out[i] pool.go:13 main/1", "read out[0] t_test.go:7 main")
	hits := raceOf("T", "read s.hits s.go:11 main/1", "write s.hits s.go:11 main/2")
	misses := raceOf("T", "read s.misses s.go:21 main/1", "write s.misses s.go:21 main/2")
	fails := finding("T", "test failure", []string{"fails - t_test.go:30 main"}).saying("got 1")
	inner := "read *p inc.go:5 main/1"
	innerToo := "write *p inc.go:5 main/2"
	reading := func(a, b string) Finding {
		return raceOf("T", a, b).with("rlock mu c.go:12 main/1", "rlock mu c.go:12 main/2", a, b)
	}
	blockedAt := func(test, holder string) Finding {
		f := finding(test, "deadlock", []string{"lock mu m.go:9 main/1"}).with("lock mu "+holder+" main/2",
			"arrive mu m.go:9 main/1")
		f.Places[0].Note = "held by main/2"
		return f
	}

	for _, test := range []struct {
		name     string
		findings []Finding
		want     []int // for each finding the report it is in
	}{
		{"two tests show one race", []Finding{raceOf("T", "read x a.go:5 main/1", "write x a.go:7 main/2"),
			raceOf("U", "write x a.go:7 main", "read x a.go:5 main/1")}, []int{0, 0}},
		{"double-checked locking: a pointer, what it points to, and a failure",
			[]Finding{dclFlag, dclField.beside(dclFlag), dclFails.beside(dclFlag, dclField)}, []int{0, 0, 0}},
		{"the same, the failure first",
			[]Finding{dclFails.beside(dclFlag, dclField), dclField.beside(dclFlag), dclFlag}, []int{0, 0, 0}},
		{"a field that is reached in another way", []Finding{dclFlag,
			raceOf("T", "write stats.n conf.go:24 main/1",
				"read stats.n t_test.go:13 main/2").beside(dclFlag)},
			[]int{0, 1}},
		{"two parts of one object in one function without locks",
			[]Finding{raceOf("T", "read h.total h.go:12 main/1", "write h.total h.go:12 main/2"),
				raceOf("T", "write h.last h.go:13 main/1", "write h.last h.go:13 main/2")}, []int{0, 0}},
		{"one write that no lock guards, read in two functions", []Finding{
			unguarded("read m.seen h.go:25 main/2"), unguarded("read m.seen h.go:35 main/2")}, []int{0, 0}},
		{"near miss: the second read holds a lock", []Finding{unguarded("read m.seen h.go:25 main/2"),
			raceOf("T", "write m.seen h.go:12 main/1", "read m.seen h.go:35 main/2").with(
				"write m.seen h.go:12 main/1", "lock m.mu h.go:34 main/2", "read m.seen h.go:35 main/2")},
			[]int{0, 1}},
		{"near miss: the same write of another field", []Finding{unguarded("read m.seen h.go:25 main/2"),
			raceOf("T", "write m.n h.go:12 main/1", "read m.n h.go:35 main/2").with(
				"write m.n h.go:12 main/1", "read m.n h.go:35 main/2")}, []int{0, 1}},
		{"double-checked locking of a flag, and what it stands for", []Finding{
			explained("read loaded f.go:14 main/2", "write loaded f.go:18 main/1", "f.go:14 18"),
			explained("read on f.go:22 main/2", "write on f.go:17 main/1", "f.go:14 18")}, []int{0, 0}},
		{"near miss: two of them", []Finding{
			explained("read loaded f.go:14 main/2", "write loaded f.go:18 main/1", "f.go:14 18"),
			explained("read on f.go:42 main/2", "write on f.go:37 main/1", "f.go:34 38")}, []int{0, 1}},
		{"near miss: two variables in one function",
			[]Finding{raceOf("T", "read a h.go:12 main/1", "write a h.go:12 main/2"),
				raceOf("T", "read b h.go:13 main/1", "write b h.go:13 main/2")}, []int{0, 1}},
		{"near miss: two objects in one object",
			[]Finding{raceOf("T", "read s.a.n h.go:12 main/1", "write s.a.n h.go:12 main/2"),
				raceOf("T", "read s.b.n h.go:13 main/1", "write s.b.n h.go:13 main/2")}, []int{0, 1}},
		{"near miss: one part under a lock, the other not",
			[]Finding{
				raceOf("T", "write s.a h.go:14 main/1", "read s.a h.go:24 main/2").with(
					"lock s.mu h.go:13 main/1", "write s.a h.go:14 main/1", "read s.a h.go:24 main/2"),
				raceOf("T", "write s.b h.go:16 main/1", "read s.b h.go:25 main/2").with(
					"lock s.mu h.go:13 main/1", "unlock s.mu h.go:15 main/1",
					"write s.b h.go:16 main/1", "read s.b h.go:25 main/2")}, []int{0, 1}},
		{"near miss: one line, two objects of two callers", []Finding{raceOf("T", inner, innerToo,
			"web.go:20"),
			raceOf("U", inner, innerToo, "web.go:31")}, []int{0, 1}},
		{"one line, the same object of two tests", []Finding{raceOf("T", inner, innerToo, "web.go:20",
			"t_test.go:8"),
			raceOf("U", inner, innerToo, "web.go:20", "t_test.go:70")}, []int{0, 0}},
		{"a package variable has one owner, from all callers", []Finding{
			raceOf("T", "read shared.n inc.go:5 main/1", "write shared.n inc.go:5 main/2", "web.go:20"),
			raceOf("U", "read shared.n inc.go:5 main/1", "write shared.n inc.go:5 main/2", "web.go:31")},
			[]int{0, 0}},
		{"inside a library, two calls", []Finding{raceOf("T", "read - lib/l.go:5 main/1",
			"write - lib/l.go:5 main/2", "a.go:3"),
			raceOf("T", "read - lib/l.go:5 main/1", "write - lib/l.go:5 main/2", "a.go:4")}, []int{0, 1}},
		{"inside a library, one call", []Finding{raceOf("T", "read - lib/l.go:5 main/1",
			"write - lib/l.go:6 main/2", "a.go:3"),
			raceOf("T", "read - lib/l.go:8 main/1", "write - lib/l.go:9 main/2", "a.go:3")}, []int{0, 0}},
		{"changed under a lock for reading", []Finding{
			reading("write p.next c.go:14 main/1", "read q.next c.go:18 main/2"),
			reading("write p.prev c.go:15 main/1", "write q.prev c.go:15 main/2")}, []int{0, 0}},
		{"a Wait that returns too early", []Finding{badWait,
			early.with("wg-wait wg pool.go:16 main", "wg-add wg pool.go:11 main/1",
				"write out[i] pool.go:13 main/1",
				"read out[0] t_test.go:7 main").beside(badWait)}, []int{0, 0}},
		{"near miss: a race before that Wait", []Finding{badWait,
			early.with("read out[0] t_test.go:7 main", "wg-wait wg pool.go:16 main",
				"wg-add wg pool.go:11 main/1",
				"write out[i] pool.go:13 main/1").beside(badWait)}, []int{0, 1}},
		{"a failure that needs a switch between the accesses", []Finding{hits, fails.with(
			"read s.hits s.go:11 main/1", "* start - t_test.go:5 main/2", "write s.hits s.go:11 main/2",
			"write s.hits s.go:11 main/1").beside(hits)}, []int{0, 0}},
		{"near miss: a failure that needs a switch elsewhere", []Finding{hits, fails.with(
			"unlock mu q.go:9 main/1", "* lock mu q.go:12 main/2", "lock mu q.go:12 main/1").beside(hits)},
			[]int{0, 1}},
		{"near miss: a switch right after an access, and another goroutine fails", []Finding{hits, fails.with(
			"write s.hits s.go:11 main/1", "* start - t_test.go:5 main/2", "write s.hits s.go:11 main/2",
			"send c s.go:11 main/2", "recv c t_test.go:9 main", "send c s.go:11 main/1").beside(hits)},
			[]int{0, 1}},
		{"near miss: a failure beside two races", []Finding{hits, misses, fails.with(
			"read s.hits s.go:11 main/1", "* write s.hits s.go:11 main/2").beside(hits, misses)}, []int{0,
			1, 2}},
		{"near miss: a failure without a switch, in another function", []Finding{hits, fails.beside(hits)},
			[]int{0, 1}},
		{"a failure without a switch, where it is read", []Finding{
			raceOf("T", "write n a.go:3 main/1", "read n t_test.go:33 main"),
			fails.beside(raceOf("T", "write n a.go:3 main/1", "read n t_test.go:33 main"))}, []int{0, 0}},
		{"a race of another test's execution", []Finding{raceOf("U", "read s.hits s.go:11 main/1",
			"write s.hits s.go:99 main/2"),
			fails.with("read s.hits s.go:11 main/1", "* write s.hits s.go:11 main/2").beside(hits)},
			[]int{0, 1}},
		{"one panic of two tests", []Finding{
			finding("T", "panic",
				[]string{"panic - q.go:9 main/1"}).saying("index out of range [0] with length 0"),
			finding("U", "panic",
				[]string{"panic - q.go:9 main/1"}).saying("index out of range [2] with length 2")}, []int{0,
			0}},
		{"near miss: two panics of one line", []Finding{
			finding("T", "panic", []string{"panic - q.go:9 main/1"}).saying("nil pointer"),
			finding("T", "panic", []string{"panic - q.go:9 main/1"}).saying("index out of range")}, []int{0,
			1}},
		{"near miss: failures of two tests", []Finding{fails,
			finding("U", "test failure", []string{"fails - t_test.go:30 main"}).saying("got 1")}, []int{0,
			1}},
		{"a deadlock, and a leak at the same place, of two tests", []Finding{
			finding("T", "deadlock", []string{"wg-wait wg t_test.go:9 main", "cond-wait c g.go:30 main/1"}),
			finding("U", "leak", []string{"cond-wait c g.go:30 main/1"})}, []int{0, 0}},
		{"near miss: one lock that two places keep", []Finding{blockedAt("T", "m.go:20"), blockedAt("T",
			"m.go:40")},
			[]int{0, 1}},
		{"one lock that one place keeps", []Finding{blockedAt("T", "m.go:20"), blockedAt("U", "m.go:20")},
			[]int{0, 0}},
		{"near miss: tests that wait by themselves", []Finding{
			finding("T", "deadlock", []string{"recv done t_test.go:9 main"}),
			finding("U", "deadlock", []string{"recv done t_test.go:9 main"})}, []int{0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := reports(test.findings); !slices.Equal(got, test.want) {
				t.Errorf("reports %v, want %v", got, test.want)
			}
		})
	}
}

// reports returns for each finding the number of its report, from 0.
func reports(fs []Finding) []int {
	g := Groups{Code: code}
	for _, f := range fs {
		g.Add(f)
	}
	for _, test := range []string{"T", "U"} {
		g.Settle("p", test)
	}
	var out, leads []int
	for i := range fs {
		k := slices.IndexFunc(leads, func(j int) bool { return g.Same(i, j) })
		if k < 0 {
			k = len(leads)
			leads = append(leads, i)
		}
		out = append(out, k)
	}
	return out
}

// The finding that is told is the one that the others follow from.
func TestLead(t *testing.T) {
	flag := raceOf("T", "write conf conf.go:23 main/1", "read conf conf.go:21 main/2")
	field := raceOf("T", "write conf.Limit conf.go:24 main/1", "read c.Limit t_test.go:13 main/2")
	g := Groups{Code: code}
	g.Add(finding("T", "test failure", []string{"fails - t_test.go:14 main/2"}).with(
		"write conf conf.go:23 main/1", "* start - t_test.go:5 main/2").beside(flag, field))
	g.Add(field.beside(flag))
	g.Add(flag)
	g.Settle("p", "T")
	if got := g.Lead([]int{0, 1, 2}); got != 2 {
		t.Errorf("finding %d is told, want 2: the race on the pointer", got)
	}
}
