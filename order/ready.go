package order

import (
	"heddle/model"
	"heddle/trace"
)

// ready adds to the goal that e, which is next in its goroutine, is enabled, as far as that depends
// on a lock, a Once, a count, or a channel. Conds and closed channels with a buffer are left out:
// there the answer may have an e that waits.
func (p *Problem) ready(e int) {
	ev := &p.m.events[e]
	switch u := p.objUnit[ev.Obj].(type) {
	case *lock:
		if s := p.section(e, 1); s.Enters() && p.waits(e) {
			p.free(e, u, s == model.Enter)
		}
	case *once:
		if u.run >= 0 && u.run != e {
			p.over(e, OnceDone, u.run, u.end)
		}
	case *meetingPoint:
		p.met(e, u)
		p.inTurn(u, e, ev.Op == trace.OpSend)
	case *counter:
		if p.waits(e) {
			p.finally(u, func(int) (lo, hi int) { return p.demands(e) })
		}
	case *buffer:
		room := int(p.m.t.Objects[ev.Obj].Cap)
		switch {
		case len(u.closes) > 0:
		case ev.Op == trace.OpRecv:
			p.finally(u, func(n int) (lo, hi int) { return 1, n })
		case ev.Op == trace.OpSend:
			p.finally(u, func(n int) (lo, hi int) { return n, room - 1 })
		}
	}
}

// free: no goroutine holds the lock in a way that blocks e.
func (p *Problem) free(e int, l *lock, write bool) {
	own, inRegion := l.of[e]
	for i := range l.regions {
		r := &l.regions[i]
		if inRegion && i == own || !write && !r.write || p.m.events[r.from].G == p.m.events[e].G {
			continue
		}
		p.over(e, Lock, r.from, r.to)
	}
}

// over: e is not between two events. to is -1 if the trace has no end of it.
func (p *Problem) over(e int, kind Kind, from, to int) {
	lits := []lit{p.goal.Not(), not(p.kept(from))}
	if to >= 0 {
		lits = append(lits, p.kept(to))
	}
	p.add(p.names.tag(kind, e, from), lits...)
}

// met: an operation that e may meet waits, or the channel is closed.
func (p *Problem) met(e int, c *meetingPoint) {
	ev := &p.m.events[e]
	if ev.Op != trace.OpRecv && ev.Op != trace.OpSend {
		return
	}
	tag := p.names.tag(Meeting, e)
	lits := []lit{p.goal.Not()}
	for _, x := range c.closes {
		lits = append(lits, p.kept(x))
	}
	partners := c.recvs
	if ev.Op == trace.OpRecv {
		partners = c.sends
	}
	for _, i := range partners {
		o := int(i)
		if s, r := p.m.node[e], p.m.node[o]; !p.mayMeet(s, r) {
			continue
		}
		waits := p.fresh()
		p.add(tag, waits.Not(), not(p.kept(o)))
		if prev := p.m.nodes[p.m.node[o]].prev; prev >= 0 {
			p.add(tag, waits.Not(), p.isDone(prev))
		}
		p.startOf(o, func(l lit, _ ...int) { p.add(tag, waits.Not(), l) })
		lits = append(lits, waits)
		p.finals = append(p.finals, func(p *Problem) {
			if p.isTrue(waits) {
				p.oneWaits(waits, e, o, int32(len(p.at)))
			}
		})
	}
	p.add(tag, lits...)
}
