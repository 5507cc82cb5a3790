package agree

import (
	"context"
	"errors"
	"flag"
	"maps"
	"strings"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/observe"
	"heddle/explore/reach"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

var most = flag.Int("twins-limit", 4000, "of TestTwins: skip programs with more interleavings")

// twinStrategies are the strategies that do not tell interchangeable goroutines apart.
var twinStrategies = []Strategy{
	{Name: "dpor, twins", New: func() explore.Strategy { return dpor.New(dpor.Options{Twins: true}) }},
	{Name: "observe, twins", Observed: true,
		New: func() explore.Strategy { return observe.New(observe.Options{Twins: true}) }},
	{Name: "reach, twins", New: func() explore.Strategy { return reach.New(reach.Options{Twins: true}) }},
	{Name: "reach, twins, at random", New: func() explore.Strategy {
		return reach.New(reach.Options{Twins: true, Order: reach.Random, Seed: 7})
	}},
}

// TestTwins tests them on random programs with loops of go statements, one for eight of -seeds.
// Outcomes are compared by what became of goroutines, not by which of equal goroutines it became.
// Races are compared with plain memory as scheduling points and without. The long run is
//
//	go test ./internal/progen/agree -run TestTwins -seeds 400000 -timeout 24h
func TestTwins(t *testing.T) {
	n := *seeds / 8
	if testing.Short() {
		n = min(n, 500)
	}
	skipped, wrong, fewer := 0, 0, 0
	sum := map[string]int{}
	for seed := *from; seed < *from+uint64(n) && wrong < *stop; seed++ {
		p := progen.Generate(seed, twinSize(seed))
		r, err := checkTwins(p, *most)
		if errors.Is(err, machine.ErrTooMany) {
			skipped++
			continue
		}
		for s, k := range r.Executions {
			sum[s] += k
		}
		if r.Executions["dpor, twins"] < r.Executions["dpor"] {
			fewer++
		}
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := checkTwins(q, *most)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = checkTwins(p, *most)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
	}
	t.Logf("%d of %d programs were too large; %d with fewer executions; executions %v", skipped, n, fewer, sum)
	if fewer < (n-skipped)/10 && n > 100 && wrong == 0 {
		t.Error("too few programs have interchangeable goroutines")
	}
}

// TestTwinsKnown has programs that were decided wrongly once.
func TestTwinsKnown(t *testing.T) {
	type stmts = []*progen.Stmt
	// Each draws before it does anything else: the draw comes with its first step, and waits for
	// none.
	draw := &progen.Stmt{Op: progen.Draw, Val: 2}
	body := stmts{draw, {Op: progen.Write, Val: 1, Src: -1}}
	p := &progen.Program{Vars: 1, Onces: 1, Body: stmts{
		{Op: progen.Repeat, Val: 2, Body: stmts{{Op: progen.Go, Body: body}}},
		{Op: progen.Once}, {Op: progen.Read}, {Op: progen.Read, Reg: 1}}}
	p.Number()
	if r, err := checkTwins(p, *most); err != nil || len(r.Wrong) > 0 {
		t.Error(err, strings.Join(r.Wrong, "\n"))
	}
}

// TestTwinsFree tests observe in free time on random programs with timers and loops of go
// statements: goroutines that have nothing to do with the clock may be alike there.
func TestTwinsFree(t *testing.T) {
	n := *seeds / 8
	if testing.Short() {
		n = min(n, 300)
	}
	checked, skipped, wrong, fewer, sum := 0, 0, 0, 0, map[string]int{}
	for seed := *from; checked < n && wrong < *stop; seed++ {
		size := twinSize(seed)
		size.Timers, size.Still = true, seed%2 == 1
		size.Slots = seed%7 == 3
		p := progen.Generate(seed, size)
		if !p.Times() {
			continue
		}
		r, err := checkTwinsFree(p, *freeLimit)
		if errors.Is(err, machine.ErrTooMany) || errors.Is(err, ErrLeft) {
			skipped++
			continue
		}
		checked++
		for s, k := range r.Executions {
			sum[s] += k
		}
		if r.Executions["observe, twins"] < r.Executions["observe"] {
			fewer++
		}
		if len(r.Wrong) == 0 {
			continue
		}
		wrong++
		p = progen.Shrink(p, func(q *progen.Program) bool {
			r, err := checkTwinsFree(q, *freeLimit)
			return err == nil && len(r.Wrong) > 0
		})
		r, _ = checkTwinsFree(p, *freeLimit)
		t.Errorf("seed %d:\n%s\n%s", seed, strings.Join(r.Wrong, "\n"), progen.Source(p))
	}
	t.Logf("%d programs, %d were too large or left a timer; %d with fewer executions; executions %v",
		checked, skipped, fewer, sum)
	if fewer < checked/50 && checked > 100 && wrong == 0 {
		t.Error("too few programs have goroutines that are alike")
	}
}

// checkTwinsFree is CheckFree for observe with goroutines that are alike, and without.
func checkTwinsFree(p *progen.Program, limit int) (*Report, error) {
	m := machine.New(p)
	m.Free, m.Twins = true, true
	apart := freeObserve
	alike := Strategy{Name: "observe, twins", Observed: true, New: func() explore.Strategy {
		return observe.New(observe.Options{Free: true, Twins: true})
	}}
	return check(m, limit, []Strategy{apart, alike})
}

func twinSize(seed uint64) progen.Size {
	size := progen.Size{Goroutines: 3, Statements: 7, Twins: true, Loose: true}
	size.Guarded = seed%5 == 1
	size.Selects = seed%5 == 2
	size.Spin = seed%5 == 3
	return size
}

// checkTwins is Check for twinStrategies.
func checkTwins(p *progen.Program, limit int) (*Report, error) {
	r := &Report{Executions: map[string]int{}, Partial: map[string]int{}}
	m := machine.New(p)
	m.Twins = true
	locals := machine.NewOutcomes()
	locals.Watch(m)
	want, n, err := m.Exhaust(true, limit, nil)
	if err != nil {
		return r, err
	}
	r.Interleavings, want.Locals, m.Local = n, locals.Locals, nil
	all := Strategy{Name: "dpor", New: func() explore.Strategy { return dpor.New(dpor.Options{}) }}
	r.explore(m, all, want)
	for _, s := range twinStrategies {
		r.explore(m, s, want)
	}
	m.Sync = true
	races := racesOf(m, all, limit)
	for _, s := range twinStrategies {
		s.Name += ", plain memory"
		r.explore(m, s, want)
		if got := racesOf(m, s, limit); !maps.Equal(races, got) {
			r.say("%s: races %v, want %v", s.Name, got, races)
		}
	}
	return r, nil
}

// racesOf returns the variables that a strategy shows to race, where plain memory is no scheduling
// point.
func racesOf(m *machine.Machine, st Strategy, limit int) map[string]bool {
	s, got, races := st.New(), machine.NewOutcomes(), map[string]bool{}
	for range limit {
		schedule := s.Next()
		if schedule == nil {
			break
		}
		t, _ := m.Execute(context.Background(), schedule)
		got.Add(m)
		s.Done(t)
	}
	for v := range got.Races {
		races[v] = true
	}
	return races
}
