package trace

// A Vector is a Clock that is copied in short time however many chains there are. Its first entries
// are a Clock. The others are in blocks, which vectors share until one of them changes an entry.
// The entry that changes most stands beside them: in the clock of a goroutine, its own. The zero
// Vector is the Clock of zeros.
//
// A Vector is for one goroutine at a time, together with all vectors that it was copied from or to.
// An assignment moves it; Copy copies it.
type Vector struct {
	low  Clock // not empty if there is a rest
	rest *rest // nil: zeros
}

// A rest has the entries of a vector beyond those of low.
type rest struct {
	own   Chain // whose entry is mine: what blocks have there is less, or old
	mine  uint32
	table *table
}

// A table has the blocks of entries beyond those of low.
type table struct {
	refs   int32 // vectors that have it
	blocks []*block
}

// A block has entries that follow each other.
type block struct {
	refs int32 // places in tables that have it
	at   [blockSize]uint32
}

const blockSize = 128

// LowChains is how many entries of a Vector are a Clock, at least 3. It is a variable for tests.
var LowChains Chain = 1024

// What no vector has any more.
var (
	spareRests  []*rest
	spareTables []*table
	spareBlocks []*block
)

// taken takes one out of what is spare, nil if there is none.
func taken[T any](spare *[]*T) *T {
	n := len(*spare)
	if n == 0 {
		return nil
	}
	x := (*spare)[n-1]
	*spare = (*spare)[:n-1]
	return x
}

// A table and a block of zeros, which are in use for ever.
var (
	noBlocks = &table{refs: 1}
	zeros    = &block{refs: 1}
)

// Vector returns c as a Vector that may only be read.
func (c Clock) Vector() *Vector { return &Vector{low: c} }

// At returns the entry of k.
func (c *Vector) At(k Chain) uint32 {
	if int(k) < len(c.low) {
		return c.low[k]
	}
	if c.rest == nil {
		return 0
	}
	return c.rest.at(k)
}

// Covers reports whether the moment e happened before the moment of c, or is that moment.
func (c *Vector) Covers(e Epoch) bool { return e.C() <= c.At(e.Chain()) }

// Empty reports whether nothing was set.
func (c *Vector) Empty() bool { return len(c.low) == 0 }

// Clock returns the entries.
func (c *Vector) Clock() Clock {
	d := append(Clock(nil), c.low...)
	if c.rest == nil {
		return d
	}
	n := max(c.rest.own+1, Chain(len(c.rest.table.blocks)*blockSize))
	for k := Chain(len(d)); k < n; k++ {
		if v := c.rest.at(k); v > 0 {
			d = d.Set(k, v)
		}
	}
	return d
}

// Reset makes all entries 0.
func (c *Vector) Reset() {
	c.low = c.low[:0]
	if c.rest != nil {
		c.dropRest()
	}
}

// Set makes v the entry of k, which was at most v.
func (c *Vector) Set(k Chain, v uint32) {
	if int(k) < len(c.low) {
		c.low[k] = v
	} else {
		c.set(k, v)
	}
}

func (c *Vector) set(k Chain, v uint32) {
	if k < LowChains {
		c.low = c.low.Set(k, v)
		return
	}
	if len(c.low) == 0 {
		c.low = append(c.low, 0)
	}
	switch r := c.rest; {
	case r == nil:
		c.rest = newRest()
		c.rest.own = k
	case r.own != k:
		r.put(r.own, r.mine)
		r.own = k
	}
	c.rest.mine = v
}

// Tick adds 1 to the entries of k and of chain 0, which are not 0.
func (c *Vector) Tick(k Chain) {
	if int(k) < len(c.low) {
		c.low[k]++
	} else {
		c.increment(k)
	}
	c.low[0]++
}

func (c *Vector) increment(k Chain) { c.set(k, c.At(k)+1) }

// Copy makes c what d is.
func (c *Vector) Copy(d *Vector) {
	c.low = append(c.low[:0], d.low...)
	if c.rest != d.rest {
		c.copyRest(d.rest)
	}
}

func (c *Vector) copyRest(r *rest) {
	if r == nil {
		c.dropRest()
		return
	}
	if c.rest == nil {
		c.rest = newRest()
	}
	c.rest.own, c.rest.mine = r.own, r.mine
	if c.rest.table != r.table {
		c.rest.share(r.table)
	}
}

// Join makes c the pointwise maximum of c and d.
func (c *Vector) Join(d *Vector) {
	c.low = c.low.Join(d.low)
	if d.rest != nil {
		c.joinRest(d.rest)
	}
}

