package sched

import (
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/trace"
)

// Atomics: announced at atomicBegin, done natively by the caller, completed at
// atomicEnd. Happens-before is the Go memory model's: an operation that
// observes another's effect comes after it. A store replaces what the variable
// knows, a read-modify-write adds to it.

type atomicOp struct {
	o      *object
	op     uint8
	site   trace.Site
	n      uintptr
	was    uint64 // what it held, where expressions are recorded or number holds
	number bool   // a read-modify-write of a number: was tells whether it changed anything
	want   uint64 // what a CompareAndSwap compares with
	by     uint64 // the operand of And and Or
}

var pendingAtomic atomicOp

var atomicOps = [...]trace.Op{hook.AtomicLoad: trace.OpAtomicLoad, hook.AtomicStore: trace.OpAtomicStore,
	hook.AtomicRMW: trace.OpAtomicRMW, hook.AtomicCAS: trace.OpAtomicCAS}

// atomicBegin and atomicCompared are hooks, and no methods: see switchTo.

func atomicBegin(p unsafe.Pointer, n uintptr, op uint8, pc uintptr) {
	s := S
	g := s.enter()
	s.changing.updated = trace.Updated{}
	if s.inert() {
		pendingAtomic.o = nil
		s.leave()
		return
	}
	site := trace.PCSite(pc)
	address := op&hook.AtomicAddress != 0
	op &^= hook.AtomicAddress
	o, fresh := s.object(p, trace.ObjAtomic, site)
	if fresh && s.exhaustive() {
		row := &s.t.Objects[o.id]
		row.Init, row.Number = bitsAt(p, n), !address && (n == 4 || n == 8)
	}
	if n > o.width {
		s.objs.widen(o, n)
	}
	if s.offer(g, atomicOps[op], o, site) {
		s.reschedule(g)
	}
	a := &pendingAtomic // field by field, see event
	a.o, a.op, a.site, a.n, a.was, a.want, a.by = o, op, site, n, 0, 0, 0
	a.number = op == hook.AtomicRMW && !address && (n == 4 || n == 8)
	if s.opt.Exprs || a.number {
		a.was = bitsAt(p, n)
	}
	s.leave()
}

// bitsAt returns the value of n bytes of memory as AtomicEnd is told it, 0 if they are no number.
func bitsAt(p unsafe.Pointer, n uintptr) uint64 {
	switch n {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	case 8:
		return *(*uint64)(p)
	}
	return 0
}

// atomicCompared notes what a CompareAndSwap compared with: strategies that
// search tell from that what it would do elsewhere.
func atomicCompared(swapped bool, old, bits uint64) {
	s := S
	if pendingAtomic.o != nil && !s.ending.on && s.exhaustive() {
		s.t.Compares = append(s.t.Compares, trace.Compare{Event: int32(len(s.t.Events)), Old: old})
	}
	pendingAtomic.want = old
	s.atomicEnd(swapped, bits)
}

