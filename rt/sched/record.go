package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// event appends an event and returns its index.
func (s *Sched) event(g *G, op trace.Op, o *object, arg int64, site trace.Site) int32 {
	i := len(s.t.Events)
	if i == cap(s.t.Events) {
		i = s.moreEvents()
	}
	es := s.t.Events[:i+1]
	s.t.Events = es
	e := &es[i] // filled in place: the compiler would make a literal elsewhere and copy it
	e.G, e.Op, e.Quiet, e.Width, e.Obj, e.Partner, e.Arg = g.id, op, g.quiet, 0, 0, -1, arg
	e.Site, e.Val, e.Step = site, 0, int32(len(s.t.Steps))-1
	if o != nil {
		e.Obj = o.id
	}
	if s.opt.Record {
		s.recorded(g, e, int32(i))
	}
	if s.opt.Flow {
		s.noteFlow(g, op, arg, int32(i))
	}
	if changes[op] {
		s.altered(g, o)
	}
	return int32(i)
}

// recorded is event in an execution that records.
func (s *Sched) recorded(g *G, e *trace.Event, i int32) {
	if e.Site.PC() != 0 && !e.Site.Connection() && g != s.timerG { // which has no stack of its own
		e.Site = s.callPlace(e.Site)
	}
	s.debugBegin(g, i)
	if s.opt.Stacks {
		s.stacked(g, int(i))
	}
}

// altered notes that an operation of g changed something: the state of o, if that is not nil.
func (s *Sched) altered(g *G, o *object) {
	if s.idle.unchanged {
		return
	}
	if s.idle.same {
		g.spoil() // others are ordered after it, as after any write
	} else {
		s.changed(g)
	}
	if o == nil {
		return
	}
	if o.changes++; s.idle.awaiting > 0 {
		s.wakeAwaiting(o)
	}
	for _, q := range o.beside {
		if q.changes++; s.idle.awaiting > 0 {
			s.wakeAwaiting(q)
		}
	}
}

// mostEvents bounds what is kept of an execution: the bound on steps does not, since operations
// that are no scheduling points are none. It is a power of two, as the room for them is.
const mostEvents = 1 << 24

// moreEvents makes room for an event and returns its index. Of more than there may be the last ones
// take the place of one another; what needs them all, a search or a replay, has to do with an
// execution that ends there.
func (s *Sched) moreEvents() int {
	i := len(s.t.Events)
	if i >= mostEvents {
		if s.exhaustive() || s.opt.Record {
			s.stop(trace.Bounded)
		}
		return i - 1
	}
	// garbage is not collected, so no smaller steps
	s.t.Events = append(make([]trace.Event, 0, max(64, 2*i)), s.t.Events...)
	return i
}

// changes lists the operations after which a goroutine that polls may see something new.
var changes = [trace.OpMax]bool{
	trace.OpGo: true, trace.OpStart: true, trace.OpEnd: true, trace.OpSend: true, trace.OpRecv: true,
	trace.OpClose: true, trace.OpArrive: true,
	trace.OpLock: true, trace.OpUnlock: true, trace.OpRLock: true, trace.OpRUnlock: true,
	trace.OpCondWait: true, trace.OpCondWake: true,
	trace.OpSignal: true, trace.OpBroadcast: true, trace.OpWGAdd: true, trace.OpOnce: true,
	trace.OpOnceDone: true,
	trace.OpMapStore: true, trace.OpPoolPut: true, trace.OpAtomicStore: true, trace.OpAtomicRMW: true,
	trace.OpWrite:      true,
	trace.OpTimerStart: true, trace.OpTimerStop: true, trace.OpTimerFire: true, trace.OpSleep: true,
	trace.OpNative: true,
	trace.OpModel:  true, trace.OpAcquire: true, trace.OpRelease: true,
}

// tick begins a new epoch of g: what it does from now on is not covered by what it released.
func (s *Sched) tick(g *G) {
	g.now++
	g.clock.Tick(g.chain)
	endReads()
}

// release lets c know what g knows; acquire the other way round.
func (s *Sched) release(g *G, c *trace.Vector) {
	if s.det.on {
		c.Join(&g.clock)
		s.tick(g)
	}
}

func (s *Sched) releaseStore(g *G, c *trace.Vector) {
	if s.det.on {
		c.Copy(&g.clock)
		s.tick(g)
	}
}

func (s *Sched) acquire(g *G, c *trace.Vector) {
	if s.det.on && !c.Empty() {
		g.learn(c)
	}
}

