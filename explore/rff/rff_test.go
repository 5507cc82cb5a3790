package rff

import (
	"context"
	"fmt"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

func execute(t *testing.T, m *machine.Machine, s *trace.Schedule) *trace.Trace {
	tr, err := m.Execute(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// combinations returns all combinations of pairs that a program has, by search without reduction.
func combinations(t *testing.T, p *progen.Program) map[uint64]bool {
	r, found := New(1), map[uint64]bool{}
	_, _, err := machine.New(p).Exhaust(true, 1_000_000, func(tr *trace.Trace) {
		_, c := r.read(tr)
		found[c] = true
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// chain is a program in which main reads what several goroutines write.
func chain() *progen.Program {
	p := &progen.Program{Vars: 2, Body: []*progen.Stmt{
		{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Write, Obj: 0, Val: 1}, {Op: progen.Read, Obj: 1}}},
		{Op: progen.Go, Body: []*progen.Stmt{{Op: progen.Write, Obj: 1, Val: 1}, {Op: progen.Read, Obj: 0}}},
		{Op: progen.Read, Obj: 0}, {Op: progen.Read, Obj: 1},
	}}
	p.Number()
	return p
}

// TestAllCombinations: executions come to every combination of pairs that some interleaving has,
// and to no other.
func TestAllCombinations(t *testing.T) {
	p := chain()
	want := combinations(t, p)
	m, s := machine.New(p), New(1)
	for range 3000 {
		s.Done(execute(t, m, s.Next()))
	}
	for c := range s.often {
		if !want[c] {
			t.Error("a combination that no interleaving has")
		}
	}
	if len(s.often) != len(want) {
		t.Errorf("%d combinations, want %d", len(s.often), len(want))
	}
}

// TestConstraints: each pair that some interleaving has is seen when it is asked for, and not seen
// when that is asked for, in far more executions than without constraints.
func TestConstraints(t *testing.T) {
	p := chain()
	m, s := machine.New(p), New(1)
	for range 500 {
		s.Done(execute(t, m, s.Next()))
	}
	shows := func(cs []constraint, x pair) (n int) {
		for range 100 {
			next := s.Next()
			s.constraints = cs
			tr := execute(t, m, next)
			one := New(1)
			one.read(tr)
			if one.seen[x] {
				n++
			}
		}
		return n
	}
	for x := range s.seen {
		if x.write == 0 {
			continue
		}
		with, without := shows([]constraint{{x, false}}, x), shows([]constraint{{x, true}}, x)
		plain := shows(nil, x)
		if with < 95 || without >= plain {
			t.Errorf("%v: seen in %d%% of executions that were to show it, "+
				"in %d%% of those that were not, in %d%% of others", x, with, without, plain)
		}
	}
}

// TestPower: what leads to a frequent combination is left alone.
func TestPower(t *testing.T) {
	s := New(1)
	s.kept = []kept{{combination: 1}, {combination: 2, constraints: []constraint{{not: true}}}}
	s.often, s.result.Executions = map[uint64]int{1: 90, 2: 3}, 93
	for range 20 {
		if len(s.choose()) != 1 {
			t.Fatal("the frequent one was chosen")
		}
	}
	if k := s.kept[1]; k.chosen != 5 { // 1, 2, 4, 8 and some of 16 times
		t.Errorf("chosen %d times", k.chosen)
	}
}

// TestWaits: programs that wait are executed to their end, and equal seeds make equal executions.
func TestWaits(t *testing.T) {
	for seed := range uint64(30) {
		p := progen.Generate(seed, progen.Size{Goroutines: 3, Statements: 4})
		var made [2]string
		for k := range made {
			m, s := machine.New(p), New(seed)
			for range 20 {
				tr := execute(t, m, s.Next())
				for i := range tr.Steps {
					made[k] += fmt.Sprint(tr.Steps[i].G, " ")
				}
				s.Done(tr)
			}
		}
		if made[0] != made[1] {
			t.Errorf("seed %d: two explorations differ", seed)
		}
	}
}

// TestHeldCountsChoices: what constraints hold back is bounded by choices, and not by the ways of
// each: a choice among many goroutines has many.
func TestHeldCountsChoices(t *testing.T) {
	p := &progen.Program{Vars: 1}
	for i := range 40 {
		p.Body = append(p.Body, &progen.Stmt{Op: progen.Go,
			Body: []*progen.Stmt{{Op: progen.Write, Obj: 0, Val: i}}})
	}
	p.Body = append(p.Body, &progen.Stmt{Op: progen.Read, Obj: 0})
	p.Number()
	m, s := machine.New(p), New(1)
	for range 100 {
		s.Done(execute(t, m, s.Next()))
	}
	most := 0
	for x := range s.seen {
		next := s.Next()
		s.constraints = []constraint{{x, false}}
		tr := execute(t, m, next)
		if most = max(most, s.held); s.held > len(tr.Steps) {
			t.Errorf("%d choices narrowed in %d steps", s.held, len(tr.Steps))
		}
	}
	if most == 0 {
		t.Error("no choice was narrowed")
	}
}
