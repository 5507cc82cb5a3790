package report

import (
	"strings"
	"testing"

	"heddle/rt/wire"
)

func TestWaitHint(t *testing.T) {
	wait := func(g, op, note string) wire.Place {
		return wire.Place{Goroutine: g, Op: op, Note: note, Object: "x"}
	}
	for name, tt := range map[string]struct {
		kind   string
		places []wire.Place
		want   string // the beginning of the hint
		not    string
	}{
		"a lost signal": {"deadlock",
			[]wire.Place{wait("main", "wg-wait", ""), wait("main/1", "cond-wait", "")},
			"a signal before the Wait is lost", "locks in one order"},
		"channels": {"deadlock",
			[]wire.Place{wait("main", "recv", ""), wait("main/1", "select", "")}, "make sure that every send",
			"lock"},
		"a Done is missing": {"deadlock", []wire.Place{wait("main", "wg-wait", "")},
			"make sure that every Add", "lock"},
		"a cycle": {"deadlock",
			[]wire.Place{wait("main", "wg-wait", ""), wait("main/1", "lock", "held by main/2"),
				wait("main/2", "lock", "held by main/1")}, "take locks in one order", "Done"},
		"twice": {"deadlock", []wire.Place{wait("main", "lock", "held by main")},
			"a lock cannot be taken twice", ""},
		"a writer between": {"deadlock",
			[]wire.Place{wait("main", "rlock", "wanted by main/1"), wait("main/1", "lock", "held by main")},
			"do not take a read lock twice", ""},
		"Do within Do": {"deadlock", []wire.Place{wait("main", "once", "held by main")},
			"a function that Once.Do runs", ""},
		"the owner has ended": {"deadlock", []wire.Place{wait("main", "lock", "")},
			"find the goroutine that holds the lock", "in one order"},
		// The holder waits for something else: no order of locks would help, and the lock is not
		// taken twice.
		"a lock held while waiting": {"deadlock", []wire.Place{wait("main", "lock", "held by main/1"), wait("main/1", "recv", "")}, "make sure that every send has a receiver, and every receive a send or a close; a goroutine that waits while", "twice"},
		"a chain": {"deadlock",
			[]wire.Place{wait("main", "lock", "held by main/1"), wait("main/1", "lock", "held by main/2"),
				wait("main/2", "wg-wait", "")}, "make sure that every Add", "in one order"},
		"behind a cycle": {"deadlock",
			[]wire.Place{wait("main", "lock", "held by main/1"), wait("main/1", "lock", "held by main/1")},
			"a lock cannot be taken twice", ""},
		"a leak at a channel": {"leak", []wire.Place{wait("main/1", "send", "")},
			"give the goroutine a way to end", "lock"},
		"a leak at a Cond": {"leak", []wire.Place{wait("main/1", "cond-wait", "")},
			"a signal before the Wait", "channel"},
		"two read locks": {"deadlock",
			[]wire.Place{wait("main", "rlock", "held by main/1"), wait("main/1", "rlock", "held by main")},
			"take locks in one order", "twice"},
		"sleepers": {"deadlock", []wire.Place{wait("main", "sleep", "")},
			"take locks in one order everywhere, and", ""},
	} {
		// if a test times out while main waits, main belongs to the core, whatever it is
		for _, core := range []int{0, 1} {
			if tt.kind == "leak" && core > 0 {
				continue
			}
			got := hint(&wire.Finding{Kind: tt.kind, Core: core, Places: tt.places})
			if !strings.HasPrefix(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// Goroutines that wait for locks without a cycle get no hint about the order of locks.
func TestNoOrderWithoutCycle(t *testing.T) {
	step := func(g, op, object string) wire.Step {
		return wire.Step{G: g, Op: op, Where: wire.Place{Object: object}}
	}
	f := &wire.Finding{Kind: "deadlock", Core: 2, Places: []wire.Place{
		{Goroutine: "main/1", Op: "lock", Object: "b", Note: "held by main/2"},
		{Goroutine: "main/2", Op: "lock", Object: "c"},
	}}
	f.Clip.Steps = []wire.Step{step("main/1", "lock", "a"), step("main/2", "lock", "b"),
		step("main/3", "lock", "c")}
	if got := strings.Join(right(f), "\n"); strings.Contains(got, "same order") {
		t.Errorf("%q", got)
	}
}

func TestResponseHint(t *testing.T) {
	f := &wire.Finding{Kind: "leak", Places: []wire.Place{{Goroutine: "main/1/1", Op: "select"}},
		Stacks: []wire.Stack{{Goroutine: "main/1/1",
			Frames: []wire.Place{{Func: "net/http.(*persistConn).readLoop"}}}}}
	if got := hint(f); !strings.HasPrefix(got, "close the body of every response") {
		t.Errorf("%q", got)
	}
	f.Stacks[0].Frames[0].Func = "net/http.(*persistConn).writeLoop"
	if got := hint(f); strings.Contains(got, "body") {
		t.Errorf("%q", got)
	}
}

func TestAlike(t *testing.T) {
	r := New(Options{Width: 120})
	stack := func(g, state string, line int) wire.Stack {
		return wire.Stack{Goroutine: g, State: state,
			Frames: []wire.Place{{File: "bank.go", Line: line, Func: "bank.wait"}}}
	}
	f := &wire.Finding{Kind: "leak",
		Stacks: []wire.Stack{stack("main/1", "sleeps", 3), stack("main/2", "sleeps", 4),
			stack("main/3", "sleeps", 3), stack("main/4", "waits", 3)}}
	got := strings.Join(r.stacks(f), "\n")
	for _, want := range []string{"goroutine main/1 sleeps; so does main/3\n", "goroutine main/2 sleeps\n",
		"goroutine main/4 waits\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "goroutine main/3") {
		t.Error(got)
	}
	for range 10 {
		f.Stacks = append(f.Stacks, stack("main/2/1", "sleeps", 4))
	}
	if got := strings.Join(r.stacks(f), "\n"); !strings.Contains(got, "goroutine main/2 sleeps; so do main/2/1, main/2/1, main/2/1, main/2/1 and 6 more\n") {
		t.Error(got)
	}
	f.Kind = "panic" // the two goroutines do different things: each has its own line
	if got := strings.Join(r.stacks(f), "\n"); !strings.Contains(got, "goroutine main/3 sleeps") {
		t.Error(got)
	}
}

func TestEarlyTimersAreExplained(t *testing.T) {
	f := &wire.Finding{Kind: "leak", Message: "m", Early: "the timer of a.go:1 fired 1s early"}
	if got := message(f); got != "m; the timer of a.go:1 fired 1s early, as on a machine where the other goroutines are slow" {
		t.Error(got)
	}
	f.Early = ""
	if got := message(f); got != "m" {
		t.Error(got)
	}
}
