package net

// A past is the set of events before some conditions. It has one bit for each event of the net.
type past struct {
	seen   []uint64
	events []Event
}

// of makes p the past of x, if x is not None, and y.
func (p *past) of(n *Net, x, y Cond) {
	for _, e := range p.events {
		p.seen[e/64] = 0
	}
	p.events = p.events[:0]
	if k := n.Len()/64 + 1; len(p.seen) < k {
		p.seen = grown(p.seen, k, 0)
	}
	if x != None {
		p.add(n.conds[x].by)
	}
	p.add(n.conds[y].by)
	for i := 0; i < len(p.events); i++ {
		for _, a := range n.Arcs(p.events[i]) {
			p.add(n.conds[a.Cond()].by)
		}
	}
}

func (p *past) add(e Event) {
	if e != None && p.seen[e/64]&(1<<(e%64)) == 0 {
		p.seen[e/64] |= 1 << (e % 64)
		p.events = append(p.events, e)
	}
}

// lastBefore returns the last condition of a place given by an event before x or y, None if there
// is none. x and y can be marked together.
func (n *Net) lastBefore(place Place, x, y Cond) Cond {
	last := Cond(None)
	n.past.of(n, x, y)
	for _, e := range n.past.events {
		n.eachGiven(e, func(z Cond) {
			if n.conds[z].place == place && (last == None || n.position(z).depth > n.position(last).depth) {
				last = z
			}
		})
	}
	return last
}

// lastsBefore returns those conditions by place.
func (n *Net) lastsBefore(x, y Cond) map[Place]Cond {
	m := map[Place]Cond{}
	n.past.of(n, x, y)
	for _, e := range n.past.events {
		n.eachGiven(e, func(z Cond) {
			if last, ok := m[n.conds[z].place]; !ok || n.position(z).depth > n.position(last).depth {
				m[n.conds[z].place] = z
			}
		})
	}
	return m
}

// eachGiven calls f for the conditions that e gave, except those beside another one.
func (n *Net) eachGiven(e Event, f func(Cond)) {
	x := n.event(e)
	for k := range Cond(x.given) {
		if y := x.first + k; n.conds[y].place != x.group {
			f(y)
		}
	}
}
