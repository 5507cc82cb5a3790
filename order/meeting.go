package order

import "heddle/trace"

// A meetingPoint is a channel without a buffer. A send and a receive that meet are one step: the
// send precedes the receive, what precedes the receive in its goroutine precedes both, and what
// follows the send follows both.
type meetingPoint struct {
	sends, recvs []int32
	closes       []int
	partners     map[int][]int  // by event: the events that it may meet
	meets        map[[2]int]lit // by send and receive
	settled      map[int]bool   // events whose partners are constrained already
	few          bool           // only those that met may meet: there are too many pairs
	sure         bool           // or one goroutine sends and one receives: the others could not
	waiters      []waiter       // see checkWaiters
}

// maxMeetings bounds the pairs of sends and receives of one channel.
const maxMeetings = 200_000

func newMeetingPoint(p *Problem, events []int32) *meetingPoint {
	c := &meetingPoint{partners: map[int][]int{}, meets: map[[2]int]lit{}, settled: map[int]bool{}}
	for _, i := range events {
		e := int(i)
		ev := &p.m.events[e]
		switch {
		case e >= p.m.done:
		case ev.Op == trace.OpSend && ev.Arg >= 0:
			c.sends = append(c.sends, i)
		case ev.Op == trace.OpRecv && ev.Arg > 0:
			c.recvs = append(c.recvs, i)
		case ev.Op == trace.OpClose && ev.Arg >= 0:
			c.closes = append(c.closes, e)
		}
	}
	c.sure = p.oneGoroutine(c.sends) && p.oneGoroutine(c.recvs) && len(c.sends) == len(c.recvs)
	c.few = c.sure || len(c.sends)*len(c.recvs) > maxMeetings
	return c
}

func (c *meetingPoint) check(p *Problem, events []int32) {
	checkClosed(p, c.closes, events)
	for _, i := range events {
		e := int(i)
		switch ev := &p.m.events[e]; {
		case ev.Op == trace.OpSend && ev.Arg >= 0, ev.Op == trace.OpRecv && ev.Arg > 0:
			c.settleOnce(p, e)
		}
	}
	c.once(p, events)
	c.checkWaiters(p, events)
}

func (c *meetingPoint) settleOnce(p *Problem, e int) {
	if !c.settled[e] {
		c.settled[e] = true
		c.settle(p, e)
	}
}

// settle adds that e meets one of its partners.
func (c *meetingPoint) settle(p *Problem, e int) {
	tag := p.names.tag(Meeting, e)
	lits := []lit{not(p.kept(e))}
	for _, o := range c.possible(p, e) {
		s, r := e, o
		if p.m.events[e].Op == trace.OpRecv {
			s, r = o, e
		}
		lits = append(lits, c.meet(p, s, r))
	}
	if c.few && !c.sure {
		p.names.approximate[tag] = true
	}
	p.add(tag, lits...)
}

// possible returns the events that e could meet by the order of all executions.
func (c *meetingPoint) possible(p *Problem, e int) []int {
	if c.few {
		if o := p.m.events[e].Partner; o >= 0 {
			return []int{int(o)}
		}
		return nil
	}
	all, recv := c.recvs, false
	if p.m.events[e].Op == trace.OpRecv {
		all, recv = c.sends, true
	}
	var list []int
	for _, o := range all {
		s, r := int32(e), o
		if recv {
			s, r = o, int32(e)
		}
		if p.mayMeet(p.m.node[s], p.m.node[r]) {
			list = append(list, int(o))
		}
	}
	return list
}

func (p *Problem) mayMeet(s, r int32) bool {
	if p.m.nodes[s].g == p.m.nodes[r].g || p.m.reaches(r, s) || p.m.reaches(s, r) {
		return false
	}
	return true
}

