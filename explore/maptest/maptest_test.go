package maptest

import (
	"context"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// TestLostUpdate: two goroutines read a variable and write the value plus one. An execution aims at
// the pattern that loses an update, and shows it.
func TestLostUpdate(t *testing.T) {
	add := []*progen.Stmt{{Op: progen.Read}, {Op: progen.Write, Src: 0, Val: 1}}
	p := &progen.Program{Vars: 1, Body: []*progen.Stmt{{Op: progen.Go, Body: add},
		{Op: progen.Go, Body: add}}}
	p.Number()
	m := machine.New(p)
	s := New(7)
	lost := false
	for range 100 {
		tr, err := m.Execute(context.Background(), s.Next())
		if err != nil {
			t.Fatal(err)
		}
		o := machine.NewOutcomes()
		o.Add(m)
		for end := range o.Ends {
			lost = lost || end[:4] == "v0=1"
		}
		s.Done(tr)
	}
	if n, k := s.Intended(); n == 0 || k == 0 || k > n {
		t.Errorf("%d executions intended a pattern, %d have shown it", n, k)
	}
	if !lost {
		t.Error("no update was lost")
	}
	if s.Coverage().Covered() == 0 {
		t.Error("nothing is covered")
	}
}

// TestHold: a step that is not due is held back while other goroutines are enabled, and the due
// step is performed at once.
func TestHold(t *testing.T) {
	s := New(1)
	tr := &trace.Trace{Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {Parent: 0, N: 1},
		{Parent: 0, N: 2}}}
	site := func(n int) trace.Site { return trace.NewSite(1, n, trace.KindInt, false) }
	a, b := s.set.Names.Thread(tr, 1), s.set.Names.Thread(tr, 2)
	s.target.Row = 1
	s.target.Steps[0].Thread, s.target.Steps[0].Site = a, 0
	s.target.Steps[1].Thread = b
	s.target.Steps[0].Site, s.target.Steps[1].Site = 1|1<<20, 2|1<<20
	ways := []trace.Way{{G: 2, Site: site(2)}, {G: 0, Site: site(9)}}
	for range 20 {
		if s.Choose(tr, 0, ways) != 1 {
			t.Fatal("the second step was not held back")
		}
	}
	if s.Choose(tr, 0, append(ways, trace.Way{G: 1, Site: site(1)})) != 2 {
		t.Error("the first step was not done at once")
	}
	if s.Choose(tr, 0, ways) != 0 {
		t.Error("the second step was not done when it was due")
	}
}
