package programs

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// CircularBuffer is a ring of size slots into which two goroutines put n numbers each. A number
// for which there is no room is dropped. (CS.circular_buffer_bad has one sender and a receiver;
// its error is in the same place, the bounds of the ring.)
//
// Bug: a sender checks for room and takes the lock again to put its number. The other one may have
// filled the last slot in between; then the oldest number is overwritten.
func CircularBuffer(size, n int) error {
	var (
		mu   sync.Mutex
		ring = make([]int, size)
		used int
		wg   sync.WaitGroup
	)
	room := func() bool { mu.Lock(); defer mu.Unlock(); return used < size }
	send := func() {
		for i := range n {
			if !room() {
				continue
			}
			mu.Lock()
			ring[used%size] = i
			used++
			mu.Unlock()
		}
	}
	wg.Go(send)
	send()
	wg.Wait()
	if used > size {
		return fmt.Errorf("circular buffer: %d numbers in %d slots", used, size)
	}
	return nil
}

// Queue is CS.queue_bad: one goroutine puts n numbers into a queue and records them beside it,
// another one takes them out. Flags pass the turn from one to the other.
//
// Bug: the reader counts its rounds, not the numbers that it took. After a round in which it is
// not its turn, it compares with the wrong record.
func Queue(n int) error {
	var (
		mu       sync.Mutex
		queue    []int
		noted    = make([]int, n)
		readable bool
		err      error
		wg       sync.WaitGroup
	)
	wg.Go(func() {
		for i := range n {
			mu.Lock()
			if readable {
				if x := queue[0]; x != noted[i] && err == nil {
					err = fmt.Errorf("queue: took %d, expected %d", x, noted[i])
				}
				queue = queue[1:]
				readable = false
			}
			mu.Unlock()
		}
	})
	for i, next := 0, 0; i < n; i++ {
		mu.Lock()
		if !readable {
			queue = append(queue, 10+next)
			noted[next] = 10 + next
			next++
			readable = true
		}
		mu.Unlock()
	}
	wg.Wait()
	return err
}

// Stack is CS.stack_bad: one goroutine pushes n numbers, another one pops up to n once a flag says
// that there are some.
//
// Bug: the flag is never cleared, so the second goroutine may pop from the empty stack.
func Stack(n int) error {
	var (
		mu    sync.Mutex
		stack []int
		some  bool
		err   error
		wg    sync.WaitGroup
	)
	wg.Go(func() {
		for range n {
			mu.Lock()
			if some {
				if len(stack) == 0 {
					err = fmt.Errorf("stack: underflow")
				} else {
					stack = stack[:len(stack)-1]
				}
			}
			mu.Unlock()
		}
	})
	for i := range n {
		mu.Lock()
		stack = append(stack, i)
		some = true
		mu.Unlock()
	}
	wg.Wait()
	return err
}

// BoundedBuffer is a buffer of one slot with n producers and n consumers, one item each.
//
// Bug: all wait on the same condition, and Signal wakes only one of them, perhaps of the wrong
// kind: in the end all wait. It takes two of each.
func BoundedBuffer(n int) {
	var (
		mu   sync.Mutex
		cond = sync.NewCond(&mu)
		full bool
		wg   sync.WaitGroup
	)
	turn := func(wait bool) {
		mu.Lock()
		defer mu.Unlock()
		for full == wait {
			cond.Wait()
		}
		full = !full
		cond.Signal()
	}
	for range n {
		wg.Go(func() { turn(true) })  // put
		wg.Go(func() { turn(false) }) // take
	}
	wg.Wait()
}

// WorkStealing is a work-stealing queue of n items: the owner takes from one end, without a lock,
// and a thief steals from the other.
//
// Bug: both may take the last item, because the owner does not compete for it.
func WorkStealing(n int) error {
	var (
		head, tail atomic.Int32 // the items are those from head to tail-1
		steals     sync.Mutex
		taken      = make([]atomic.Int32, n)
		wg         sync.WaitGroup
	)
	tail.Store(int32(n))
	wg.Go(func() {
		for range n {
			steals.Lock()
			if h := head.Load(); h < tail.Load() {
				head.Store(h + 1)
				taken[h].Add(1)
			}
			steals.Unlock()
		}
	})
	for range n {
		t := tail.Add(-1)
		if head.Load() > t {
			tail.Add(1)
			break
		}
		taken[t].Add(1)
	}
	wg.Wait()
	for i := range taken {
		if times := taken[i].Load(); times > 1 {
			return fmt.Errorf("work stealing: item %d was taken %d times", i, times)
		}
	}
	return nil
}
