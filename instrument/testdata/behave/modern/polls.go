package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

func init() { programs["polls"] = polls }

type gate struct{ state atomic.Int32 }

func (g *gate) enter() bool { return g.state.CompareAndSwap(0, 1) }

// slot holds one value.
type slot struct {
	full atomic.Bool
	v    int
	fed  int
}

func (s *slot) put(v int) bool {
	if s.full.Load() {
		return false
	}
	s.v, s.fed = v, s.fed+1
	s.full.Store(true)
	return true
}

func (s *slot) take() (v int, ok bool) {
	switch full := s.full.Load(); {
	case !full:
		return 0, false
	default:
		v, ok = s.v, true
	}
	s.full.Store(false)
	return
}

// polls has loops that only look, or may.
func polls() {
	var x atomic.Int32
	var mu sync.Mutex
	var g gate
	c := make(chan int, 1)
	mu.Lock()
	go func() {
		mu.Unlock()
		x.Store(1)
	}()
	for !mu.TryLock() {
		runtime.Gosched()
	}
	for ; x.Load() == 0; {
		runtime.Gosched()
	}
	for !g.enter() {
	}
	for {
		if v := x.Load(); v == 1 {
			x.Store(v + 1)
			break
		}
	}
	go func() { c <- 5 }()
	sum := 0
wait:
	for {
		select {
		case v := <-c:
			sum += v
			break wait
		default:
			runtime.Gosched()
			continue wait
		}
	}
	for n := 0; n < 3 && x.Load() == 2; n++ {
		sum++
	}
	var s slot
	go func() {
		for v := range 3 {
			for !s.put(v + 1) {
				runtime.Gosched()
			}
		}
	}()
	for n := range 3 {
	next:
		for {
			if v, ok := s.take(); ok {
				sum += v * n
				break
			} else if v > 0 {
				panic("a value that is none")
			}
			for i := range 2 {
				if i == 1 {
					runtime.Gosched()
					continue next
				}
			}
		}
	}
	fmt.Println(x.Load(), g.state.Load(), sum, s.fed)
	fmt.Println(pollsUnder())
}

// pollsUnder has loops that look under a lock, and are left in several ways.
func pollsUnder() (last uint8) {
	var rw sync.RWMutex
	v := uint8(0)
	go func() {
		rw.Lock()
		defer rw.Unlock()
		v = 3
	}()
outer:
	for last == 0 {
		rw.RLock()
		last = v
		rw.RUnlock()
		for {
			if last > 2 {
				break outer
			} else if last < 2 {
				continue outer
			}
			return
		}
	}
	var p *uint8
	for {
		rw.Lock()
		switch p = nil; v {
		case 3:
			rw.Unlock()
			return last
		}
		if p != nil {
			rw.Unlock()
			goto end
		}
		rw.Unlock()
	}
end:
	return 0
}
