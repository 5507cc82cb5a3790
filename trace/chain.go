package trace

// A Chain is an entry of a Clock: a goroutine, or several one after the other,
// each of them begun by somebody to whom all that matters of the one before
// had happened before. What is concurrent is never in one chain, so the order
// that clocks tell is the same as if each goroutine had an entry of its own; but clocks are as long as goroutines are
// many at a time, where an execution that starts many, few at a time, would take time and memory by
// the square of their number. (Agarwal and Garg, PODC 2005, have chains of events.)
type Chain int32

// Chains tells which chain a goroutine goes on with. The zero Chains has none.
type Chains struct {
	n    Chain
	over []ended
	turn int // who of over is asked next
}

// ended is the last goroutine of a chain: what must be known of it, and its clock.
type ended struct {
	k          Chain
	must, last uint32
}

const chainTries = 8

// tries is how many chains are asked whether a goroutine may go on with them.
var tries = chainTries

// ShareChains lets goroutines share chains, or not. It is for tests.
func ShareChains(on bool) {
	tries = 0
	if on {
		tries = chainTries
	}
}

// Reset forgets all chains, and that the first n are taken.
func (c *Chains) Reset(n Chain) { c.n, c.over, c.turn = n, c.over[:0], 0 }

// Begin returns the chain of a goroutine whose parent knows clock, and the clock of its first moment.
func (c *Chains) Begin(clock Clock) (k Chain, first uint32) {
	for range min(tries, len(c.over)) {
		c.turn %= len(c.over)
		e := c.over[c.turn]
		if e.must <= clock.At(e.k) {
			last := len(c.over) - 1
			c.over[c.turn], c.over = c.over[last], c.over[:last]
			return e.k, e.last + 1
		}
		c.turn++
	}
	c.n++
	return c.n - 1, 1
}

// End says that the goroutine that has chain k has ended at clock last. Whoever goes on with it must know it up to must.
func (c *Chains) End(k Chain, must, last uint32) { c.over = append(c.over, ended{k, must, last}) }
