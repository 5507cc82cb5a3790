package transition

import "heddle/trace"

// Hidden reports whether t, which p was read from, may hide another order: two
// goroutines did something on one object inside the standard library (a lock of
// testing or fmt, say) that gives order, and either might have come first. Such
// operations are no scheduling points and steps do not depend on each other by
// them, so that no search tries the other order, nor sees a race that this one hides.
func (p *Path) Hidden(t *trace.Trace) bool {
	for i := range t.Events {
		if t.Events[i].Quiet {
			return p.hidden(t, i)
		}
	}
	return false
}

// A hush is what was done quietly with an object: indices of events.
type hush struct {
	written int   // the last that changed it, -1
	read    []int // those since that only looked
}

// hidden is Hidden from event first on.
func (p *Path) hidden(t *trace.Trace, first int) bool {
	hushed := make([]hush, len(t.Objects))
	for i := range hushed {
		hushed[i].written = -1
	}
	for j := first; j < len(t.Events); j++ {
		e := &t.Events[j]
		if !e.Quiet || e.Obj == 0 || e.Step < 0 || !reversible(t, e) || p.Tab.procOfGID(e.G) == Timers {
			continue
		}
		h := &hushed[e.Obj]
		if h.written >= 0 && !p.follows(t, h.written, j) {
			return true
		}
		if looks(e) {
			h.read = append(h.read, j)
			continue
		}
		for _, i := range h.read {
			if !p.follows(t, i, j) {
				return true
			}
		}
		h.written, h.read = j, h.read[:0]
	}
	return false
}

// follows reports whether event j comes after event i, of an earlier step or the
// same, whatever happens: the goroutine of i went on to something that j's step
// comes after. What a step does first orders nothing that it does later.
func (p *Path) follows(t *trace.Trace, i, j int) bool {
	a, b := &t.Events[i], &t.Events[j]
	from, to := p.transitionOf(a.Step), int(p.transitionOf(b.Step))
	g := p.Tab.procOfGID(a.G)
	if g == p.Tab.procOfGID(b.G) || p.known(to, g) > p.seqOf(int(from), g) {
		return true
	}
	for i++; i < len(t.Events) && t.Events[i].Step == a.Step; i++ {
		switch x := &t.Events[i]; {
		case x.G != a.G:
		case x.Op == trace.OpGo && p.known(to, p.Tab.procOfGID(trace.GID(x.Arg))) > 0:
			return true
		case x.Op == trace.OpSend && x.Partner > int32(i):
			if k := int(p.transitionOf(t.Events[x.Partner].Step)); k <= to && p.Before(k, to) {
				return true
			}
		}
	}
	return false
}

// known is how many transitions of g happen before transition j, or are it.
func (p *Path) known(j int, g Proc) uint32 { return p.clocks[j*p.stride+int(g)] }

// seqOf is how many transitions g took part in up to i.
func (p *Path) seqOf(i int, g Proc) uint32 {
	if p.steps[i].Proc == g {
		return p.rows[i].seq
	}
	return p.rows[i].seqWith
}

// reversible reports whether operations like e may come in another order: a
// receive cannot come before the send that it waits for, nor a Wait before Done.
func reversible(t *trace.Trace, e *trace.Event) bool {
	switch t.Objects[e.Obj].Kind {
	case trace.ObjMutex, trace.ObjRWMutex, trace.ObjCond, trace.ObjOnce, trace.ObjMap, trace.ObjPool, trace.ObjAtomic:
		return true
	}
	return false
}

// looks reports whether e changes nothing.
func looks(e *trace.Event) bool {
	switch e.Op {
	case trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange:
		return true
	case trace.OpOnce, trace.OpTryLock, trace.OpTryRLock, trace.OpSignal, trace.OpBroadcast:
		return e.Arg == 0
	}
	return false
}
