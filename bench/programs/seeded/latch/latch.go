// Package latch has a latch that opens when it was counted down.
package latch

import (
	"context"
	"sync"
	"sync/atomic"
)

// Latch opens at zero. Two goroutines that count down to zero may both close its channel, which
// panics.
type Latch struct {
	left atomic.Int64
	open chan struct{}
}

// NewLatch returns a latch that n counts open.
func NewLatch(n uint8) *Latch {
	l := &Latch{open: make(chan struct{})}
	l.left.Store(int64(n) + 1)
	return l
}

// CountDown counts.
func (l *Latch) CountDown() {
	if l.left.Load() > 0 {
		l.left.Add(-1)
		if l.left.Load() == 0 {
			close(l.open)
		}
	}
}

// Wait waits until the latch is open.
func (l *Latch) Wait(ctx context.Context) error {
	select {
	case <-l.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Left returns how often it is to be counted.
func (l *Latch) Left() int64 { return max(0, l.left.Load()) }

// FixedLatch is the twin.
type FixedLatch struct {
	mu   sync.Mutex
	left int64
	open chan struct{}
}

// NewFixedLatch returns a latch that n counts open.
func NewFixedLatch(n uint8) *FixedLatch {
	return &FixedLatch{open: make(chan struct{}), left: int64(n) + 1}
}

// CountDown counts.
func (l *FixedLatch) CountDown() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left > 0 {
		if l.left--; l.left == 0 {
			close(l.open)
		}
	}
}

// Wait waits until the latch is open.
func (l *FixedLatch) Wait(ctx context.Context) error {
	select {
	case <-l.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Left returns how often it is to be counted.
func (l *FixedLatch) Left() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}
