// Package event has something that happens, and that goroutines wait for.
package event

import "sync"

// Event happens once, until it is reset. Wait looks whether it has happened, and then puts itself
// on the list of those that wait: if it happens in between, Wait is not woken.
type Event struct {
	mu      sync.Mutex
	set     bool
	waiters []chan struct{}
}

// Set has the event happen.
func (e *Event) Set() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set = true
	for _, w := range e.waiters {
		close(w)
	}
	e.waiters = nil
}

// IsSet reports whether the event has happened.
func (e *Event) IsSet() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.set
}

// Reset has the event not happened yet.
func (e *Event) Reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set = false
}

// Wait waits until the event happens.
func (e *Event) Wait() {
	if e.IsSet() {
		return
	}
	w := make(chan struct{})
	e.mu.Lock()
	e.waiters = append(e.waiters, w)
	e.mu.Unlock()
	<-w
}

// FixedEvent is the twin.
type FixedEvent struct{ e Event }

// Set has the event happen.
func (e *FixedEvent) Set() { e.e.Set() }

// IsSet reports whether the event has happened.
func (e *FixedEvent) IsSet() bool { return e.e.IsSet() }

// Reset has the event not happened yet.
func (e *FixedEvent) Reset() { e.e.Reset() }

// Wait waits until the event happens.
func (e *FixedEvent) Wait() {
	e.e.mu.Lock()
	if e.e.set {
		e.e.mu.Unlock()
		return
	}
	w := make(chan struct{})
	e.e.waiters = append(e.e.waiters, w)
	e.e.mu.Unlock()
	<-w
}
