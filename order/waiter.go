package order

import (
	"slices"

	"heddle/trace"
)

// A waiter is a goroutine that offers one side of a channel without a buffer. A select with default
// that finds it waiting takes it. Where a side is polled, arriving there is a step, and of those
// that wait the one that arrived first is served first.
type waiter struct {
	event   int   // its communication, which a leftover never does
	from    int32 // it waits from the end of this node on
	arrived bool  // that is its arrival
	send    bool
	cases   []trace.Offer // of several it waits only while none of the others can be done alone
}

// findWaiters returns the waiters of the channels that are polled. Where arriving is no step, what
// a goroutine will do next is known only if Options.Exact tells.
func (p *Problem) findWaiters() map[trace.ObjID][]waiter {
	all := make(map[trace.ObjID][]waiter)
	for i := range p.m.events {
		for _, o := range p.polled(i) {
			all[o] = nil
		}
		if ev := &p.m.events[i]; p.arrives(i) {
			all[ev.Obj] = nil
		}
	}
	if len(all) == 0 {
		return all
	}
	for i := range p.m.events {
		ev := &p.m.events[i]
		prev := p.m.nodes[p.m.node[i]].prev
		if ev.Op != trace.OpSend && ev.Op != trace.OpRecv && (ev.Op != trace.OpSelect || i < p.m.done) ||
			prev < 0 {
			continue
		}
		arrived := p.arrives(int(p.m.nodes[prev].first))
		if !arrived && p.opt.Exact == nil {
			continue
		}
		cases := p.announced(i)
		for _, o := range cases {
			if _, ok := all[o.Obj]; ok && !o.Poll {
				all[o.Obj] = append(all[o.Obj], waiter{i, prev, arrived, o.Send, cases})
			}
		}
	}
	return all
}

// arrives reports whether event e is the step in which a goroutine arrives at a channel.
func (p *Problem) arrives(e int) bool {
	ev := &p.m.events[e]
	if ev.Op != trace.OpArrive || e >= p.m.done || int(ev.Step) >= len(p.m.t.Steps) || ev.Step < 0 {
		return false
	}
	st := &p.m.t.Steps[ev.Step]
	return st.Op == trace.OpArrive && st.G == ev.G && p.m.t.Objects[ev.Obj].Kind == trace.ObjChan
}

// checkWaiters: a select that took its default found no goroutine waiting, and no goroutine
// overtakes one that arrived before it.
func (c *meetingPoint) checkWaiters(p *Problem, events []int32) {
	if len(c.waiters) == 0 {
		return
	}
	for _, i := range events {
		e := int(i)
		switch ev := &p.m.events[e]; {
		case ev.Op == trace.OpSelect && ev.Arg == -1:
			for _, o := range p.announced(e) {
				if p.objUnit[o.Obj] == unit(c) {
					c.foundNone(p, e, o.Send)
				}
			}
		case ev.Op == trace.OpSend && ev.Arg >= 0, ev.Op == trace.OpRecv && ev.Arg > 0:
			if w := c.waiterOf(e, ev.Op == trace.OpSend); w != nil && w.arrived {
				c.overtakesNone(p, w)
			}
		}
	}
}

func (c *meetingPoint) waiterOf(e int, send bool) *waiter {
	for i := range c.waiters {
		if w := &c.waiters[i]; w.event == e && w.send == send {
			return w
		}
	}
	return nil
}

// foundNone adds that no goroutine waits at the other side when e polls.
func (c *meetingPoint) foundNone(p *Problem, e int, send bool) {
	v := p.m.node[e]
	for i := range c.waiters {
		w := &c.waiters[i]
		if w.send == send || p.m.nodes[w.from].g == p.m.events[e].G || !p.waitsThen(w, p.at[v]) {
			continue
		}
		tag := p.names.tag(Meeting, e, w.event)
		p.names.approximate[tag] = len(w.cases) > 1
		p.add(tag, not(p.kept(e)), not(p.nodeBefore(w.from, v)), p.doneBefore(w.event, e))
	}
}

// overtakesNone adds that none that arrived before w waits when w communicates.
func (c *meetingPoint) overtakesNone(p *Problem, w *waiter) {
	v := p.m.node[w.event]
	for i := range c.waiters {
		if s := &c.waiters[i]; c.isSenior(p, s, w) && p.waitsThen(s, p.at[v]) {
			tag := p.names.tag(FIFO, s.event, w.event)
			p.names.approximate[tag] = len(s.cases) > 1
			p.add(tag, not(p.kept(w.event)), not(p.nodeBefore(s.from, w.from)),
				p.doneBefore(s.event, w.event))
		}
	}
}

