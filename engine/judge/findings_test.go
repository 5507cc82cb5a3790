package judge

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"heddle/detect"
	"heddle/rt/wire"
	"heddle/trace"
	"heddle/trace/remains"
)

// symbols are those of a program whose functions are numbered by their program counters.
type symbols map[uintptr]string

func (s symbols) Resolve(x trace.Site) wire.Place {
	if pc := x.PC(); pc != 0 {
		return wire.Place{File: "/src/net/http/server.go", Line: int(pc), Func: s[pc]}
	}
	return wire.Place{Site: uint64(x)}
}

func (s symbols) Frames(pcs []uintptr) (fs []wire.Place) {
	for _, pc := range pcs {
		file := "/home/me/a_test.go"
		if strings.HasPrefix(s[pc], "net/http.") {
			file = "/src/net/http/server.go"
		}
		fs = append(fs, wire.Place{File: file, Line: int(pc), Func: s[pc]})
	}
	return fs
}

func (s symbols) Functions(pcs []uintptr) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, pc := range pcs {
			if !yield(s[pc]) {
				return
			}
		}
	}
}

func (s symbols) Origin(trace.GID) []uintptr { return []uintptr{3} }
func (s symbols) Standard(file string) bool  { return strings.HasPrefix(file, "/src/") }

var program = symbols{
	1: "ex.TestA", 2: "ex.work", 3: "ex.start", 4: "runtime.gopanic", 5: "internal/poll.(*heddleEnd).read",
	6: "net/http.(*conn).serve",
}

// left is a goroutine that an execution left.
func left(g trace.GID, op trace.Op, state remains.State, pcs ...uintptr) remains.Goroutine {
	return remains.Goroutine{G: g,
		Pending: trace.Pending{Op: op, Site: trace.NewSite(7, int(g), trace.KindOther, false)}, State: state,
		Stack: pcs, Made: true}
}

func held(l remains.Goroutine, by ...trace.GID) remains.Goroutine {
	l.Holders = by
	return l
}

func with(l remains.Goroutine, change func(l *remains.Goroutine)) remains.Goroutine {
	change(&l)
	return l
}

