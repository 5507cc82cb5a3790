package order

import "heddle/trace"

// foresee adds constraints before an order breaks them: for the events that must precede the goal,
// the events that these need before them, where there is one such event, or one that preceded in
// the trace. Without it every round would find only the next few.
func (p *Problem) foresee(goal Goal) {
	var todo []int32
	visit := func(v int32) {
		if v >= 0 && !p.seen[v] {
			p.seen[v] = true
			todo = append(todo, v)
		}
	}
	for _, e := range goal.At {
		visit(p.m.nodes[p.m.node[e]].prev)
	}
	for _, e := range goal.Keep {
		visit(p.m.node[e])
	}
	for _, x := range goal.Before {
		visit(p.m.node[x[1]])
	}
	for len(todo) > 0 || p.foreseeRooms(visit) {
		if len(todo) == 0 {
			continue
		}
		p.opt.Limit.Check()
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := &p.m.nodes[v]
		visit(n.prev)
		for _, x := range p.m.cross[v] {
			if p.m.reaches(x, v) {
				visit(x)
			}
		}
		for _, e := range p.m.byG[n.g][p.m.place[n.first] : p.m.place[n.last]+1] {
			for _, u := range p.unitOf[e] {
				for _, before := range p.wants(p.units[u], int(e)) {
					visit(p.m.node[before])
				}
			}
		}
	}
}

// foreseeRooms visits the receives that make room for the sends that were visited. It reports
// whether there are new ones.
func (p *Problem) foreseeRooms(visit func(int32)) (more bool) {
	for _, u := range p.units {
		if b, ok := u.(*buffer); ok && b.turns {
			if r := b.foreseeRoom(p); r >= 0 {
				visit(p.m.node[r])
				more = true
			}
		}
	}
	return more
}

// wants adds what event e needs before it, and returns the events that met the need in the trace.
func (p *Problem) wants(u unit, e int) (before []int) {
	switch c := u.(type) {
	case *cell:
		if x := &c.uses[c.of[e]]; x.reads && (x.always || p.dependent(e) >= 0) {
			c.ask(p, x)
			if x.source >= 0 {
				before = append(before, x.source)
			}
		}
	case *buffer:
		if c.pairs {
			if o := c.addPair(p, e); o >= 0 {
				before = append(before, o)
			}
		} else if s := int(p.m.events[e].Partner); c.delta[e] < 0 && s >= 0 {
			if c.turns {
				c.addTurn(p, e)
			}
			c.ownValue(p, e)
			before = append(before, s)
		}
	case *meetingPoint:
		if o := int(p.m.events[e].Partner); o >= 0 {
			c.settleOnce(p, e)
			before = append(before, o)
		}
	case *counter:
		if _, ok := c.hi[e]; ok {
			c.asInTrace(p, e)
			for _, i := range c.events {
				if int(i) < e {
					before = append(before, int(i))
				}
			}
		}
	case *cond:
		if p.m.events[e].Op == trace.OpCondWake && !c.asked[e] {
			c.asked[e] = true
			c.signalled(p, e)
		}
	}
	return before
}
