// Package permits has a semaphore that is made with options.
package permits

import "sync/atomic"

type config struct{ permits int64 }

// An Option changes how a semaphore is made.
type Option func(*config)

// WithPermits sets the number of permits; there are 4 otherwise.
func WithPermits(n uint8) Option { return func(c *config) { c.permits = int64(n) } }

func make(opts []Option) config {
	c := config{4}
	for _, o := range opts {
		o(&c)
	}
	return c
}

// Semaphore gives permits. TryAcquire looks and takes in two steps.
type Semaphore struct{ free atomic.Int64 }

// NewSemaphore returns a semaphore.
func NewSemaphore(opts ...Option) *Semaphore {
	s := &Semaphore{}
	s.free.Store(make(opts).permits)
	return s
}

// TryAcquire takes a permit, if there is one.
func (s *Semaphore) TryAcquire() bool {
	if s.free.Load() < 1 {
		return false
	}
	s.free.Add(-1)
	return true
}

// Free returns the number of permits.
func (s *Semaphore) Free() int64 { return s.free.Load() }

// FixedSemaphore is the twin.
type FixedSemaphore struct{ free atomic.Int64 }

// NewFixedSemaphore returns a semaphore.
func NewFixedSemaphore(opts ...Option) *FixedSemaphore {
	s := &FixedSemaphore{}
	s.free.Store(make(opts).permits)
	return s
}

// TryAcquire takes a permit, if there is one.
func (s *FixedSemaphore) TryAcquire() bool {
	for {
		n := s.free.Load()
		if n < 1 {
			return false
		}
		if s.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// Free returns the number of permits.
func (s *FixedSemaphore) Free() int64 { return s.free.Load() }
