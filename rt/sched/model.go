package sched

import (
	"unsafe"

	"heddle/trace"
)

// Modelled objects (see rt/hook/model.go). An operation on an ObjModel is
// always enabled and ordered with all others on it; what its goroutine does up
// to its next operation belongs to it. Semaphores count.

func (s *Sched) model(p unsafe.Pointer, pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	site := trace.PCSite(pc)
	o, _ := s.object(p, trace.ObjModel, site)
	s.point(g, trace.OpModel, o, site)
	s.modelled(g, o, site)
	s.leave()
}

// modelled records that g operates on o.
func (s *Sched) modelled(g *G, o *object, site trace.Site) {
	s.event(g, trace.OpModel, o, 0, site)
	s.acquire(g, &o.clock)
}

func (s *Sched) modelEnd(p unsafe.Pointer) {
	g := s.enter()
	if !s.inert() {
		o, _ := s.object(p, trace.ObjModel, 0)
		s.release(g, &o.clock)
	}
	s.leave()
}

func (s *Sched) modelSelf() int32 { return int32(s.cur.id) }

// modelPark suspends g until modelWake.
func (s *Sched) modelPark(p unsafe.Pointer, pc uintptr) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	site := s.place(trace.PCSite(pc))
	o, _ := s.object(p, trace.ObjModel, site)
	g.quiet = false
	s.announce(g, trace.OpCondWait, o, site)
	s.park(g)
	if g.chosen == wokenAgain {
		s.modelled(g, o, site)
	} else {
		s.acquire(g, &o.clock)
	}
	s.leave()
}

// wokenAgain is G.chosen of a goroutine whose next operation is to enter again.
const wokenAgain = 1

// modelWake wakes the goroutine id, which waits at the object. The event
// OpResume in the step of the one that wakes says that the woken one's next
// operation comes after it.
func (s *Sched) modelWake(p unsafe.Pointer, id int32, again bool) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	o, _ := s.object(p, trace.ObjModel, 0)
	h := s.gs[id]
	site := s.pend[id].Site
	s.event(h, trace.OpResume, o, int64(g.id), site)
	s.release(g, &o.clock)
	if again {
		h.waitSeq++
		h.chosen = wokenAgain
		s.setReady(h, trace.OpModel, o, site)
	} else {
		s.wake(h, 0, 0)
	}
	s.leave()
}

func (s *Sched) semAcquire(p unsafe.Pointer, n int, pc uintptr) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	site := trace.PCSite(pc)
	o := s.semaphore(p, n, site)
	s.await(g, trace.OpAcquire, o, site)
	o.count--
	s.event(g, trace.OpAcquire, o, int64(o.count), site)
	s.acquire(g, &o.clock)
	s.refresh(o)
	s.leave()
}

func (s *Sched) semRelease(p unsafe.Pointer, n int, pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	site := trace.PCSite(pc)
	o := s.semaphore(p, n, site)
	s.point(g, trace.OpRelease, o, site)
	o.count++
	s.event(g, trace.OpRelease, o, int64(o.count), site)
	s.release(g, &o.clock)
	s.refresh(o)
	s.leave()
}

func (s *Sched) semaphore(p unsafe.Pointer, n int, site trace.Site) *object {
	o, fresh := s.object(p, trace.ObjSemaphore, site)
	if fresh {
		o.count = n
		s.t.Objects[o.id].Init = uint64(n)
	}
	return o
}
