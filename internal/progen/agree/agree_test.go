package agree

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/observe"
	"heddle/explore/reach"
	"heddle/explore/transition"
	"heddle/explore/unfold"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/trace"
)

var (
	seeds = flag.Int("seeds", 3000, "how many random programs to check")
	from  = flag.Uint64("from", 0, "the first of them")
	limit = flag.Int("limit", 1000, "skip programs with more interleavings")
	spin  = flag.Bool("spin", false, "all programs may poll, not only every fourth")
	only  = flag.String("only", "", "check only the `strategy` of that name")
	stop  = flag.Int("stop", 5, "end after so many disagreements")
	ahead = flag.Int("ahead", 0, "executions that observe foresees beside the next one")
)

var strategies = []Strategy{
	{Name: "dpor", New: func() explore.Strategy { return dpor.New(dpor.Options{}) }},
	{Name: "reach", New: func() explore.Strategy { return reach.New(reach.Options{}) }},
	{Name: "unfold", New: func() explore.Strategy { return unfold.New(unfold.Options{}) }, Local: true},
	{Name: "observe", New: func() explore.Strategy { return observeAhead(*ahead) }, Observed: true},
}

// observeAhead returns observe, which foresees n executions beside each one.
func observeAhead(n int) explore.Strategy {
	s := observe.New(observe.Options{})
	if n == 0 {
		return s
	}
	return &aheadOf{s, n}
}

// An aheadOf is a strategy that is asked for n schedules ahead of each execution.
type aheadOf struct {
	explore.Foresighted
	n int
}

func (a *aheadOf) Next() *trace.Schedule {
	next := a.Foresighted.Next()
	if next != nil {
		a.Foresee(a.n)
	}
	return next
}

// chosen returns the strategies to check.
func chosen(t *testing.T) []Strategy {
	if *only == "" {
		return strategies
	}
	for _, s := range strategies {
		if s.Name == *only {
			return []Strategy{s}
		}
	}
	t.Fatalf("no strategy %q", *only)
	return nil
}

// TestAgree tests the strategies on random programs, by default 3,000 small ones. The long run is
//
//	go test ./internal/progen/agree -run TestAgree -seeds 100000 -limit 20000 -timeout 24h
func TestAgree(t *testing.T) {
	size := progen.Default
	size.Loose = true
	agree(t, *seeds, size)
}

// TestAgreeSelects is TestAgree with programs of channels and selects.
func TestAgreeSelects(t *testing.T) {
	size := progen.Default
	size.Loose, size.Selects = true, true
	agree(t, *seeds, size)
}

// TestAgreeOlder is TestAgree with channels, mutexes, RWMutexes and WaitGroups that exist before
// the test and are in use.
func TestAgreeOlder(t *testing.T) {
	size := progen.Default
	size.Loose, size.Older = true, true
	agree(t, *seeds/3, size)
}

// TestAgreeGuarded is TestAgree with plain variables that mutexes guard: what is read under a lock
// decides what comes next, and no race tells of it.
func TestAgreeGuarded(t *testing.T) {
	size := progen.Default
	size.Loose, size.Guarded = true, true
	agree(t, *seeds/2, size)
}

// TestAgreeUpdates is TestAgree with updates of variables and atomics.
func TestAgreeUpdates(t *testing.T) {
	size := progen.Default
	size.Loose, size.Updates = true, true
	agree(t, *seeds/2, size)
}

// TestAgreeUpdatesGuarded is TestAgreeUpdates with variables that mutexes guard.
func TestAgreeUpdatesGuarded(t *testing.T) {
	size := progen.Default
	size.Statements, size.Loose, size.Updates, size.Guarded = 7, true, true, true
	agree(t, *seeds/2, size)
}

// TestAgreeMaps is TestAgree with maps, which mutexes guard in every other program.
func TestAgreeMaps(t *testing.T) {
	size := progen.Default
	size.Loose, size.Maps = true, true
	agree(t, *seeds/4, size)
	size.Statements, size.Guarded, size.Updates = 7, true, true
	agree(t, *seeds/4, size)
}

// TestAgreeGrowth is TestAgreeMaps with programs that look at how much a map grows.
func TestAgreeGrowth(t *testing.T) {
	size := progen.Default
	size.Statements, size.Loose, size.Maps, size.Growth = 7, true, true, true
	agree(t, *seeds/4, size)
	size.Guarded = true
	agree(t, *seeds/4, size)
}

