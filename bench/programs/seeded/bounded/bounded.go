// Package bounded has a queue of bounded size. A capacity of 1 shows its bug with two calls.
package bounded

import (
	"errors"
	"sync"
)

// ErrFull is returned when there is no room.
var ErrFull = errors.New("full")

// Queue is bounded. Offer looks for room in one critical section and appends in another.
type Queue[T any] struct {
	mu    sync.Mutex
	items []T
	size  int
}

// NewQueue returns a queue for size items.
func NewQueue[T any](size int) (*Queue[T], error) {
	if size < 1 {
		return nil, errors.New("size must be positive")
	}
	return &Queue[T]{size: size}, nil
}

// Offer appends an item.
func (q *Queue[T]) Offer(v T) error {
	if q.Len() >= q.size {
		return ErrFull
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
	return nil
}

// Poll removes the first item.
func (q *Queue[T]) Poll() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return v, false
	}
	v = q.items[0]
	q.items = q.items[1:]
	return v, true
}

// Len returns the number of items.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// FixedQueue is the twin.
type FixedQueue[T any] struct{ q Queue[T] }

// NewFixedQueue returns a queue for size items.
func NewFixedQueue[T any](size int) (*FixedQueue[T], error) {
	q, err := NewQueue[T](size)
	if err != nil {
		return nil, err
	}
	return &FixedQueue[T]{q: Queue[T]{size: q.size}}, nil
}

// Offer appends an item.
func (q *FixedQueue[T]) Offer(v T) error {
	q.q.mu.Lock()
	defer q.q.mu.Unlock()
	if len(q.q.items) >= q.q.size {
		return ErrFull
	}
	q.q.items = append(q.q.items, v)
	return nil
}

// Poll removes the first item.
func (q *FixedQueue[T]) Poll() (T, bool) { return q.q.Poll() }

// Len returns the number of items.
func (q *FixedQueue[T]) Len() int { return q.q.Len() }
