package order

import (
	"sort"

	"heddle/trace"
)

// A counter is a number that some events change and others wait for: of a WaitGroup, of a
// semaphore, of the values in a channel's buffer.
type counter struct {
	kind   Kind
	delta  map[int]int  // by event
	lo, hi map[int]int  // the least and the greatest count allowed right before an event
	looks  map[int]bool // events that only read the count: it matters when they are needed
	events []int32      // events that change it
	init   int
	tight  map[int]bool // events for which asInTrace has added constraints
}

func newCounter(kind Kind) *counter {
	return &counter{kind: kind, delta: map[int]int{}, lo: map[int]int{}, hi: map[int]int{},
		looks: map[int]bool{}, tight: map[int]bool{}}
}

func (c *counter) change(e, d int) {
	c.delta[e] = d
	c.events = append(c.events, int32(e))
	if d < 0 {
		c.lo[e] = -d
	}
}

// start computes the count before the trace: as much as the events need, in trace order.
func (c *counter) start(events []int32) {
	n, low := 0, 0
	for _, i := range events {
		e := int(i)
		if lo, ok := c.lo[e]; ok {
			low = min(low, n-lo)
		}
		n += c.delta[e]
	}
	c.init = -low
}

// maxBroken bounds the events for which one check adds what an order breaks.
const maxBroken = 16

func (c *counter) check(p *Problem, events []int32) {
	n, mended, broken := c.init, c.init, 0
	for k, i := range events {
		e := int(i)
		lo, low := c.lo[e]
		hi, high := c.hi[e]
		if p.tight && (low && n < lo || high && n > hi) && c.asInTrace(p, e) {
			return
		}
		// What comes later is broken by itself only if it is when this is mended.
		if low && n < lo && mended < lo {
			c.raise(p, e, lo, events[:k])
			mended, broken = lo, broken+1
		}
		if high && n > hi && mended > hi {
			c.lower(p, e, hi, events[:k])
			mended, broken = hi, broken+1
		}
		if broken == maxBroken {
			return
		}
		n, mended = n+c.delta[e], mended+c.delta[e]
	}
}

// raise adds that the count is at least lo when e is done: an event that raises it moves before e,
// or one that lowers it moves after e.
func (c *counter) raise(p *Problem, e, lo int, before []int32) { c.bound(p, e, lo, 1, before) }

// lower adds that the count is at most hi when e is done.
func (c *counter) lower(p *Problem, e, hi int, before []int32) { c.bound(p, e, -hi, -1, before) }

// bound adds that sign times the count is at least lim when e is done.
//
// Of the events of one goroutine the first that could precede e stands for all others that could,
// and the last that could follow e likewise.
func (c *counter) bound(p *Problem, e, lim, sign int, before []int32) {
	lits := c.boundLits(p, e, lim, sign, before)
	switch {
	case e == atEnd:
		p.add(p.names.tag(Target, p.stops...), append(lits, not(p.goal))...)
	case c.looks[e]:
		p.add(p.names.tag(DataValidity, e), append(lits, not(p.needed(e)))...)
	default:
		p.add(p.names.tag(c.kind, e), append(lits, not(p.kept(e)))...)
	}
}

// atEnd stands for an event after all that are done.
const atEnd = -1

func (c *counter) boundLits(p *Problem, e, lim, sign int, before []int32) (lits []lit) {
	was := make(map[int32]bool, len(before))
	n := sign * c.init
	last := make(map[trace.GID]int)
	for _, i := range before {
		was[i] = true
		if d := sign * c.delta[int(i)]; d > 0 {
			n += d
		}
	}
	// Decrements count only as far as they keep the count below the limit: the more are left out,
	// the stronger the clause. Those that precede e in every order add no literal.
	var free, rest []int32
	for _, i := range before {
		if sign*c.delta[int(i)] < 0 {
			if p.beforeEnd(e, int(i)) == yes {
				free = append(free, i)
			} else {
				rest = append(rest, i)
			}
		}
	}
	for _, i := range append(free, rest...) {
		if n < lim {
			break
		}
		n += sign * c.delta[int(i)]
		if p.beforeEnd(e, int(i)) != yes {
			g := p.m.events[i].G
			if old, ok := last[g]; !ok || p.m.place[i] > p.m.place[old] {
				last[g] = int(i)
			}
		}
	}
	for _, i := range sorted(last) {
		lits = append(lits, not(p.beforeEnd(e, i)))
	}
	first := make(map[trace.GID]bool)
	for _, i := range c.events {
		if g := p.m.events[i].G; !was[i] && int(i) != e && !first[g] && sign*c.delta[int(i)] > 0 {
			first[g] = true
			lits = append(lits, p.beforeEnd(e, int(i)))
		}
	}
	return lits
}

// beforeEnd returns the literal that event i is done before e, which may be atEnd.
func (p *Problem) beforeEnd(e, i int) lit {
	if e == atEnd {
		return p.kept(i)
	}
	return p.before(i, e)
}

// sorted returns the values of m in order.
func sorted(m map[trace.GID]int) []int {
	list := make([]int, 0, len(m))
	for _, x := range m {
		list = append(list, x)
	}
	sort.Ints(list)
	return list
}
