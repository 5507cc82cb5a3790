package sched

import (
	"unsafe"

	"heddle/model"
	"heddle/rt/hook"
	"heddle/trace"
)

// An object is what operations are about: the model of a mutex, a channel and
// so on, found by its address. Only the fields of its kind are used.
type object struct {
	id    trace.ObjID
	kind  trace.ObjKind
	addr  uintptr
	ref   unsafe.Pointer // addr again: what has a model is not collected within the execution
	site  trace.Site
	known bool // the model knows its whole state: made in this execution, and used by nobody outside control
	older bool // not made in this execution, though known

	changes uint32 // events that changed it

	announced []*G // goroutines whose pending operation depends on the state below

	clock  trace.Clock // released by writers: unlock, send, close, done, atomic store
	rclock trace.Clock // released by readers: runlock

	// Mutex, RWMutex, Once
	locked    bool
	owner     *G // nil if locked by somebody unknown
	readers   int
	holders   []*G   // of read locks
	handovers uint32 // how often it was unlocked by another than who had locked it
	wants     *G     // RWMutex: the writer that arrived and keeps new readers out
	done      bool

	// WaitGroup
	count  int
	waits  []trace.Epoch // calls of Wait
	firsts marks         // Adds from zero

	// Cond
	waiters []*G
	called  uint32 // how far native tickets have been called, as far as the model knows

	// channel
	cap    int
	n      int // values in the buffer, by the model
	closed bool
	ch     *chanState

	// sync.Map, sync.Pool
	keys  map[any]*trace.Clock
	items []poolItem

	timer *timer

	// Objects whose state package model keeps: see operate.
	def   *model.Primitive
	as    model.Object
	state model.State
}

// reset makes o the model of nothing. Slices keep their memory. Field by field,
// for a literal would be made elsewhere and copied.
func (o *object) reset() {
	o.known, o.older, o.changes = false, false, 0
	o.announced, o.clock, o.rclock = o.announced[:0], o.clock[:0], o.rclock[:0]
	o.locked, o.owner, o.readers, o.holders, o.wants, o.done = false, nil, 0, o.holders[:0], nil, false
	o.handovers = 0
	o.count, o.waits, o.firsts, o.waiters, o.called = 0, o.waits[:0], o.firsts[:0], o.waiters[:0], 0
	o.cap, o.n, o.closed = 0, 0, false
	if o.ch != nil {
		o.ch.reset()
	}
	if o.keys != nil {
		o.keys = nil
	}
	if len(o.items) > 0 {
		clear(o.items)
		o.items = o.items[:0]
	}
	o.timer, o.def, o.as, o.state = nil, nil, model.Object{}, model.State{}
}

// enabled reports whether op, announced by g, can be done now.
func (o *object) enabled(op trace.Op, g *G) bool {
	switch op {
	case trace.OpLock:
		if o.kind == trace.ObjRWMutex {
			return !o.locked && o.readers == 0 && (o.wants == nil || o.wants == g)
		}
		return !o.locked
	case trace.OpArrive: // a writer arrives at an RWMutex: one at a time
		return !o.locked && o.wants == nil
	case trace.OpRLock:
		return !o.locked && o.wants == nil
	case trace.OpWGWait:
		return o.count == 0
	case trace.OpOnce:
		return !o.locked
	case trace.OpAcquire:
		return o.count > 0
	}
	if o.def != nil {
		r, _, _ := o.def.Step(&o.as, o.state, op, 0)
		return r != nil
	}
	return true
}

// refresh asks again who can go on, after the state of o has changed.
func (s *Sched) refresh(o *object) {
	if len(o.announced) > manyWaiters {
		s.refreshMany(o)
		return
	}
	for _, g := range o.announced {
		if o.enabled(s.pend[g.id].Op, g) {
			if g.state == gBlocked {
				s.insert(g)
			}
		} else if g.state == gReady {
			s.unready(g, gBlocked)
		}
	}
}

// manyWaiters is from when on it is cheaper to make the ready list anew than
// to insert and remove waiters one by one.
const manyWaiters = 16

func (s *Sched) refreshMany(o *object) {
	s.ready = s.ready[:0]
	for i, g := range s.gs[:s.ngs] {
		switch {
		case g.asks != o:
			if g.state == gReady {
				s.ready = append(s.ready, g.id)
			}
		case g.state != gReady && g.state != gBlocked:
		case o.enabled(s.pend[i].Op, g):
			g.state = gReady
			s.ready = append(s.ready, g.id)
		default:
			g.state = gBlocked
		}
	}
	if s.solo && len(s.ready) > 1 {
		s.company()
	}
}

// ask notes that g's pending operation depends on the state of o; withdraw that it no longer does.
func (o *object) ask(g *G) {
	g.asks, g.asksAt = o, len(o.announced)
	o.announced = append(o.announced, g)
}

func (o *object) withdraw(g *G) {
	last := len(o.announced) - 1
	h := o.announced[last]
	o.announced[g.asksAt] = h
	h.asksAt = g.asksAt
	o.announced = o.announced[:last]
	g.asks = nil
}

// objTable maps addresses to objects: open addressing, emptied by raising gen.
type objTable struct {
	slots []objSlot
	n     int
	gen   uint32
}

type objSlot struct {
	addr uintptr
	gen  uint32
	id   int32
}

