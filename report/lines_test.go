package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/rt/wire"
)

// rowsOfTable returns the rows of a finding's table, without places and source.
func rowsOfTable(r *Reporter, f *wire.Finding) (head string, rows []string) {
	head, table := r.steps(&Finding{Finding: r.resolve(f)})
	for _, l := range table {
		text := l.g + " " + l.text + l.whole
		switch {
		case l.gap != "":
			text = l.gap
		case l.about && l.num == 0:
			text = "> " + text
		case l.about:
			text = ">" + thousands(l.num) + " " + text
		default:
			text = thousands(l.num) + " " + text
		}
		rows = append(rows, text)
	}
	return head, rows
}

func stepOn(g, op, object string, line int) wire.Step {
	return wire.Step{G: g, Op: op, Choice: -1,
		Where: wire.Place{File: "/home/me/bank/bank.go", Line: line, Object: object}}
}

// inside is a step inside the module file, to which the user's call at line led.
func inside(g, op, file, function string, line int) wire.Step {
	s := wire.Step{G: g, Op: op, Choice: -1, Where: wire.Place{File: file, Line: 9}}
	s.Call = &wire.Place{File: "/home/me/bank/bank.go", Line: line, Op: function}
	return s
}

// Steps outside the user's code are told by the call that entered it; another goroutine's step, or
// another call, begins a new row.
func TestFolded(t *testing.T) {
	const sqlite = "/root/go/pkg/mod/modernc.org/sqlite@v1.61.1/vm.go"
	exec := func(g string, line int) wire.Step {
		return inside(g, "lock", sqlite, "database/sql.(*DB).ExecContext", line)
	}
	f := &wire.Finding{Kind: "test failure", Decided: 7,
		Places: []wire.Place{{File: "/home/me/bank/bank_test.go", Line: 30, Goroutine: "main", Op: "fails"}},
		Clip: wire.Clip{Steps: []wire.Step{stepOn("main", "lock", "mu", 1), exec("main", 20), exec("main",
			20),
			exec("main/1", 20), exec("main", 20), exec("main", 21), stepOn("main", "unlock", "mu", 2),
			stepOn("main/1", "lock", "mu", 1)}}}
	r := New(Options{Dir: "/home/me/bank", Source: func(string, int) string { return "" }})
	head, rows := rowsOfTable(r, f)
	want := []string{"1 main lock mu", "2 main [2 steps in database/sql]",
		"4 main/1 [1 step in database/sql]",
		"5 main [1 step in database/sql]", "6 main [1 step in database/sql]", "7 main unlock mu",
		"> main fails"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	if want := "all 7 steps, in the order the program takes by itself, > where it fails"; head != want {
		t.Errorf("head %q, want %q", head, want)
	}
}

// Of many goroutines that wait at one place there is one row, and none of what the others did.
func TestManyWaitAtOnePlace(t *testing.T) {
	f := &wire.Finding{Kind: "deadlock", Places: []wire.Place{
		{File: "/home/me/bank/bank.go", Line: 30, Goroutine: "main", Op: "wg-wait", Object: "wg"}}}
	for _, g := range []string{"main/1", "main/2", "main/3", "main/4", "main/5"} {
		f.Places = append(f.Places,
			wire.Place{File: "/home/me/bank/bank.go", Line: 9, Goroutine: g, Op: "recv", Object: "gate"})
		s := stepOn(g, "recv", "gate", 9)
		s.Came = wire.CameWaits
		f.Clip.Steps = append(f.Clip.Steps, stepOn(g, "lock", "mu", 7), s)
	}
	for i, want := range []string{
		"1 main/1 lock mu, >2 main/1 recv gate (waits, 4 more too), ... 8 steps, > main wait wg",
		"1 main/1 lock mu, >2 main/1 recv gate (waits), 3 main/2 lock mu, >4 main/2 recv gate (waits), " +
			"5 main/3 lock mu, >6 main/3 recv gate (waits), > main wait wg",
	} {
		if i == 1 { // few
			f.Places, f.Clip.Steps = f.Places[:4], f.Clip.Steps[:6]
		}
		r := New(Options{Dir: "/home/me/bank", Source: func(string, int) string { return "" }})
		if _, rows := rowsOfTable(r, f); strings.Join(rows, ", ") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(rows, ", "), want)
		}
	}
}

