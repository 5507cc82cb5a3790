package sched

import (
	"runtime"
	"time"
	"unsafe"

	"heddle/trace"
)

// Goroutines outside control: started before the executions, or by packages
// that are not rewritten. They run natively, at the same time, and may serve
// or change what goroutines under test wait for. When nobody under control can
// go on, those who wait look at the native objects again for a while of real
// time, before the clock jumps or the execution is called over. What an
// execution shows that outsiders took part in is told apart by rt/drive.

const (
	pollEvery = 200 * time.Microsecond
	pollShort = 20 * time.Millisecond // before the clock jumps
	pollLong  = time.Second           // before nobody is believed to come any more
	fruitless = 10                    // polls in vain after which the short ones are left out
)

// outsiders returns how many goroutines outside control there are.
func (s *Sched) outsiders() int {
	if !mayBeOutsiders {
		return 0
	}
	return runtime.NumGoroutine() - 1 - s.workers
}

// Outside reports whether goroutines outside control took part in the last
// execution, or were started in it.
func (s *Sched) Outside() bool { return s.sawForeign || s.born }

// pollForeign looks at native objects until somebody is ready, for at most d.
func (s *Sched) pollForeign(d time.Duration) bool {
	if d == pollShort && s.vain >= fruitless || s.outsiders() <= 0 || !s.anyWaits() {
		return false
	}
	for start := time.Now(); time.Since(start) < d; time.Sleep(pollEvery) {
		for _, o := range s.objs[:s.nobj] {
			s.look(o)
		}
		if len(s.ready) > 0 {
			s.sawForeign = true
			s.vain = 0
			return true
		}
	}
	s.vain++
	return false
}

// anyWaits reports whether a goroutine waits for something that somebody
// outside control could bring about.
func (s *Sched) anyWaits() bool {
	for _, g := range s.gs[:s.ngs] {
		if (g.state == gParked || g.state == gBlocked) && g.at != nil {
			return true
		}
	}
	return false
}

// look takes over what somebody outside control did to the native object.
func (s *Sched) look(o *object) {
	switch o.kind {
	case trace.ObjChan:
		if o.ch == nil || o.ch.sendq.first() == nil && o.ch.recvq.first() == nil {
			return
		}
		n, closed, receivers, senders := chanstate(o.ref)
		if o.known && closed == o.closed && n == o.n && !receivers && !senders {
			return
		}
		o.known = false // from now on the native channel is the truth
		if n > 0 || closed || senders {
			s.retry(o, &o.ch.recvq)
		}
		if closed || receivers || n < o.cap {
			s.retry(o, &o.ch.sendq)
		}
	case trace.ObjWaitGroup:
		if len(o.announced) == 0 {
			return
		}
		// The counter is the upper half of the first word.
		if n := int(int32(*(*uint64)(o.ref) >> 32)); n != o.count {
			o.count = n
			s.refresh(o)
		}
	}
}

// foreignHeld is called when a native object that the model thinks free is held by somebody outside control.
func (s *Sched) foreignHeld(unsafe.Pointer, uintptr) {
	s.enter()
	s.sawForeign = true
	time.Sleep(pollEvery)
	s.leave()
}
