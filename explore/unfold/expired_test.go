package unfold

import (
	"context"
	"testing"

	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/limit"
)

// A search that ran out of time never says that it is complete, whether in an execution, an
// extension or a last question.
func TestExpired(t *testing.T) {
	for seed := range uint64(60) {
		p := progen.Generate(seed, progen.Default)
		whole, asked := exploreUntil(t, p, 1<<60)
		if whole == nil {
			continue
		}
		for after := 0; after < asked; after += 1 + asked/40 {
			s, _ := exploreUntil(t, p, after)
			if r := s.Result(); r.Complete || r.Reason.None() {
				t.Fatalf("program %d: time was over after %d of %d questions for it, and it is said to be complete: %+v", seed, after, asked, r)
			}
			if s.Next() != nil {
				t.Fatalf("program %d: it goes on", seed)
			}
		}
	}
}

// exploreUntil explores p until the time was asked for n times; nil if dpor took over, or it would
// take long.
func exploreUntil(t *testing.T, p *progen.Program, after int) (s *Strategy, asked int) {
	m := machine.New(p)
	s = New(Options{})
	s.limit = limit.Always(func() bool { asked++; return asked > after })
	for n := 0; ; n++ {
		sc := s.Next()
		if sc == nil {
			return s, asked
		}
		tr, err := m.Execute(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if s.Done(tr); s.other != nil || n > 100 {
			return nil, asked
		}
	}
}
