package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// A select. When several cases are ready the choice is a step of its own.

func (s *Sched) chanSelect(cs []hook.Case, def bool, st hook.Site) (int, hook.Act, unsafe.Pointer) {
	site := trace.Site(st)
	if s.exhaustive() {
		return s.offerSelect(cs, def, site)
	}
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	var first *object
	for i := range cs {
		if cs[i].Ch != nil {
			o := s.channel(cs[i].Ch, cs[i].Cap, site)
			o.setCap(cs[i].Cap)
			if first == nil {
				first = o
			}
			if cs[i].Send {
				s.sending(g, o, site)
			}
		}
	}
	if first == nil && !def {
		s.forever(g, trace.OpSelect, site)
	}
	for {
		if !g.repeat {
			s.point(g, trace.OpSelect, first, site)
		}
		g.repeat = false
		if i, act, peer, ok := s.trySelect(g, cs, site); ok {
			if act == hook.ActClosed {
				s.idleRead(g, first)
			}
			s.leave()
			return i, act, peer
		}
		if def && s.outsiders() > 0 && s.unlearn(cs) {
			s.outside.took = true
			g.repeat = true
			continue
		}
		if def {
			s.event(g, trace.OpSelect, first, -1, site)
			s.idleRead(g, first)
			s.leave()
			return -1, 0, nil
		}
		for i := range cs {
			c := &cs[i]
			if c.Ch == nil {
				continue
			}
			o := s.channel(c.Ch, c.Cap, site)
			if c.Send {
				ev := s.event(g, trace.OpArrive, o, int64(trace.OpSend), site)
				o.ch.sendq.push(g, slotAt(c.Slot), i, ev)
			} else {
				ev := s.event(g, trace.OpArrive, o, int64(trace.OpRecv), site)
				o.ch.recvq.push(g, slotAt(c.Slot), i, ev)
			}
		}
		s.announce(g, trace.OpSelect, first, site)
		s.park(g)
		if !g.repeat {
			i, act := g.chosen, g.act
			s.leave()
			return i, act, nil
		}
	}
}

// trySelect does one of the cases that are ready.
func (s *Sched) trySelect(g *G, cs []hook.Case, site trace.Site) (int, hook.Act, unsafe.Pointer, bool) {
	var fixed [16]int
	ready := fixed[:0]
	for i := range cs {
		if cs[i].Ch != nil && s.caseReady(&cs[i]) {
			ready = append(ready, i)
		}
	}
	if len(ready) == 0 {
		return 0, 0, nil, false
	}
	i := ready[s.choice(len(ready))]
	if s.over {
		// the schedule did not fit at the choice
		s.reschedule(g)
	}
	c := &cs[i]
	o := s.channel(c.Ch, c.Cap, site)
	var act hook.Act
	var peer unsafe.Pointer
	var ok bool
	if c.Send {
		g.sends = i
		act, peer, ok = s.trySend(g, o, site)
	} else {
		act, peer, ok = s.tryRecv(g, o, site)
	}
	if !ok {
		panic("heddle: a ready case of a select could not be done")
	}
	return i, act, peer, true
}

func (s *Sched) caseReady(c *hook.Case) bool {
	o := s.channel(c.Ch, c.Cap, 0)
	if c.Send {
		if o.closed || o.ch.recvq.first() != nil && (o.cap == 0 || o.n == 0) {
			return true
		}
		if o.known {
			return o.n < o.cap
		}
		n, closed, receivers, _ := chanstate(c.Ch)
		return closed || receivers || n < o.cap
	}
	if o.ch.sendq.first() != nil || o.closed {
		return true
	}
	if o.known {
		return o.n > 0
	}
	n, closed, _, senders := chanstate(c.Ch)
	return n > 0 || closed || senders
}