// learn adds c to what g knows. It is not inlined, so that acquire is.
//
//go:noinline
func (g *G) learn(c *trace.Vector) {
	g.clock.Join(c)
	g.inLock, g.knows = nil, 0
}

// releaseJoin is release for the clock c of an object that many goroutines release. If c has all
// that g has learnt, only g's own moment is new: with ten thousand goroutines a ten-thousandth of
// the work.
func (s *Sched) releaseJoin(g *G, c *trace.Vector) {
	if s.det.chains.covers(c, g.knows) {
		for _, k := range [2]trace.Chain{g.chain, moments} {
			c.Set(k, max(g.clock.At(k), c.At(k)))
		}
	} else {
		c.Join(&g.clock)
	}
}

// acquireLock is acquire for the lock o, which g has taken. What unlocks a mutex has taken it, so
// that its clock only grows (while none unlocks it for another). A goroutine that has learnt
// nothing elsewhere since it unlocked it then knows nothing but its own steps that is not in there,
// and copying is enough: with a thousand goroutines a tenth of the work. So it is where what g
// knows comes from one moment of another goroutine which the clock has.
func (s *Sched) acquireLock(g *G, o *object) {
	switch {
	case !s.det.on:
	case shortcuts && o.from-g.first <= g.now-g.first: // g let its own clock go
	case g.inLock == o && g.inLockSince == o.handovers || s.det.chains.covers(&o.clock, g.knows):
		before := g.clock.At(moments)
		g.clock.Copy(&o.clock)
		g.clock.Set(g.chain, g.now.C())
		g.clock.Set(moments, max(before, g.clock.At(moments)))
		g.inLock, g.knows = nil, o.from
	default:
		s.acquire(g, &o.clock)
	}
	s.acquire(g, &o.rclock)
}

// releaseLock is releaseStore for the lock o; other: g was not the one that had taken it.
func (s *Sched) releaseLock(g *G, o *object, other bool) {
	if other {
		o.handovers++
	}
	if o.from = 0; s.det.on {
		if g != s.timerG {
			o.from = g.now
		}
		o.clock.Copy(&g.clock)
		s.tick(g)
	}
	g.inLock, g.inLockSince = o, o.handovers
}

// Values. Channel operations hand theirs over (Note); a memory access's value
// is read from memory when its goroutine enters the scheduler again, before
// another one ran.

type lazyValue struct {
	p    unsafe.Pointer
	n    uintptr
	kind trace.Kind
	ev   int32
}

func (s *Sched) note(v any) {
	if hook.Cur != getg() || s.ending.on || len(s.t.Events) == 0 {
		return
	}
	g := s.enter()
	for i := len(s.t.Events) - 1; i >= 0; i-- {
		e := &s.t.Events[i]
		if e.G == g.id {
			text := s.Format(v)
			s.t.value(int32(i), text)
			if e.Partner >= 0 {
				s.t.value(e.Partner, text)
			}
			break
		}
	}
	s.leave()
}

func (s *Sched) lazyDrop() { s.lazy.p = nil }

func (s *Sched) takeValue() {
	l := s.lazy
	s.lazy.p = nil
	if text, ok := formatBytes(l.p, l.n, l.kind); ok {
		s.t.value(l.ev, text)
	}
}

// finalizeObjects fills in which goroutines made the objects, from the allocation log, and
// what capacity channels have.
func (s *Sched) finalizeObjects() {
	for i := range s.t.Objects {
		if i == 0 {
			continue
		}
		s.t.Objects[i].Cap = int32(max(0, s.objs.all[i-1].cap))
		s.nameObject(&s.t.Objects[i])
	}
}

// nameObject fills in which goroutine made o, from the allocation log.
func (s *Sched) nameObject(o *trace.Object) {
	if a, off, ok := s.allocs.Find(o.Addr); ok {
		o.G, o.N, o.Offset, o.Made, o.Nth = a.G, a.N, off, a.Site, a.Nth
		if a.Site != 0 { // package sync does not say where
			o.Site = a.Site
		}
		return
	}
	o.Static = Static(o.Addr)
}

// Static reports whether an address is that of a package-level variable. It is a variable for
// tests. The data of a program lies together, far from its heap.
var Static = func(addr uintptr) bool {
	const most = 1 << 31
	mine := uintptr(unsafe.Pointer(&SoloAfter))
	return unsafe.Sizeof(addr) == 8 && addr-mine+most < 2*most
}