// TestFindings: from a verdict, what is left, and what the test says, to findings and notes. In
// want, each finding is its kind, the operations of its places, and a part of its message.
func TestFindings(t *testing.T) {
	race := remains.Race{Race: detect.Race{At: trace.NewSite(7, 1, trace.KindInt, false),
		Prev: trace.NewSite(7, 2, trace.KindInt, false), Write: true}, G: 2, PrevG: 0, Stack: []uintptr{2}}
	misuse := func(m remains.Misuse, prevWrite bool) remains.Race {
		r := race
		r.Misuse, r.PrevWrite = m, prevWrite
		return r
	}
	blocked, parked := left(2, trace.OpLock, remains.Blocked, 2), left(2, trace.OpRecv, remains.Parked, 2)
	cycle := []remains.Goroutine{held(left(2, trace.OpLock, remains.Blocked, 2), 3),
		held(left(3, trace.OpLock, remains.Blocked, 2), 2)}
	failed := Outcome{Failed: true, Output: []byte("    a_test.go:1: want 3, got 2\n"), Stack: []uintptr{1}}
	for _, c := range []struct {
		name    string
		kind    string // of the test; "": test
		verdict trace.Verdict
		left    remains.Remains
		said    Outcome
		asked   bool   // -time=free
		known   string // the key of a race that was told
		want    string // findings, one a line
		note    string // a part of what is told beside them
	}{
		{name: "a test that ends", verdict: trace.Finished},
		{name: "a race", verdict: trace.Finished, left: remains.Remains{Races: []remains.Race{race}},
			want: "data race write,read"},
		{name: "a race that the execution was told of", verdict: trace.Finished,
			left: remains.Remains{Races: []remains.Race{{Race: race.Race, Known: true}}}},
		{name: "a race where something outside control takes part", verdict: trace.Finished,
			left: remains.Remains{Races: []remains.Race{race}, Outside: true}},
		{name: "Add beside Wait", verdict: trace.Finished,
			left: remains.Remains{Races: []remains.Race{misuse(remains.MisuseWait, true)}},
			want: "misuse wg-wait,wg-add: WaitGroup.Add and Wait"},
		{name: "a send beside the close", verdict: trace.Finished,
			left: remains.Remains{Races: []remains.Race{misuse(remains.MisuseClose, false)}},
			want: "misuse close,send: it may panic"},
		{name: "a race, and then a failure", verdict: trace.Finished,
			left: remains.Remains{Races: []remains.Race{race}}, said: failed,
			want: "data race write,read\ntest failure fails: want 3, got 2"},

		{name: "a lock cycle beside a running test", verdict: trace.Finished,
			left: remains.Remains{Left: cycle,
				Deadlock: &remains.Deadlock{Members: []trace.GID{2, 3}, End: remains.EndOver}}, said: failed,
			want: "deadlock lock,lock: 2 goroutines wait for each other's locks"},
		{name: "a lock that its goroutine holds", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{held(blocked, 2)},
				Deadlock: &remains.Deadlock{Members: []trace.GID{2}, End: remains.EndAll}},
			want: "deadlock lock: a goroutine waits for a lock that it holds itself"},
		{name: "no goroutine can go on", verdict: trace.Deadlocked,
			left: remains.Remains{Left: []remains.Goroutine{left(0, trace.OpWGWait, remains.Blocked, 1),
				parked}}, want: "deadlock wg-wait,recv: all 2 goroutines"},
		{name: "the same where something outside control takes part", verdict: trace.Deadlocked,
			left: remains.Remains{Left: []remains.Goroutine{parked}, Outside: true},
			want: "uncontrolled recv: not under control"},
		{name: "polling for ever", verdict: trace.Livelocked,
			left: remains.Remains{Left: []remains.Goroutine{left(0, trace.OpAtomicLoad, remains.Spinning,
				1)}}, want: "livelock atomic-load: keep asking"},
		{name: "polling what was not seen", verdict: trace.Livelocked,
			left: remains.Remains{PolledUnseen: true}},
		{name: "ten minutes", verdict: trace.TimedOut,
			left: remains.Remains{Left: []remains.Goroutine{left(0, trace.OpRecv, remains.Parked, 1),
				with(parked, func(l *remains.Goroutine) { l.Served = true })}},
			want: "deadlock recv: after ten minutes"},
		{name: "ten minutes, out of reach", verdict: trace.TimedOut,
			left: remains.Remains{CutOff: true,
				Left: []remains.Goroutine{left(0, trace.OpRecv, remains.Parked, 1)}},
			want: "deadlock recv: no goroutine that can still go on could reach"},
		{name: "ten minutes of asking", verdict: trace.TimedOut,
			left: remains.Remains{KeptAsking: true,
				Left: []remains.Goroutine{left(0, trace.OpRecv, remains.Parked, 1)}},
			want: "livelock recv: still asks"},

		{name: "a panic", verdict: trace.Panicked,
			left: remains.Remains{Failures: []*remains.Failure{{Value: "oh", Stack: []uintptr{2}}}},
			want: "panic panic: oh"},
		{name: "a panic that says misuse", verdict: trace.Panicked,
			left: remains.Remains{Failures: []*remains.Failure{{Value: fmt.Errorf("send on closed channel"),
				Stack: []uintptr{2}}}}, want: "misuse send: send on closed"},
		{name: "os.Exit in a test", verdict: trace.Panicked,
			left: remains.Remains{Failures: []*remains.Failure{{Kind: remains.FailExit, Message: "os.Exit(1)",
				Stack: []uintptr{2}}}}, want: "panic exit: os.Exit"},
		{name: "os.Exit of a program", kind: "main", verdict: trace.Panicked,
			left: remains.Remains{Failures: []*remains.Failure{{Kind: remains.FailExit, Message: "os.Exit(1)",
				Stack: []uintptr{2}}}}, want: "test failure exit: os.Exit"},
		{name: "a bound", verdict: trace.Bounded, left: remains.Remains{Left: []remains.Goroutine{blocked}},
			said: failed},

		{name: "a goroutine left at a lock", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{held(blocked, 0)}},
			want: "leak lock: still blocked"},
		{name: "left at a lock of another execution", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{with(blocked,
				func(l *remains.Goroutine) { l.Made = false })}}},
		{name: "left waiting for each other", verdict: trace.Finished, left: remains.Remains{Left: cycle},
			want: "deadlock lock,lock: wait for each other's locks; the test is over"},
		{name: "left at a channel", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{parked}}, want: "leak recv: still blocked"},
		{name: "left at a channel of another execution", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{with(parked,
				func(l *remains.Goroutine) { l.Old = true })}}},
		{name: "left at a timer's channel", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{with(parked,
				func(l *remains.Goroutine) { l.Served = true })}}},
		{name: "left ready", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{left(2, trace.OpSend, remains.Ready, 2)}}},
		{name: "left beside goroutines outside control", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{parked}, Outsiders: true},
			note: "may still let them go on, started by init"},
		{name: "goes on", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{with(parked,
				func(l *remains.Goroutine) { l.Alive = true })}, LateWakes: 1}, note: "goroutines live on"},
		{name: "may go on, not tried", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{with(parked,
				func(l *remains.Goroutine) { l.Alive = true })}}},
		{name: "left at a connection", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{left(2, trace.OpRecv, remains.Parked, 5, 2),
				left(3, trace.OpRecv, remains.Parked, 6)}}, note: "wait at connections"},
		{name: "an iterator in its middle", verdict: trace.Finished,
			left: remains.Remains{Unstopped: []uintptr{2}}, note: "iter.Pull"},
		{name: "left by a test that fails", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{parked}}, said: failed,
			want: "test failure fails: want 3, got 2"},
		{name: "left by a process that ended", verdict: trace.Finished,
			left: remains.Remains{Left: []remains.Goroutine{parked}, Exited: true}},

		{name: "a failure that says nothing", verdict: trace.Finished,
			said: Outcome{Failed: true, Stack: []uintptr{1}}, want: "test failure fails: the test fails"},
		{name: "an example", kind: "example", verdict: trace.Finished, said: Outcome{Failed: true},
			want: "test failure : does not print"},
		{name: "a failure after a timer that fired early", verdict: trace.Finished,
			left: remains.Remains{Early: []remains.Timer{{By: 5}}}, said: failed},
		{name: "the same, with -time=free", verdict: trace.Finished,
			left: remains.Remains{Early: []remains.Timer{{By: 5}}}, said: failed, asked: true,
			want: "test failure fails: want 3, got 2"},
		{name: "a failure where heddle may be too slow", verdict: trace.Finished,
			left: remains.Remains{RanOut: true}, said: failed},
		{name: "a failure where heddle's memory may count", verdict: trace.Finished,
			left: remains.Remains{Measured: true}, said: failed},
		{name: "a panic held up in a deferred call, after an early timer", verdict: trace.Deadlocked,
			left: remains.Remains{Early: []remains.Timer{{By: 5}},
				Left: []remains.Goroutine{left(2, trace.OpLock, remains.Blocked, 4, 2)}}},
		{name: "the same without", verdict: trace.Deadlocked,
			left: remains.Remains{Left: []remains.Goroutine{left(2, trace.OpLock, remains.Blocked, 4, 2)}},
			want: "deadlock lock: the only goroutine left"},
	} {
		tr := &trace.Trace{Verdict: c.verdict,
			Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {Parent: trace.NoG, N: 1}, {Parent: 0, N: 1},
				{Parent: 0, N: 2}}}
		var notes []string
		j := &Judge{Symbols: program, Kind: c.kind, Note: func(text string) { notes = append(notes, text) },
			Outsiders: func() string { return "a daemon" },
			Starters:  func() []string { return []string{"init"} }}
		x := &Execution{Trace: tr, Remains: &c.left, Outcome: c.said, EarlyAsked: c.asked}
		found := j.Findings(x, nil)
		var got []string
		for _, f := range found {
			var ops []string
			for _, p := range f.Finding.Places {
				ops = append(ops, p.Op)
			}
			got = append(got, f.Finding.Kind+" "+strings.Join(ops, ",")+": "+f.Finding.Message)
			if f.Key != KeyOf(f.Finding) {
				t.Errorf("%s: key %q of a finding with the key %q", c.name, f.Key, KeyOf(f.Finding))
			}
		}
		want := strings.Split(c.want, "\n")
		if c.want == "" {
			want = nil
		}
		same := slices.EqualFunc(got, want, func(got, want string) bool {
			head, message, _ := strings.Cut(want, ": ")
			return strings.HasPrefix(got, head+": ") && strings.Contains(got, message)
		})
		if !same {
			t.Errorf("%s: got\n\t%s\nwant\n\t%s", c.name, strings.Join(got, "\n\t"),
				strings.Join(want, "\n\t"))
		}
		if all := strings.Join(notes, "\n"); (c.note == "") != (all == "") || !strings.Contains(all, c.note) {
			t.Errorf("%s: told %q, want %q in it", c.name, all, c.note)
		}
		if j.Findings(x, nil); len(notes) > 1 {
			t.Errorf("%s: told twice: %q", c.name, notes)
		}
	}
}

