package places

import "slices"

// A cut is a causally closed set of events under construction. It decides whether conditions are
// concurrent (section 4.2.1). Its cost depends on the pasts of those conditions alone, and
// additions can be undone.
type cut struct {
	n     *Net
	epoch uint32
	in    []uint32 // by event: the epoch if it is in the cut
	used  []uint32 // by condition: the epoch if an event of the cut takes it
	log   []event
}

func (c *cut) begin() {
	c.epoch++
	c.log = c.log[:0]
	for len(c.in) < len(c.n.events) {
		c.in = append(c.in, 0)
	}
	for len(c.used) < len(c.n.conds) {
		c.used = append(c.used, 0)
	}
}

// add adds the past of a condition. It returns false if that is in conflict with the cut, or if the
// cut takes the condition.
func (c *cut) add(x cond) bool {
	if c.used[x] == c.epoch {
		return false
	}
	by := c.n.conds[x].producer
	return by == none || c.addEvent(by)
}

func (c *cut) addEvent(e event) bool {
	if c.in[e] == c.epoch {
		return true
	}
	c.in[e] = c.epoch
	c.log = append(c.log, e)
	for i, x := range c.n.events[e].pre {
		if c.used[x] == c.epoch {
			for _, y := range c.n.events[e].pre[:i] {
				c.used[y] = 0 // undo takes back what all its conditions are marked by
			}
			c.log = c.log[:len(c.log)-1]
			c.in[e] = 0
			return false
		}
		c.used[x] = c.epoch
	}
	for _, x := range c.n.events[e].pre {
		if by := c.n.conds[x].producer; by != none && !c.addEvent(by) {
			return false
		}
	}
	return true
}

// undo removes all but the first k events.
func (c *cut) undo(k int) {
	for _, e := range c.log[k:] {
		c.in[e] = 0
		for _, x := range c.n.events[e].pre {
			c.used[x] = 0
		}
	}
	c.log = c.log[:k]
}

// extends reports whether the cut, which has the past of base, can be extended so that base and
// more are marked. It leaves the cut as it was.
func (c *cut) extends(base, more []cond) bool {
	k := len(c.log)
	ok := true
	for _, x := range more {
		if ok = c.add(x); !ok {
			break
		}
	}
	for i := 0; ok && i < len(base); i++ {
		ok = c.used[base[i]] != c.epoch
	}
	for i := 0; ok && i < len(more); i++ {
		ok = c.used[more[i]] != c.epoch
	}
	c.undo(k)
	return ok
}

// concurrent reports whether conditions are a co-set.
func (n *Net) concurrent(xs ...cond) bool {
	n.cut.begin()
	return n.cut.extends(nil, xs)
}

func sortEvents(es []event) { slices.Sort(es) }
