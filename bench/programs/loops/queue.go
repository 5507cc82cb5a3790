package loops

import "sync/atomic"

// queue is the queue of Michael and Scott (PODC 1996).
type queue struct {
	head, tail atomic.Pointer[item]
}

type item struct {
	value int
	next  atomic.Pointer[item]
}

func newQueue() *queue {
	q := new(queue)
	dummy := new(item)
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *queue) enqueue(v int) {
	n := &item{value: v}
	for {
		tail := q.tail.Load()
		next := tail.next.Load()
		if q.tail.Load() != tail {
			continue
		}
		if next != nil {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if tail.next.CompareAndSwap(nil, n) {
			q.tail.CompareAndSwap(tail, n)
			return
		}
	}
}

func (q *queue) dequeue() (v int, ok bool) {
	for {
		head := q.head.Load()
		tail := q.tail.Load()
		next := head.next.Load()
		if q.head.Load() != head {
			continue
		}
		if head == tail {
			if next == nil {
				return 0, false
			}
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if q.head.CompareAndSwap(head, next) {
			return next.value, true
		}
	}
}
