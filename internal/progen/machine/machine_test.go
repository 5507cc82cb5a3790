package machine

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"heddle/internal/progen"
	"heddle/trace"
)

var (
	seeds = flag.Int("seeds", 300, "how many random programs to check")
	from  = flag.Uint64("from", 0, "the first of them")
	limit = flag.Int("limit", 5000, "skip programs with more native interleavings")
)

// size returns the size for the program of a seed: every fourth may poll.
func size(seed uint64) progen.Size {
	s := progen.Default
	s.Spin = seed%4 == 3
	return s
}

// differ explores p natively and exhaustively, and returns the outcomes that only one of the two
// has.
func differ(p *progen.Program) ([]string, error) {
	m := New(p)
	native, _, err := m.Exhaust(false, *limit, nil)
	if err != nil {
		return nil, err
	}
	spun := false
	exhaustive, _, err := m.Exhaust(true, 20**limit, func(t *trace.Trace) { spun = spun || t.Spun })
	if err != nil && !errors.Is(err, ErrTooMany) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	ds := native.Differ(exhaustive, "native", "exhaustive")
	if spun {
		ds = append(ds, "exhaustive: somebody was held back by a guess")
	}
	return ds, nil
}

// With Schedule.Exhaustive rt/sched shows the same outcomes as natively.
func TestExhaustiveShowsWhatNativeShows(t *testing.T) {
	skipped := 0
	for seed := *from; seed < *from+uint64(*seeds); seed++ {
		p := progen.Generate(seed, size(seed))
		ds, err := differ(p)
		if errors.Is(err, ErrTooMany) {
			skipped++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, progen.Source(p))
		}
		if len(ds) == 0 {
			continue
		}
		p = progen.Shrink(p, func(q *progen.Program) bool {
			ds, err := differ(q)
			return err == nil && len(ds) > 0
		})
		ds, _ = differ(p)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(ds, "\n"), progen.Source(p))
	}
	t.Logf("%d of %d programs were too large", skipped, *seeds)
	if skipped > *seeds/4 {
		t.Error("too many programs are too large to say anything")
	}
}