// The accesses that race are marked, the last of several says which one it is, and nothing follows.
// An access that is no step comes where it came.
func TestMarks(t *testing.T) {
	r := New(Options{Dir: "/home/me/bank", Source: func(string, int) string { return "" }})
	at := func(g, op, object string, line int) wire.Place {
		p := stepOn(g, op, object, line).Where
		p.Op, p.Goroutine = op, g
		return p
	}
	for _, test := range []struct {
		name string
		f    wire.Finding
		want []string
	}{
		{"race in a loop", wire.Finding{Kind: "data race", Decided: 4,
			Places: []wire.Place{at("main/2", "write", "n", 9), at("main/1", "read", "n", 8)},
			Clip: wire.Clip{Steps: []wire.Step{
				stepOn("main/1", "read", "n", 8), stepOn("main/1", "lock", "mu", 5),
				stepOn("main/1", "read", "n", 8), stepOn("main/2", "write", "n", 9),
				stepOn("main/1", "read", "n", 8)}}},
			[]string{"1 main/1 read n", "2 main/1 lock mu", ">3 main/1 read n (2nd time)",
				">4 main/2 write n"}},
		{"race without steps", wire.Finding{Kind: "data race", Decided: 3, Earlier: 1,
			Places: []wire.Place{at("main/2", "write", "n", 9), at("main/1", "read", "n", 8)},
			Clip: wire.Clip{Steps: []wire.Step{
				stepOn("main/1", "lock", "a", 4), stepOn("main/1", "unlock", "a", 5),
				stepOn("main/2", "lock", "b", 6), stepOn("main/2", "unlock", "b", 7)}}},
			[]string{"1 main/1 lock a", "> main/1 read n", "2 main/1 unlock a", "3 main/2 lock b",
				"> main/2 write n"}},
		{"deadlock", wire.Finding{Kind: "deadlock",
			Places: []wire.Place{at("main/1", "lock", "b", 5), at("main/2", "lock", "a", 7)},
			Clip: wire.Clip{Steps: []wire.Step{stepOn("main/1", "lock", "a", 4), stepOn("main/2", "lock",
				"b", 6),
				stepOn("main/2", "arrive", "a", 7)}}},
			[]string{"1 main/1 lock a", "2 main/2 lock b", ">3 main/2 lock a (waits)",
				"> main/1 lock b (waits)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, rows := rowsOfTable(r, &test.f); !slices.Equal(rows, test.want) {
				t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// Names that only the source tells: of the locks of a closure on one line, of the case of a select,
// of Done and Go. A line with a branch has no names.
func TestNamesOfTheSource(t *testing.T) {
	const source = `package p

func f() {
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	if x { a.Lock() } else { b.Lock() }
	select {
	case v := <-in:
	default:
	case out <- 1:
	}
	defer wg.Done()
}
`
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	r := New(Options{Dir: dir})
	at := func(op string, line int, arg ...int64) wire.Step {
		s := wire.Step{G: "main/1", Op: op, Choice: -1, Where: wire.Place{File: file, Line: line}}
		if len(arg) > 0 {
			s.Arg = &arg[0]
		}
		return s
	}
	f := &wire.Finding{Kind: "deadlock",
		Places: []wire.Place{{File: file, Line: 4, Op: "lock", Goroutine: "main/1"}},
		Clip: wire.Clip{Steps: []wire.Step{at("wg-add", 4, 1), at("start", 4), at("lock", 4), at("lock", 5),
			at("select", 6, 1), at("select", 6, 0), at("select", 6, -1), at("wg-add", 11, -1)}}}
	_, rows := rowsOfTable(r, f)
	want := []string{"1 main/1 wg.Go", "2 main/1 start", "3 main/1 lock a", "4 main/1 lock",
		"5 main/1 case out <- 1",
		"6 main/1 case v := <-in", "7 main/1 default", "8 main/1 Done", "> main/1 lock b (waits)"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}

// A lock that others hold for reading says so.
func TestHeldForReading(t *testing.T) {
	f := &wire.Finding{Places: []wire.Place{{Object: "mu", Note: "held by main/1, main/2"}}}
	f.Clip.Steps = []wire.Step{stepOn("main/1", "rlock", "mu", 1), stepOn("main/2", "rlock", "mu", 1)}
	noteReaders(f)
	if got, want := held(f.Places[0].Note, "main"), "which main/1, main/2 hold for reading"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Places[0].Note = "held by main/1"
	f.Clip.Steps = append(f.Clip.Steps, stepOn("main/1", "runlock", "mu", 2), stepOn("main/1", "lock", "mu",
		3))
	noteReaders(f)
	if got, want := held(f.Places[0].Note, "main"), "which main/1 holds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The heading of a failure has the full name of the subtest that failed, if it is one.
func TestSubtestInHeading(t *testing.T) {
	for _, test := range []struct{ output, want string }{
		{"", "TEST FAILURE"},
		{"--- FAIL: TestA (0.00s)\n    a_test.go:3: no\n", "TEST FAILURE"},
		{"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        --- FAIL: TestA/b/c (0.00s)\n",
			"TEST FAILURE in TestA/b/c"},
		{"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n    --- FAIL: TestA/c (0.00s)\n", "TEST FAILURE"},
	} {
		if got := heading(&wire.Finding{Kind: "test failure", Output: test.output}); got != test.want {
			t.Errorf("%q: %q, want %q", test.output, got, test.want)
		}
	}
}

// What came of a step, and the lock of a Cond: in words that package sync and the source have.
func TestWordsOfSteps(t *testing.T) {
	const source = `package p

func f() {
	q.some.Wait()
	select {
	case v := <-in:
	case <-stop:
	}
}
`
	dir := t.TempDir()
	file := filepath.Join(dir, "p.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	one := int64(1)
	step := func(op, object string, line int, came string) wire.Step {
		return wire.Step{G: "main", Op: op, Choice: -1, Came: came,
			Where: wire.Place{File: file, Line: line, Object: object}}
	}
	resumed, unknown := step("resume", "", 5, ""), step("resume", "", 5, "")
	elsewhere := step("select", "", 99, "")
	resumed.Arg, resumed.Cases = &one, 2
	unknown.Arg, unknown.Cases = &one, 1 // a nil channel is not among those that wait
	elsewhere.Arg = &one
	f := &wire.Finding{Kind: "panic", Clip: wire.Clip{Steps: []wire.Step{
		step("unlock", "q.some", 4, wire.CameDone), step("arrive", "q.some", 4, wire.CameWaits),
		step("arrive", "mu", 9, wire.CameDone), step("arrive", "mu", 9, ""),
		step("recv", "in", 9, wire.CameWaits),
		step("select", "", 5, wire.CameWaits), resumed, unknown, elsewhere}}}
	_, rows := rowsOfTable(New(Options{Dir: dir}), f)
	want := []string{"1 main unlock q.some.L", "2 main lock q.some.L (waits)", "3 main lock mu",
		"4 main lock mu (or waits)", "5 main recv in (waits)", "6 main select (waits)", "7 main case <-stop",
		"8 main goes on", "9 main select, its 2nd case"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}

// How many steps a call made, and where, is never cut; the text and the source before it are.
func TestWholeCells(t *testing.T) {
	rows := []row{
		{num: 1, g: "main", text: "start", where: "store.go:1", source: "a long line of the source"},
		{num: 2, g: "main/1", whole: "[2,060 steps in database/sql]", where: "store.go:24",
			source: "rows, err := tx.Query(ctx)"},
		{num: 9, g: "main/2", text: "send s.connections.ready", whole: " (2nd time, waits)",
			where: "store.go:9"},
	}
	for _, n := range []int{60, 80, 100} {
		text := strings.Join(table(rows, n), "\n")
		for _, want := range []string{"[2,060 steps in database/sql]", " (2nd time, waits)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: %q is cut:\n%s", n, want, text)
			}
		}
	}
}

// A finding that was told as it was seen, for want of time, does not look like one without steps.
func TestNotRecorded(t *testing.T) {
	f := &wire.Finding{Kind: "data race", Places: []wire.Place{
		{File: "/home/me/bank/bank.go", Line: 30, Goroutine: "main/1", Op: "write", Object: "n"},
		{File: "/home/me/bank/bank.go", Line: 31, Goroutine: "main/2", Op: "read", Object: "n"}}}
	r := New(Options{Dir: "/home/me/bank", Source: func(string, int) string { return "" }})
	head, rows := rowsOfTable(r, f)
	want := "not recorded, there was no time (-budget): heddle replay shows them, > the accesses that race"
	if head != want || len(rows) != 2 {
		t.Errorf("head %q, rows %q; want %q and the two accesses", head, rows, want)
	}
}

// A livelock is told with the last writes to what its loop reads in its last round, and with no
// others.
func TestLastWrites(t *testing.T) {
	at := func(line int) wire.Place { return wire.Place{File: "/home/me/bank/bank.go", Line: line} }
	event := func(g, op string, obj, line int) wire.Event {
		return wire.Event{G: g, Op: op, Obj: obj, Where: at(line)}
	}
	f := &wire.Finding{Kind: "livelock", Places: []wire.Place{{Goroutine: "main", Op: "await"}},
		Story: wire.Events{event("main/1", "write", 1, 10), event("main/2", "write", 1, 11),
			event("main/2", "write", 2, 12), event("main/2", "atomic-rmw", 3, 13),
			event("main", "read", 2, 20), event("main", "gosched", 0, 21), event("main", "read", 1, 22),
			event("main/2", "read", 2, 14), event("main", "atomic-load", 3, 23), event("main", "read", 4, 24),
			event("main", "gosched", 0, 21), event("main", "read", 1, 22),
			{G: "main/3", Op: "write", Obj: 1, Waits: true}}}
	r := New(Options{Dir: "/home/me/bank", Source: func(string, int) string { return "" }})
	var got []string
	for _, row := range r.lastWrites(f) {
		got = append(got, strings.Join(row, " "))
	}
	want := []string{"last write bank.go:11 goroutine main/2 ", "last write bank.go:13 goroutine main/2 "}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