func hashAddr(p uintptr) uintptr { return (p >> 2) * 0x9e3779b97f4a7c15 >> 20 }

func (t *objTable) find(p uintptr) *objSlot {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	mask := uintptr(len(t.slots) - 1)
	for i := hashAddr(p) & mask; ; i = (i + 1) & mask {
		sl := &t.slots[i]
		if sl.gen != t.gen || sl.addr == p {
			return sl
		}
	}
}

// has reports whether p is in t.
func (t *objTable) has(p uintptr) bool { return t.find(p).gen == t.gen }

// insert adds p, of no object, and reports whether it was new.
func (t *objTable) insert(p uintptr) bool {
	sl := t.find(p)
	if sl.gen == t.gen {
		return false
	}
	*sl = objSlot{addr: p, gen: t.gen}
	t.n++
	return true
}

// empty takes everything out of t.
func (t *objTable) empty() {
	t.n = 0
	t.gen++
	if t.gen == 0 {
		clear(t.slots)
		t.gen = 1
	}
}

func (t *objTable) grow() {
	old := t.slots
	t.slots = make([]objSlot, max(64, 2*len(old)))
	if t.gen == 0 {
		t.gen = 1
	}
	mask := uintptr(len(t.slots) - 1)
	for _, sl := range old {
		if sl.gen != t.gen {
			continue
		}
		i := hashAddr(sl.addr) & mask
		for t.slots[i].gen == t.gen {
			i = (i + 1) & mask
		}
		t.slots[i] = sl
	}
}

// object returns the model of the object at p, made at first use. fresh: the
// model was just made and its state is to be taken from the native object if
// that is older than the execution.
func (s *Sched) object(p unsafe.Pointer, kind trace.ObjKind, site trace.Site) (o *object, fresh bool) {
	sl := s.tab.find(uintptr(p))
	if sl.gen == s.tab.gen {
		o = s.objs[sl.id]
		if o.kind == kind {
			return o, false
		}
		// Another object at the same address (the first field of a struct), or
		// memory used for something else: kinds get models of their own.
		for _, q := range s.objs[:s.nobj] {
			if q.addr == uintptr(p) && q.kind == kind {
				return q, false
			}
		}
		return s.newObject(p, kind, site), true
	}
	o = s.newObject(p, kind, site)
	*sl = objSlot{addr: uintptr(p), gen: s.tab.gen, id: int32(s.nobj - 1)}
	s.tab.n++
	return o, true
}

func (s *Sched) newObject(p unsafe.Pointer, kind trace.ObjKind, site trace.Site) *object {
	if s.nobj == len(s.objs) {
		s.objs = append(s.objs, new(object))
	}
	o := s.objs[s.nobj]
	s.nobj++
	o.reset()
	o.id, o.kind, o.addr, o.ref, o.site = trace.ObjID(s.nobj), kind, uintptr(p), p, site
	if len(s.t.Objects) == 0 {
		s.t.Objects = append(s.t.Objects, trace.Object{})
	}
	s.t.Objects = append(s.t.Objects, trace.Object{Kind: kind, Addr: o.addr, G: trace.NoG, Site: site})
	return o
}

func (s *Sched) resetObjects() {
	s.nobj = 0
	s.tab.empty()
}

// releaseNative frees the native locks that the execution left behind, so that
// package-level locks are as they were found for the next one.
func (s *Sched) releaseNative() {
	for _, o := range s.objs[:s.nobj] {
		switch o.kind {
		case trace.ObjMutex:
			if o.locked && o.owner != nil {
				*(*[8]byte)(o.ref) = [8]byte{} // sync.Mutex is a state and a semaphore of 4 bytes each
			}
		case trace.ObjRWMutex:
			if o.locked || o.readers > 0 {
				*(*[24]byte)(o.ref) = [24]byte{}
			}
		case trace.ObjWaitGroup:
			if o.count != 0 && s.outsiders() <= 0 { // one of them may still call Done
				*(*[12]byte)(o.ref) = [12]byte{}
			}
		}
	}
}

// Allocations. The log is only looked into when an object's identity is asked
// for, so announcing an allocation costs an append.

type alloc struct {
	addr, size uintptr
	g          trace.GID
	n          int32
	kind       uint8
	nth        int32 // of those of g at site; set by sortAllocs
	site       trace.Site
}

const maxAllocs = 4 << 20

func (s *Sched) alloc(p unsafe.Pointer, n uintptr, kind uint8, site uint64) {
	if !s.here() || s.unwind {
		return
	}
	g := s.cur
	if kind == hook.AllocRest && !s.unannounced(p) {
		return
	}
	g.allocs++
	if kind == hook.AllocChan {
		s.madeChan(p, trace.Site(site))
	}
	if len(s.allocs) < maxAllocs {
		s.allocs = append(s.allocs, alloc{uintptr(p), n, g.id, g.allocs, kind, 0, trace.Site(site)})
	}
}

// unannounced reports whether nothing has announced the memory at p, and a name for it is wanted. What is on a stack has none.
func (s *Sched) unannounced(p unsafe.Pointer) bool {
	if !s.exhaustive() || onStack(p) {
		return false
	}
	s.sortAllocs()
	_, _, ok := s.allocOf(uintptr(p))
	return !ok
}
