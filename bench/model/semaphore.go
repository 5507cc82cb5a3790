package model

import (
	"sync"
	"unsafe"

	"heddle/rt/hook"
)

// A Semaphore is a counting semaphore.
type Semaphore struct {
	first int // count before the first operation

	mu    sync.Mutex // without heddle
	free  sync.Cond
	count int
}

// NewSemaphore returns a semaphore with a count of n.
func NewSemaphore(n int) *Semaphore {
	s := &Semaphore{first: n, count: n}
	s.free.L = &s.mu
	return s
}

// P takes one unit, and waits until there is one.
func (s *Semaphore) P() {
	if hook.Acquire(unsafe.Pointer(s), s.first) {
		return
	}
	s.mu.Lock()
	for s.count == 0 {
		s.free.Wait()
	}
	s.count--
	s.mu.Unlock()
}

// V returns one unit.
func (s *Semaphore) V() {
	if hook.Release(unsafe.Pointer(s), s.first) {
		return
	}
	s.mu.Lock()
	s.count++
	s.free.Signal()
	s.mu.Unlock()
}
