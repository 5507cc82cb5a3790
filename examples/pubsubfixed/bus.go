// Package pubsub sends every message to all subscribers.
package pubsub

import (
	"slices"
	"sync"
)

// A Bus has subscribers.
type Bus struct {
	mu   sync.Mutex
	subs []*Sub
}

// A Sub receives the messages published while it is subscribed.
type Sub struct {
	C    chan string
	bus  *Bus
	left chan struct{} // closed by Unsubscribe
	once sync.Once
}

// Subscribe returns a new subscription.
func (b *Bus) Subscribe() *Sub {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &Sub{C: make(chan string), bus: b, left: make(chan struct{})}
	b.subs = append(b.subs, s)
	return s
}

// Unsubscribe ends the subscription: C need not be read any more.
func (s *Sub) Unsubscribe() {
	s.once.Do(func() { close(s.left) })
	b := s.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = slices.DeleteFunc(b.subs, func(other *Sub) bool { return other == s })
}

// Publish sends message to all subscribers, one after the other.
func (b *Bus) Publish(message string) {
	b.mu.Lock()
	subs := slices.Clone(b.subs)
	b.mu.Unlock()
	for _, s := range subs {
		select {
		case s.C <- message:
		case <-s.left:
		}
	}
}
