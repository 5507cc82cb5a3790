package shared

import (
	"sync"
	"testing"
)

// TestRounds, for mcr: two goroutines change three variables, each under a lock, depending on the
// value of another one.
func TestRounds(t *testing.T) {
	var v [3]int
	var mu [3]sync.Mutex
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for i := range 4 {
				k, l := (g+i)%3, (g+i+1)%3
				mu[k].Lock()
				v[k] += g + 1
				mu[k].Unlock()
				mu[l].Lock()
				x := v[l]
				mu[l].Unlock()
				mu[k].Lock()
				v[k] += x
				mu[k].Unlock()
			}
		})
	}
	wg.Wait()
}

// TestLocks, for predict: three goroutines use many locks, never two at once. Each pair of
// accesses under one lock is a question.
func TestLocks(t *testing.T) {
	var v [20]int
	var mu [20]sync.Mutex
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for range 16 {
				for i := range mu {
					mu[i].Lock()
					v[i] += g
					mu[i].Unlock()
				}
			}
		})
	}
	wg.Wait()
}
