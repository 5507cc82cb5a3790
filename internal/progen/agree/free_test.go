package agree

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/observe"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

var freeLimit = flag.Int("freelimit", 2000, "skip programs with more interleavings in free time")

var freeObserve = Strategy{Name: "observe", Observed: true, New: func() explore.Strategy {
	return observe.New(observe.Options{Free: true})
}}

// TestAgreeFree tests dpor and observe in free time on random programs of several kinds with
// timers, against search without reduction: the same ends, local states, panics and races. No two
// executions of dpor are equivalent.
func TestAgreeFree(t *testing.T) {
	strategies := []Strategy{{Name: "dpor", New: func() explore.Strategy {
		return dpor.New(dpor.Options{Free: true})
	}}, freeObserve}
	if *only != "" {
		strategies = slices.DeleteFunc(strategies, func(s Strategy) bool { return s.Name != *only })
	}
	n := *seeds / 2
	if testing.Short() {
		n = min(n, 300)
	}
	checked, skipped, wrong, all, sum := 0, 0, 0, 0, map[string]int{}
	for seed := *from; checked < n && wrong < *stop; seed++ {
		size := progen.Default
		size.Loose, size.Selects, size.Timers = true, seed%8 == 7, true
		size.Goroutines, size.Statements = 2+int(seed%3), 4+int(seed%5)
		flavour := seed / 8 % 8 // 0, 1, 2: as they are
		size.Still = seed/64%2 == 1
		size.Guarded, size.Maps = flavour == 3 || flavour == 5, flavour == 5
		size.Updates = flavour == 4 || flavour == 5
		size.Slots, size.Joins, size.Sections = flavour == 6, flavour == 7, flavour == 3
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
		for name, n := range r.Executions {
			sum[name] += n
		}
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
	t.Logf("%d programs, %d were too large or left a timer; %d interleavings, executions %v", checked, skipped, all, sum)
}
