// Package signals has a bounded queue whose callers wait for room and for items.
package signals

import "sync"

// Queue is bounded, first in, first out. Put and Get signal one goroutine that waits, and it may be
// one that waits for the other thing: then a wakeup is lost.
type Queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
	size  int
}

// New returns a queue with room for size items.
func New(size int) *Queue {
	q := &Queue{size: max(size, 1)}
	q.cond = sync.NewCond(&q.mu)
	return q
}

// Put appends an item; it waits while there is no room.
func (q *Queue) Put(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) >= q.size {
		q.cond.Wait()
	}
	q.items = append(q.items, n)
	q.cond.Signal()
}

// Get removes the first item and returns it; it waits while there is none.
func (q *Queue) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	n := q.items[0]
	q.items = q.items[1:]
	q.cond.Signal()
	return n
}

// Len returns the number of items.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// FixedQueue is the twin: it wakes all.
type FixedQueue struct{ q *Queue }

// NewFixed returns a queue with room for size items.
func NewFixed(size int) *FixedQueue { return &FixedQueue{New(size)} }

// Put appends an item; it waits while there is no room.
func (q *FixedQueue) Put(n int) {
	q.q.mu.Lock()
	defer q.q.mu.Unlock()
	for len(q.q.items) >= q.q.size {
		q.q.cond.Wait()
	}
	q.q.items = append(q.q.items, n)
	q.q.cond.Broadcast()
}

// Get removes the first item and returns it; it waits while there is none.
func (q *FixedQueue) Get() int {
	q.q.mu.Lock()
	defer q.q.mu.Unlock()
	for len(q.q.items) == 0 {
		q.q.cond.Wait()
	}
	n := q.q.items[0]
	q.q.items = q.q.items[1:]
	q.q.cond.Broadcast()
	return n
}

// Len returns the number of items.
func (q *FixedQueue) Len() int { return q.q.Len() }
