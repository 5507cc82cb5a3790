// Package builder has a limiter that is made with a builder.
package builder

import (
	"errors"
	"sync"
)

// A Builder collects what a limiter is to be.
type Builder struct {
	limit int
	name  string
}

// NewBuilder returns a builder of limiters that let nothing through.
func NewBuilder() *Builder { return &Builder{} }

// Limit sets how much is let through.
func (b *Builder) Limit(n int) *Builder { b.limit = n; return b }

// Name sets the name.
func (b *Builder) Name(name string) *Builder { b.name = name; return b }

// Build makes the limiter.
func (b *Builder) Build() (*Limiter, error) {
	if b.limit < 0 {
		return nil, errors.New("negative limit")
	}
	return &Limiter{left: b.limit}, nil
}

// BuildFixed makes the twin.
func (b *Builder) BuildFixed() (*FixedLimiter, error) {
	if b.limit < 0 {
		return nil, errors.New("negative limit")
	}
	return &FixedLimiter{left: b.limit}, nil
}

// Limiter lets so much through. Allow reads without the lock.
type Limiter struct {
	mu   sync.Mutex
	left int
}

// Allow reports whether something is let through.
func (l *Limiter) Allow() bool {
	if l.Left() == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left--
	return true
}

// Left returns how much is left.
func (l *Limiter) Left() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

// FixedLimiter is the twin.
type FixedLimiter struct {
	mu   sync.Mutex
	left int
}

// Allow reports whether something is let through.
func (l *FixedLimiter) Allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 {
		return false
	}
	l.left--
	return true
}

// Left returns how much is left.
func (l *FixedLimiter) Left() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}
