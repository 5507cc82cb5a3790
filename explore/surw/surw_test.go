package surw

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/splitmix"
	"heddle/trace"
)

func write(v, n int) (body []*progen.Stmt) {
	for range n {
		body = append(body, &progen.Stmt{Op: progen.Write, Obj: v, Val: 1})
	}
	return body
}

func program(bodies ...[]*progen.Stmt) *progen.Program {
	p := &progen.Program{Vars: 2}
	for _, b := range bodies {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go, Body: b})
	}
	p.Number()
	return p
}

// interleaving is the order of the goroutines in an execution, of steps at sites that are counted.
func interleaving(t *trace.Trace, counts func(trace.Site) bool) string {
	s := ""
	for i := range t.Steps {
		if counts(t.Steps[i].Site) {
			s += fmt.Sprint(t.Steps[i].G, " ")
		}
	}
	return s
}

func every(trace.Site) bool { return true }

// all returns all interleavings of a program, by search without reduction.
func all(t *testing.T, p *progen.Program, counts func(trace.Site) bool) map[string]int {
	found := map[string]int{}
	_, _, err := machine.New(p).Exhaust(true, 1_000_000, func(tr *trace.Trace) {
		found[interleaving(tr, counts)] = 0
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sample makes executions by a strategy, and counts interleavings.
func sample(t *testing.T, p *progen.Program, s interface {
	Next() *trace.Schedule
	Done(*trace.Trace)
}, found map[string]int, n int, counts func(trace.Site) bool) {
	m := machine.New(p)
	for i := range n + 1 {
		tr, err := m.Execute(context.Background(), s.Next())
		if err != nil {
			t.Fatal(err)
		}
		k := interleaving(tr, counts)
		if _, ok := found[k]; !ok {
			t.Fatalf("%q is no interleaving", k)
		}
		if i > 0 { // the first one counts events
			found[k]++
		}
		s.Done(tr)
	}
}

// chiSquare returns by how many standard deviations the statistic of Pearson's test for equal odds
// is above its mean.
func chiSquare(found map[string]int, n int) float64 {
	expected, x := float64(n)/float64(len(found)), 0.0
	for _, k := range found {
		x += (float64(k) - expected) * (float64(k) - expected) / expected
	}
	free := float64(len(found) - 1)
	return (x - free) / math.Sqrt(2*free)
}

// walker is a random walk.
type walker struct {
	rng splitmix.Stream
	s   trace.Schedule
}

func (w *walker) Next() *trace.Schedule {
	w.s = trace.Schedule{Exhaustive: true, Guide: w}
	return &w.s
}
func (w *walker) Done(*trace.Trace) {}
func (w *walker) Choose(_ *trace.Trace, _ trace.GID, ways []trace.Way) int {
	return int(w.rng.Next() >> 1 % uint64(len(ways)))
}

// TestUniform: all interleavings of goroutines that never wait are equally likely, those of
// goroutines that goroutines start included. The interleavings are those that bound search finds. A
// random walk fails the same test.
func TestUniform(t *testing.T) {
	for name, p := range map[string]*progen.Program{
		"lengths": program(write(0, 1), write(0, 4)),
		"three":   program(write(0, 1), write(1, 2), write(0, 1)),
		"nested": program(write(0, 2),
			append(write(0, 1), &progen.Stmt{Op: progen.Go, Body: write(1, 2)})),
	} {
		p.Number()
		found := all(t, p, every)
		n := 40 * len(found)
		sample(t, p, New(1, true), found, n, every)
		if x := chiSquare(found, n); x > 4 {
			t.Errorf("%s: %d interleavings, %.1f standard deviations off: %v", name, len(found), x, found)
		}
		clear(found)
		found = all(t, p, every)
		sample(t, p, &walker{rng: 1}, found, n, every)
		if x := chiSquare(found, n); x < 10 {
			t.Errorf("%s: a random walk is only %.1f standard deviations off", name, x)
		}
	}
}

// TestSelected: with one object selected its operations have all interleavings with equal odds,
// however many others the goroutines have.
func TestSelected(t *testing.T) {
	// Variables 1 and 2 are used by one goroutine each, and not selected.
	p := &progen.Program{Vars: 3, Body: []*progen.Stmt{
		{Op: progen.Go, Body: append(write(1, 6), write(0, 2)...)},
		{Op: progen.Go, Body: append(write(0, 2), write(2, 1)...)},
	}}
	p.Number()
	m := machine.New(p)
	s := New(1, false)
	tr, err := m.Execute(context.Background(), s.Next())
	if err != nil {
		t.Fatal(err)
	}
	s.Done(tr)
	if len(s.objects) != 1 {
		t.Fatalf("%d objects are shared, want 1: %v", len(s.objects), s.objects)
	}
	at := map[trace.Site]bool{}
	for x, n := range s.sites {
		at[x] = slices.Contains(s.objects[0], n)
	}
	counts := func(x trace.Site) bool { return at[x.Plain()] }
	found := all(t, p, counts)
	if len(found) != 6 { // 4 choose 2
		t.Fatalf("%d interleavings, want 6", len(found))
	}
	const n = 1200
	sample(t, p, s, found, n, counts)
	if x := chiSquare(found, n); x > 4 {
		t.Errorf("%.1f standard deviations off: %v", x, found)
	}
}

// TestWaits: a goroutine that was drawn and waits holds no other up for good.
func TestWaits(t *testing.T) {
	for seed := range uint64(30) {
		p := progen.Generate(seed, progen.Size{Goroutines: 3, Statements: 4})
		m, s := machine.New(p), New(seed, false)
		for range 30 {
			tr, err := m.Execute(context.Background(), s.Next())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			s.Done(tr)
		}
	}
}
