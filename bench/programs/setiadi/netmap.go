package setiadi

import (
	"runtime"
	"sync"
)

// A monitor pings devices forever, at an interval that the user may set (jNetMap, Fig. 18). The
// interval is accessed without a lock. The program does not sleep: the length of a sleep is not
// part of the experiment, and the clock would keep the two goroutines apart.
type monitor struct {
	mu       sync.Mutex
	changed  *sync.Cond
	interval int
	text     int // of the input field: read-shared
}

// NetMap runs the endless loop beside the user. It returns when the user is done.
func NetMap() {
	m := &monitor{interval: 2, text: 1}
	m.changed = sync.NewCond(&m.mu)
	done := make(chan bool)
	go func() {
		m.set()
		close(done)
	}()
	go m.ping()
	<-done
}

func (m *monitor) ping() {
	for {
		if m.interval <= 0 {
			m.mu.Lock()
			m.changed.Wait()
			m.mu.Unlock()
		} else {
			runtime.Gosched()
		}
		m.interval = m.text
	}
}

func (m *monitor) set() {
	m.interval = m.text
	m.mu.Lock()
	m.changed.Broadcast()
	m.mu.Unlock()
}
