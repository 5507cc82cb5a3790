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

var freeLimit = flag.Int("freelimit", 2000, "skip programs with more interleavings in free time")

// TestAgreeFree tests dpor in free time on random programs with timers, against search without
// reduction: the same ends, local states, panics and races, and no two executions equivalent.
func TestAgreeFree(t *testing.T) {
	strategies := []Strategy{{Name: "dpor", New: func() explore.Strategy {
		return dpor.New(dpor.Options{Free: true})
	}}}
	n := *seeds / 2
	if testing.Short() {
		n = min(n, 300)
	}
	checked, skipped, wrong, all, sum := 0, 0, 0, 0, 0
	for seed := *from; checked < n && wrong < *stop; seed++ {
		size := progen.Default
		size.Loose, size.Selects, size.Timers = true, seed%8 == 7, true
		size.Goroutines, size.Statements = 2+int(seed%3), 4+int(seed%5)
		p := progen.Generate(seed, size)
		if !p.Times() {
			continue
		}
		r, err := CheckFree(p, *freeLimit, strategies)
		if errors.Is(err, machine.ErrTooMany) || errors.Is(err, ErrLeft) {
			skipped++
			continue
		}
		checked++
		all += r.Interleavings
		sum += r.Executions["dpor"]
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := CheckFree(q, *freeLimit, strategies)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = CheckFree(p, *freeLimit, strategies)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
	}
	t.Logf("%d programs, %d were too large or left a timer; %d interleavings, %d executions", checked, skipped, all, sum)
}
