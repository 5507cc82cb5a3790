package richtest

import (
	"fmt"
	"sync"

	"heddle/bench/model"
)

// run starts n producers and n consumers and waits for all of them.
func run(n int, producer, consumer func(i int)) {
	var wg sync.WaitGroup
	wg.Add(2 * n)
	for i := range n {
		go func() {
			producer(i)
			wg.Done()
		}()
	}
	for i := range n {
		go func() {
			consumer(i)
			wg.Done()
		}()
	}
	wg.Wait()
}

// BBSelect is a bounded buffer with slots slots: a server accepts deposits while there is room and
// withdrawals while there is an item, for n producers and n consumers of one item each.
func BBSelect(n, slots int) error {
	deposit, withdraw := make(chan int), make(chan int)
	reply := make([]chan int, n)
	for i := range reply {
		reply[i] = make(chan int)
	}
	var wg sync.WaitGroup
	wg.Add(2*n + 1)
	go func() {
		var items []int
		for range 2 * n {
			put, get := deposit, withdraw
			if len(items) == slots {
				put = nil
			}
			if len(items) == 0 {
				get = nil
			}
			select {
			case x := <-put:
				items = append(items, x)
			case id := <-get:
				reply[id] <- items[0]
				items = items[1:]
			}
		}
		wg.Done()
	}()
	got := make([]int, n)
	for i := range n {
		go func() {
			deposit <- i
			wg.Done()
		}()
	}
	for i := range n {
		go func() {
			withdraw <- i
			got[i] = <-reply[i]
			wg.Done()
		}()
	}
	wg.Wait()
	return each(got)
}

// each checks that got has every number below its length once.
func each(got []int) error {
	seen := make([]bool, len(got))
	for _, x := range got {
		if seen[x] {
			return fmt.Errorf("item %d twice", x)
		}
		seen[x] = true
	}
	return nil
}

// A ring is a bounded buffer without synchronisation.
type ring struct {
	items    []int
	in, out  int
	got      []int
	capacity int
}

func newRing(n, slots int) *ring {
	return &ring{items: make([]int, slots), got: make([]int, n), capacity: slots}
}

func (r *ring) put(x int) {
	r.items[r.in%r.capacity] = x
	r.in++
}

func (r *ring) take(i int) {
	r.got[i] = r.items[r.out%r.capacity]
	r.out++
}

func (r *ring) full() bool  { return r.in-r.out == r.capacity }
func (r *ring) empty() bool { return r.in == r.out }

// BBSemaphore is the bounded buffer with counting semaphores: two count free and filled slots, and
// one each excludes other producers and other consumers.
func BBSemaphore(n, slots int) error {
	r := newRing(n, slots)
	notFull, notEmpty := model.NewSemaphore(slots), model.NewSemaphore(0)
	mutexD, mutexW := model.NewSemaphore(1), model.NewSemaphore(1)
	run(n, func(i int) {
		mutexD.P()
		notFull.P()
		r.put(i)
		notEmpty.V()
		mutexD.V()
	}, func(i int) {
		mutexW.P()
		notEmpty.P()
		r.take(i)
		notFull.V()
		mutexW.V()
	})
	return each(r.got)
}

// BBMonitorSU is the bounded buffer as an SU monitor.
func BBMonitorSU(n, slots int) error { return bbMonitor(n, slots, model.SU, (*model.Cond).Signal) }

// BBMonitorSC is the bounded buffer as an SC monitor that signals all waiting goroutines.
func BBMonitorSC(n, slots int) error { return bbMonitor(n, slots, model.SC, (*model.Cond).SignalAll) }

func bbMonitor(n, slots int, d model.Discipline, signal func(*model.Cond)) error {
	r := newRing(n, slots)
	m := model.NewMonitor(d)
	notFull, notEmpty := m.NewCond(), m.NewCond()
	run(n, func(i int) {
		var deposit model.Body
		deposit = func() model.Next {
			if r.full() {
				return notFull.Wait(deposit)
			}
			r.put(i)
			signal(notEmpty)
			return model.Done
		}
		m.Do(deposit)
	}, func(i int) {
		var withdraw model.Body
		withdraw = func() model.Next {
			if r.empty() {
				return notEmpty.Wait(withdraw)
			}
			r.take(i)
			signal(notFull)
			return model.Done
		}
		m.Do(withdraw)
	})
	return each(r.got)
}
