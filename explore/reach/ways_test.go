package reach

import (
	"testing"

	"heddle/explore/why"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
)

// TestWays: with a bound on the races that a variant reverses no sequence comes twice, a smaller
// bound gives a subset, and a large one everything.
func TestWays(t *testing.T) {
	fewer, programs := 0, 0
	for seed := uint64(1); seed <= 400; seed++ {
		p := progen.Generate(seed, progen.Default)
		var before map[string]int
		for _, ways := range []int{1, 2, 3, 1000, 0} {
			s, keys, _, err := exercise(machine.New(p), Options{Ways: ways}, 3000)
			if err != nil {
				break // too large
			}
			if r := s.Result(); r.Complete != (ways == 0) || ways > 0 && r.Reason.Code != why.Wished {
				t.Fatalf("seed %d, %d ways: complete %v, %v", seed, ways, r.Complete, r.Reason)
			}
			for k, n := range keys {
				if n > 1 {
					t.Fatalf("seed %d, %d ways: %d times\n%s", seed, ways, n, k)
				}
			}
			for k := range before {
				if keys[k] == 0 {
					t.Fatalf("seed %d: not with %d ways, but with fewer:\n%s", seed, ways, k)
				}
			}
			switch {
			case ways == 0 && len(keys) != len(before):
				t.Fatalf("seed %d: %d sequences with 1000 ways, %d in all", seed, len(before), len(keys))
			case ways == 2 && len(keys) > len(before):
				fewer++
			case ways == 0:
				programs++
			}
			before = keys
		}
	}
	if programs < 100 || fewer < 10 {
		t.Errorf("%d programs, in %d of them one way gives fewer sequences than two", programs, fewer)
	}
	t.Logf("%d programs, in %d of them one way gives fewer sequences than two", programs, fewer)
}
