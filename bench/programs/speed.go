package programs

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Ring passes a token round a ring of n goroutines (the caller is one of them) over unbuffered
// channels. Every goroutine performs 2*rounds operations, and after each of them another goroutine
// must run: Ring(4, 6) is 4 goroutines with 12 synchronisation operations each. It returns the
// token, to which each goroutine adds 1: n*rounds.
func Ring(n, rounds int) int {
	ring := make([]chan int, n)
	for i := range ring {
		ring[i] = make(chan int)
	}
	for i := 1; i < n; i++ {
		in, out := ring[i], ring[(i+1)%n]
		go func() {
			for range rounds {
				out <- <-in + 1
			}
		}()
	}
	token := 0
	for range rounds {
		ring[1%n] <- token
		token = <-ring[0] + 1
	}
	return token
}

// Yielders starts n goroutines that call runtime.Gosched ops times each: nothing but switches.
func Yielders(n, ops int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range ops {
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
}

// Contend starts n goroutines that lock and unlock one mutex pairs times each, and returns how
// often it was held: n*pairs. Contend(4, 6) is 4 goroutines with 12 synchronisation operations
// each; the policy decides how many of them switch.
func Contend(n, pairs int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	held := 0
	for range n {
		wg.Go(func() {
			for range pairs {
				mu.Lock()
				held++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return held
}

// Locks locks and unlocks a free mutex n times: 2*n visible operations without a switch.
func Locks(n int) {
	var mu sync.Mutex
	for range n {
		mu.Lock()
		mu.Unlock()
	}
}

// Atomics adds 1 to an atomic n times and returns it: n visible operations without a switch.
func Atomics(n int) int64 {
	var x atomic.Int64
	for range n {
		x.Add(1)
	}
	return x.Load()
}

// Buffered sends to and receives from a buffered channel n times each: 2*n visible operations
// without a switch.
func Buffered(n int) int {
	ch := make(chan int, 1)
	sum := 0
	for i := range n {
		ch <- i
		sum += <-ch
	}
	return sum
}

// A Vars has the variables of Accesses. It is on the heap and shared by address.
type Vars [100]int

// Accesses performs 1,000 plain accesses to the 100 variables, 500 reads and 500 writes, and
// returns the sum of the values read.
func Accesses(v *Vars) int {
	sum := 0
	for range 5 {
		for i := range v {
			sum += v[i]
			v[i] = sum
		}
	}
	return sum
}

// SharedAccesses lets two goroutines do Accesses on the same variables, one after the other.
func SharedAccesses(v *Vars) int {
	sum := make(chan int)
	go func() { sum <- Accesses(v) }()
	return <-sum + Accesses(v)
}
