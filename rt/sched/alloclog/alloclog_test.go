package alloclog

import (
	"math/rand/v2"
	"testing"

	"heddle/trace"
)

// Searches between allocations find what sorting all of them would.
func TestFind(t *testing.T) {
	var l Log
	l.Reset(true)
	r := rand.New(rand.NewPCG(1, 2))
	perm := r.Perm(5000)
	nth := make(map[int]int32) // i % 1500 tells which goroutine and which place
	for i, k := range perm {
		g, site := trace.GID(i%3), trace.Site(i%500)
		*l.Add() = Alloc{Addr: uintptr(1000 + 16*k), Size: 8, N: int32(k), G: g, Site: site}
		nth[k] = int32(i/1500) + 1
		if i%7 != 0 {
			continue
		}
		for range 20 {
			known := perm[r.IntN(i+1)]
			a, off, ok := l.Find(uintptr(1000 + 16*known + 3))
			if !ok || a.N != int32(known) || a.Nth != nth[known] || off != 3 {
				t.Fatalf("after %d allocations: %d is %v, %d, %v", i+1, known, a, off, ok)
			}
			if _, _, ok := l.Find(uintptr(1000 + 16*known + 9)); ok {
				t.Fatalf("after %d allocations: found what is between two", i+1)
			}
		}
		if len(l.runs) > 20 {
			t.Fatalf("%d runs", len(l.runs))
		}
	}
	l.Reset(false)
	if l.Contains(1000) {
		t.Error("a log that was reset contains an allocation")
	}
	*l.Add() = Alloc{Addr: 1000}
	if a, _, ok := l.Find(1000); !ok || a.Nth != 0 || !l.Contains(1000) || l.Contains(1001) {
		t.Errorf("of one empty allocation Find returns %v, %v", a, ok)
	}
}
