package machine

import (
	"unsafe"

	"heddle/internal/progen"
	"heddle/rt/hook"
)

// atomic performs an atomic operation on p. op changes it and reports whether it did.
func (m *Machine) atomic(p *int64, kind uint8, id int, op func(*int64) bool) {
	hook.AtomicBegin(unsafe.Pointer(p), 8, kind, pc(id))
	changed := op(p)
	hook.AtomicEnd(changed, uint64(*p))
}

// update performs a.Add or a.Or, whose result is not used.
func (m *Machine) update(p *int64, op byte, s *progen.Stmt) {
	hook.AtomicBegin(unsafe.Pointer(p), 8, hook.AtomicRMW, pc(s.ID))
	if op == '+' {
		*p += int64(s.Val)
	} else {
		*p |= int64(s.Val)
	}
	hook.AtomicUpdated(op, uint64(s.Val), uint64(*p))
	hook.Unused(*p)
}

// raise performs v += Val or v |= Val.
func (m *Machine) raise(s *progen.Stmt) {
	p := &m.vars[s.Obj]
	hook.Spoil()
	if s.Op == progen.Flag {
		q := hook.U('|', p, site(s.ID))
		q.Set(q.Get() | q.By(s.Val))
		return
	}
	q := hook.U('+', p, site(s.ID))
	q.Set(q.Get() + q.By(s.Val))
}

// always is a value that is put into maps as if it had no size.
const always = 1

func (m *Machine) doMap(f *frame, s *progen.Stmt) {
	mp, at := m.maps[s.Obj], mapSite(s.ID)
	switch s.Op {
	case progen.MapPut:
		v := f.value(s)
		if s.Src < 0 && v == always {
			hook.MKS(mp, at)[hook.K(s.Val2, false, at)] = v
			return
		}
		hook.MKW(mp, at)[hook.K(s.Val2, false, at)] = v
	case progen.MapGet:
		f.regs[s.Reg] = hook.MK(mp, at)[hook.K(s.Val2, false, at)]
	case progen.MapDrop:
		delete(hook.MKD(mp, at), hook.K(s.Val2, false, at))
	case progen.MapLen:
		f.regs[s.Reg] = len(hook.MR(mp, at))
	case progen.MapGrow:
		var x hook.Measure
		n := len(hook.ML(mp, &x, at))
		m.block(f, s.Body)
		f.at = s.ID
		f.regs[s.Reg] = len(hook.MG(mp, x, at)) - n
	case progen.MapClear:
		clear(hook.MW(mp, at))
	}
}

func (m *Machine) load(p *int64, id int) (v int) {
	m.atomic(p, hook.AtomicLoad, id, func(p *int64) bool { v = int(*p); return false })
	return v
}

func (m *Machine) cas(p *int64, from, to, id int) (ok bool) {
	hook.AtomicBegin(unsafe.Pointer(p), 8, hook.AtomicCAS, pc(id))
	if ok = *p == int64(from); ok {
		*p = int64(to)
	}
	hook.AtomicCompared(ok, uint64(from), uint64(*p))
	return ok
}

func (m *Machine) doAtomic(f *frame, s *progen.Stmt) {
	p := &m.atomics[s.Obj]
	switch s.Op {
	case progen.Load:
		f.regs[s.Reg] = m.load(p, s.ID)
	case progen.Store:
		v := f.value(s)
		m.atomic(p, hook.AtomicStore, s.ID, func(p *int64) bool { *p = int64(v); return true })
	case progen.Add:
		m.atomic(p, hook.AtomicRMW, s.ID, func(p *int64) bool {
			*p += int64(s.Val)
			f.regs[s.Reg] = int(*p)
			return true
		})
	case progen.Count:
		m.update(p, '+', s)
	case progen.Mark:
		m.update(p, '|', s)
	case progen.CAS:
		f.regs[s.Reg] = bit(m.cas(p, s.Val, s.Val2, s.ID))
	case progen.Peek:
		m.load(p, s.ID)
	case progen.SpinLoad:
		m.spin(f, s, func() bool { return m.load(p, s.ID) == s.Val })
	case progen.SpinCAS:
		m.spin(f, s, func() bool { return m.cas(p, s.Val, s.Val2, s.ID) })
	case progen.Fetch:
		m.spin(f, s, func() bool {
			v := m.load(p, s.ID)
			taken := v != 0 && m.cas(p, v, 0, s.ID)
			if taken {
				f.regs[s.Reg] = v
			}
			return taken
		})
	case progen.Reread:
		m.spin(f, &progen.Stmt{Op: s.Op, ID: s.ID, Obj: s.Obj}, func() bool {
			v := m.load(p, s.ID)
			m.block(f, s.Body)
			same := m.load(p, s.ID) == v
			if same {
				f.regs[s.Reg] = v
			}
			return same
		})
	}
}

