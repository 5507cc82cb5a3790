// Package token has a lock for readers that gives a token to each.
package token

import (
	"sync"
	"sync/atomic"
)

// A Token is what a reader gives back.
type Token struct {
	slot int
	held bool
}

// RWLock counts readers in slots. TryLock looks at the slots one after the other without keeping
// readers out.
type RWLock struct {
	slots  [2]atomic.Int32
	next   atomic.Uint32
	writer atomic.Bool
	turns  int
}

// TryRLock returns a token, or nil while there is a writer.
func (l *RWLock) TryRLock() *Token {
	if l.writer.Load() {
		return nil
	}
	t := &Token{slot: int(l.next.Add(1) % 2), held: true}
	l.slots[t.slot].Add(1)
	return t
}

// RUnlock takes a token back. It panics if that is not held.
func (l *RWLock) RUnlock(t *Token) {
	if t == nil || !t.held {
		panic("token: not held")
	}
	t.held = false
	l.slots[t.slot].Add(-1)
}

// Update counts a turn if nothing else is under way, and returns the count; -1 if it is.
func (l *RWLock) Update() int {
	if !l.writer.CompareAndSwap(false, true) {
		return -1
	}
	defer l.writer.Store(false)
	for i := range l.slots {
		if l.slots[i].Load() > 0 {
			return -1
		}
	}
	l.turns++
	return l.turns
}

// Turns returns the count, as the holder of a token sees it.
func (l *RWLock) Turns(t *Token) int {
	if t == nil || !t.held {
		panic("token: not held")
	}
	return l.turns
}

// FixedRWLock is the twin.
type FixedRWLock struct {
	mu      sync.Mutex
	readers int
	turns   int
}

// TryRLock returns a token.
func (l *FixedRWLock) TryRLock() *Token {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers++
	return &Token{held: true}
}

// RUnlock takes a token back. It panics if that is not held.
func (l *FixedRWLock) RUnlock(t *Token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t == nil || !t.held {
		panic("token: not held")
	}
	t.held = false
	l.readers--
}

// Update counts a turn if nothing else is under way.
func (l *FixedRWLock) Update() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.readers > 0 {
		return -1
	}
	l.turns++
	return l.turns
}

// Turns returns the count, as the holder of a token sees it.
func (l *FixedRWLock) Turns(t *Token) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t == nil || !t.held {
		panic("token: not held")
	}
	return l.turns
}
