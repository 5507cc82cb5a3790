package transition

import "heddle/trace"

// Hidden reports whether t, from which p was read, may hide another order: two goroutines accessed
// one object, at least one of them inside the standard library (such as a lock of testing or log),
// and either might have come first. Quiet operations are no scheduling points and no transitions
// depend on each other by them, so no search tries the other order.
//
// loose: t is a trace in which such order hides no race (trace.Schedule.Loose), so that operations
// that commute do not count. Without clocks more is hidden.
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

// matters reports whether e gives order that may be different in another execution.
func (h *hushed) matters(e *trace.Event) bool {
	return e.Obj != 0 && e.Step >= 0 && reversible(h.t, e) && h.p.Tab.procOfGID(e.G) != Timers
}

// hushed has the accesses so far, by object, to objects with quiet operations.
type hushed struct {
	p     *Path
	t     *trace.Trace
	loose bool
	quiet []bool // by object: it has quiet operations
	last  [][]hush
}

// A hush is the last operation of one goroutine with one effect on such an object.
type hush struct {
	event  int
	quiet  bool
	looks  bool
	effect trace.Effect
}

// hides implements Hidden if there are quiet operations.
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

// reorders records an operation. It reports whether an earlier one could have come after it, with a
// different result.
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

// follows reports whether event j comes after event i, of an earlier step or the same, in every
// execution: the goroutine of i continued with a transition that j's step comes after. What a step
// does first orders nothing that it does later.
func (p *Path) follows(t *trace.Trace, i, j int) bool {
	a, b := &t.Events[i], &t.Events[j]
	from, to := p.transitionOf(a.Step), int(p.transitionOf(b.Step))
	g := p.Tab.procOfGID(a.G)
	if g == p.Tab.procOfGID(b.G) {
		return true
	}
	if p.bare {
		return false
	}
	if p.known(to, g) > p.seqOf(int(from), g) {
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

// known returns how many transitions of g happen before transition j, or are j.
func (p *Path) known(j int, g Proc) uint32 { return p.clocks.at(j, g) }

// seqOf returns how many of the transitions up to i g took part in.
func (p *Path) seqOf(i int, g Proc) uint32 {
	if p.steps[i].Proc == g {
		return p.rows[i].seq
	}
	return p.rows[i].seqWith
}

// reversible reports whether operations like e can come in another order. A receive cannot precede
// its send, nor a Wait its Done.
func reversible(t *trace.Trace, e *trace.Event) bool {
	switch t.Objects[e.Obj].Kind {
	case trace.ObjMutex, trace.ObjRWMutex, trace.ObjCond, trace.ObjOnce, trace.ObjMap, trace.ObjPool,
		trace.ObjAtomic:
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