// isSenior reports whether s arrived before w at the same side, in the order that is checked.
func (c *meetingPoint) isSenior(p *Problem, s, w *waiter) bool {
	return s != w && s.arrived && s.send == w.send && p.m.nodes[s.from].g != p.m.nodes[w.from].g &&
		p.at[s.from] >= 0 && p.at[s.from] < p.at[w.from]
}

// inTurn adds to the goal that no goroutine that arrived before e waits at one side of c.
func (p *Problem) inTurn(c *meetingPoint, e int, send bool) {
	w := c.waiterOf(e, send)
	if w == nil || !w.arrived {
		return
	}
	p.finals = append(p.finals, func(p *Problem) {
		for i := range c.waiters {
			if s := &c.waiters[i]; c.isSenior(p, s, w) && p.waitsThen(s, int32(len(p.at))) {
				tag := p.names.tag(FIFO, s.event, e)
				p.names.approximate[tag] = len(s.cases) > 1
				p.add(tag, p.goal.Not(), not(p.nodeBefore(s.from, w.from)), p.kept(s.event))
			}
		}
	})
}

// oneWaits adds to the question that s and r do not meet by m if neither waits, in the order that
// is checked. at is the place of their meeting there.
func (p *Problem) oneWaits(m lit, s, r int, at int32) {
	if done := p.doneAt(at); p.idle(s, done) || p.idle(r, done) {
		return
	}
	tag := p.names.tag(Meeting, s, r, s)
	p.names.approximate[tag] = true
	p.add(tag, m.Not(), p.goal.Not())
}

// MayMeet reports whether two events, sides of a channel without a buffer that are next in their
// goroutines after the events of order, can be one communication: one of them has to wait for the
// other.
func (p *Problem) MayMeet(a, b int, order []int) bool {
	done := func(e int) bool { return slices.Contains(order, e) }
	return p.idle(a, done) || p.idle(b, done)
}

// idle reports whether a goroutine can have waited for a partner before its channel operation e: it
// does not poll, and it has no other case that can be done alone.
func (p *Problem) idle(e int, done func(int) bool) bool {
	cases := p.announced(e)
	return len(cases) < 2 && (len(cases) == 0 || !cases[0].Poll) ||
		!slices.ContainsFunc(cases, func(o trace.Offer) bool { return o.Poll || p.alone(o, done) })
}

// doneAt returns which events are done before a place of the order that is checked.
func (p *Problem) doneAt(at int32) func(int) bool {
	return func(e int) bool { k := p.at[p.m.node[e]]; return k >= 0 && k < at }
}

// waitsThen reports whether w waits at a place of the order that is checked.
func (p *Problem) waitsThen(w *waiter, at int32) bool {
	if p.at[w.from] < 0 || p.at[w.from] >= at {
		return false
	}
	if w.event < p.m.done {
		if done := p.at[p.m.node[w.event]]; done >= 0 && done < at {
			return false
		}
	}
	return p.idle(w.event, p.doneAt(at))
}

// waitsAlone adds to the goal that no case of e can be done without a partner.
func (p *Problem) waitsAlone(e int) {
	for _, o := range p.announced(e) {
		for _, x := range p.closesOf(o.Obj) {
			p.wanted(e, []lit{not(p.kept(x))})
		}
		if b, ok := p.objUnit[o.Obj].(*buffer); ok && o.Send {
			p.finally(b, func(n int) (lo, hi int) { return int(p.m.t.Objects[o.Obj].Cap), n })
		} else if ok {
			p.finally(b, func(n int) (lo, hi int) { return n, 0 })
		}
	}
}

// alone reports whether a case can be done without a partner after some events.
func (p *Problem) alone(o trace.Offer, done func(int) bool) bool {
	if slices.ContainsFunc(p.closesOf(o.Obj), done) {
		return true
	}
	b, ok := p.objUnit[o.Obj].(*buffer)
	if !ok {
		return o.Send && p.m.t.Objects[o.Obj].Cap > 0
	}
	n := b.init
	for _, i := range b.events {
		if done(int(i)) {
			n += b.delta[int(i)]
		}
	}
	if o.Send {
		return n < int(p.m.t.Objects[o.Obj].Cap)
	}
	return n > 0
}

// doneBefore returns the literal that a, which may be a leftover, is done before b.
func (p *Problem) doneBefore(a, b int) lit {
	if a >= p.m.done {
		return no
	}
	return p.before(a, b)
}
