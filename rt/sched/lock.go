package sched

import (
	"unsafe"

	"heddle/trace"
)

// The models of Mutex and RWMutex. Barging is real: whoever is chosen takes a
// free lock. A writer's arrival at an RWMutex is a step of its own, since from
// then on new readers wait.

func (s *Sched) mutex(m unsafe.Pointer, locked bool, site trace.Site) *object {
	o, fresh := s.object(m, trace.ObjMutex, site)
	if fresh {
		o.locked = locked // by somebody who is older than the execution
	}
	return o
}

func (s *Sched) mutexLock(m unsafe.Pointer, locked bool, pc uintptr) bool {
	g := s.enter()
	site := trace.PCSite(pc)
	if s.unwind {
		// A lock in a deferred call would have to wait for somebody who was
		// unwound: skip it, together with its unlock.
		s.inert()
		s.leave()
		return false
	}
	o := s.mutex(m, locked, site)
	s.await(g, trace.OpLock, o, site)
	s.took(g, o, trace.OpLock, site)
	s.leave()
	return true
}

func (s *Sched) took(g *G, o *object, op trace.Op, site trace.Site) {
	o.locked, o.owner = true, g
	s.event(g, op, o, 1, site)
	s.acquire(g, o.clock)
	s.acquire(g, o.rclock)
	s.refresh(o)
}

func (s *Sched) mutexTryLock(m unsafe.Pointer, locked bool, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.mutex(m, locked, site)
	s.point(g, trace.OpTryLock, o, site)
	ok := !o.locked
	if ok {
		s.took(g, o, trace.OpTryLock, site)
		s.changed(g)
	} else {
		s.event(g, trace.OpTryLock, o, 0, site)
		s.idleRead(g)
	}
	s.leave()
	return ok
}

func (s *Sched) mutexUnlock(m unsafe.Pointer, locked bool, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.mutex(m, locked, site)
	s.point(g, trace.OpUnlock, o, site)
	if !o.locked {
		s.misuse(g, o, "sync: unlock of unlocked mutex")
	}
	o.locked, o.owner = false, nil
	s.event(g, trace.OpUnlock, o, 0, site)
	s.releaseStore(g, &o.clock)
	s.refresh(o)
	s.leave()
	return true
}

func (s *Sched) rwmutex(m unsafe.Pointer, site trace.Site) *object {
	o, _ := s.object(m, trace.ObjRWMutex, site)
	return o
}

func (s *Sched) rwLock(m unsafe.Pointer, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.rwmutex(m, site)
	s.await(g, trace.OpArrive, o, site)
	o.wants = g
	s.event(g, trace.OpArrive, o, int64(trace.OpLock), site)
	s.refresh(o)
	if o.readers > 0 {
		s.await(g, trace.OpLock, o, site)
	}
	o.wants = nil
	s.took(g, o, trace.OpLock, site)
	s.leave()
	return true
}

func (s *Sched) rwTryLock(m unsafe.Pointer, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.rwmutex(m, site)
	s.point(g, trace.OpTryLock, o, site)
	ok := !o.locked && o.readers == 0 && o.wants == nil
	if ok {
		s.took(g, o, trace.OpTryLock, site)
		s.changed(g)
	} else {
		s.event(g, trace.OpTryLock, o, 0, site)
		s.idleRead(g)
	}
	s.leave()
	return ok
}

func (s *Sched) rwUnlock(m unsafe.Pointer, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.rwmutex(m, site)
	s.point(g, trace.OpUnlock, o, site)
	if !o.locked {
		s.misuse(g, o, "sync: Unlock of unlocked RWMutex")
	}
	o.locked, o.owner = false, nil
	s.event(g, trace.OpUnlock, o, 0, site)
	s.releaseStore(g, &o.clock)
	s.refresh(o)
	s.leave()
	return true
}

func (s *Sched) rwRLock(m unsafe.Pointer, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.rwmutex(m, site)
	s.await(g, trace.OpRLock, o, site)
	s.tookRead(g, o, trace.OpRLock, site)
	s.leave()
	return true
}

func (s *Sched) tookRead(g *G, o *object, op trace.Op, site trace.Site) {
	o.readers++
	o.holders = append(o.holders, g)
	s.event(g, op, o, 1, site)
	s.acquire(g, o.clock)
	s.refresh(o)
}

func (s *Sched) rwTryRLock(m unsafe.Pointer, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.rwmutex(m, site)
	s.point(g, trace.OpTryRLock, o, site)
	ok := !o.locked && o.wants == nil
	if ok {
		s.tookRead(g, o, trace.OpTryRLock, site)
		s.changed(g)
	} else {
		s.event(g, trace.OpTryRLock, o, 0, site)
		s.idleRead(g)
	}
	s.leave()
	return ok
}

func (s *Sched) rwRUnlock(m unsafe.Pointer, pc uintptr) bool {
	g := s.enter()
	if s.inert() {
		s.leave()
		return false
	}
	site := trace.PCSite(pc)
	o := s.rwmutex(m, site)
	s.point(g, trace.OpRUnlock, o, site)
	if o.readers == 0 {
		s.misuse(g, o, "sync: RUnlock of unlocked RWMutex")
	}
	o.readers--
	for i := len(o.holders) - 1; i >= 0; i-- {
		if o.holders[i] == g || i == 0 {
			o.holders = append(o.holders[:i], o.holders[i+1:]...)
			break
		}
	}
	s.event(g, trace.OpRUnlock, o, 0, site)
	s.release(g, &o.rclock)
	s.refresh(o)
	s.leave()
	return true
}

// lockCycle remembers that g's wait may have closed a cycle; see Cycle.
func (s *Sched) lockCycle(g *G) {}

// Holders returns who holds the lock that g waits for.
func (s *Sched) holdersOf(o *object) []trace.GID {
	var ids []trace.GID
	if o.owner != nil {
		ids = append(ids, o.owner.id)
	}
	for _, h := range o.holders {
		ids = append(ids, h.id)
	}
	if o.wants != nil {
		ids = append(ids, o.wants.id)
	}
	return ids
}
