package sched

import (
	"sync/atomic"
	"unsafe"

	"heddle/trace"
	"heddle/trace/remains"
)

// The models of WaitGroup, Once and Cond.

func (s *Sched) waitGroup(p unsafe.Pointer, n int, site trace.Site) *object {
	o, fresh := s.object(p, trace.ObjWaitGroup, site)
	if fresh {
		o.count = n
		s.t.Objects[o.id].Init = uint64(n)
	}
	return o
}

// maxUnordered bounds what is remembered to tell misuse of a WaitGroup.
const maxUnordered = 64

// wgAdd is a hook, and no method: see switchTo.
func wgAdd(p unsafe.Pointer, delta, n int, pc uintptr) bool {
	s := S
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.waitGroup(p, n, site)
	if s.offer(g, trace.OpWGAdd, o, site) {
		s.reschedule(g)
	}
	if delta > 0 && o.count == 0 && s.det.on {
		s.unorderedWait(g, o, site)
		o.firsts.add(g, site)
	}
	o.count += delta
	s.event(g, trace.OpWGAdd, o, int64(delta), site)
	if s.det.on {
		if delta < 0 {
			s.releaseJoin(g, &o.clock)
		}
		s.tick(g)
	}
	s.refresh(o)
	s.leave()
	return true
}

// unorderedWait reports an Add from zero that is not ordered with a Wait: "calls with a positive
// delta that occur when the counter is zero must happen before a Wait" (package sync).
func (s *Sched) unorderedWait(g *G, o *object, site trace.Site) {
	for _, e := range o.waits {
		if !g.clock.Covers(e) {
			s.wgMisuse(g, o, s.det.chains.of(e), site)
			return
		}
	}
}

// unorderedFirst reports an Add from zero that is not ordered with a Wait that comes later and has
// to wait: it would have returned at once in another order. A Wait that need not wait comes after
// all that was done.
func (s *Sched) unorderedFirst(g *G, o *object, site trace.Site) {
	if m, ok := o.firsts.unordered(g); ok {
		s.disorder(remains.MisuseWait, g, o, site, m, true)
	}
}

func (s *Sched) wgWait(p unsafe.Pointer, n int, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.waitGroup(p, n, site)
	if s.det.on {
		if o.count != 0 {
			s.unorderedFirst(g, o, site)
		}
		if len(o.waits) < maxUnordered {
			o.waits = append(o.waits, g.now)
			g.touched = g.now.C()
		}
		s.tick(g)
	}
	s.await(g, trace.OpWGWait, o, site)
	s.event(g, trace.OpWGWait, o, 0, site)
	s.acquire(g, &o.clock)
	s.leave()
	return true
}

func (s *Sched) onceDo(p unsafe.Pointer, done bool, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := s.oncePlace(p, pc)
	o, fresh := s.object(p, trace.ObjOnce, site)
	if fresh || !done && !o.locked { // a new value may have been assigned to it
		if o.done = done; done {
			s.t.Objects[o.id].Init = 1
		}
	}
	if g.quiet = o.done && !o.locked && site.Quiet(); !g.quiet {
		s.await(g, trace.OpOnce, o, site)
	}
	run := !o.done
	if run {
		o.locked, o.owner = true, g
		s.event(g, trace.OpOnce, o, 1, site)
		s.refresh(o)
	} else {
		s.event(g, trace.OpOnce, o, 0, site)
		if !s.loosely(g) {
			s.acquire(g, &o.clock)
		}
	}
	if s.det.on && !g.quiet && s.det.shadow.Atomic(g.chain, &g.clock, o.addr, unsafe.Sizeof(uint32(0)),
		site, false) != nil {
		s.raced() // with an assignment: once = sync.Once{}
	}
	s.leave()
	return run
}

func (s *Sched) onceDone(p unsafe.Pointer, pc uintptr) {
	g := s.enter()
	if !s.inert() {
		site := s.oncePlace(p, pc)
		o, _ := s.object(p, trace.ObjOnce, site)
		s.point(g, trace.OpOnceDone, o, site)
		o.locked, o.owner, o.done = false, nil, true
		s.event(g, trace.OpOnceDone, o, 0, site)
		s.release(g, &o.clock)
		s.refresh(o)
	}
	s.leave()
}

