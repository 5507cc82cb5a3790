package sched

import "heddle/trace"

// Chains. A vector clock with an entry for every goroutine makes an execution
// that starts many, few at a time, take time and memory by the square of their
// number: a suite in one test does. So goroutines share an entry where they are a
// chain, each of them begun by somebody to whom all that the one before had
// accessed had happened before (Agarwal and Garg, PODC 2005, have chains of events). What is concurrent is
// never in one chain, so nothing is lost: of two accesses of a chain the earlier one happened before the later one.

// A link is a goroutine of a chain, and from which clock on the chain is that goroutine.
type link struct {
	from uint32
	g    trace.GID
}

// chains are those of one execution.
type chains struct {
	links [][]link // by chain
	over  []*G     // the last ones of their chains that have ended
	turn  int      // who of them is asked next
}

// moments is the chain of nobody. Its entry is how many moments, one after the
// other, led to what a clock stands for (Lamport's clock): it is the same in equivalent executions, whoever shares a chain.
const moments trace.Chain = 0

// chainTries is how many chains are asked whether a new goroutine may go on with them. It is a variable for tests.
var chainTries = 8

func (c *chains) reset() {
	c.links = append(c.links[:0], nil)
	c.over, c.turn = c.over[:0], 0
}

// begin gives n, which was started by somebody who knew clock, its chain and its clock.
func (c *chains) begin(n *G, clock trace.Clock) {
	n.clock = n.clock.Copy(clock)
	for range min(chainTries, len(c.over)) {
		c.turn %= len(c.over)
		g := c.over[c.turn]
		if g.touched > clock.At(g.chain) {
			c.turn++
			continue
		}
		last := len(c.over) - 1
		c.over[c.turn], c.over = c.over[last], c.over[:last]
		c.link(n, g.chain, g.clock.At(g.chain)+1)
		return
	}
	k := len(c.links)
	if k < cap(c.links) {
		c.links = c.links[:k+1]
		c.links[k] = c.links[k][:0]
	} else {
		c.links = append(c.links, nil)
	}
	c.link(n, trace.Chain(k), 1)
}

func (c *chains) link(n *G, k trace.Chain, from uint32) {
	n.chain = k
	n.clock = n.clock.Set(k, from)
	c.links[k] = append(c.links[k], link{from, n.id})
}

// end lets the chain of g, which has ended, be gone on with.
func (c *chains) end(g *G) { c.over = append(c.over, g) }

// who is the goroutine whose moment e is.
func (c *chains) who(e trace.Epoch) trace.GID {
	links := c.links[e.Chain()]
	for i := len(links) - 1; i > 0; i-- {
		if links[i].from <= e.C() {
			return links[i].g
		}
	}
	return links[0].g
}
