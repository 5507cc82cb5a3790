package order

import (
	"slices"
	"sort"

	"heddle/trace"
)

// Strict orders. Counts and queues take many constraints: any receive may make room for any send,
// and a receive whose value is not needed may get any. So a question is asked with the literal
// strict assumed first. Then receives get the values that they got, and operations that wait for a
// count wait for the same operations as in the trace. These constraints are few and strong. Only if
// no order meets them, and the refutation used strict, the question is asked again without it.

// checkStrict adds what a strict order breaks. It reports whether there was any.
func (b *buffer) checkStrict(p *Problem, events []int32) bool {
	before := p.added
	var queue []int
	sent := make(map[int]bool)
	for _, i := range events {
		e := int(i)
		s := int(p.m.events[e].Partner)
		switch {
		case b.delta[e] > 0:
			if len(queue) > b.hi[e] {
				b.room(p, e, queue)
				queue = queue[1:]
			}
			queue = append(queue, e)
			sent[e] = true
		case b.delta[e] < 0 && s >= 0:
			b.ownValue(p, e)
			if k := slices.Index(queue, s); k >= 0 {
				for _, first := range queue[:k] {
					b.inTurn(p, first, s)
				}
				queue = slices.Delete(queue, k, k+1)
			}
		}
	}
	return p.added > before
}

// ownValue adds that the value that e receives is sent before.
func (b *buffer) ownValue(p *Problem, e int) {
	if s := int(p.m.events[e].Partner); s >= 0 && !b.tight[e] {
		b.tight[e] = true
		p.addStrict(p.names.tag(FIFO, e), p.before(s, e), not(p.kept(e)))
	}
}

// addStrict adds a clause for strict orders only.
func (p *Problem) addStrict(tag int, lits ...lit) { p.add(tag, append(lits, p.strict.Not())...) }

// room adds that one of the sends in queue, which fill the buffer, is received before e.
func (b *buffer) room(p *Problem, e int, queue []int) {
	lits := []lit{not(p.kept(e))}
	for _, q := range queue {
		lits = append(lits, p.before(e, q))
		if r := b.receiver(p, q); r >= 0 {
			lits = append(lits, p.before(r, e))
		}
	}
	p.addStrict(p.names.tag(Capacity, e), lits...)
}

// inTurn adds that the value sent first is received first.
func (b *buffer) inTurn(p *Problem, s, t int) {
	for _, x := range [2][2]int{{s, t}, {t, s}} {
		first, then := b.receiver(p, x[0]), b.receiver(p, x[1])
		if then < 0 {
			continue
		}
		lits := []lit{not(p.kept(then)), not(p.before(x[0], x[1]))}
		if first >= 0 {
			lits = append(lits, p.before(first, then))
		}
		p.addStrict(p.names.tag(FIFO, min(s, t), max(s, t)), lits...)
	}
}

// receiver returns the receive that got the value of a send, -1.
func (b *buffer) receiver(p *Problem, s int) int {
	if r := int(p.m.events[s].Partner); r >= 0 && r < p.m.done && p.m.events[r].Op == trace.OpRecv {
		return r
	}
	return -1
}

// asInTrace adds that the same changes of the count precede e as in the trace. It reports whether
// that is new.
func (c *counter) asInTrace(p *Problem, e int) bool {
	if c.tight[e] {
		return false
	}
	c.tight[e] = true
	k := sort.Search(len(c.events), func(i int) bool { return int(c.events[i]) >= e })
	last := make(map[trace.GID]int)
	for _, i := range c.events[:k] {
		last[p.m.events[i].G] = int(i)
	}
	tag := p.names.tag(c.kind, e)
	for _, i := range sorted(last) {
		p.addStrict(tag, not(p.kept(e)), p.before(i, e))
	}
	first := make(map[trace.GID]int)
	for _, i := range c.events[k:] {
		if g := p.m.events[i].G; int(i) != e {
			if _, ok := first[g]; !ok {
				first[g] = int(i)
			}
		}
	}
	for _, i := range sorted(first) {
		p.addStrict(tag, not(p.kept(e)), p.before(e, i))
	}
	return true
}