// TestAgreeJoins is TestAgree with programs that wait for workers, and go on.
func TestAgreeJoins(t *testing.T) {
	size := progen.Default
	size.Statements, size.Loose, size.Joins = 7, true, true
	agree(t, *seeds/2, size)
}

// TestAgreeJoinsGuarded is TestAgreeJoins with plain variables that mutexes guard.
func TestAgreeJoinsGuarded(t *testing.T) {
	size := progen.Default
	size.Goroutines, size.Statements, size.Loose, size.Joins, size.Guarded = 3, 6, true, true, true
	agree(t, *seeds/2, size)
}

// TestAgreeSections is TestAgree with programs of critical sections: what is accessed in them is
// accessed without the lock too, or it is not, and then a section may be one step.
func TestAgreeSections(t *testing.T) {
	size := progen.Default
	size.Goroutines, size.Statements, size.Loose, size.Sections = 3, 11, true, true
	agree(t, *seeds/2, size)
	size.Statements, size.Joins = 5, true
	agree(t, *seeds/2, size)
}

// TestAgreeLoops is TestAgree with loops whose iterations forget: goroutines that have come to one
// place in different ways are taken as one.
func TestAgreeLoops(t *testing.T) {
	size := progen.Default
	size.Goroutines, size.Statements, size.Loose, size.Loops = 3, 4, true, true
	agree(t, *seeds/2, size)
	size.Selects = true
	agree(t, *seeds/4, size)
	size.Selects, size.Guarded, size.Updates = false, true, true
	agree(t, *seeds/4, size)
	size.Guarded, size.Updates, size.Joins = false, false, true
	agree(t, *seeds/4, size)
}

// TestAgreeSlots is TestAgree with channels whose values have no size.
func TestAgreeSlots(t *testing.T) {
	size := progen.Default
	size.Statements, size.Loose, size.Slots = 12, true, true
	agree(t, *seeds/2, size)
}

// TestAgreeAhead is observe alone, where it foresees executions: it covers the same.
func TestAgreeAhead(t *testing.T) {
	strategies := []Strategy{{Name: "observe, five ahead", Observed: true,
		New: func() explore.Strategy { return observeAhead(5) }}}
	size := progen.Default
	size.Loose = true
	agreeBy(t, strategies, *seeds/4, size)
	size.Selects = true
	agreeBy(t, strategies, *seeds/4, size)
	size.Selects, size.Updates = false, true
	agreeBy(t, strategies, *seeds/4, size)
	size.Updates, size.Loops, size.Goroutines, size.Statements = false, true, 3, 4
	agreeBy(t, strategies, *seeds/4, size)
}

// agree checks n programs. No execution may be broken off.
func agree(t *testing.T, n int, size progen.Size) { agreeBy(t, chosen(t), n, size) }

func agreeBy(t *testing.T, strategies []Strategy, n int, size progen.Size) {
	if testing.Short() {
		n = min(n, 500)
	}
	skipped, wrong, all := 0, 0, 0
	sum, partial := map[string]int{}, map[string]int{}
	for seed := *from; seed < *from+uint64(n) && wrong < *stop; seed++ {
		size.Spin = *spin || seed%4 == 3
		size.Slow = size.Spin && seed%8 >= 6
		p := progen.Generate(seed, size)
		r, err := Check(p, *limit, strategies)
		if errors.Is(err, machine.ErrTooMany) {
			skipped++
			continue
		}
		all += r.Interleavings
		for s, n := range r.Executions {
			sum[s] += n
			if !p.Spins() { // else executions may end before a goroutine that would ask again
				partial[s] += r.Partial[s]
			}
		}
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := Check(q, *limit, strategies)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = Check(p, *limit, strategies)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
		for _, s := range strategies {
			if c := Clips(p, *limit, s); c != "" {
				t.Errorf("%s:\n%s", s.Name, c)
			}
		}
	}
	t.Logf("%d of %d programs were too large; %d interleavings; executions %v, broken off %v", skipped, n, all, sum, partial)
	for s, n := range partial {
		if n > 0 {
			t.Errorf("%s broke off %d executions beside %d", s, n, sum[s])
		}
	}
	if skipped > n/4 && !size.Loops || skipped > 2*n/3 { // loops multiply
		t.Error("too many programs are too large to say anything")
	}
}

// TestAgreeStands is TestAgreeSelects where partners are found by goroutine, as they are in long
// executions.
func TestAgreeStands(t *testing.T) {
	few := transition.FewOffers
	transition.FewOffers = 0
	defer func() { transition.FewOffers = few }()
	TestAgreeSelects(t)
}
