package mapcov

import (
	"context"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// plain finds the patterns of a trace by trying all sequences of accesses.
func plain(as *Accesses) map[Pattern]bool {
	found := map[Pattern]bool{}
	n := len(as.All)
	for i := range n {
		for j := i + 1; j < n; j++ {
			show(as, found, i, j)
			for k := j + 1; k < n; k++ {
				show(as, found, i, j, k)
				for l := k + 1; l < n; l++ {
					show(as, found, i, j, k, l)
				}
			}
		}
	}
	return found
}

// show adds the patterns that these accesses show.
func show(as *Accesses, found map[Pattern]bool, at ...int) {
	var gs []trace.GID
	vars := map[int]bool{}
	for _, i := range at {
		a := &as.All[i]
		if len(gs) == 0 || a.G != gs[0] {
			gs = append(gs, a.G)
		}
		vars[a.Var] = true
	}
	for _, g := range gs[1:] {
		if g != gs[1] {
			return // a third goroutine
		}
	}
	if len(gs) < 2 || len(vars) != 1 && len(at) < 4 {
		return
	}
	for x, i := range at {
		for _, j := range at[x+1:] {
			if as.All[i].G == as.All[j].G && between(as, vars, i, j) {
				return
			}
		}
	}
	var steps [MaxSteps]Step
	var rec func(n int)
	rec = func(n int) {
		if n == len(at) {
			if p := MakePattern(steps[:n]...); p.Row != 0 && p.Len() == n {
				found[p] = true
			}
			return
		}
		for _, write := range []bool{false, true} {
			if a := &as.All[at[n]]; write && a.Write || !write && a.Read {
				steps[n] = as.Step(int32(at[n]), write)
				rec(n + 1)
			}
		}
	}
	rec(0)
}

// between reports whether the goroutine of i and j accesses one of vars in between.
func between(as *Accesses, vars map[int]bool, i, j int) bool {
	for k := i + 1; k < j; k++ {
		if as.All[k].G == as.All[i].G && vars[as.All[k].Var] {
			return true
		}
	}
	return false
}

// TestEach: what is found in a trace is what trying all sequences of accesses finds.
func TestEach(t *testing.T) {
	patterns, long := 0, 0
	for seed := uint64(0); seed < 1500; seed++ {
		m := machine.New(progen.Generate(seed, progen.Default))
		tr, err := m.Execute(context.Background(), &trace.Schedule{Policy: "random", Seed: seed + 1,
			Exhaustive: true})
		if err != nil {
			continue
		}
		as := NewNames().Read(tr)
		want, got := plain(as), map[Pattern]bool{}
		as.Each(func(p Pattern) { got[p] = true })
		for p := range want {
			if patterns++; p.Len() == 4 {
				long++
			}
			if !got[p] {
				t.Errorf("seed %d: row %d is not found: %v", seed, p.Row, p.Steps)
			}
		}
		for p := range got {
			if !want[p] {
				t.Errorf("seed %d: row %d is not there: %v", seed, p.Row, p.Steps)
			}
		}
	}
	if patterns == 0 || long == 0 {
		t.Errorf("%d patterns, %d of four steps: too few to tell anything", patterns, long)
	}
}

// TestAdd: a set that reads all traces in the same memory has the patterns that trying all
// sequences of accesses finds, each trace read on its own, and goroutines have the names that
// traces give them.
func TestAdd(t *testing.T) {
	patterns := 0
	for seed := uint64(0); seed < 60; seed++ {
		p := progen.Generate(seed, progen.Default)
		set, want := NewSet(), map[Pattern]bool{}
		m := machine.New(p)
		for i := range uint64(12) {
			tr, err := m.Execute(context.Background(), &trace.Schedule{Policy: "random", Seed: i + 1,
				Exhaustive: true})
			if err != nil {
				continue
			}
			had := set.Covered() + set.Syncs()
			fresh := set.Add(tr)
			for p := range plain(set.Names.Read(tr)) {
				want[p] = true
			}
			if len(want) != had+fresh || len(want) != set.Covered()+set.Syncs() {
				t.Fatalf("seed %d, execution %d: %d patterns and %d of them new, want %d", seed, i,
					set.Covered()+set.Syncs(), fresh, len(want))
			}
			for g := range tr.Goroutines {
				g := trace.GID(g)
				if got := set.Names.ThreadName(set.Names.Thread(tr, g)); got != tr.Name(g) {
					t.Errorf("seed %d: goroutine %s is called %s", seed, tr.Name(g), got)
				}
			}
		}
		for p := range want {
			if patterns++; !set.Has(p) {
				t.Errorf("seed %d: row %d is not there: %v", seed, p.Row, p.Steps)
			}
		}
	}
	if patterns == 0 {
		t.Error("no pattern")
	}
}

// TestEstimate: T_C by hand, for the class of Fig. 2 (seven reads and one write of one variable),
// and for two variables.
func TestEstimate(t *testing.T) {
	s := NewSet()
	sites := func(n, from int) map[Place]struct{} {
		m := map[Place]struct{}{}
		for i := range n {
			m[Place(from+i)] = struct{}{}
		}
		return m
	}
	s.vars[1] = &instructions{sites(7, 0), sites(1, 100)}
	if got := s.Estimate(); got != 2*7+1+49+3*7+1 {
		t.Errorf("one variable: %v", got)
	}
	s.vars[2] = &instructions{sites(2, 200), sites(3, 300)}
	one := 2*2*3 + 3*3 + 2*2*3 + 3*2*3*3 + 3*3*3
	pairs := 3*1*9 + 6*1*7*3*2
	if got := s.Estimate(); got != float64(86+one+pairs) {
		t.Errorf("two variables: %v, want %d", got, 86+one+pairs)
	}
}
