package sctbench

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A buffer is the StringBuffer of JDK 1.4: every method holds its lock.
type buffer struct {
	mu   sync.Mutex
	text []byte
}

func (b *buffer) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.text)
}

func (b *buffer) erase(from, to int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = slices.Delete(b.text, from, to)
}

// copy copies the first n bytes; ok is false if there are not as many.
func (b *buffer) copy(n int, to []byte) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > len(b.text) {
		return false
	}
	copy(to, b.text[:n])
	return true
}

func (b *buffer) append(other *buffer) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := other.length()
	text := make([]byte, n)
	if !other.copy(n, text) {
		return false
	}
	b.text = append(b.text, text...)
	return true
}

// StringBuffer is CB.stringbuffer-jdk1.4: main appends one buffer to another while a goroutine
// erases the first.
//
// Bug: append asks for the length and then for the bytes, in two critical sections.
func StringBuffer() error {
	var (
		a, b = &buffer{text: []byte("abc")}, &buffer{}
		f    failure
		wg   sync.WaitGroup
	)
	wg.Go(func() { a.erase(0, a.length()) })
	f.check(b.append(a), "string buffer: out of bounds")
	wg.Wait()
	return f.err()
}

// PBZip2 has the bug of CB.pbzip2-0.9.4: main reads blocks into a queue that two consumers empty.
// When all blocks are written main destroys the queue.
//
// Bug: a consumer still uses the queue's lock to learn that there is nothing left.
func PBZip2() error {
	const blocks, consumers = 3, 2
	type fifo struct {
		mu        sync.Mutex
		queued    int
		destroyed atomic.Bool
	}
	var (
		q       fifo
		written atomic.Int32
		done    = make(chan struct{})
		f       failure
		wg      sync.WaitGroup
	)
	for range consumers {
		wg.Go(func() {
			for {
				f.check(!q.destroyed.Load(), "pbzip2: the queue's lock is used after its end")
				q.mu.Lock()
				if q.queued == 0 {
					q.mu.Unlock()
					if written.Load() == blocks {
						return
					}
					<-done // a consumer sleeps until there is news
					continue
				}
				q.queued--
				q.mu.Unlock()
				if written.Add(1) == blocks {
					close(done)
				}
			}
		})
	}
	for range blocks {
		q.mu.Lock()
		q.queued++
		q.mu.Unlock()
	}
	<-done
	q.destroyed.Store(true)
	wg.Wait()
	return f.err()
}

// CTrace has the bug of misc.ctrace-test: two goroutines register with a library for traces, which
// keeps what it knows of each in a table with a count.
//
// Bug: the count is read, and written later; one registration is lost.
func CTrace() error {
	const threads = 2
	var (
		table [threads]atomic.Int32
		count atomic.Int32
		fs    []func()
		f     failure
	)
	for id := range int32(threads) {
		fs = append(fs, func() {
			n := count.Load()
			table[n].Store(id + 1)
			count.Store(n + 1)
			for i := range count.Load() { // it looks itself up
				if table[i].Load() == id+1 {
					return
				}
			}
			f.check(false, "ctrace: goroutine %d is not registered", id)
		})
	}
	join(fs...)
	return f.err()
}

// QsortMT has the bug of inspect.qsort_mt, a quicksort by a pool of three goroutines. A goroutine
// that splits a range gives one half to an idle one. The sort has ended when all are idle.
//
// Bug: a goroutine that was given work counts as idle until it begins, so the sort may end early.
func QsortMT() error {
	const threads = 3
	var (
		data = []int{5, 2, 8, 1, 9, 3, 7, 4}
		mu   sync.Mutex
		cond = sync.NewCond(&mu)
		work [][2]int // given, not begun
		idle = threads
		over bool
		f    failure
		wg   sync.WaitGroup
	)
	give := func(lo, hi int) {
		mu.Lock()
		work = append(work, [2]int{lo, hi})
		mu.Unlock()
		cond.Signal()
	}
	var sort func(lo, hi int)
	sort = func(lo, hi int) {
		for hi-lo > 1 {
			p, m := data[lo], lo
			for i := lo + 1; i < hi; i++ {
				if data[i] < p {
					m++
					data[i], data[m] = data[m], data[i]
				}
			}
			data[lo], data[m] = data[m], data[lo]
			if m-lo > 2 {
				give(lo, m)
			} else {
				sort(lo, m)
			}
			lo = m + 1
		}
	}
	for range threads {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for {
				for len(work) == 0 && !over {
					cond.Wait()
				}
				if over {
					return
				}
				w := work[0]
				work = work[1:]
				mu.Unlock()
				// here it has work and counts as idle
				mu.Lock()
				idle--
				mu.Unlock()
				sort(w[0], w[1])
				mu.Lock()
				if idle++; idle == threads && len(work) == 0 {
					over = true
					cond.Broadcast()
				}
			}
		})
	}
	give(0, len(data))
	wg.Wait()
	f.check(slices.IsSorted(data), "qsort: ended early with %v", data)
	return f.err()
}