// spin executes for !try() {}.
func (m *Machine) spin(f *frame, s *progen.Stmt, try func() bool) {
	if m.OneShot {
		if !try() {
			f.polls = s
			hook.Block(site(s.ID))
		}
		return
	}
	for range m.Patience {
		if try() {
			return
		}
		m.block(f, s.Body)
	}
	f.patient = m.Patience > 0
	for hook.Loop(site(s.ID), false); !try(); hook.Loop(site(s.ID), true) {
		m.block(f, s.Body)
	}
	f.patient = false
}

// poll executes for { Body; if Reg == Val { break }; Else }.
func (m *Machine) poll(f *frame, s *progen.Stmt) {
	before := f.regs // each iteration has variables of its own
	m.spin(f, &progen.Stmt{Op: s.Op, ID: s.ID, Obj: s.Obj, Body: s.Else}, func() bool {
		f.regs = before
		m.block(f, s.Body)
		return f.regs[s.Reg] == s.Val
	})
}

// pollHeld executes enter; for { look; if Reg == Val { break }; leave; Else; enter }; leave.
func (m *Machine) pollHeld(f *frame, s *progen.Stmt) {
	before := f.regs
	enter, look, leave := s.Held()
	try := func() bool {
		f.regs = before
		m.block(f, look)
		return f.regs[s.Reg] == s.Val
	}
	patience := m.Patience
	if m.OneShot {
		patience = 0
	}
	m.block(f, enter)
	for n := 0; !try(); n++ {
		m.block(f, leave)
		if m.OneShot && n == patience {
			f.polls = s
			hook.Block(site(s.ID))
		}
		if f.patient = m.Patience > 0 && n >= patience; n >= patience {
			hook.Loop(site(s.ID), n > patience)
		}
		m.block(f, s.Else)
		m.block(f, enter)
	}
	f.patient = false
	hook.Out(site(s.ID))
	m.block(f, leave)
}

// pollsOn reports whether f, which gave up polling, would succeed now.
func (m *Machine) pollsOn(f *frame) bool {
	switch s := f.polls; s.Op {
	case progen.SpinLock:
		return !m.mutexes[s.Obj].held
	case progen.Fetch:
		return m.atomics[s.Obj] != 0
	case progen.Reread, progen.Poll, progen.PollHeld:
		return true
	default: // SpinLoad, SpinCAS
		return m.atomics[s.Obj] == int64(s.Val)
	}
}

func (m *Machine) doLock(f *frame, s *progen.Stmt) {
	var mu *mutex
	var p unsafe.Pointer
	switch s.Op {
	case progen.Lock, progen.Unlock, progen.TryLock, progen.SpinLock:
		mu = &m.mutexes[s.Obj]
		p = unsafe.Pointer(mu)
	default:
		p = unsafe.Pointer(&m.rws[s.Obj])
	}
	at := pc(s.ID)
	switch s.Op {
	case progen.Lock:
		m.lock(mu, s.ID)
	case progen.Unlock:
		m.unlock(mu, s.ID)
	case progen.TryLock:
		f.regs[s.Reg] = bit(m.tryLock(mu, s.ID))
	case progen.SpinLock:
		m.spin(f, s, func() bool { return m.tryLock(mu, s.ID) })
	case progen.RWLock:
		hook.RWLock(p, at)
	case progen.RWUnlock:
		hook.RWUnlock(p, at)
	case progen.RWTry:
		f.regs[s.Reg] = bit(hook.RWTryLock(p, at))
	case progen.RLock:
		hook.RWRLock(p, at)
	case progen.RUnlock:
		hook.RWRUnlock(p, at)
	case progen.RTry:
		f.regs[s.Reg] = bit(hook.RWTryRLock(p, at))
	}
}

func (m *Machine) lock(mu *mutex, id int) {
	hook.MutexLock(unsafe.Pointer(mu), false, pc(id))
	mu.held = true
}

func (m *Machine) unlock(mu *mutex, id int) {
	hook.MutexUnlock(unsafe.Pointer(mu), false, pc(id))
	mu.held = false
}

func (m *Machine) tryLock(mu *mutex, id int) bool {
	ok := hook.MutexTryLock(unsafe.Pointer(mu), false, pc(id))
	if ok {
		mu.held = true
	}
	return ok
}
