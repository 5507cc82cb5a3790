package net

// The order within a Config: causality and asymmetric conflict. An event that reads a condition
// precedes the event that takes it; an event that watches precedes the events that it does not
// follow.

type frame struct {
	e    Event
	next int32 // index in preds of the next predecessor
	end  int32
}

// Order returns the events of the set in an order in which they can happen. The next call of any
// method overwrites it.
func (c *Config) Order() []Event {
	if len(c.late) == 0 {
		c.order = append(c.order[:0], c.log...)
		return c.order
	}
	if !c.sort(0) {
		panic("net: a set of events that cannot happen")
	}
	return c.order
}

// OrderLike is Order, but begins with the events of other, an earlier order, as far as that needs
// no search.
func (c *Config) OrderLike(other []Event) []Event {
	if len(c.late) > 0 {
		return c.Order()
	}
	c.order = c.order[:0]
	for _, e := range other {
		if c.state[e] == out {
			break
		}
		c.state[e] = done
		c.order = append(c.order, e)
	}
	k, ok := len(c.order), true
	for _, e := range c.log {
		if c.state[e] == in {
			ok = ok && !c.precedesDone(e)
			c.order = append(c.order, e)
		}
	}
	for _, e := range c.order[:k] {
		c.state[e] = in
	}
	if !ok {
		return c.Order()
	}
	return c.order
}

// precedesDone reports whether e, which is not in the order yet, may have to precede an event that
// is.
func (c *Config) precedesDone(e Event) bool {
	for _, a := range c.n.Arcs(e) {
		switch a.Use() {
		case Reads, Joins:
			if by := c.taken[a.Cond()]; by >= 0 && c.state[by] == done {
				return true
			}
		case Watches:
			return true
		}
	}
	return false
}

// acyclic reports whether the events of the set have an order in which they can happen. The first k
// have one.
func (c *Config) acyclic(k int) bool {
	return len(c.late) == 0 || c.sort(k) // in order of addition
}

// sort orders the events from the k-th on with their predecessors. It returns false if there is a
// cycle.
func (c *Config) sort(k int) bool {
	c.order = c.order[:0]
	ok := true
	for i := k; i < len(c.log) && ok; i++ {
		if c.state[c.log[i]] == in {
			ok = c.visit(c.log[i])
		}
	}
	for _, e := range c.order {
		c.state[e] = in
	}
	for _, f := range c.stack {
		c.state[f.e] = in
	}
	c.stack, c.preds = c.stack[:0], c.preds[:0]
	return ok
}

// visit appends the predecessors of e and e to order. It returns false if it finds a cycle.
func (c *Config) visit(e Event) bool {
	c.push(e)
	for len(c.stack) > 0 {
		top := &c.stack[len(c.stack)-1]
		if top.next == top.end {
			c.state[top.e] = done
			c.order = append(c.order, top.e)
			c.preds = c.preds[:len(c.preds)-c.width(len(c.stack)-1)]
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		p := c.preds[top.next]
		top.next++
		switch c.state[p] {
		case open:
			c.keepCycle(p)
			return false
		case in:
			c.push(p)
		}
	}
	return true
}

// keepCycle records the cycle that p closes.
func (c *Config) keepCycle(p Event) {
	c.cycle = c.cycle[:0]
	for i := len(c.stack) - 1; i >= 0; i-- {
		c.cycle = append(c.cycle, c.stack[i].e)
		if c.stack[i].e == p {
			return
		}
	}
}

// Cycle returns events of which each must precede the next, in a cycle, if that is why the last Add
// returned false; nil if the reason was another one.
func (c *Config) Cycle() []Event { return c.cycle }

// width returns the number of predecessors of the i-th frame.
func (c *Config) width(i int) int {
	begin := int32(0)
	if i > 0 {
		begin = c.stack[i-1].end
	}
	return int(c.stack[i].end - begin)
}

func (c *Config) push(e Event) {
	c.state[e] = open
	begin := int32(len(c.preds))
	for _, a := range c.n.Arcs(e) {
		y := a.Cond()
		if by := c.n.conds[y].by; by != None {
			c.preds = append(c.preds, by)
		} else if a.Use() == Follows {
			if m := c.member(y); m != None {
				c.preds = append(c.preds, c.n.conds[m].by)
			}
		}
		if a.takes() {
			for r := c.lastRead(y); r > 0; r = c.reads[r-1].next {
				if by := c.reads[r-1].by; by != e {
					c.preds = append(c.preds, by)
				}
			}
		}
	}
	if g := c.n.event(e).group; g != None {
		for _, w := range c.watch {
			if c.watches(w, g) && !c.follows(w, e) {
				c.preds = append(c.preds, w)
			}
		}
	}
	c.stack = append(c.stack, frame{e, begin, int32(len(c.preds))})
}

// watches reports whether w watches what is given beside the root of a place.
func (c *Config) watches(w Event, place Place) bool {
	for _, a := range c.n.Arcs(w) {
		if a.Use() == Watches && c.n.conds[a.Cond()].place == place {
			return true
		}
	}
	return false
}
