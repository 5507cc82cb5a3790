package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

// clipOfText makes a clip of steps such as "main lock, *main/1 read": a star marks a switch.
func clipOfText(text string) *wire.Clip {
	c := &wire.Clip{Test: "TestX"}
	for _, s := range strings.Split(text, ", ") {
		g, op, _ := strings.Cut(s, " ")
		name, switched := strings.CutPrefix(g, "*")
		c.Steps = append(c.Steps, wire.Step{G: name, Op: op, Choice: -1, Switch: switched})
	}
	return c
}

// traceOfText makes a trace of steps of main and its first two goroutines.
func traceOfText(text string) *trace.Trace {
	t := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {N: 1}, {N: 2}}}
	for _, s := range strings.Split(text, ", ") {
		g, op, _ := strings.Cut(s, " ")
		id := slices.Index([]string{"main", "main/1", "main/2"}, g)
		o, _ := trace.ParseOp(op)
		t.Steps = append(t.Steps, trace.Step{G: trace.GID(id), Op: o, Choice: -1})
	}
	return t
}

func nearbyOf(c *wire.Clip) *nearby {
	n := &nearby{clip: c, mine: map[string][]int{}}
	n.note()
	return n
}

// The switches of a clip come at the nearest operations of new code.
func TestMovedSwitches(t *testing.T) {
	for _, tt := range []struct{ name, clip, now, want string }{
		{"a step more before the switch",
			"main/1 lock, main/1 unlock, *main/2 lock, main/2 unlock, main/1 send",
			"main/1 atomic-load, main/1 lock, main/1 unlock, main/1 send, main/2 lock, main/2 unlock",
			"main/1 main/1 main/1 main/2 main/2 main/1"},
		{"a step less",
			"main/1 lock, main/1 read, main/1 unlock, *main/2 lock, main/2 unlock, main/1 send",
			"main/1 lock, main/1 unlock, main/1 send, main/2 lock, main/2 unlock",
			"main/1 main/1 main/2 main/2 main/1"},
		{"a read lock for a lock",
			"main/1 lock, main/1 unlock, *main/2 lock, main/2 unlock, main/1 lock, main/1 unlock",
			"main/1 rlock, main/1 runlock, main/1 lock, main/1 unlock, main/2 lock, main/2 unlock",
			"main/1 main/1 main/2 main/2 main/1 main/1"},
		{"a goroutine is gone",
			"main/1 lock, main/1 unlock, *main/2 lock, main/2 unlock, main/1 send",
			"main/1 lock, main/1 unlock, main/1 send",
			"main/1 main/1 main/1"},
	} {
		n := nearbyOf(clipOfText(tt.clip))
		m := n.align(traceOfText(tt.now))
		if got := strings.Join(n.moved(m).Names, " "); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// The switches of a clip are possible only where the operations beside them are still there, and
// are reached only where the other goroutine comes between.
func TestReached(t *testing.T) {
	n := nearbyOf(clipOfText("main/1 lock, main/1 unlock, *main/2 lock, main/2 unlock, main/1 lock, main/1 unlock"))
	for now, want := range map[string]string{
		"main/1 lock, main/1 unlock, main/2 lock, main/2 unlock, main/1 lock, main/1 unlock": "true true",
		"main/1 lock, main/1 unlock, main/1 lock, main/1 unlock, main/2 lock, main/2 unlock": "true false",
		"main/1 lock, main/1 unlock, main/2 lock, main/2 unlock":                             "false false",
	} {
		tr := traceOfText(now)
		if got := fmt.Sprint(n.possible(n.align(tr)), n.reaches(tr)); got != want {
			t.Errorf("%s: possible, reached %s, want %s", now, got, want)
		}
	}
}

// Neighbours have the same steps of each goroutine in the same order, and differ from the schedule.
func TestNeighbours(t *testing.T) {
	n := nearbyOf(clipOfText("main/1 lock, main/1 unlock, *main/2 lock, main/2 unlock, main/1 lock, main/1 unlock"))
	s := n.moved(n.align(traceOfText("main/1 lock, main/1 unlock, main/2 lock, main/2 unlock, main/1 lock, main/1 unlock")))
	for i := range s.Steps {
		s.Steps[i].Site = trace.Site(i + 1)
	}
	steps := func(s *trace.Schedule, of string) (all []trace.Site) {
		for i := range s.Steps {
			if s.Names[i] == of || of == "" {
				all = append(all, s.Steps[i].Site)
			}
		}
		return all
	}
	swapped := false
	all := neighbours(s, bounds(s))
	for _, x := range all {
		if len(x.Steps) != len(s.Steps) {
			t.Fatalf("%d steps, want %d: %v", len(x.Steps), len(s.Steps), x.Names)
		}
		for _, g := range []string{"main/1", "main/2"} {
			if !slices.Equal(steps(x, g), steps(s, g)) {
				t.Errorf("%v has the steps of %s in another order", x.Names, g)
			}
		}
		if slices.Equal(steps(x, ""), steps(s, "")) {
			t.Errorf("%v is the schedule itself", x.Names)
		}
		swapped = swapped || strings.Join(x.Names, " ") == "main/2 main/2 main/1 main/1 main/1 main/1"
	}
	if len(all) < 5 || !swapped {
		t.Errorf("%d neighbours, want 5 at least, one of them with the first two parts swapped", len(all))
	}
}
