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

// polls has loops that only look.
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
	fmt.Println(x.Load(), g.state.Load(), sum)
}
