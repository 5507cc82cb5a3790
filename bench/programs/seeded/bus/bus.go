// Package bus has subscriptions with numbers.
package bus

import "sync"

// An ID is of one subscription.
type ID uint64

// Bus counts what subscribers get. Subscribe takes its number before the lock.
type Bus struct {
	mu   sync.Mutex
	next ID
	subs map[ID]int
}

// NewBus returns a bus.
func NewBus() *Bus { return &Bus{subs: map[ID]int{}} }

// Subscribe returns the number of a new subscription.
func (b *Bus) Subscribe() ID {
	b.mu.Lock()
	id := b.next + 1
	b.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = id
	b.subs[id] = 0
	return id
}

// Unsubscribe ends a subscription and returns how much it got; -1 if there is none.
func (b *Bus) Unsubscribe(id ID) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.subs[id]
	if !ok {
		return -1
	}
	delete(b.subs, id)
	return n
}

// Publish gives something to all and returns to how many.
func (b *Bus) Publish() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.subs {
		b.subs[id]++
	}
	return len(b.subs)
}

// FixedBus is the twin.
type FixedBus struct{ b Bus }

// NewFixedBus returns a bus.
func NewFixedBus() *FixedBus { return &FixedBus{Bus{subs: map[ID]int{}}} }

// Subscribe returns the number of a new subscription.
func (b *FixedBus) Subscribe() ID {
	b.b.mu.Lock()
	defer b.b.mu.Unlock()
	b.b.next++
	b.b.subs[b.b.next] = 0
	return b.b.next
}

// Unsubscribe ends a subscription.
func (b *FixedBus) Unsubscribe(id ID) int { return b.b.Unsubscribe(id) }

// Publish gives something to all.
func (b *FixedBus) Publish() int { return b.b.Publish() }
