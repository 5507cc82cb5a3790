package sched

import (
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/rt/hook"
	"heddle/trace"
)

// A reference is what goroutines and locks know by the book: every lock joins,
// every unlock copies. The scheduler takes short cuts.
type reference struct {
	gs, locks []trace.Clock
}

func (r *reference) lock(g, m int)   { r.gs[g] = r.gs[g].Join(r.locks[m]) }
func (r *reference) unlock(g, m int) { r.locks[m] = r.locks[m].Copy(r.gs[g]); r.gs[g][g]++ }

// started is a go statement of g.
func (r *reference) started(g int) (child int) {
	child = len(r.gs)
	r.gs = append(r.gs, trace.Clock(nil).Copy(r.gs[g]).Set(trace.Chain(child), 1))
	r.gs[g][g]++
	return child
}

// known returns what a goroutine knows of the others, each of which has a chain of its own, without
// zeros at the end.
func known(v *trace.Vector) trace.Clock {
	c := v.Clock()[moments+1:]
	for len(c) > 0 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	return c
}

// Goroutines lock and unlock some mutexes, also those that others have locked; after each operation
// the clocks are those of the book.
func TestLockClocks(t *testing.T) {
	defer trace.ShareChains(true)
	trace.ShareChains(false)
	const goroutines, locks, ops = 40, 3, 60
	defer func(n trace.Chain) { trace.LowChains = n }(trace.LowChains)
	for i, name := range slices.Repeat(policies, 2) {
		shared := 0
		trace.LowChains = []trace.Chain{128, 3}[i/len(policies)]
		runAll(t, name, 20, func() {
			var ms [locks]tmutex
			// main and the timers
			ref := &reference{gs: []trace.Clock{{1}, {0, 1}}, locks: make([]trace.Clock, locks)}
			check := func(g int) {
				if got, want := known(&S.gs[g].clock), ref.gs[g]; !slices.Equal(got, want) {
					t.Errorf("%s: main/%d knows %v, want %v", name, g-1, got, want)
				}
			}
			var left []int // locks that a goroutine left locked
			running := goroutines
			caretaker := ref.started(0)
			spawn(func() { // is told by nothing that gives order
				for running > 0 || len(left) > 0 {
					if len(left) == 0 {
						hook.Gosched()
						continue
					}
					m := left[0]
					left = left[1:]
					ms[m].Unlock()
					ref.unlock(caretaker, m)
					check(caretaker)
				}
			})
			for range goroutines {
				id := ref.started(0)
				rnd := rand.New(rand.NewPCG(uint64(id), 1))
				spawn(func() {
					defer func() { running-- }()
					for range ops {
						m := rnd.IntN(locks)
						ms[m].Lock()
						ref.lock(id, m)
						check(id)
						if rnd.IntN(20) == 0 {
							left = append(left, m)
							shared++
							continue
						}
						ms[m].Unlock()
						ref.unlock(id, m)
						check(id)
					}
				})
			}
		}, func(tr *trace.Trace) {
			if tr.Verdict != trace.Finished {
				t.Fatalf("%s: %v", name, tr.Verdict)
			}
		})
		if shared == 0 {
			t.Fatal("no goroutine left an unlock to another one")
		}
	}
}
