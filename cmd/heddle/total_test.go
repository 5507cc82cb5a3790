package main

import (
	"math"
	"testing"
	"time"

	"heddle/internal/total"
)

// TestTotals: what the tests of packages get that begin one after the other, or beside each other.
func TestTotals(t *testing.T) {
	start := time.Unix(1000, 0)
	open := map[string]total.Past{"A": {Code: "1", Seconds: 1}}
	run := func(parallel int, pasts map[string]map[string]total.Past) *totals {
		return &totals{until: start.Add(100 * time.Second), parallel: parallel,
			running: map[string]reserved{},
			waiting: map[string][]string{"p": {"A", "B"}, "q": {"A", "B"}},
			code:    map[string]string{"p": "1", "q": "1"}, pasts: pasts}
	}
	same := func(name string, got map[string]int64, a, b float64) {
		t.Helper()
		for test, want := range map[string]float64{"A": a, "B": b} {
			if s := float64(got[test]) / 1e9; len(got) != 2 || math.Abs(s-want) > 1e-6 {
				t.Errorf("%s: %s gets %v s, want %v", name, test, s, want)
			}
		}
	}
	x := run(1, nil)
	same("four new tests", x.begin("p", start, 0), 25, 25)
	delete(x.running, "p")
	same("they took 10 s, and the rest is for the others", x.begin("q", start.Add(10*time.Second), 0), 45, 45)

	x = run(1, nil)
	x.begin("p", start, 0)
	delete(x.running, "p")
	same("they took all", x.begin("q", start.Add(100*time.Second), 0), 0, 0)

	x = run(2, nil)
	same("beside each other", x.begin("p", start, 0), 50, 50)
	same("and the other one", x.begin("q", start, 0), 50, 50)

	x = run(2, map[string]map[string]total.Past{"p": open})
	same("new ones come first, but time of another processor is of no use to them", x.begin("q", start,
		0), 50, 50)
	same("what is left", x.begin("p", start, 0), 45, 55)

	x = run(4, nil)
	delete(x.waiting, "q")
	same("one package: its tests come one after the other", x.begin("p", start, 0), 50, 50)

	x = run(1, nil)
	same("-budget", x.begin("p", start, 7), 7, 7)
}
