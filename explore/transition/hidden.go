package transition

import "heddle/trace"

// Hidden reports whether t, which p was read from, may hide another order: two
// goroutines did something on one object inside the standard library (a lock of
// testing or log, say) that gives order, or one of them did inside and the other
// outside, and either might have come first. Such operations are no scheduling
// points and steps do not depend on each other by them, so that no search tries
// the other order.
//
// loose: t is a trace of an execution in which such order hides no race
// (trace.Schedule.Loose), so that operations that commute matter no more.
func (p *Path) Hidden(t *trace.Trace, loose bool) bool {
	h := hushed{p: p, t: t, loose: loose}
	for i := range t.Events {
		if e := &t.Events[i]; e.Quiet && h.matters(e) {
			if h.quiet == nil {
				h.quiet, h.last = make([]bool, len(t.Objects)), make([][]hush, len(t.Objects))
			}
			h.quiet[e.Obj] = true
		}
	}
	return h.quiet != nil && h.hides()
}

// matters reports whether e gives order that might be another.
func (h *hushed) matters(e *trace.Event) bool {
	return e.Obj != 0 && e.Step >= 0 && reversible(h.t, e) && h.p.Tab.procOfGID(e.G) != Timers
}

// hushed is what goroutines have done so far, by object, on those on which something is done quietly.
type hushed struct {
	p     *Path
	t     *trace.Trace
	loose bool
	quiet []bool // by object: something is done on it quietly
	last  [][]hush
}

// A hush is the last of the operations that one goroutine did on such an object with one effect.
type hush struct {
	event  int
	quiet  bool
	looks  bool
	effect trace.Effect
}

// hides is Hidden where something is done quietly.
func (h *hushed) hides() bool {
	affects := h.t.Affects
	for j := range h.t.Events {
		e := &h.t.Events[j]
		for len(affects) > 0 && int(affects[0].Event) < j {
			affects = affects[1:]
		}
		if !h.quiet[e.Obj] || !h.matters(e) {
			continue
		}
		now := hush{event: j, quiet: e.Quiet, looks: looks(e)}
		if len(affects) > 0 && int(affects[0].Event) == j {
			now.effect = affects[0].Effect
		}
		if h.reorders(e, &now) {
			return true
		}
	}
	return false
}

// reorders notes an operation, and reports whether one before it might have come after it, and made a difference.
func (h *hushed) reorders(e *trace.Event, now *hush) bool {
	last := h.last[e.Obj]
	known := -1
	for k := range last {
		was := &last[k]
		switch {
		case h.t.Events[was.event].G == e.G:
			if was.quiet == now.quiet && was.looks == now.looks && was.effect == now.effect {
				known = k
			}
		case was.looks && now.looks, !was.quiet && !now.quiet, h.loose && was.effect.Commutes(now.effect):
		case !h.p.follows(h.t, was.event, now.event):
			return true
		}
	}
	if known >= 0 {
		last[known] = *now
	} else {
		h.last[e.Obj] = append(last, *now)
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
	case trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange, trace.OpRLock, trace.OpRUnlock:
		return true
	case trace.OpOnce, trace.OpTryLock, trace.OpTryRLock, trace.OpSignal, trace.OpBroadcast:
		return e.Arg == 0
	}
	return false
}