// meet returns the literal that s and r meet.
func (c *meetingPoint) meet(p *Problem, s, r int) lit {
	k := [2]int{s, r}
	if l, ok := c.meets[k]; ok {
		return l
	}
	l := p.fresh()
	c.meets[k] = l
	c.partners[s], c.partners[r] = append(c.partners[s], r), append(c.partners[r], s)
	if int(p.m.events[s].Partner) == r {
		p.s.Prefer(l)
	}
	tag := p.names.tag(Meeting, s, r)
	v, w := p.m.node[s], p.m.node[r]
	p.add(tag, l.Not(), p.nodeBefore(v, w))
	if q := p.m.nodes[w].prev; q >= 0 {
		p.add(tag, l.Not(), p.nodeBefore(q, v))
	}
	if n := p.m.nodes[v].next; n >= 0 {
		p.add(tag, l.Not(), p.nodeBefore(w, n))
	}
	p.add(tag, l.Not(), not(p.kept(s)), p.kept(r))
	if int(p.m.events[s].Partner) != r && !p.sameValue(s, int(p.m.events[r].Partner)) {
		p.add(p.names.tag(DataValidity, r, s), l.Not(), not(p.needed(r)))
	}
	return l
}

// once adds, where an order breaks it, that no event meets two others, and that nothing comes
// between two events that meet.
func (c *meetingPoint) once(p *Problem, events []int32) {
	for _, i := range events {
		e, first := int(i), -1
		c.withPartner(p, e, func(m lit, o int) {
			if first >= 0 {
				p.add(p.names.tag(Meeting, e), not(m), not(c.of(p, e, first)))
				return
			}
			first = o
			if p.m.events[e].Op == trace.OpSend {
				c.adjacent(p, m, e, o)
				p.oneWaits(m, e, o, p.at[p.m.node[e]])
			}
		})
	}
}

// withPartner calls f for the partner of e in the model.
func (c *meetingPoint) withPartner(p *Problem, e int, f func(m lit, o int)) {
	for _, o := range c.partners[e] {
		if m := c.of(p, e, o); p.isTrue(m) {
			f(m, o)
		}
	}
}

// adjacent adds that every event ordered with one of s and r, which meet, is ordered with both.
func (c *meetingPoint) adjacent(p *Problem, m lit, s, r int) {
	v, w := p.m.node[s], p.m.node[r]
	between := func(x int32) bool { return p.at[v] < p.at[x] && p.at[x] < p.at[w] }
	tag := p.names.tag(Meeting, s, r)
	for _, x := range p.ordered(v) {
		if between(x) {
			p.add(tag, m.Not(), not(p.nodeBefore(v, x)), p.nodeBefore(w, x))
		}
	}
	for _, x := range p.ordered(w) {
		if between(x) {
			p.add(tag, m.Not(), not(p.nodeBefore(x, w)), p.nodeBefore(x, v))
		}
	}
}

// ordered returns the nodes of other goroutines that share an atom with v.
func (p *Problem) ordered(v int32) []int32 {
	list := append([]int32(nil), p.m.cross[v]...)
	for _, x := range p.th.Related(int(v)) {
		if x != p.end {
			list = append(list, int32(x))
		}
	}
	return list
}

// adjoin moves receives over unbuffered channels next to the sends that they meet.
func (p *Problem) adjoin(nodes []int) []int {
	follows := make(map[int]int)
	moved := make(map[int]bool)
	for _, u := range p.units {
		c, ok := u.(*meetingPoint)
		if !ok {
			continue
		}
		for _, i := range c.sends {
			if p.at[p.m.node[i]] < 0 {
				continue
			}
			c.withPartner(p, int(i), func(_ lit, r int) {
				follows[int(p.m.node[i])] = int(p.m.node[r])
				moved[int(p.m.node[r])] = true
			})
		}
	}
	out := make([]int, 0, len(nodes))
	for _, v := range nodes {
		if moved[v] {
			continue
		}
		out = append(out, v)
		if r, ok := follows[v]; ok {
			out = append(out, r)
		}
	}
	return out
}

func (c *meetingPoint) of(p *Problem, e, o int) lit {
	if p.m.events[e].Op == trace.OpRecv {
		e, o = o, e
	}
	return c.meets[[2]int{e, o}]
}