func (s *Sched) atomicEnd(changed bool, bits uint64) {
	a := &pendingAtomic
	if a.o == nil || s.ending.on {
		return
	}
	g, o := s.enter(), a.o
	a.o = nil
	kind := atomicOps[a.op]
	if a.op == hook.AtomicCAS {
		kind = trace.OpAtomicRMW
		if !changed {
			kind = trace.OpAtomicLoad
		}
	}
	if kind != trace.OpAtomicStore && !s.loosely(g) {
		// What it observes happened before it.
		s.acquire(g, &o.clock)
	}
	g.touched = g.now.C()
	if s.twins.on {
		s.twinAccess(g, o.addr, a.n, kind != trace.OpAtomicLoad)
	}
	if s.det.lent.some {
		s.det.meetsLent(g, &s.findings, o.addr, a.n)
	}
	if s.det.on && s.det.shadow.Atomic(g.chain, &g.clock, o.addr, a.n, a.site,
		kind != trace.OpAtomicLoad) != nil {
		s.raced()
	}
	s.idle.same = a.number && a.was == bits
	ev := s.event(g, kind, o, int64(bits), a.site)
	s.t.Events[ev].Width = uint8(a.n)
	if s.opt.Exprs {
		g.flow.Done = flow.Done{P: o.addr, N: a.n, Site: uint64(a.site), Was: a.was, Is: bits, Want: a.want,
			By: a.by}
	}
	if s.opt.Record {
		s.t.value(ev, formatBits(bits))
	}
	// what follows may let others go on: a is theirs then
	if s.idle.same {
		s.idle.same = false
		s.idleRead(g, o)
	}
	switch kind {
	case trace.OpAtomicLoad:
		s.looksAt(g, o)
		s.idleRead(g, o)
	case trace.OpAtomicStore:
		s.releaseStore(g, &o.clock)
	default:
		s.release(g, &o.clock)
	}
	s.leave()
}

// sync.Map: every method is one visible operation, performed natively after
// the hook. A load is ordered after the stores of the same key.

func (s *Sched) mapOp(p unsafe.Pointer, key any, op uint8, pc uintptr) {
	g := s.enter()
	if s.inert() {
		s.leave()
		return
	}
	site := trace.PCSite(pc)
	o, fresh := s.object(p, trace.ObjMap, site)
	if fresh {
		o.keys = make(map[any]*trace.Vector)
	}
	kind := [...]trace.Op{trace.OpMapLoad, trace.OpMapStore, trace.OpMapStore, trace.OpMapRange}[op]
	s.point(g, kind, o, site)
	s.event(g, kind, o, 0, site)
	switch op {
	case 3:
		for _, c := range o.keys {
			if !s.loosely(g) {
				s.acquire(g, c)
			}
		}
	default:
		c := o.keys[key]
		if op != 1 && c != nil && !s.loosely(g) {
			s.acquire(g, c)
		}
		if op == 0 {
			s.looksAt(g, o)
			s.idleRead(g, o)
			break
		}
		if c == nil {
			c = new(trace.Vector)
			o.keys[key] = c
		}
		s.release(g, c)
	}
	s.leave()
}

// sync.Pool: deterministic, last in first out, empty at the start of an execution.

type poolItem struct {
	x     any
	clock trace.Vector
}

func (s *Sched) poolPut(p unsafe.Pointer, x any, pc uintptr) {
	g := s.enter()
	if !s.inert() && !s.unpooled(pc) {
		site := trace.PCSite(pc)
		o, _ := s.object(p, trace.ObjPool, site)
		s.point(g, trace.OpPoolPut, o, site)
		s.event(g, trace.OpPoolPut, o, 0, site)
		it := poolItem{x: x}
		s.release(g, &it.clock)
		o.items = append(o.items, it)
	}
	s.leave()
}

// unpooled reports whether a pool is as if it were always empty: those inside the standard
// library are in exhaustive executions, where what one goroutine gets from
// another would be an order between them, for nothing but a buffer.
func (s *Sched) unpooled(pc uintptr) bool {
	return s.exhaustive() && s.place(trace.PCSite(pc)).Quiet()
}

func (s *Sched) poolGet(p unsafe.Pointer, pc uintptr) (x any, ok bool) {
	g := s.enter()
	if !s.inert() && !s.unpooled(pc) {
		site := trace.PCSite(pc)
		o, _ := s.object(p, trace.ObjPool, site)
		s.point(g, trace.OpPoolGet, o, site)
		s.event(g, trace.OpPoolGet, o, int64(len(o.items)), site)
		if n := len(o.items); n > 0 {
			it := o.items[n-1]
			o.items[n-1] = poolItem{}
			o.items = o.items[:n-1]
			s.acquire(g, &it.clock)
			x, ok = it.x, true
		}
	}
	s.leave()
	return x, ok
}