// Cond: Wait registers (CondAdd), releases its lock, blocks until it is
// signalled (CondBlock) and takes the lock again. A signal between the first
// and the third is not lost, as in Go.
//
// Where there are goroutines outside control, a goroutine that waits draws a native
// ticket too: that an outsider has called a number is how its signals are seen.

// tickets returns the native counters of the Cond at p: tickets drawn, and called.
func tickets(p unsafe.Pointer) (drawn, called *uint32) {
	const at = 2 * unsafe.Sizeof(uintptr(0)) // after the Locker
	return (*uint32)(unsafe.Add(p, at)), (*uint32)(unsafe.Add(p, at+4))
}

func (s *Sched) condAdd(p unsafe.Pointer, pc uintptr) (ticket bool) {
	g := s.enter()
	if !s.inert() {
		site := trace.PCSite(pc)
		o, _ := s.object(p, trace.ObjCond, site)
		s.point(g, trace.OpCondWait, o, site)
		s.event(g, trace.OpCondWait, o, 0, site)
		g.condMark = false
		if ticket = s.outsiders() > 0; ticket && len(o.waiters) == 0 {
			_, called := tickets(p)
			o.called = atomic.LoadUint32(called)
		}
		g.ticket = ticket
		o.waiters = append(o.waiters, g)
	}
	s.leave()
	return ticket
}

func (s *Sched) condBlock(p unsafe.Pointer, pc uintptr) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	site := trace.PCSite(pc)
	o, _ := s.object(p, trace.ObjCond, site)
	if s.pcs.look(pc).within {
		site = s.usePlace(site)
	}
	if !g.condMark {
		s.announce(g, trace.OpCondWait, o, site)
		s.park(g)
	} else if s.exhaustive() {
		// Woken before it waited: the same steps as when it comes after.
		s.point(g, trace.OpCondWake, nil, site)
	}
	g.condMark = false
	s.t.Events[s.event(g, trace.OpCondWake, o, 0, site)].Partner = g.woken
	s.acquire(g, &g.signal)
	s.leave()
}

func (s *Sched) condSignal(p unsafe.Pointer, all bool, pc uintptr) (native bool) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return true
	}
	site := trace.PCSite(pc)
	o, _ := s.object(p, trace.ObjCond, site)
	op := trace.OpSignal
	if all {
		op = trace.OpBroadcast
	}
	s.point(g, op, o, site)
	ev := s.event(g, op, o, int64(len(o.waiters)), site)
	n := len(o.waiters)
	if all {
		drawn, _ := tickets(p)
		o.called = atomic.LoadUint32(drawn)
	} else if n > 0 {
		n = 1
		if o.waiters[0].ticket {
			o.called++
			native = true
		}
	}
	native = native || all || n == 0
	s.signalled(o, n, ev, &g.clock)
	if s.det.on {
		s.tick(g)
	}
	s.leave()
	return native
}

// signalled wakes the first n that wait at a Cond; ev is the event that did it, clock what happened
// before that.
func (s *Sched) signalled(o *object, n int, ev int32, clock *trace.Vector) {
	for _, h := range o.waiters[:n] {
		h.woken = ev
		h.signal.Copy(clock)
		if h.state() == gParked && h.at == o && s.pend[h.id].Op == trace.OpCondWait {
			s.wake(h, 0, 0)
			if s.exhaustive() {
				s.pend[h.id].Op = trace.OpCondWake
			}
		} else {
			h.condMark = true
		}
	}
	o.waiters = append(o.waiters[:0], o.waiters[n:]...)
}

// lookCond wakes those whose tickets a goroutine outside control has called.
func (s *Sched) lookCond(o *object) {
	if len(o.waiters) == 0 || !o.waiters[0].ticket {
		return
	}
	_, called := tickets(o.ref)
	now := atomic.LoadUint32(called)
	n := min(int(now-o.called), len(o.waiters))
	o.called = now
	s.signalled(o, n, -1, new(trace.Vector))
}
