package sched

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// A family is goroutines that start others, wait for some of them, lock, and access a few
// variables.
type family struct {
	vars  [6]int
	mus   [2]tmutex
	seed  uint64
	begun int
	who   map[trace.Site]trace.GID
}

func (f *family) member(name uint64, depth int) {
	f.begun++
	rnd := rand.New(rand.NewPCG(f.seed, name))
	at := trace.Site(len(f.who) + 1)
	f.who[at], f.who[at+1], f.who[at+2] = S.cur.id, S.cur.id, S.cur.id
	for i := range uint64(6) {
		switch v := rnd.IntN(len(f.vars)); rnd.IntN(6) {
		case 0:
			hook.Write(unsafe.Pointer(&f.vars[v]), 8, hook.Site(at))
		case 1, 2:
			hook.Read(unsafe.Pointer(&f.vars[v]), 8, hook.Site(at+1))
		case 3:
			mu := &f.mus[v%2]
			mu.Lock()
			hook.Write(unsafe.Pointer(&f.vars[v]), 8, hook.Site(at+2))
			mu.Unlock()
		case 4, 5:
			if depth == 0 || f.begun > 40 {
				continue
			}
			child, waits := name*7+i, rnd.IntN(4) > 0
			wg := new(twg)
			wg.Add(1)
			spawn(func() {
				f.member(child, depth-1)
				wg.Add(-1)
			})
			if waits {
				wg.Wait()
			}
		}
	}
}

// Goroutines that share a chain hide no race, and show none that is not there: every place is first
// found to race at the step at which it is where each goroutine has a chain of its own.
func TestChains(t *testing.T) {
	defer trace.ShareChains(true)
	races, shared := 0, 0
	for _, name := range policies {
		for seed := range uint64(300) {
			var all [2][]map[trace.Site]int
			for i, share := range [2]bool{false, true} {
				trace.ShareChains(share)
				f := new(family)
				runAll(t, name, 3, func() {
					*f = family{seed: seed,
						who: map[trace.Site]trace.GID{}}
					f.member(1, 4)
				}, func(tr *trace.Trace) {
					first := map[trace.Site]int{}
					for _, r := range S.Races() {
						if f.who[r.Prev] != r.PrevG || f.who[r.At] != r.G {
							t.Fatalf("%s, seed %d: %+v, but the earlier place is goroutine %d's, the later one %d's", name, seed, r, f.who[r.Prev], f.who[r.At])
						}
						if _, ok := first[r.At]; !ok {
							first[r.At] = r.Step
						}
					}
					all[i] = append(all[i], first)
					races += len(first)
					if share {
						shared += len(S.gs) + 1 - len(S.det.chains.links)
					}
				})
			}
			if !reflect.DeepEqual(all[0], all[1]) {
				t.Fatalf("%s, seed %d: steps at which places race first\n%v, where every goroutine has its own chain\n%v", name, seed, all[1], all[0])
			}
		}
	}
	t.Logf("%d places race, %d goroutines went on with a chain", races, shared)
	if races == 0 || shared == 0 {
		t.Error("the programs show nothing")
	}
}

// Goroutines one after the other take as many chains as there are at a time.
func TestChainsAreFew(t *testing.T) {
	runAll(t, "random", 5, func() {
		for range 200 {
			var wg twg
			wg.Add(3)
			for range 3 {
				spawn(func() { wg.Add(-1) })
			}
			wg.Wait()
		}
	}, func(*trace.Trace) {
		if n := len(S.det.chains.links); n > 20 {
			t.Errorf("%d chains", n)
		}
	})
}
