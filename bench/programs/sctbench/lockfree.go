package sctbench

import (
	"sync"
	"sync/atomic"
)

// Bluetooth is CS.bluetooth_driver_bad, the model of the Windows Bluetooth driver (Qadeer and Wu,
// "KISS: Keep It Simple and Sequential", PLDI 2004): one goroutine stops the driver while main adds
// a device.
//
// Bug: main looks at the stopping flag before it counts itself in. The driver may be stopped in
// between.
func Bluetooth() error {
	var (
		stopping, stopped atomic.Bool
		pending           atomic.Int32
		event             = make(chan struct{})
		set               sync.Once
		f                 failure
		wg                sync.WaitGroup
	)
	pending.Store(1)
	leave := func() {
		if pending.Add(-1) == 0 {
			set.Do(func() { close(event) })
		}
	}
	wg.Go(func() {
		stopping.Store(true)
		leave()
		<-event
		stopped.Store(true)
	})
	if !stopping.Load() {
		pending.Add(1)
		f.check(!stopped.Load(), "bluetooth: a request works on a stopped driver")
		leave()
	}
	wg.Wait()
	return f.err()
}

// SafeStack is misc.safestack, the lock-free stack of Vyukov: indices of a pool of three. Threads
// goroutines pop an element, write to it, check that it is theirs, and push it, rounds times each.
//
// Bug: ABA. It takes three goroutines and at least five preemptions.
func SafeStack(threads, rounds int) error {
	const size = 3
	type item struct{ value, next atomic.Int32 }
	var (
		array       [size]item
		head, count atomic.Int32
		f           failure
		fs          []func()
	)
	count.Store(size)
	for i := range int32(size - 1) {
		array[i].next.Store(i + 1)
	}
	array[size-1].next.Store(-1)
	pop := func() int32 {
		for count.Load() > 1 {
			h := head.Load()
			n := array[h].next.Swap(-1)
			if n < 0 {
				continue
			}
			if head.CompareAndSwap(h, n) {
				count.Add(-1)
				return h
			}
			array[h].next.Swap(n)
		}
		return -1
	}
	push := func(i int32) {
		for {
			h := head.Load()
			array[i].next.Store(h)
			if head.CompareAndSwap(h, i) {
				break
			}
		}
		count.Add(1)
	}
	for id := range int32(threads) {
		fs = append(fs, func() {
			for range rounds {
				i := pop()
				for i < 0 {
					i = pop()
				}
				array[i].value.Store(id)
				v := array[i].value.Load()
				f.check(v == id, "safe stack: element %d of goroutine %d is that of %d", i, id, v)
				push(i)
			}
		})
	}
	join(fs...)
	return f.err()
}

// A slot is an element of a work-stealing queue: how often it was taken.
type slot struct {
	taken atomic.Int32
	state atomic.Int32 // of the variants with states: 0 idle, 1 running, 2 done
}

// A wsq is the work-stealing queue of CHESS's samples, after the THE protocol of Cilk.
type wsq struct {
	interlocked bool // thieves compete by compare-and-swap; else by a lock
	foreign     sync.Mutex
	head, tail  atomic.Int32
	elems       [16]atomic.Pointer[slot]
}

func (q *wsq) push(s *slot) {
	t := q.tail.Load()
	q.elems[t].Store(s)
	q.tail.Store(t + 1)
}

// pop takes from the end at which push puts. The bug is here: the owner reads the head before it
// has published the new tail.
func (q *wsq) pop() *slot {
	h := q.head.Load()
	t := q.tail.Load() - 1
	q.tail.Store(t)
	if h < t {
		return q.elems[t].Load()
	}
	// One element or none: the owner competes for it.
	q.foreign.Lock()
	defer q.foreign.Unlock()
	if h = q.head.Load(); h <= t && q.head.CompareAndSwap(h, h+1) {
		s := q.elems[h].Load()
		q.tail.Store(h + 1)
		return s
	}
	q.tail.Store(q.head.Load())
	return nil
}

func (q *wsq) steal() *slot {
	if q.interlocked {
		h := q.head.Load()
		if h >= q.tail.Load() {
			return nil
		}
		s := q.elems[h].Load()
		if q.head.CompareAndSwap(h, h+1) {
			return s
		}
		return nil
	}
	q.foreign.Lock()
	defer q.foreign.Unlock()
	h := q.head.Load()
	q.head.Store(h + 1)
	if h < q.tail.Load() {
		return q.elems[h].Load()
	}
	q.head.Store(h)
	return nil
}

// WorkStealQueue is CHESS.WorkStealQueue, with interlocked CHESS.InterlockedWorkStealQueue, with
// states CHESS.StateWorkStealQueue, with both CHESS.InterlockedWorkStealQueueWithState: main pushes
// 4 elements and pops 2 of them in between, a thief steals twice, and main pops the rest.
//
// Bug: owner and thief take the same element.
func WorkStealQueue(interlocked, states bool) error {
	const items, attempts = 4, 2
	var (
		q     = wsq{interlocked: interlocked}
		slots [items]slot
		f     failure
		wg    sync.WaitGroup
	)
	take := func(s *slot) {
		if s == nil {
			return
		}
		if states {
			f.check(s.state.CompareAndSwap(0, 1), "work stealing: an element is taken in state %d",
				s.state.Load())
			s.state.Store(2)
			return
		}
		f.check(s.taken.Add(1) == 1, "work stealing: an element is taken twice")
	}
	wg.Go(func() {
		for range attempts {
			take(q.steal())
		}
	})
	for i := range items / 2 {
		q.push(&slots[2*i])
		q.push(&slots[2*i+1])
		take(q.pop())
	}
	for range items / 2 {
		take(q.pop())
	}
	wg.Wait()
	return f.err()
}
