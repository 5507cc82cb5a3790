package programs

import "sync"

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
