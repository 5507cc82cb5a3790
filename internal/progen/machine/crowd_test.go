package machine

import (
	"context"
	"slices"
	"testing"

	"heddle/internal/progen"
	"heddle/rt/sched"
	"heddle/trace"
)

// Goroutines that wait for an object as a crowd go on where they would by themselves.
func TestCrowdsChangeNothing(t *testing.T) {
	defer func(n int) { sched.ManyWaiters = n }(sched.ManyWaiters)
	size := progen.Default
	for seed := *from; seed < *from+10*uint64(*seeds); seed++ {
		size.Older = seed%2 == 0
		p := progen.Generate(seed, size)
		m := New(p)
		for choice := range uint64(10) {
			var want []trace.Step
			for _, sched.ManyWaiters = range []int{1 << 30, 0, 1} {
				r, err := m.Execute(context.Background(), &trace.Schedule{Policy: "random", Seed: choice})
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = slices.Clone(r.Steps)
				}
				if !slices.Equal(r.Steps, want) {
					t.Fatalf("seed %d, choices %d, crowds of more than %d: steps %v, want %v\n%s", seed,
						choice, sched.ManyWaiters, r.Steps, want, progen.Source(p))
				}
			}
		}
	}
}
