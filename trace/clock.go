package trace

// An Epoch is one moment of one goroutine: its chain in the high 32 bits, its clock in the low
// (FastTrack, Flanagan and Freund, PLDI 2009, section 3). Zero means "never".
type Epoch uint64

// NewEpoch returns c@k.
func NewEpoch(k Chain, c uint32) Epoch { return Epoch(k)<<32 | Epoch(c) }

// Chain returns the epoch's chain.
func (e Epoch) Chain() Chain { return Chain(e >> 32) }

// C returns the epoch's clock.
func (e Epoch) C() uint32 { return uint32(e) }

// A Clock is a vector clock: for every chain, how many of its moments happened before. Entries
// beyond its length are 0. Clocks of chains start at 1, so that no event has clock 0.
type Clock []uint32

// At returns the entry of k.
func (c Clock) At(k Chain) uint32 {
	if int(k) < len(c) {
		return c[k]
	}
	return 0
}

// Covers reports whether the moment e happened before the moment of c, or is that moment.
func (c Clock) Covers(e Epoch) bool { return e.C() <= c.At(e.Chain()) }

// Join makes c the pointwise maximum of c and d, in place, and returns it.
func (c Clock) Join(d Clock) Clock {
	n := min(len(c), len(d))
	head := c[:n]
	for i, v := range d[:n] {
		head[i] = max(head[i], v)
	}
	return append(c, d[n:]...)
}

// Copy overwrites c with d, reusing c's memory, and returns it.
func (c Clock) Copy(d Clock) Clock { return append(c[:0], d...) }

// Set puts v at k, growing as needed.
func (c Clock) Set(k Chain, v uint32) Clock {
	if int(k) >= len(c) {
		c = c.grow(int(k) + 1)
	}
	c[k] = v
	return c
}

func (c Clock) grow(n int) Clock {
	if n <= cap(c) {
		old := len(c)
		c = c[:n]
		clear(c[old:])
		return c
	}
	d := make(Clock, n, 2*n)
	copy(d, c)
	return d
}
