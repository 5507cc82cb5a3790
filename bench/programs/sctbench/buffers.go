package sctbench

import "sync"

// CircularBuffer is CS.circular_buffer_bad: a ring of 10, a sender and a receiver of 7 rounds each,
// and two flags that say whose turn it is.
//
// Bug: the receiver compares with its round, and not with how many it received. A round in which it
// is not its turn is a round, too.
func CircularBuffer() error {
	const size, n = 10, 7
	var (
		mu            sync.Mutex
		ring          [size]int
		first, next   int
		send, receive = true, false
		f             failure
	)
	join(func() {
		for i := range n {
			mu.Lock()
			if send {
				ring[next] = i
				next = (next + 1) % size
				send, receive = false, true
			}
			mu.Unlock()
		}
	}, func() {
		for i := range n {
			mu.Lock()
			if receive {
				got := -1
				if next > 0 && first < size {
					got = ring[first]
					first++
				}
				f.check(got == i, "circular buffer: got %d in round %d", got, i)
				send, receive = true, false
			}
			mu.Unlock()
		}
	})
	return f.err()
}

// Queue is CS.queue_bad: one goroutine puts 20 elements into a queue and notes them, another one
// takes them out and compares. Flags say whose turn it is.
//
// Bug: as in CircularBuffer, rounds are counted and not elements.
func Queue() error {
	const size = 20
	var (
		mu             sync.Mutex
		queue          []int
		noted          [size]int
		enqueue, taken = true, false
		f              failure
	)
	join(func() {
		mu.Lock()
		queue = append(queue, 100)
		noted[0] = 100
		mu.Unlock()
		for i := range size - 1 {
			mu.Lock()
			if enqueue {
				queue = append(queue, 101+i)
				noted[i+1] = 101 + i
				enqueue, taken = false, true
			}
			mu.Unlock()
		}
	}, func() {
		for i := range size {
			mu.Lock()
			if taken {
				x := queue[0]
				queue = queue[1:]
				f.check(x == noted[i], "queue: took %d, want %d", x, noted[i])
				enqueue, taken = true, false
			}
			mu.Unlock()
		}
	})
	return f.err()
}

// Stack is CS.stack_bad: one goroutine pushes 10 elements, another one pops in 10 rounds, if a flag
// says that there are some.
//
// Bug: the flag is never cleared.
func Stack() error {
	const size = 10
	var (
		mu   sync.Mutex
		top  int
		some bool
		f    failure
	)
	join(func() {
		for range size {
			mu.Lock()
			top++
			some = true
			mu.Unlock()
		}
	}, func() {
		for range size {
			mu.Lock()
			if some {
				if top == 0 {
					f.check(false, "stack: underflow")
				} else {
					top--
				}
			}
			mu.Unlock()
		}
	})
	return f.err()
}

// Arithmetic is CS.arithmetic_prog_bad: a producer and a consumer hand over 3 items by two
// conditions. The consumer sums up their numbers.
//
// Bug: main asserts that the sum is not what it has to be. Every interleaving fails.
func Arithmetic() error {
	const n = 3
	var (
		mu          sync.Mutex
		empty, full = sync.NewCond(&mu), sync.NewCond(&mu)
		num, total  int
		f           failure
	)
	join(func() {
		for range n {
			mu.Lock()
			for num > 0 {
				empty.Wait()
			}
			num++
			mu.Unlock()
			full.Signal()
		}
	}, func() {
		for j := range n {
			mu.Lock()
			total += j + 1
			for num == 0 {
				full.Wait()
			}
			num--
			mu.Unlock()
			empty.Signal()
		}
	})
	f.check(total != n*(n+1)/2, "arithmetic: the sum is %d", total)
	return f.err()
}

// Sync01 is CS.sync01_bad: a producer and a consumer hand over one item.
//
// Bug: the slot is full at the start, and the consumer signals the wrong condition. The producer
// misses it if it waits.
func Sync01() {
	var (
		mu          sync.Mutex
		empty, full = sync.NewCond(&mu), sync.NewCond(&mu)
		num         = 1
	)
	join(func() {
		mu.Lock()
		for num > 0 {
			empty.Wait()
		}
		num++
		mu.Unlock()
		full.Signal()
	}, func() {
		mu.Lock()
		for num == 0 {
			full.Wait()
		}
		num--
		mu.Unlock()
		full.Signal()
	})
}

// Sync02 is CS.sync02_bad: the same hand-over 3 times.
//
// Bug: as in Sync01.
func Sync02() {
	const n = 3
	var (
		mu          sync.Mutex
		empty, full = sync.NewCond(&mu), sync.NewCond(&mu)
		num         = 1
	)
	join(func() {
		for range n {
			mu.Lock()
			for num > 0 {
				empty.Wait()
			}
			num++
			mu.Unlock()
			full.Signal()
		}
	}, func() {
		for range n {
			mu.Lock()
			for num == 0 {
				full.Wait()
			}
			num--
			mu.Unlock()
			full.Signal()
		}
	})
}
