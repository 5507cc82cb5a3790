package pcr

import (
	"context"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/splitmix"
)

// TestCounts: on random programs a strategy that gets no values of the executions that it only
// counts makes the same schedules as one that gets all values, and covers the same patterns.
func TestCounts(t *testing.T) {
	counted := 0
	explore := func(p *progen.Program, all bool) (sum uint64, patterns int) {
		m := machine.New(p)
		opt := Map()
		opt.Cheap = 4
		s := New(opt)
		for next := s.Next(); next != nil && s.result.Executions < 100; next = s.Next() {
			if m.Values = all || !s.Counts(); !m.Values {
				counted++
			}
			sum = sum*31 + next.Seed + uint64(len(next.Steps))
			for i := range next.Steps {
				sum = sum*31 + uint64(next.Steps[i].G) + 1
			}
			tr, err := m.Execute(context.Background(), next)
			if err != nil {
				t.Fatal(err)
			}
			s.Done(tr)
		}
		return sum, s.Coverage().Covered()
	}
	rng := splitmix.Stream(1)
	for n := 0; n < 20; {
		p := progen.Generate(rng.Next(), progen.Default)
		if !modelled(p) {
			continue
		}
		n++
		sum, patterns := explore(p, true)
		if less, k := explore(p, false); less != sum || k != patterns {
			t.Errorf("program %d: %d patterns, without values of what is counted %d", n, patterns, k)
		}
	}
	if counted == 0 {
		t.Error("no execution was only counted")
	}
}
