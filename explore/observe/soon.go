package observe

import "heddle/trace"

// What comes after a Wait. A goroutine that has not called Done keeps others from passing the Wait:
// nothing that they do after it comes before its next step, also where they have not come to the
// Wait yet.

// waits reports whether the pending operation of a node is a Wait.
func (n *node) waits() bool { return n.op.class == ruled && n.op.op == trace.OpWGWait }

// passed is grow for what the step from a node accesses. Behind a Wait that is not soon.
func (p *program) passed(at int32, r *reach, old int32) {
	if p.node(at).pauses() {
		p.upwards(at, r, old, futureOf, false)
		return
	}
	p.grow(at, r, old)
}

// await notes that a goroutine waits for a WaitGroup, or for all others, in a node. One that was
// started comes before the Wait that its parent came to then.
func (p *program) await(at, group, old int32) {
	for at != 0 {
		if p.node(at).awaits.has(group) {
			return
		}
		p.node(at).awaits.add(group)
		p.grown = p.grown || at < old
		p.eachOther(at, func(before int32) {
			if !p.node(before).pauses() {
				p.await(before, group, old)
			}
		})
		at = p.before(at)
		if p.node(at).pauses() {
			return
		}
	}
}

// hold adds to what the set may take off counters what a goroutine in a node may.
func (k *choice) hold(n *node) {
	for _, w := range n.worst {
		for len(k.holds) <= int(w.item) {
			k.holds = append(k.holds, 0)
		}
		k.holds[w.item] += w.most
		k.held = append(k.held, w.item)
	}
}

// drop makes the set empty for hold.
func (k *choice) drop() {
	for _, i := range k.held {
		k.holds[i] = 0
	}
	k.held = k.held[:0]
}

// keeps reports whether the counter of a WaitGroup stays above zero until one of the set makes a
// step, whatever all others do.
func (k *choice) keeps(s *state, group int32) bool {
	if group == s.p.rest { // one of the set can go on
		return true
	}
	own := int32(0)
	if int(group) < len(k.holds) {
		own = k.holds[group]
	}
	return s.counts[group][0]-s.census.losses[group]+own > 0
}

// passes reports whether a goroutine in a node may pass the Waits that come first before any of the
// set makes a step.
func (k *choice) passes(s *state, n *node) bool {
	for i := range n.awaits.all {
		if !k.keeps(s, i) {
			return true
		}
	}
	return false
}

// soonAll returns the tally of what all others may access before proc makes a step, and what proc
// has in it.
func (s *state) soonAll(proc int) (t *tally, own *reach) {
	c, n := &s.census, s.local[proc]
	for i := range c.awaited.all {
		if i == s.p.rest || c.awaits[i] == 0 || c.awaits[i] == 1 && n.awaits.has(i) {
			continue
		}
		if s.counts[i][0]-c.losses[i]+s.p.worst(s.at[proc], i) <= 0 {
			return &c.future, &n.future
		}
	}
	return &c.soon, &n.soon
}
