package peers

import (
	"sync"
	"sync/atomic"
	"testing"

	"heddle/bench/programs"
)

func equal(t *testing.T, got, want int) {
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestLocks(t *testing.T)      { equal(t, programs.Contend(4, 6), 24) }
func TestRing(t *testing.T)       { equal(t, programs.Ring(4, 6), 24) }
func TestCrowd1000(t *testing.T)  { equal(t, programs.Contend(1_000, 1), 1_000) }
func TestCrowd10000(t *testing.T) { equal(t, programs.Contend(10_000, 1), 10_000) }
func TestSections(t *testing.T)   { equal(t, programs.Contend(4, 2), 8) } // 2,520 orders

// TestPool: four workers take sixteen jobs out of a queue and wait for more by a condition.
func TestPool(t *testing.T) {
	const workers, jobs = 4, 16
	var mu, results sync.Mutex
	var wg sync.WaitGroup
	more := sync.NewCond(&mu)
	var waiting []int
	closed, sum := false, 0
	for range workers {
		wg.Go(func() {
			for {
				mu.Lock()
				for len(waiting) == 0 && !closed {
					more.Wait()
				}
				if len(waiting) == 0 {
					mu.Unlock()
					return
				}
				job := waiting[0]
				waiting = waiting[1:]
				mu.Unlock()
				results.Lock()
				sum += job
				results.Unlock()
			}
		})
	}
	for job := 1; job <= jobs; job++ {
		mu.Lock()
		waiting = append(waiting, job)
		mu.Unlock()
		more.Signal()
	}
	mu.Lock()
	closed = true
	mu.Unlock()
	more.Broadcast()
	wg.Wait()
	equal(t, sum, jobs*(jobs+1)/2)
}

// rotate: each of n goroutines swaps a word from one number to the next.
func rotate(n int) {
	var x atomic.Int64
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { x.CompareAndSwap(int64(i), int64(i+1)) })
	}
	wg.Wait()
}

func TestRotate4(t *testing.T) { rotate(4) }
func TestRotate9(t *testing.T) { rotate(9) }

// TestFib5 is Fib without a look at its largest value.
func TestFib5(t *testing.T) { _ = programs.Fib(5) }
