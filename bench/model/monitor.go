package model

import (
	"sync"
	"unsafe"

	"heddle/rt/hook"
)

// A Monitor lets one goroutine at a time run the body of a method. A body does not block: to wait
// on a condition it returns, with the code to run once it is signalled. So a method is one event,
// the entry, and the code after it.
type Monitor struct {
	discipline Discipline
	mu         sync.Mutex // without heddle
}

// A Discipline says what a signal does.
type Discipline uint8

const (
	// SU, signal and urgent wait: the signalled goroutine gets the monitor at once, and the
	// signalling one gets it back afterwards, or leaves if signalling was its last action.
	// Re-entering is no event.
	SU Discipline = iota
	// SC, signal and continue: the signalled goroutine enters again like any other, which is an
	// event.
	SC
)

// NewMonitor returns a monitor with discipline d.
func NewMonitor(d Discipline) *Monitor { return &Monitor{discipline: d} }

// A Body is the code of a method, or what is left of it after a wait.
type Body func() Next

// Next is the result of a body: Done, or the result of Wait.
type Next struct {
	on   *Cond
	then Body
}

// Done is the end of a method.
var Done Next

// A Cond is a condition variable of a monitor, a FIFO queue.
type Cond struct {
	m     *Monitor
	queue []*waiter
}

// NewCond returns a condition variable of m.
func (m *Monitor) NewCond() *Cond { return &Cond{m: m} }

type waiter struct {
	id    int32
	then  Body
	woken chan struct{} // without heddle
}

// Do runs a method: it enters the monitor, and runs body and the code after each of its waits.
func (m *Monitor) Do(body Body) {
	if !hook.Enter(unsafe.Pointer(m)) {
		m.mu.Lock()
	}
	next := body()
	for next.on != nil {
		w := &waiter{then: next.then}
		var controlled bool
		if w.id, controlled = hook.Self(); !controlled {
			w.woken = make(chan struct{})
		}
		next.on.queue = append(next.on.queue, w)
		m.exit()
		if !hook.Park(unsafe.Pointer(m)) {
			<-w.woken
			if m.discipline == SC {
				m.mu.Lock()
			}
		}
		if m.discipline == SU {
			return // the signalling goroutine ran the rest
		}
		next = w.then()
	}
	m.exit()
}

func (m *Monitor) exit() {
	if !hook.Exit(unsafe.Pointer(m)) {
		m.mu.Unlock()
	}
}

// Wait is the result of a body that waits on c. then is the rest of the method.
func (c *Cond) Wait(then Body) Next { return Next{c, then} }

// Empty reports whether no goroutine waits.
func (c *Cond) Empty() bool { return len(c.queue) == 0 }

// Len returns the number of waiting goroutines.
func (c *Cond) Len() int { return len(c.queue) }

// Signal resumes the goroutine that has waited longest, if there is one.
func (c *Cond) Signal() {
	if len(c.queue) == 0 {
		return
	}
	w := c.queue[0]
	c.queue = append([]*waiter(nil), c.queue[1:]...)
	if c.m.discipline == SU {
		if next := w.then(); next.on != nil { // it waits again
			w.then = next.then
			next.on.queue = append(next.on.queue, w)
			return
		}
	}
	if !hook.Wake(unsafe.Pointer(c.m), w.id, c.m.discipline == SC) {
		close(w.woken)
	}
}

// SignalAll resumes all waiting goroutines.
func (c *Cond) SignalAll() {
	for n := len(c.queue); n > 0; n-- {
		c.Signal()
	}
}
