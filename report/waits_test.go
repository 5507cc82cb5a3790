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
		"a semaphore": {"deadlock", []wire.Place{wait("main", "wg-wait", ""), wait("main/1", "acquire", "")},
			"make sure that every acquire has its release", "Add"},
		"a Done is missing": {"deadlock", []wire.Place{wait("main", "wg-wait", "")},
			"make sure that every Add", "lock"},
		// What helps depends on the steps: a pattern says it, or nothing does.
		"channels": {"deadlock",
			[]wire.Place{wait("main", "recv", ""), wait("main/1", "select", "")}, "", "e"},
		"a lock": {"deadlock", []wire.Place{wait("main", "lock", "held by main/1"), wait("main/1", "recv",
			"")}, "", "e"},
		"a Cond": {"leak", []wire.Place{wait("main/1", "cond-wait", "")}, "", "e"},
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

// An input is the cause where nothing else runs beside what fails.
func TestInputHint(t *testing.T) {
	start := func(file string) wire.Step {
		return wire.Step{G: "main/1", Op: "start", Where: wire.Place{File: file}}
	}
	f := &wire.Finding{Kind: "test failure", InputFile: "testdata/fuzz/FuzzX/a"}
	f.Clip.Steps = []wire.Step{start(""), start("/go/src/testing/fuzz.go"), {G: "main/1", Op: "lock"}}
	if got := hint(f); !strings.Contains(got, "the input is the cause") {
		t.Errorf("%q", got)
	}
	f.Clip.Steps = append(f.Clip.Steps, start("/go/src/sync/waitgroup.go"))
	if got := hint(f); strings.Contains(got, "cause") || !strings.Contains(got, "may fail") {
		t.Errorf("%q", got)
	}
}

// A loop that does not end is no call that blocks.
func TestLoopHint(t *testing.T) {
	for state, want := range map[string]string{"(running)": "look for what ends the loop",
		"(runnable)": "look for what ends the loop", "(IO wait)": "put the call behind"} {
		f := &wire.Finding{Kind: "uncontrolled", Stacks: []wire.Stack{{State: state}}}
		if got := hint(f); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", state, got, want)
		}
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
	if got := strings.Join(r.stacks(f), "\n"); !strings.Contains(got,
		"goroutine main/2 sleeps; so do main/2/1, main/2/1, main/2/1, main/2/1 and 6 more\n") {
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

// Long inputs are shown without their middle, in whole runes.
func TestMiddleOut(t *testing.T) {
	if got := middleOut("short", 5); got != "short" {
		t.Errorf("%q", got)
	}
	got := middleOut(strings.Repeat("é", 100), 20)
	if want := strings.Repeat("é", 5) + " ... (186 bytes left out) ... éé"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
