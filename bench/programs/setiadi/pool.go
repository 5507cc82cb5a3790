package setiadi

import "sync"

// A pool hands out objects that a factory makes (Apache Commons Pool, Fig. 14). The factory may be
// replaced only while no object is handed out. Reading it without the lock races with replacing
// it, which happens only if the check comes before the first object is handed out.
type pool struct {
	mu        sync.Mutex
	factory   *int
	idle      []int
	numActive int
	made      int
	maxIdle   int // read-shared from here on
	lifo      bool
	closed    bool
}

// borrow takes an object.
func (p *pool) borrow() {
	p.mu.Lock()
	if !p.closed {
		p.numActive++
		p.made++
	}
	p.mu.Unlock()
}

// setFactory replaces the factory, unless objects are active.
func (p *pool) setFactory(f *int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.numActive > 0 {
		return false
	}
	p.idle = p.idle[:0]
	p.factory = f
	return true
}

// validate reads the factory without the lock.
func (p *pool) validate(more int) int {
	sum := *p.factory
	for range more { // accesses to other shared variables
		p.mu.Lock()
		p.made++
		p.mu.Unlock()
	}
	if p.lifo {
		sum += p.maxIdle
	}
	return sum
}

// Pool runs a borrower, a goroutine that replaces the factory and one that reads it, each with the
// given number of additional shared accesses.
func Pool(more int) {
	old, other := 1, 2
	p := &pool{factory: &old, idle: make([]int, 0, 4), maxIdle: 8, lifo: true}
	var wg sync.WaitGroup
	wg.Go(func() {
		p.borrow()
		p.busy(more)
	})
	wg.Go(func() {
		p.setFactory(&other)
		p.busy(more)
	})
	wg.Go(func() { p.validate(more) })
	wg.Wait()
}

// busy changes a variable that no branch depends on.
func (p *pool) busy(n int) {
	for range n {
		p.mu.Lock()
		p.made++
		p.mu.Unlock()
	}
}
