// Package condif is a queue whose readers wait until it has an item.
package condif

import "sync"

// A Queue is first in, first out, without bound.
type Queue struct {
	mu       sync.Mutex
	nonempty *sync.Cond
	items    []string
}

// New returns an empty queue.
func New() *Queue {
	q := new(Queue)
	q.nonempty = sync.NewCond(&q.mu)
	return q
}

// Put adds s at the end.
func (q *Queue) Put(s string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, s)
	q.nonempty.Signal()
}

// Get removes the first item. It waits until there is one.
func (q *Queue) Get() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.nonempty.Wait()
	}
	s := q.items[0]
	q.items = q.items[1:]
	return s
}
