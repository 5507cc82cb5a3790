package richtest

import (
	"sync"
	"sync/atomic"
)

// Programs whose numbers of sequences were published or enumerated elsewhere. Shared variables are
// objects: a write is a send to the variable and a read a receive from it (section 2).

// Szymanski is Szymanski's mutual exclusion of two goroutines, once each, as in the benchmarks of
// SV-COMP. A wait looks at most rounds times, and then goes on. So both may be in the critical
// section; what it finds there is not judged.
func Szymanski(rounds int) error {
	var flags [2]atomic.Int32
	var x atomic.Int32
	var wg sync.WaitGroup
	for me := range 2 {
		mine, other := &flags[me], &flags[1-me]
		wg.Go(func() {
			mine.Store(1)
			for i := 0; i < rounds && other.Load() >= 3; i++ {
			}
			mine.Store(3)
			if other.Load() == 1 {
				mine.Store(2)
				for i := 0; i < rounds && other.Load() != 4; i++ {
				}
			}
			mine.Store(4)
			for i := 0; i < rounds && other.Load() >= 2; i++ {
			}
			x.Store(int32(me))
			x.Load()
			for i := 0; i < rounds && 2 <= other.Load() && other.Load() <= 3; i++ {
			}
			mine.Store(0)
		})
	}
	wg.Wait()
	return nil
}

// A binary is a binary semaphore: its first completed operation is a P if it is open, else a V, and
// then they alternate. A V of an open one waits, as does a P of one that is not.
type binary chan struct{}

func newBinary(open bool) binary {
	b := make(binary, 1)
	if !open {
		b <- struct{}{}
	}
	return b
}

func (b binary) P() { b <- struct{}{} }
func (b binary) V() { <-b }

// BinaryPairs has n goroutines with a P and a V each, of one binary semaphore that is open (Fig. 4
// for two). The goroutine that is through its P is the only one that comes to a V, so there are n!
// sequences.
func BinaryPairs(n int) error {
	b := newBinary(true)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			b.P()
			b.V()
		})
	}
	wg.Wait()
	return nil
}

// BinaryTurns has n goroutines that do P and n that do V of one binary semaphore. The operations
// alternate, the first being a P if it is open, else a V: n! orders of the P's with each of n! of
// the V's.
func BinaryTurns(n int, open bool) error {
	b := newBinary(open)
	var wg sync.WaitGroup
	for range n {
		wg.Go(b.P)
		wg.Go(b.V)
	}
	wg.Wait()
	return nil
}
