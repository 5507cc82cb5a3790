package sched

import "heddle/trace"

// Which goroutine a moment of a chain is.

// chains are those of one execution.
type chains struct {
	trace.Chains
	links [][]link // by chain
}

// A link is a goroutine of a chain, and from which clock on the chain is that goroutine.
type link struct {
	from uint32
	g    trace.GID
}

// moments is the chain of no goroutine. Its entry is how many moments, one after the other, led to
// what a clock stands for (Lamport's clock): it is the same in equivalent executions, whatever
// shares a chain.
const moments trace.Chain = 0

func (c *chains) reset() {
	c.Reset(moments + 1)
	c.links = append(c.links[:0], nil)
}

// begin gives n, which was started by a goroutine that knew clock, its chain and its clock.
func (c *chains) begin(n *G, clock *trace.Vector) {
	k, from := c.Begin(clock)
	if n := len(c.links); int(k) == n {
		if n == cap(c.links) {
			c.links = append(c.links, nil)
		}
		c.links = c.links[:n+1]
		c.links[n] = c.links[n][:0]
	}
	n.chain = k
	n.clock.Copy(clock)
	n.clock.Set(k, from)
	n.now = trace.NewEpoch(k, from)
	n.first = n.now
	c.links[k] = append(c.links[k], link{from, n.id})
}

// end says that g has ended.
func (c *chains) end(g *G) { c.End(g.chain, g.touched, g.now.C()) }

// covers reports whether clock has all that the goroutine whose moment e is knew when it let its
// clock go then. It has if it has the moment, since clocks are let go whole. But if another
// goroutine has gone on with the chain, a clock may have its moments and not those before.
func (c *chains) covers(clock *trace.Vector, e trace.Epoch) bool {
	return e != 0 && c.has(clock, e)
}

// has is covers for a moment: by itself, so that covers is inlined.
func (c *chains) has(clock *trace.Vector, e trace.Epoch) bool {
	if !clock.Covers(e) || !shortcuts {
		return false
	}
	links := c.links[e.Chain()]
	return links[len(links)-1].from <= e.C()
}

// shortcuts is false in tests that join all clocks entry by entry.
var shortcuts = true

// of returns the goroutine whose moment e is.
func (c *chains) of(e trace.Epoch) trace.GID {
	links := c.links[e.Chain()]
	for i := len(links) - 1; i > 0; i-- {
		if links[i].from <= e.C() {
			return links[i].g
		}
	}
	return links[0].g
}
