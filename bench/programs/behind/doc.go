// Package behind has programs with a data race that a goroutine reaches only on one way of a
// branch, where the order of other goroutines decides the way, and the branch is no if statement: a
// call of a method of an interface or of a function value, a range over a map, a panic of the
// runtime, a select, a type switch, a draw, the time. Each has a fixed twin, in which the goroutine
// takes the lock.
//
// Around each there is noise: critical sections on which no branch depends.
package behind

import "sync"

// An account is what the goroutines race for.
type account struct {
	mu    sync.Mutex
	n     int
	fixed bool // set before any goroutine starts
}

// use changes the account under its lock.
func (a *account) use() {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
}

// slip changes it without the lock: the bug. In the fixed twin it takes the lock.
func (a *account) slip() {
	if a.fixed {
		a.use()
		return
	}
	a.n++
}

// noise makes critical sections that matter to no branch.
type noise struct {
	mu sync.Mutex
	n  int
}

func (z *noise) make(k int) {
	for range k {
		z.mu.Lock()
		z.n++
		z.mu.Unlock()
	}
}

// guarded is a value under a lock.
type guarded[T any] struct {
	mu sync.Mutex
	v  T
}

func (g *guarded[T]) set(v T) {
	g.mu.Lock()
	g.v = v
	g.mu.Unlock()
}

func (g *guarded[T]) get() T {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.v
}

// beside runs a writer and a reader beside a goroutine that uses the account properly.
func beside(a *account, writer, reader func()) {
	var z noise
	var wg sync.WaitGroup
	wg.Go(func() { z.make(5); writer() })
	wg.Go(func() { z.make(5); reader() })
	wg.Go(func() { z.make(5); a.use() })
	wg.Wait()
}
