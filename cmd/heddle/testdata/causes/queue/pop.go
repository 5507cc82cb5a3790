// Package queue has the orders of a shop.
package queue

import "sync"

// A Queue is first in, first out.
type Queue struct {
	mu    sync.Mutex
	items []int
}

// Push adds an order.
func (q *Queue) Push(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, n)
}

// Len returns how many orders wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// pop returns the first order of a queue that is not empty.
func (q *Queue) pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.items[0]
	q.items = q.items[1:]
	return n
}

// Next returns the first order, or false. It releases the lock between question and answer.
func (q *Queue) Next() (int, bool) {
	if q.Len() == 0 {
		return 0, false
	}
	return q.pop(), true
}
