package sched

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// A region is memory that has a lock, which is not always taken.
type region struct {
	mu    tmutex
	words [16]uint64
}

// roam accesses regions as rewritten code does: from few places, each of which goes over memory in
// order, comes back, or goes anywhere.
func roam(rnd *rand.Rand, regions *[4]region, who int) {
	for range 12 {
		r := rnd.IntN(len(regions))
		at := hook.Site(who)<<20 | hook.Site(r)<<10 // places share what is kept of one
		g := &regions[r]
		halves := unsafe.Slice((*uint32)(unsafe.Pointer(&g.words)), 2*len(g.words))
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&g.words)), 8*len(g.words))
		locked := rnd.IntN(20) > 0
		if locked {
			g.mu.Lock()
		}
		for range rnd.IntN(3) + 1 {
			from, step := rnd.IntN(len(g.words)), rnd.IntN(3)
			if rnd.IntN(4) == 0 { // in steps, at one place
				what := rnd.IntN(3)
				for j := from; j < len(g.words); j += step + 1 {
					switch what {
					case 0:
						hook.V(&halves[2*j], at+5)
					case 1:
						hook.P(&bytes[8*j+2], at+6).Set(1)
					case 2:
						hook.SR(g.words[j:min(j+max(1, rnd.IntN(8)-4), len(g.words))], at+7)
					}
				}
			}
			for i := range rnd.IntN(8) + 1 {
				j := (from + i*step) % len(g.words)
				switch rnd.IntN(6) {
				case 0:
					hook.V(&g.words[j], at)
				case 1:
					hook.V(&halves[2*j+1], at+64)
				case 2:
					hook.R(&bytes[8*j+3], at+1)
				case 3:
					hook.P(&halves[2*j], at+2).Set(1)
				case 4:
					hook.W(&bytes[8*j+7], at+3)
				case 5:
					q := hook.U('+', &g.words[j], at+4)
					q.Set(q.Get() + q.By(1))
				}
			}
		}
		if locked {
			g.mu.Unlock()
		}
	}
}

// What a place repeats need not be told: the same goroutines race for the same regions as where
// every access is told at once.
func TestRecentsHideNoRace(t *testing.T) {
	found := 0
	p := policyOf(t, "random")
	for seed := range uint64(2000) {
		var all [2][]string
		for i, record := range []bool{true, false} {
			p.Begin(seed)
			S.Run(func() {
				regions := new([4]region)
				var wg twg
				wg.Add(3)
				for who := range 3 {
					spawn(func() {
						roam(rand.New(rand.NewPCG(seed, uint64(who))), regions, who+1)
						wg.Add(-1)
					})
				}
				wg.Wait()
				roam(rand.New(rand.NewPCG(seed, 3)), regions, 4)
			}, Options{Schedule: &trace.Schedule{Policy: "random", Seed: seed}, Policy: p, Race: true,
				Record: record})
			hook.On = false
			races := map[string]bool{}
			for _, r := range S.Races() {
				races[fmt.Sprint(min(r.G, r.PrevG), max(r.G, r.PrevG), r.At>>10%4)] = true
			}
			all[i] = slices.Sorted(maps.Keys(races))
			if len(S.Races()) == maxRaces {
				all[i] = nil // there are more
			}
		}
		if !slices.Equal(all[0], all[1]) {
			t.Fatalf("seed %d: races (two goroutines, region) %v, where all is told at once %v", seed, all[1],
				all[0])
		}
		found += len(all[0])
	}
	if t.Logf("%d races", found); found == 0 {
		t.Error("no program races")
	}
}

// A place that goes in steps accesses what it accesses, and nothing between.
func TestRecentSteps(t *testing.T) {
	for _, test := range []struct {
		reads [][2]int // words from and to, by one place
		races []int    // words that race if another goroutine writes them
	}{
		{[][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}}, []int{0, 2, 4, 6, 8, 10}},
		{[][2]int{{9, 10}, {7, 8}, {5, 6}, {3, 4}, {1, 2}}, []int{1, 3, 5, 7, 9}},
		{[][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {8, 11}}, []int{0, 2, 4, 6, 8, 9, 10}},
		{[][2]int{{0, 1}, {3, 4}, {6, 7}, {7, 8}, {9, 11}}, []int{0, 3, 6, 7, 9, 10}},
		{[][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 1}, {8, 9}}, []int{0, 2, 4, 6, 8}},
	} {
		var races []int
		for word := range 12 {
			S.Run(func() {
				words := make([]uint64, 12)
				var wg twg
				wg.Add(2)
				spawn(func() {
					for _, r := range test.reads {
						hook.SR(words[r[0]:r[1]], 64)
					}
					wg.Add(-1)
				})
				spawn(func() {
					hook.P(&words[word], 65).Set(1)
					wg.Add(-1)
				})
				wg.Wait()
			}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first"), Race: true})
			hook.On = false
			if len(S.Races()) > 0 {
				races = append(races, word)
			}
		}
		if !slices.Equal(races, test.races) {
			t.Errorf("reads of %v: races with writes of %v, expected %v", test.reads, races, test.races)
		}
	}
}

// Where no access need be told, time passes with work as it does where all are told.
func TestWorkIsCounted(t *testing.T) {
	words := make([]int, 8)
	var took [4]int64
	for i, o := range []Options{{}, {Record: true}, {Race: true}, {Race: true, Record: true}} {
		o.Schedule, o.Policy = new(trace.Schedule), policyOf(t, "first")
		S.Run(func() {
			start := hook.Now()
			for j := range 15 * beatEvery {
				if hook.V(&words[j%8], 3); j%8 == 0 {
					hook.P(&words[0], 4).Set(j)
				}
			}
			took[i] = hook.Now() - start
		}, o)
		hook.On = false
	}
	if took[0] < beatTime || took[0] != took[1] || took[0] != took[2] || took[0] != took[3] {
		t.Errorf("the same work takes %d ns", took)
	}
}

// What is not told has no cost in the scheduler: it is not called.
func TestUntoldIsNotCalled(t *testing.T) {
	x := new(int)
	for _, race := range []bool{false, true} {
		quiet := false
		S.Run(func() {
			for i := range 100 {
				hook.V(x, hook.Site(100+i))
				hook.P(x, hook.Site(300+i)).Set(i)
			}
			quiet = !hook.WatchReads && !hook.WatchWrites
		}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, "first"), Race: race})
		hook.On = false
		if !quiet {
			t.Errorf("race detection %v: accesses of the only goroutine are told", race)
		}
	}
}