// Meet makes both the pointwise maximum of c and d.
func (c *Vector) Meet(d *Vector) {
	if c.rest != nil || d.rest != nil || len(c.low) != len(d.low) {
		c.Join(d)
		d.Copy(c)
		return
	}
	low := d.low
	for k, v := range c.low {
		v = max(v, low[k])
		c.low[k], low[k] = v, v
	}
}

func (c *Vector) joinRest(d *rest) {
	if c.rest == nil {
		c.copyRest(d)
		return
	}
	r := c.rest
	r.mine = max(r.mine, d.at(r.own))
	if d.table != r.table {
		r.join(d.table)
	}
	if d.mine > r.at(d.own) {
		r.put(d.own, d.mine)
	}
}

func newRest() *rest {
	if r := taken(&spareRests); r != nil {
		return r
	}
	noBlocks.refs++
	return &rest{table: noBlocks}
}

// dropRest is not inlined, so that Reset is.
//
//go:noinline
func (c *Vector) dropRest() {
	c.rest.share(noBlocks)
	spareRests = append(spareRests, c.rest)
	c.rest = nil
}

func (r *rest) at(k Chain) uint32 {
	if k == r.own {
		return r.mine
	}
	if i := uint(k) / blockSize; i < uint(len(r.table.blocks)) {
		return r.table.blocks[i].at[k%blockSize]
	}
	return 0
}

// join makes the table of r the maximum of itself and t. A block that has all of another one takes
// its place, so that the next join need not look at it.
func (r *rest) join(t *table) {
	if len(r.table.blocks) == 0 {
		r.share(t)
		return
	}
	for i, y := range t.blocks {
		x := zeros
		if i < len(r.table.blocks) {
			x = r.table.blocks[i]
		}
		if x == y {
			continue
		}
		more, less := false, true
		if x != zeros {
			more, less = x.compare(y)
		}
		switch {
		case !less:
		case more:
			x = r.block(i)
			for k, v := range &y.at {
				x.at[k] = max(x.at[k], v)
			}
		default:
			at := r.place(i)
			(*at).drop()
			y.refs++
			*at = y
		}
	}
}

// compare reports whether some entry of x is more, and whether one is less, than that of y.
func (x *block) compare(y *block) (more, less bool) {
	const part = 32
	for i := 0; i < blockSize && !(more && less); i += part {
		xs, ys := x.at[i:i+part:i+part], y.at[i:i+part:i+part]
		var up, down int64 // negative if so
		for k, v := range ys {
			d := int64(xs[k]) - int64(v)
			up, down = up|-d, down|d
		}
		more, less = more || up < 0, less || down < 0
	}
	return more, less
}

// share gives r a table that others may have, and takes away its own.
func (r *rest) share(t *table) {
	t.refs++
	r.table.drop()
	r.table = t
}

// put sets an entry in the blocks.
func (r *rest) put(k Chain, v uint32) { r.block(int(k / blockSize)).at[k%blockSize] = v }

// place returns where block i of r is, in a table that no other vector has.
func (r *rest) place(i int) **block {
	t := r.table
	if t.refs > 1 {
		n := newTable()
		n.blocks = append(n.blocks, t.blocks...)
		for _, b := range t.blocks {
			b.refs++
		}
		t.refs--
		t, r.table = n, n
	}
	for i >= len(t.blocks) {
		zeros.refs++
		t.blocks = append(t.blocks, zeros)
	}
	return &t.blocks[i]
}

// block returns block i of r, which no other vector has then.
func (r *rest) block(i int) *block {
	at := r.place(i)
	if b := *at; b.refs > 1 {
		*at = newBlock()
		(*at).at = b.at
		b.refs--
	}
	return *at
}

func newTable() *table {
	if t := taken(&spareTables); t != nil {
		t.refs = 1
		return t
	}
	return &table{refs: 1}
}

// newBlock returns a block with any entries.
func newBlock() *block {
	if b := taken(&spareBlocks); b != nil {
		b.refs = 1
		return b
	}
	return &block{refs: 1}
}

func (t *table) drop() {
	if t.refs--; t.refs > 0 {
		return
	}
	for _, b := range t.blocks {
		b.drop()
	}
	t.blocks = t.blocks[:0]
	spareTables = append(spareTables, t)
}

func (b *block) drop() {
	if b.refs--; b.refs == 0 {
		spareBlocks = append(spareBlocks, b)
	}
}
