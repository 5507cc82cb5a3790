package sched

import (
	"math/rand/v2"
	"testing"

	"heddle/trace"
)

// Searches between allocations find what sorting all of them would.
func TestAllocLog(t *testing.T) {
	s := &Sched{opt: Options{Schedule: &trace.Schedule{Exhaustive: true}}}
	r := rand.New(rand.NewPCG(1, 2))
	perm := r.Perm(5000)
	nth := make(map[int]int32) // i % 1500 tells which goroutine and which place
	for i, k := range perm {
		s.allocs = append(s.allocs, alloc{addr: uintptr(1000 + 16*k), size: 8, n: int32(k), g: trace.GID(i % 3), site: trace.Site(i % 500)})
		nth[k] = int32(i/1500) + 1
		if i%7 != 0 {
			continue
		}
		s.sortAllocs()
		for range 20 {
			known := perm[r.IntN(i+1)]
			if a, off, ok := s.allocOf(uintptr(1000 + 16*known + 3)); !ok || a.n != int32(known) || a.nth != nth[known] || off != 3 {
				t.Fatalf("after %d allocations: %d is %v, %d, %v", i+1, known, a, off, ok)
			}
			if _, _, ok := s.allocOf(uintptr(1000 + 16*known + 9)); ok {
				t.Fatalf("after %d allocations: found what is between two", i+1)
			}
		}
		if len(s.runs) > 20 {
			t.Fatalf("%d runs", len(s.runs))
		}
	}
}
