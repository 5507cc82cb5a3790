package sched

import (
	"slices"
	"unsafe"

	"heddle/model"
	"heddle/rt/hook"
	"heddle/rt/sched/addrs"
	"heddle/trace"
)

// An object is what operations are about: the model of a mutex, a channel and
// so on, found by its address. Only the fields of its kind are used.
type object struct {
	id   trace.ObjID
	kind trace.ObjKind
	addr uintptr
	ref  unsafe.Pointer // addr again: what has a model is not collected within the execution
	site trace.Site
	// the model knows its whole state: made in this execution, and used by nothing outside control
	known bool
	older bool // not made in this execution, though known

	changes uint32    // events that changed it
	width   uintptr   // of an atomic: bytes of its widest operation
	beside  []*object // atomics that overlap it: what changes it changes them

	// goroutines whose pending operation depends on the state below, see crowd.go
	announced []*G
	crowds    []crowd

	clock  trace.Vector // released by writers: unlock, send, close, done, atomic store
	rclock trace.Vector // released by readers: runlock

	// Mutex, RWMutex, Once
	locked  bool
	owner   *G // nil if the one that locked it is not known
	readers int
	holders []*G        // of read locks
	from    trace.Epoch // when clock was copied from a goroutine's that unlocked it, or 0
	// how often it was unlocked by another goroutine than the one that had locked it
	handovers uint32
	wants     *G // RWMutex: the writer that arrived and keeps new readers out
	// of polling loops, see loan.go
	sections   sections
	lentTo     *G   // the last one that gave it back
	lentBefore bool // it was lent to others too
	done       bool

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
	keys  map[any]*trace.Vector
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
	o.known, o.older, o.changes, o.width, o.beside = false, false, 0, 0, o.beside[:0]
	o.announced = o.announced[:0]
	o.clock.Reset()
	o.rclock.Reset()
	if len(o.crowds) > 0 {
		o.disperse()
	}
	o.locked, o.owner, o.readers, o.holders, o.wants, o.done = false, nil, 0, o.holders[:0], nil, false
	o.from, o.handovers, o.sections, o.lentTo, o.lentBefore = 0, 0, sections{}, nil, false
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

// objects are those of an execution.
type objects struct {
	all []*object // in order of first use; those behind its length are kept for later executions
	tab addrs.Table
}

// reset begins an execution.
func (os *objects) reset() {
	os.all = os.all[:0]
	os.tab.Empty()
}

// at returns the model of the object at p, made at first use, when t learns of it. fresh: the model
// was just made; its state is to be taken from the native object if that is older than the
// execution.
func (os *objects) at(t *trace.Trace, p unsafe.Pointer, kind trace.ObjKind, site trace.Site) (o *object,
	fresh bool) {
	if i, ok := os.tab.Peek(uintptr(p)); ok {
		if o = os.all[i]; o.kind == kind {
			return o, false
		}
	}
	sl := os.tab.Find(uintptr(p))
	if i, ok := os.tab.Index(sl); ok {
		if o = os.all[i]; o.kind == kind {
			return o, false
		}
		// Another object at the same address (the first field of a struct), or
		// memory used for something else: kinds get models of their own.
		for _, q := range os.all {
			if q.addr == uintptr(p) && q.kind == kind {
				return q, false
			}
		}
		return os.add(t, p, kind, site), true
	}
	os.tab.Fill(sl, uintptr(p), int32(len(os.all)))
	return os.add(t, p, kind, site), true
}

// widen notes an operation of n bytes on an atomic, which has had none of so many, and finds the
// atomics that it overlaps: the halves of an 8-byte word, and the word.
func (os *objects) widen(o *object, n uintptr) {
	o.width = n
	for _, at := range [2]uintptr{o.addr - 4, o.addr + 4} {
		q := os.atomicAt(at)
		if q == nil || q.addr >= o.addr+o.width || o.addr >= q.addr+q.width || slices.Contains(o.beside, q) {
			continue
		}
		o.beside, q.beside = append(o.beside, q), append(q.beside, o)
	}
}

// atomicAt returns the atomic at an address, nil if there is none.
func (os *objects) atomicAt(p uintptr) *object {
	i, ok := os.tab.Index(os.tab.Find(p))
	switch {
	case !ok:
		return nil
	case os.all[i].kind == trace.ObjAtomic:
		return os.all[i]
	}
	for _, q := range os.all {
		if q.addr == p && q.kind == trace.ObjAtomic {
			return q
		}
	}
	return nil
}

func (os *objects) add(t *trace.Trace, p unsafe.Pointer, kind trace.ObjKind, site trace.Site) *object {
	o := again(&os.all)
	o.reset()
	o.id, o.kind, o.addr, o.ref, o.site = trace.ObjID(len(os.all)), kind, uintptr(p), p, site
	if len(t.Objects) == 0 {
		t.Objects = append(t.Objects, trace.Object{})
	}
	t.Objects = append(t.Objects, trace.Object{Kind: kind, Addr: o.addr, G: trace.NoG, Site: site})
	return o
}

// again makes list longer by one and returns what is there, which an earlier execution may have
// used.
func again[T any](list *[]*T) *T {
	n := len(*list)
	if n == cap(*list) {
		*list = append(*list, nil)
	}
	*list = (*list)[:n+1]
	if (*list)[n] == nil {
		(*list)[n] = new(T)
	}
	return (*list)[n]
}

// object returns the model of the object at p: see objects.at.
func (s *Sched) object(p unsafe.Pointer, kind trace.ObjKind, site trace.Site) (o *object, fresh bool) {
	return s.objs.at(&s.t.Trace, p, kind, site)
}

// releaseNative frees the native locks that the execution left behind, so that
// package-level locks are as they were found for the next one.
func (s *Sched) releaseNative() {
	for _, o := range s.objs.all {
		switch o.kind {
		case trace.ObjMutex:
			if o.locked && o.owner != nil {
				// sync.Mutex is a state and a semaphore of 4 bytes each
				*(*[8]byte)(o.ref) = [8]byte{}
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

// alloc is hook.Alloc: the running goroutine has allocated n bytes at p.
func (s *Sched) alloc(p unsafe.Pointer, n uintptr, kind uint8, site uint64) {
	if !s.here() || s.ending.on {
		return
	}
	g := s.cur
	switch kind {
	case hook.AllocGiven:
		if s.exhaustive() && !onStack(p) {
			s.given.Insert(uintptr(p))
		}
		return
	case hook.AllocRest:
		if !s.unannounced(p) {
			return
		}
	}
	g.heads.madeBefore(g, len(s.t.Steps))
	g.allocs++
	g.heads.made(site)
	if kind == hook.AllocChan {
		s.madeChan(p, trace.Site(site))
	}
	if a := s.allocs.Add(); a != nil { // field by field, see event
		a.Addr, a.Size, a.G, a.N, a.Nth, a.Site = uintptr(p), n, g.id, g.allocs, 0, trace.Site(site)
	}
}

// unannounced reports whether a call has made the memory at p for the arguments of a variadic
// function, and nothing has announced it. What is on a stack needs no name. What the call was given
// may be older than the execution, and the goroutine that meets it first is not always the same.
func (s *Sched) unannounced(p unsafe.Pointer) bool {
	if !s.exhaustive() || onStack(p) || s.given.Has(uintptr(p)) {
		return false
	}
	_, _, ok := s.allocs.Find(uintptr(p))
	return !ok
}
