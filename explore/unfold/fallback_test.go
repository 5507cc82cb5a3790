package unfold

import (
	"context"
	"errors"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/transition"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

// However late dpor takes over, no execution is repeated: there is exactly one of every class.
func TestGivesWay(t *testing.T) {
	if testing.Short() {
		*seeds = min(*seeds, 100)
	}
	sizes := [5]progen.Size{}
	for i := range sizes {
		sizes[i] = progen.Default
	}
	sizes[1].Selects = true
	sizes[2].Spin, sizes[2].Slow = true, true
	sizes[3].Loose = true
	sizes[4].Older = true
	kept, all := 0, 0
	for seed := *from; seed < *from+uint64(*seeds); seed++ {
		p := progen.Generate(seed, sizes[seed%5])
		m := machine.New(p)
		want, err := classes(m, dpor.New(dpor.Options{}), func(int) {})
		if err != nil || want < 2 {
			continue
		}
		after := int(seed) % want
		s := New(Options{})
		got, err := classes(m, s, func(n int) {
			if n > after && s.other == nil && !s.over {
				kept += s.made.Len()
				s.fallBack("it is to")
			}
		})
		if err == errPolled || s.other == nil {
			continue
		}
		all += want
		if n := s.Result().Executions; err != nil || got != want || n != want {
			t.Fatalf("seed %d: %d executions of %d classes (%v), dpor takes %d, from the start\n%s", seed,
				n, got, err, want, progen.Source(p))
		}
	}
	t.Logf("%d of %d executions were made before dpor took over", kept, all)
	if *seeds >= 1000 && kept == 0 {
		t.Error("nothing was looked at")
	}
}

// classes explores m's program and returns the number of classes of its executions. The error is
// errPolled, that there are too many, or why the search is incomplete. after is called after each
// execution with their number.
func classes(m *machine.Machine, s interface {
	explore.Strategy
	Table() *transition.Table
}, after func(n int)) (n int, err error) {
	const many = 1000
	var traces []*trace.Trace
	for sc := s.Next(); sc != nil; sc = s.Next() {
		t, err := m.Execute(context.Background(), sc)
		switch {
		case err != nil:
			return 0, err
		case m.Restart():
			return 0, errPolled
		case len(traces) > many:
			return 0, errors.New("many executions")
		}
		traces = append(traces, transition.Copy(t))
		s.Done(t)
		after(len(traces))
	}
	if r := s.Result(); !r.Complete {
		return 0, error(r.Reason)
	}
	forms := transition.NewForms(s.Table()) // what depends on what is known now
	for _, t := range traces {
		forms.Add(t)
	}
	return forms.Len(), nil
}