// A race that the caller knows by its key is told once more, and given to Known so that the
// scheduler tells of it no more.
func TestKnownRace(t *testing.T) {
	r := remains.Race{Race: detect.Race{At: trace.NewSite(7, 1, trace.KindInt, false),
		Prev: trace.NewSite(7, 2, trace.KindInt, false)}}
	known := 0
	j := &Judge{Symbols: program, Known: func(*remains.Race) { known++ }}
	x := &Execution{Trace: &trace.Trace{Verdict: trace.Finished,
		Goroutines: []trace.Goroutine{{Parent: trace.NoG}}},
		Remains: &remains.Remains{Races: []remains.Race{r}}}
	for i, say := range []bool{false, true} {
		if fs := j.Findings(x, func(string) bool { return say }); len(fs) != 1 || known != i {
			t.Errorf("known %v: %d findings, Known called %d times", say, len(fs), known)
		}
	}
}

// A failure after an early timer is told with the verdict where nothing else goes unreported.
func TestMutes(t *testing.T) {
	early := func(change func(*trace.Trace, *remains.Remains, *Outcome)) *Execution {
		x := &Execution{Trace: &trace.Trace{Verdict: trace.Finished},
			Remains: &remains.Remains{Early: []remains.Timer{{By: 5}}}, Outcome: Outcome{Failed: true}}
		if change != nil {
			change(x.Trace, x.Remains, &x.Outcome)
		}
		return x
	}
	for _, c := range []struct {
		name string
		x    *Execution
		want bool
	}{
		{"it fails", early(nil), false},
		{"it fails, with a race that was told", early(func(_ *trace.Trace, r *remains.Remains, _ *Outcome) {
			r.Races = []remains.Race{{Known: true}}
		}), false},
		{"it leaves a goroutine", early(func(_ *trace.Trace, r *remains.Remains, _ *Outcome) {
			r.Left = []remains.Goroutine{left(2, trace.OpRecv, remains.Parked, 5, 2)}
		}), false},
		{"a race", early(func(_ *trace.Trace, r *remains.Remains, _ *Outcome) {
			r.Races = make([]remains.Race, 1)
		}), true},
		{"a deadlock", early(func(_ *trace.Trace, r *remains.Remains, _ *Outcome) {
			r.Deadlock = &remains.Deadlock{}
		}), true},
		{"it hangs", early(func(tr *trace.Trace, _ *remains.Remains, _ *Outcome) {
			tr.Verdict = trace.Deadlocked
		}), true},
		{"it fails, then hangs", early(func(tr *trace.Trace, r *remains.Remains, o *Outcome) {
			tr.Verdict, o.G, o.Stack = trace.Deadlocked, 2, []uintptr{2}
			r.Left = []remains.Goroutine{left(2, trace.OpRecv, remains.Parked, 5, 2)}
		}), false},
		{"it fails, another goroutine hangs", early(func(tr *trace.Trace, r *remains.Remains, o *Outcome) {
			tr.Verdict, o.G, o.Stack = trace.Deadlocked, 1, []uintptr{2}
			r.Left = []remains.Goroutine{left(2, trace.OpRecv, remains.Parked, 5, 2)}
		}), true},
		{"it panics", early(func(tr *trace.Trace, _ *remains.Remains, _ *Outcome) {
			tr.Verdict = trace.Panicked
		}), true},
		{"it fails, then panics", early(func(tr *trace.Trace, r *remains.Remains, o *Outcome) {
			tr.Verdict, o.G, o.Stack = trace.Panicked, 1, []uintptr{2}
			r.Failures = []*remains.Failure{{G: 1}}
		}), false},
		{"it fails since it panics", early(func(tr *trace.Trace, r *remains.Remains, o *Outcome) {
			tr.Verdict, o.G, o.Stack = trace.Panicked, 1, []uintptr{4}
			r.Failures = []*remains.Failure{{G: 1}}
		}), true},
		{"it fails, another goroutine panics", early(func(tr *trace.Trace, r *remains.Remains, o *Outcome) {
			tr.Verdict, o.G, o.Stack = trace.Panicked, 1, []uintptr{2}
			r.Failures = []*remains.Failure{{G: 2}}
		}), true},
		{"it fails, then ends the process", early(func(tr *trace.Trace, r *remains.Remains, o *Outcome) {
			tr.Verdict, o.G, o.Stack = trace.Panicked, 1, []uintptr{2}
			r.Failures = []*remains.Failure{{G: 1, Kind: remains.FailExit}}
		}), true},
		{"it panics alone", early(func(tr *trace.Trace, _ *remains.Remains, o *Outcome) {
			tr.Verdict, o.Failed = trace.Panicked, false
		}), true},
	} {
		if got := (&Judge{Symbols: program}).Mutes(c.x); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
