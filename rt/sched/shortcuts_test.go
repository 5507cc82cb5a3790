package sched

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// A crew is goroutines that lock mutexes and start others, for which they do not always wait. Some
// have others unlock what they locked.
type crew struct {
	rnd  *rand.Rand
	mus  [3]tmutex
	rw   trw
	flag int32
	word uint64
	left int // how many goroutines may still be started
}

func (f *crew) live(all *twg) {
	var mine twg
	for range f.rnd.IntN(12) {
		switch f.rnd.IntN(10) {
		case 0, 1:
			mu := &f.mus[f.rnd.IntN(len(f.mus))]
			mu.Lock()
			mu.Unlock()
		case 2:
			hook.V(&f.word, 7)
		case 3:
			mine.Wait()
		case 5:
			f.rw.Lock()
			f.rw.Unlock()
		case 6:
			f.rw.RLock()
			f.rw.RUnlock()
		case 7:
			mu := &f.mus[f.rnd.IntN(len(f.mus))]
			if hook.MutexTryLock(unsafe.Pointer(mu), false, 1) {
				mu.Unlock()
			}
		case 8:
			op := [...]uint8{hook.AtomicLoad, hook.AtomicStore, hook.AtomicRMW}[f.rnd.IntN(3)]
			hook.AtomicBegin(unsafe.Pointer(&f.flag), 4, op, 1)
			hook.AtomicEnd(op != hook.AtomicLoad, 1)
		case 4, 9:
			if f.left == 0 {
				break
			}
			f.left--
			all.Add(1)
			wg := &mine
			if f.rnd.IntN(2) == 0 {
				wg = new(twg)
			}
			wg.Add(1)
			var mu *tmutex
			if f.rnd.IntN(4) == 0 {
				mu = &f.mus[f.rnd.IntN(len(f.mus))]
				mu.Lock()
			}
			spawn(func() {
				if mu != nil {
					mu.Unlock()
				}
				f.live(all)
				wg.Add(-1)
				all.Add(-1)
			})
		}
	}
}

// What need not be joined leaves clocks as they are where all of them are joined.
func TestShortcutsKeepClocks(t *testing.T) {
	defer func(n trace.Chain) { shortcuts, trace.LowChains = true, n }(trace.LowChains)
	p := policyOf(t, "random")
	short := 0
	for seed := range uint64(5000) {
		var all [3][]trace.Clock
		for i, low := range []trace.Chain{1 << 20, 128, 3} {
			shortcuts, trace.LowChains = i > 0, low
			p.Begin(seed)
			S.Run(func() {
				f := &crew{rnd: rand.New(rand.NewPCG(seed, 0)), left: 30}
				var wg twg
				f.live(&wg)
				wg.Wait()
			}, Options{Schedule: &trace.Schedule{Policy: "random", Seed: seed}, Policy: p, Race: true})
			hook.On = false
			for _, g := range S.gs {
				all[i] = append(all[i], g.clock.Clock())
				if i == 1 && g.knows != 0 {
					short++
				}
			}
		}
		for _, a := range all[1:] {
			if !slices.EqualFunc(all[0], a, slices.Equal) {
				t.Fatalf("seed %d: clocks %v, joined %v", seed, a, all[0])
			}
		}
	}
	if t.Logf("%d goroutines", short); short == 0 {
		t.Error("no goroutine knows what one moment does")
	}
}
