package trace

// A Chain is an entry of a Clock. It stands for one goroutine, or for several one after the other:
// each starts after all that matters of the one before has happened before. Concurrent events are
// never in one chain, so clocks give the same order as if each goroutine had its own entry. A clock
// is as long as goroutines are many at a time, not as long as goroutines are many: otherwise an
// execution that starts many, few at a time, would take time and memory by the square of their
// number. (Agarwal and Garg, PODC 2005, have chains of events.)
type Chain int32

// Chains assigns chains to goroutines. The zero Chains has assigned none.
type Chains struct {
	n    Chain
	over []ended
	turn int      // index in over of the next chain to try
	must []uint32 // by chain: what a successor must know of the goroutines that have ended
}

// ended is the last goroutine of a chain: the clock that a successor must know of it, and its last
// clock.
type ended struct {
	k          Chain
	must, last uint32
}

const chainTries = 8

// tries is the number of ended chains that Begin tries before it makes a new one.
var tries = chainTries

// ShareChains sets whether goroutines share chains. It is for tests.
func ShareChains(on bool) {
	tries = 0
	if on {
		tries = chainTries
	}
}

// Reset forgets all chains and takes the first n as assigned.
func (c *Chains) Reset(n Chain) { c.n, c.over, c.turn, c.must = n, c.over[:0], 0, c.must[:0] }

// Begin returns the chain of a new goroutine and its first clock there. clock is what its parent
// knows.
func (c *Chains) Begin(clock *Vector) (k Chain, first uint32) {
	for range min(tries, len(c.over)) {
		c.turn %= len(c.over)
		e := c.over[c.turn]
		if e.must <= clock.At(e.k) {
			last := len(c.over) - 1
			c.over[c.turn], c.over = c.over[last], c.over[:last]
			c.keep(e)
			return e.k, e.last + 1
		}
		c.turn++
	}
	c.n++
	return c.n - 1, 1
}

// keep records what e's successors must know, also where the next one does nothing that its own
// successor must know.
func (c *Chains) keep(e ended) {
	for len(c.must) <= int(e.k) {
		c.must = append(c.must, 0)
	}
	c.must[e.k] = e.must
}

// End records that the goroutine of chain k ended at clock last. A goroutine may continue the chain
// if its parent knows k up to must, and up to what the goroutines of the chain before demanded.
func (c *Chains) End(k Chain, must, last uint32) {
	if int(k) < len(c.must) {
		must = max(must, c.must[k])
	}
	c.over = append(c.over, ended{k, must, last})
}
