package programs

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Fib is the Fib program of SV-COMP (Kähkönen et al., Fib 1 is Fib(4), Fib 2 is Fib(5)): i and j
// start at 1; one goroutine does i = i+j and another one j = j+i, n times each, reading its own
// variable first. The caller reads i and then j without waiting for the goroutines; its wait
// afterwards adds no order.
//
// Bug: the largest possible value, the Fibonacci number 2n+2 (144 for n = 5), is reached only if
// the two alternate all the time and the caller reads at the end.
func Fib(n int) error {
	var i, j atomic.Int32
	i.Store(1)
	j.Store(1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			a := i.Load()
			b := j.Load()
			i.Store(a + b)
		}
	})
	wg.Go(func() {
		for range n {
			b := j.Load()
			a := i.Load()
			j.Store(b + a)
		}
	})
	limit := fibonacci(2*n + 2)
	var err error
	if x := i.Load(); x >= limit {
		err = fmt.Errorf("fib: i is %d", x)
	} else if y := j.Load(); y >= limit {
		err = fmt.Errorf("fib: j is %d", y)
	}
	wg.Wait()
	return err
}

func fibonacci(n int) int32 {
	a, b := int32(0), int32(1)
	for range n {
		a, b = b, a+b
	}
	return a
}

// Philosophers is the dining philosophers, n of them with a number of meals each (Kähkönen et al.,
// Dining 1 to 3: n = 4 to 6, 2 meals). Each takes the left fork first, then the right one.
//
// Bug: all may hold their left fork.
func Philosophers(n, meals int) {
	forks := make([]sync.Mutex, n)
	var wg sync.WaitGroup
	for i := range n {
		left, right := &forks[i], &forks[(i+1)%n]
		wg.Go(func() {
			for range meals {
				left.Lock()
				right.Lock()
				right.Unlock()
				left.Unlock()
			}
		})
	}
	wg.Wait()
}

// SingleLock lets n goroutines pass a critical section of three accesses a number of times each,
// and returns the number of passes (Kähkönen et al., Single lock 1: SingleLock(4, 2)). There is no
// bug.
func SingleLock(n, times int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	x, y := 0, 0
	for range n {
		wg.Go(func() {
			for range times {
				mu.Lock()
				x++
				y = x
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return y
}
