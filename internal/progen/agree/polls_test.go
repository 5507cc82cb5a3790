package agree

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

var patience = flag.Int("patience", 1, "of TestPolls: failed iterations that are events without reduction")

// TestPolls tests dpor on random programs that poll under locks. Without reduction the first
// iterations of each loop are events like all others, so that it does not rest on what lets a
// goroutine wait. The long run is
//
//	go test ./internal/progen/agree -run TestPolls -seeds 600000 -limit 20000 -timeout 24h
func TestPolls(t *testing.T) {
	n := *seeds / 12
	if testing.Short() {
		n = min(n, 300)
	}
	strategies := []Strategy{{Name: "dpor", New: func() explore.Strategy { return dpor.New(dpor.Options{}) }}}
	if *only != "" {
		strategies = chosen(t)
	}
	skipped, wrong, polled := 0, 0, 0
	sum, partial := 0, 0
	for seed := *from; seed < *from+uint64(n) && wrong < *stop; seed++ {
		p := progen.Generate(seed, progen.Size{Goroutines: 3, Statements: 8, Polls: true, Loose: true})
		r, err := checkPolls(p, *limit, strategies)
		if errors.Is(err, machine.ErrTooMany) {
			skipped++
			continue
		}
		if p.Spins() {
			polled++
		}
		for _, k := range r.Executions {
			sum += k
		}
		for _, k := range r.Partial {
			partial += k
		}
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := checkPolls(q, *limit, strategies)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = checkPolls(p, *limit, strategies)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
	}
	t.Logf("%d of %d programs were too large, %d polled; %d executions, %d broken off", skipped, n, polled, sum,
		partial)
}

// checkPolls is Check for programs that poll.
func checkPolls(p *progen.Program, limit int, strategies []Strategy) (*Report, error) {
	r := &Report{Executions: map[string]int{}, Partial: map[string]int{}}
	m := machine.New(p)
	m.Patience = *patience
	locals := machine.NewOutcomes()
	locals.Watch(m)
	want, n, err := m.Exhaust(true, limit, nil)
	if err != nil {
		return r, machine.ErrTooMany // a loop that changes something has no end
	}
	m.Patience, r.Interleavings = 0, n
	want.Locals, m.Local = locals.Locals, nil
	for _, s := range strategies {
		r.explore(m, s, want)
		m.Sync = true
		s.Name += ", plain memory"
		r.explore(m, s, want)
		m.Sync = false
	}
	return r, nil
}
