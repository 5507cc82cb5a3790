// Package events delivers events to one subscriber.
package events

import "sync"

type Bus struct {
	mu     sync.Mutex
	closed bool
	out    chan string
}

func New() *Bus { return &Bus{out: make(chan string, 16)} }

func (b *Bus) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Publish sends an event, unless the bus is closed.
func (b *Bus) Publish(event string) bool {
	if b.isClosed() {
		return false
	}
	b.out <- event
	return true
}

// Close ends the subscriber.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.out)
	}
}
