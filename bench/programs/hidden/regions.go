package hidden

import (
	"sync"
	"sync/atomic"
)

// a stack whose operations are locked one by one.
type stack struct {
	mu    sync.Mutex
	items []int
}

func (s *stack) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items)
}

func (s *stack) pop() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v
}

func (s *stack) take() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 0 {
		return 0, false
	}
	v := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return v, true
}

// CheckThenPop: another goroutine takes the last item between the check and what relies on it.
func CheckThenPop(f bool) {
	s := &stack{items: []int{1, 2}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if f {
				s.take()
				return
			}
			if s.len() > 0 {
				s.pop()
			}
		})
	}
	wg.Wait()
}

// TwoReads: the same value is read twice, each time locked, and is expected not to change.
func TwoReads(f bool) {
	var (
		mu    sync.RWMutex
		price = 10
		wg    sync.WaitGroup
	)
	get := func() int {
		mu.RLock()
		defer mu.RUnlock()
		return price
	}
	wg.Go(func() {
		low := get()
		high := low
		if !f {
			high = get()
		}
		if low != high {
			panic("the price changed under way")
		}
	})
	wg.Go(func() {
		mu.Lock()
		price = 12
		mu.Unlock()
	})
	wg.Wait()
}

// LatePanic: the code that fails is reached only in another order than the first.
func LatePanic(f bool) {
	var (
		mu    sync.Mutex
		state atomic.Int32
		m     map[string]int
		wg    sync.WaitGroup
	)
	wg.Go(func() {
		mu.Lock()
		m = map[string]int{}
		mu.Unlock()
		state.Store(1)
	})
	wg.Go(func() {
		if state.Load() == 1 {
			return
		}
		mu.Lock()
		if m == nil && f {
			m = map[string]int{}
		}
		m["a"] = 1
		mu.Unlock()
	})
	wg.Wait()
}
