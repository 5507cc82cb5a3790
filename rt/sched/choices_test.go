package sched

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"testing"

	"heddle/rt/hook"
	"heddle/trace"
)

// The first draws of an execution are choices; of many, every value comes up under any policy.
func TestDraws(t *testing.T) {
	for _, name := range []string{"first", "random"} {
		for _, n := range []int{drawnChoices, 20 * drawnChoices} {
			var drawn [3]int
			tr := S.Run(func() {
				for range n {
					drawn[hook.Draw(3, 5)]++
				}
			}, Options{Schedule: new(trace.Schedule), Policy: policyOf(t, name)})
			choices := 0
			for _, s := range tr.Steps {
				if s.Op == trace.OpChoose {
					choices++
				}
			}
			if choices != drawnChoices {
				t.Errorf("%s: %d of %d draws are choices", name, choices, n)
			}
			if n > drawnChoices && (drawn[0] == 0 || drawn[1] == 0 || drawn[2] == 0) {
				t.Errorf("%s: of %d draws, %v", name, n, drawn)
			}
		}
	}
}

// TestByKeys compares byKeys with package sort.
func TestByKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		ks, got, want := make([]sortKey, n), make([]int, n), make([]int, n)
		for i := range ks {
			ks[i] = keyOf(r.IntN(1 + n/2))
			if r.IntN(4) == 0 {
				ks[i] = keyOf(strconv.Itoa(r.IntN(9)))
			}
			got[i], want[i] = i, i
		}
		sort.SliceStable(want, func(i, j int) bool { return ks[want[i]].less(&ks[want[j]]) })
		if byKeys(got, make([]int, n/2), ks); !slices.Equal(got, want) {
			t.Fatalf("%d keys: %v, want %v", n, got, want)
		}
	}
}
