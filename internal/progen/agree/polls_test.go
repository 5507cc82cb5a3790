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
	"heddle/trace"
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
	agreePolls(t, n, progen.Size{Goroutines: 3, Statements: 8, Polls: true, Loose: true}, strategies)
}

// TestNaps is TestPolls in free time, on programs whose goroutines also sleep. A search in which
// sleeps are no timers claims something only if no execution shows anything wrong.
func TestNaps(t *testing.T) {
	n := *seeds / 12
	if testing.Short() {
		n = min(n, 300)
	}
	agreePolls(t, n, progen.Size{Goroutines: 3, Statements: 7, Polls: true, Naps: true, Loose: true},
		[]Strategy{freeObserve, {Name: "dpor", New: func() explore.Strategy {
			return dpor.New(dpor.Options{Free: true})
		}}})
}

// agreePolls checks n programs.
func agreePolls(t *testing.T, n int, size progen.Size, strategies []Strategy) {
	t.Helper()
	skipped, wrong, polled, given := 0, 0, 0, 0
	sum, partial := 0, 0
	for seed := *from; seed < *from+uint64(n) && wrong < *stop; seed++ {
		p := progen.Generate(seed, size)
		r, err := checkPolls(p, size.Naps, *limit, strategies)
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
		given += r.GivenUp
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := checkPolls(q, size.Naps, *limit, strategies)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = checkPolls(p, size.Naps, *limit, strategies)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
	}
	t.Logf("%d of %d programs were too large, %d polled; %d executions, %d broken off, %d searches given up",
		skipped, n, polled, sum, partial, given)
}

// checkPolls is Check for programs that poll; for those of TestNaps in free time.
func checkPolls(p *progen.Program, naps bool, limit int, strategies []Strategy) (*Report, error) {
	r := &Report{Executions: map[string]int{}, Partial: map[string]int{}, naps: naps}
	m := machine.New(p)
	m.Patience, m.Free = *patience, naps
	timed := true // until it shows that not all of free time is looked at
	locals := machine.NewOutcomes()
	locals.Watch(m)
	want, n, err := m.Exhaust(true, limit, func(t *trace.Trace) { timed = timed && t.Untimed == trace.Timed })
	if err != nil || !timed {
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
