package sched

import (
	"unsafe"

	"heddle/trace"
)

// The models of Mutex and RWMutex. Barging is real: the goroutine that is chosen takes a
// free lock. A writer's arrival at an RWMutex is a step of its own, since from
// then on new readers wait.

// lockOp begins an operation on the lock at m. ok is false while goroutines are
// unwound: then nothing is to be done, natively neither.
func (s *Sched) lockOp(m unsafe.Pointer, kind trace.ObjKind, locked bool, pc uintptr) (g *G, o *object,
	site trace.Site, ok bool) {
	g = s.enter()
	if s.inert() {
		s.leave()
		return g, nil, 0, false
	}
	site = trace.PCSite(pc)
	o, fresh := s.object(m, kind, site)
	if fresh {
		if kind == trace.ObjRWMutex {
			locked = o.writtenNatively()
		}
		if o.locked = locked; locked { // by a goroutine that is older than the execution
			s.t.Objects[o.id].Init = 1
		}
	}
	return g, o, site, true
}

// mutexLock and mutexUnlock are hooks, and no methods: see switchTo.

func mutexLock(m unsafe.Pointer, locked bool, pc uintptr) bool {
	s := S
	g, o, site, ok := s.lockOp(m, trace.ObjMutex, locked, pc)
	if !ok {
		return false
	}
	if next := s.request(g, trace.OpLock, o, site); next != nil {
		s.switchTo(next)
		s.withdraw(g, o)
	}
	s.took(g, o, trace.OpLock, site)
	s.leave()
	return true
}

// took makes g the owner of o.
func (s *Sched) took(g *G, o *object, op trace.Op, site trace.Site) {
	o.locked, o.owner = true, g
	s.entered(g, o, op, site)
	if !s.loosely(g) {
		s.acquireLock(g, o)
	}
	s.refresh(o)
}

// tookRead makes g one of o's readers.
func (s *Sched) tookRead(g *G, o *object, op trace.Op, site trace.Site) {
	o.readers++
	o.holders = append(o.holders, g)
	s.entered(g, o, op, site)
	if !s.loosely(g) {
		s.acquire(g, &o.clock)
	}
	s.refresh(o)
}

func (s *Sched) mutexTryLock(m unsafe.Pointer, locked bool, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjMutex, locked, pc)
	return ok && s.try(g, o, trace.OpTryLock, site, s.took)
}

// try is a TryLock or TryRLock: one that fails is a read.
func (s *Sched) try(g *G, o *object, op trace.Op, site trace.Site,
	take func(*G, *object, trace.Op, trace.Site)) bool {
	s.point(g, op, o, site)
	s.tried(g)
	foreign := s.outsiders() > 0
	if foreign && o.letGo() {
		s.refresh(o)
	}
	free := !o.locked && o.wants == nil && (op == trace.OpTryRLock || o.readers == 0)
	if free && foreign && !o.nativelyFree(op == trace.OpTryLock) {
		free = false
	}
	if free {
		take(g, o, op, site)
		s.changed(g)
	} else {
		s.event(g, op, o, 0, site)
		s.looksAt(g, o)
		s.idleRead(g, o)
	}
	s.leave()
	return free
}

func mutexUnlock(m unsafe.Pointer, locked bool, pc uintptr) bool {
	s := S
	g, o, site, ok := s.lockOp(m, trace.ObjMutex, locked, pc)
	if !ok {
		return false
	}
	if s.offer(g, trace.OpUnlock, o, site) {
		s.reschedule(g)
	}
	s.unlock(g, o, site, "sync: unlock of unlocked mutex")
	return true
}

// unlock releases o for writing; unlocked is what the runtime says if it is not locked.
func (s *Sched) unlock(g *G, o *object, site trace.Site, unlocked string) {
	if !o.locked && s.outsiders() > 0 && !o.nativelyFree(false) {
		o.locked = true // by a goroutine outside control
	}
	if !o.locked {
		s.event(g, trace.OpUnlock, o, -1, site)
		s.misuse(g, o, unlocked)
	}
	other := o.owner != g
	if other {
		s.released(g, o.owner)
	}
	o.locked, o.owner = false, nil
	s.left(g, o, trace.OpUnlock, site)
	if s.loosely(g) {
		o.from = 0
		s.release(g, &o.clock)
	} else {
		s.releaseLock(g, o, other)
	}
	s.refresh(o)
	s.leave()
}

func (s *Sched) rwLock(m unsafe.Pointer, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjRWMutex, false, pc)
	if !ok {
		return false
	}
	s.await(g, trace.OpArrive, o, site)
	o.wants = g
	s.eventOfLock(g, o, trace.OpArrive, int64(trace.OpLock), site, s.lends(g))
	s.refresh(o)
	if o.readers > 0 || s.exhaustive() {
		s.await(g, trace.OpLock, o, site)
	}
	o.wants = nil
	s.took(g, o, trace.OpLock, site)
	s.leave()
	return true
}

func (s *Sched) rwTryLock(m unsafe.Pointer, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjRWMutex, false, pc)
	return ok && s.try(g, o, trace.OpTryLock, site, s.took)
}

func (s *Sched) rwUnlock(m unsafe.Pointer, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjRWMutex, false, pc)
	if !ok {
		return false
	}
	s.point(g, trace.OpUnlock, o, site)
	s.unlock(g, o, site, "sync: Unlock of unlocked RWMutex")
	return true
}

func (s *Sched) rwRLock(m unsafe.Pointer, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjRWMutex, false, pc)
	if !ok {
		return false
	}
	s.await(g, trace.OpRLock, o, site)
	s.tookRead(g, o, trace.OpRLock, site)
	s.leave()
	return true
}

func (s *Sched) rwTryRLock(m unsafe.Pointer, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjRWMutex, false, pc)
	return ok && s.try(g, o, trace.OpTryRLock, site, s.tookRead)
}

func (s *Sched) rwRUnlock(m unsafe.Pointer, pc uintptr) bool {
	g, o, site, ok := s.lockOp(m, trace.ObjRWMutex, false, pc)
	if !ok {
		return false
	}
	s.point(g, trace.OpRUnlock, o, site)
	if o.readers == 0 && s.outsiders() > 0 && o.nativelyFree(false) && !o.nativelyFree(true) {
		o.readers, o.holders = 1, append(o.holders[:0], nil) // of a goroutine outside control
	}
	if o.readers == 0 {
		s.event(g, trace.OpRUnlock, o, -1, site)
		s.misuse(g, o, "sync: RUnlock of unlocked RWMutex")
	}
	o.readers--
	for i := len(o.holders) - 1; i >= 0; i-- {
		if h := o.holders[i]; h == g || i == 0 {
			o.holders = append(o.holders[:i], o.holders[i+1:]...)
			if h != g {
				s.released(g, h)
			}
			break
		}
	}
	s.left(g, o, trace.OpRUnlock, site)
	s.release(g, &o.rclock)
	s.refresh(o)
	s.leave()
	return true
}
