// Package heap has a queue by priority.
package heap

import (
	"slices"
	"sync"
)

// Queue gives the least item first. PopBelow looks in one critical section and removes in another.
type Queue[T any] struct {
	mu    sync.Mutex
	cmp   func(a, b T) int
	items []T
}

// NewQueueFunc returns a queue in the order of cmp.
func NewQueueFunc[T any](cmp func(a, b T) int) *Queue[T] { return &Queue[T]{cmp: cmp} }

// Push adds an item.
func (q *Queue[T]) Push(v T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
	slices.SortStableFunc(q.items, q.cmp)
}

// Peek returns the least item.
func (q *Queue[T]) Peek() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return v, false
	}
	return q.items[0], true
}

// Pop removes the least item.
func (q *Queue[T]) Pop() (v T, ok bool) {
	if v, ok = q.Peek(); !ok {
		return v, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 {
		q.items = q.items[1:]
	}
	return v, true
}

// FixedQueue is the twin.
type FixedQueue[T any] struct{ q Queue[T] }

// NewFixedQueueFunc returns a queue in the order of cmp.
func NewFixedQueueFunc[T any](cmp func(a, b T) int) *FixedQueue[T] {
	return &FixedQueue[T]{Queue[T]{cmp: cmp}}
}

// Push adds an item.
func (q *FixedQueue[T]) Push(v T) { q.q.Push(v) }

// Pop removes the least item.
func (q *FixedQueue[T]) Pop() (v T, ok bool) {
	q.q.mu.Lock()
	defer q.q.mu.Unlock()
	if len(q.q.items) == 0 {
		return v, false
	}
	v = q.q.items[0]
	q.q.items = q.q.items[1:]
	return v, true
}
