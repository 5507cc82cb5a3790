package cluster

import (
	"math/rand/v2"
	"testing"
	"time"
)

// treeOf returns a tree of n executions.
func treeOf(seed uint64, n int) (t Tree) {
	r := rand.New(rand.NewPCG(seed, 4))
	for t = (Tree{0}); len(t) < n; {
		last := t[len(t)-1]
		t = append(t, max(1, min(last+1-r.IntN(4)/2, 14)))
	}
	return t
}

// Every execution is made once for any number of workers, and more workers are faster.
func TestSimulation(t *testing.T) {
	for seed := range uint64(5) {
		tree := treeOf(seed, 20_000)
		took := time.Duration(0)
		for _, workers := range []int{1, 2, 8, 40} {
			s := Simulation{Tree: tree, Workers: workers, Execution: time.Millisecond,
				Delay: time.Millisecond, Item: 100 * time.Microsecond, Quantum: 200 * time.Millisecond,
				Seed: seed}
			out := s.Run()
			if out.Executions != len(tree) {
				t.Errorf("seed %d, %d workers: %+v, want %d executions", seed, workers, out, len(tree))
			}
			if took > 0 && out.Took > took {
				t.Errorf("seed %d: %d workers took %v, fewer took %v", seed, workers, out.Took, took)
			}
			if out.Utilisation > 1 {
				t.Errorf("%+v", out)
			}
			took = out.Took
		}
	}
}
