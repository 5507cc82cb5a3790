package pcr

import (
	"context"
	"errors"
	"flag"
	"strings"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/order"
)

var programs = flag.Int("programs", 400, "random programs that are compared with exhaustive search")

// modelled reports whether a program has only memory accesses and locks.
func modelled(p *progen.Program) bool {
	ok := true
	p.Each(func(s *progen.Stmt) {
		switch s.Op {
		case progen.Go, progen.If, progen.Repeat, progen.Read, progen.Write, progen.Load, progen.Store,
			progen.Add,
			progen.Lock, progen.Unlock:
		default:
			ok = false
		}
	})
	return ok
}

// explored returns the outcomes of the executions of a strategy.
func explored(m *machine.Machine, s *Strategy, limit int) (*machine.Outcomes, int, error) {
	o := machine.NewOutcomes()
	for next := s.Next(); next != nil; next = s.Next() {
		t, err := m.Execute(context.Background(), next)
		if err != nil {
			return o, s.result.Executions, err
		}
		o.Add(m)
		s.Done(t)
		if s.result.Executions > limit {
			return o, s.result.Executions, errors.New("no end")
		}
	}
	return o, s.result.Executions, nil
}

// missing returns the program states that got lacks: what all goroutines have read in an execution,
// and the panics, except those of package sync. Final values that no goroutine read do not count,
// nor do deadlocks.
func missing(want, got *machine.Outcomes) (ds []string) {
	reads := func(end string) string { return end[strings.Index(end, "main("):] }
	have := map[string]bool{}
	for end := range got.Ends {
		have[reads(end)] = true
	}
	for end := range want.Ends {
		if r := reads(end); !have[r] && !strings.Contains(r, "left at") {
			have[r] = true
			ds = append(ds, r)
		}
	}
	for p := range want.Panics {
		if got.Panics[p] == 0 && !strings.Contains(p, "sync:") {
			ds = append(ds, p)
		}
	}
	return ds
}

// TestStates: without rule 2 no program state is lost, nor by rule 4 alone, which is maximal
// causality reduction: goroutines read what they read in exhaustive search. Rule 2 may lose states,
// and map continues as mcr when no pattern is left. A formula that is skipped because of a core has
// no schedule.
//
// (About one program in a thousand loses a state: several writes of one value, of which the
// schedule of a formula has another one than the state needs.)
func TestStates(t *testing.T) {
	variants := []struct {
		name string
		opt  Options
	}{
		{"without rule 2", Options{Rules: AllRules &^ Covered, Longest: 4}},
		{"mcr", MCR()},
		{"map", Map()},
		{"patterns alone", Options{Rules: AllRules, Longest: 4}},
	}
	sum, lost := make([]int, len(variants)), make([]int, len(variants))
	compared, interleavings, skipped := 0, 0, 0
	for seed := uint64(0); compared < *programs; seed++ {
		p := progen.Generate(seed, progen.Default)
		if !modelled(p) {
			continue
		}
		m := machine.New(p)
		m.Values = true
		want, n, err := m.Exhaust(true, 2000, nil)
		if errors.Is(err, machine.ErrTooMany) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compared++
		interleavings += n
		for i, v := range variants {
			st := New(v.opt)
			st.Check = func(p *order.Problem, g order.Goal) {
				skipped++
				if a := p.Solve(context.Background(), g); a.Verdict != order.Impossible {
					t.Errorf("seed %d, %s: %+v was skipped because of a core, and is %v", seed, v.name, g,
						a.Verdict)
				}
			}
			got, n, err := explored(m, st, 2*n+100)
			if err != nil {
				t.Errorf("seed %d, %s: %v after %d executions\n%s", seed, v.name, err, n, progen.Source(p))
				continue
			}
			sum[i] += n
			ds := missing(want, got)
			if len(ds) == 0 {
				continue
			}
			lost[i]++
			if v.opt.Rules.has(Covered) && !v.opt.Then {
				continue
			}
			t.Errorf("seed %d, %s, %d executions of %d:\n%s\n%s", seed, v.name, n, interleavings,
				strings.Join(ds, "\n"), progen.Source(p))
		}
		if lost[0]+lost[1]+lost[2] > 3 {
			break
		}
	}
	if skipped == 0 {
		t.Error("no core was of any use")
	}
	if lost[3] == 0 {
		t.Error("rule 2 has lost nothing: are there no programs that it should matter in?")
	}
	for i, v := range variants {
		t.Logf("%s: %d executions of %d interleavings, states lost in %d of %d programs", v.name, sum[i],
			interleavings, lost[i], compared)
	}
}
