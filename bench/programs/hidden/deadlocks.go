package hidden

import (
	"sync"
	"sync/atomic"
)

// OnceMutex: setup takes the lock that a user of the Once holds.
func OnceMutex(f bool) {
	var (
		mu   sync.Mutex
		once sync.Once
		n    int
		wg   sync.WaitGroup
	)
	setup := func() {
		mu.Lock()
		n++
		mu.Unlock()
	}
	wg.Go(func() { once.Do(setup) })
	wg.Go(func() {
		if f {
			once.Do(setup)
			mu.Lock()
			n++
			mu.Unlock()
			return
		}
		mu.Lock()
		n++
		if n > 0 { // always
			once.Do(func() { n++ })
		}
		mu.Unlock()
	})
	wg.Wait()
}

// OnceMutexPlain: the same without a condition: one goroutine sets up with the lock held.
func OnceMutexPlain(f bool) {
	var (
		mu    sync.Mutex
		once  sync.Once
		ready int
		wg    sync.WaitGroup
	)
	load := func() { ready = 1 }
	wg.Go(func() {
		once.Do(func() {
			mu.Lock()
			ready = 2
			mu.Unlock()
		})
	})
	wg.Go(func() {
		if f {
			once.Do(load)
			mu.Lock()
		} else {
			mu.Lock()
			once.Do(load)
		}
		mu.Unlock()
	})
	wg.Wait()
	_ = ready
}

// TwoOnces: each Once needs the other one.
func TwoOnces(f bool) {
	var (
		a, b sync.Once
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		a.Do(func() { b.Do(func() {}) })
	})
	wg.Go(func() {
		if f {
			a.Do(func() {})
			b.Do(func() {})
			return
		}
		b.Do(func() { a.Do(func() {}) })
	})
	wg.Wait()
}

// OnceRead: a Once and an RWMutex that is held for reading.
func OnceRead(f bool) {
	var (
		mu   sync.RWMutex
		once sync.Once
		m    = map[int]int{}
		wg   sync.WaitGroup
	)
	fill := func() {
		mu.Lock()
		m[1] = 1
		mu.Unlock()
	}
	wg.Go(func() { once.Do(fill) })
	wg.Go(func() {
		if f {
			once.Do(fill)
		}
		mu.RLock()
		_ = m[1]
		if !f {
			once.Do(func() {})
		}
		mu.RUnlock()
	})
	wg.Wait()
}

// LateLocks: the goroutine that takes the locks the other way round does so only if it comes first.
func LateLocks(f bool) {
	var (
		a, b  sync.Mutex
		ready atomic.Bool
		wg    sync.WaitGroup
	)
	wg.Go(func() {
		ready.Store(true)
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() {
		if ready.Load() {
			return
		}
		first, then := &b, &a
		if f {
			first, then = &a, &b
		}
		first.Lock()
		then.Lock()
		then.Unlock()
		first.Unlock()
	})
	wg.Wait()
}

// LateSelect: the case that takes the locks the other way round is not the one that comes first.
func LateSelect(f bool) {
	var (
		a, b sync.Mutex
		c, d = make(chan int, 1), make(chan int, 1)
		wg   sync.WaitGroup
	)
	wg.Go(func() {
		a.Lock()
		c <- 1
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	wg.Go(func() { d <- 1 })
	wg.Go(func() {
		select {
		case <-c:
		case <-d:
			first, then := &b, &a
			if f {
				first, then = &a, &b
			}
			first.Lock()
			then.Lock()
			then.Unlock()
			first.Unlock()
		}
	})
	wg.Wait()
}
