// Package events delivers events to one subscriber.
package events

import "sync"

type Bus struct {
	mu     sync.Mutex
	closed bool
	out    chan string
}

func New() *Bus { return &Bus{out: make(chan string, 16)} }

// Publish sends an event, unless the bus is closed.
func (b *Bus) Publish(event string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	select {
	case b.out <- event:
		return true
	default:
		return false
	}
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
