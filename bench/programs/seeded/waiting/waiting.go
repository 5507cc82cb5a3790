// Package waiting has a bounded queue whose callers wait for room and for items.
package waiting

import "sync"

// Queue is bounded, first in, first out. Get looks once whether there is an item after it was
// woken: another Get may have taken it.
type Queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []string
	size  int
}

// New returns a queue with room for size items.
func New(size int) *Queue {
	q := &Queue{size: size}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Put appends an item; it waits while there is no room.
func (q *Queue) Put(s string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) >= q.size {
		q.cond.Wait()
	}
	q.items = append(q.items, s)
	q.cond.Broadcast()
}

// Get removes the first item and returns it; it waits while there is none.
func (q *Queue) Get() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait()
	}
	return q.first()
}

// TryGet removes the first item, if there is one.
func (q *Queue) TryGet() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return "", false
	}
	return q.first(), true
}

func (q *Queue) first() string {
	s := q.items[0]
	q.items = q.items[1:]
	q.cond.Broadcast()
	return s
}

// Len returns the number of items.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// FixedQueue is the twin.
type FixedQueue struct{ q *Queue }

// NewFixed returns a queue with room for size items.
func NewFixed(size int) *FixedQueue { return &FixedQueue{New(size)} }

// Put appends an item; it waits while there is no room.
func (q *FixedQueue) Put(s string) { q.q.Put(s) }

// Get removes the first item and returns it; it waits while there is none.
func (q *FixedQueue) Get() string {
	q.q.mu.Lock()
	defer q.q.mu.Unlock()
	for len(q.q.items) == 0 {
		q.q.cond.Wait()
	}
	return q.q.first()
}

// TryGet removes the first item, if there is one.
func (q *FixedQueue) TryGet() (string, bool) { return q.q.TryGet() }

// Len returns the number of items.
func (q *FixedQueue) Len() int { return q.q.Len() }
