package transition

import "slices"

// vectors are the vector clocks of the transitions of a path, a row each. Rows of few goroutines
// are stored as they are. Those of many are tables of blocks: rows share the blocks that are equal,
// so a row takes memory for what its transition learned, and joining two rows looks only at blocks
// that differ. Only the last row changes.
type vectors struct {
	few    []uint32 // rows of stride entries; of few goroutines
	stride int      // 0: there is no room for any goroutine

	// Of many goroutines, if width > 0.
	width  int     // blocks of a row
	tables []int32 // rows of width numbers of blocks
	blocks []block // the first one is zeros
	begun  []int32 // by row: how many blocks there were before it
}

// A block has the entries of goroutines that follow each other.
type block [blockSize]uint32

const blockSize = 64

// ManyGoroutines is from how many goroutines on rows share blocks. It is a variable for tests.
var ManyGoroutines = 128

// ClockSize returns how many numbers the vector clock of a transition takes, if it learns of few
// other goroutines, or has one for each goroutine.
func ClockSize(goroutines int) int {
	if goroutines < ManyGoroutines {
		return goroutines + 1
	}
	return goroutines/blockSize + 2*blockSize
}

// at returns the entry of g in row j.
func (v *vectors) at(j int, g Proc) uint32 {
	if i := uint(j*v.stride + int(g)); i < uint(len(v.few)) {
		return v.few[i]
	}
	return v.blocks[v.tables[j*v.width+int(g)/blockSize]][g%blockSize]
}

// grow makes room for n goroutines in the first rows rows, and in those to come.
func (v *vectors) grow(n, rows int) {
	if n <= v.stride {
		return
	}
	old := *v
	*v = vectors{stride: n + n/8 + 4}
	if n < ManyGoroutines {
		v.few = make([]uint32, (rows+64)*v.stride)
		for i := range rows {
			copy(v.few[i*v.stride:], old.few[i*old.stride:(i+1)*old.stride])
		}
		return
	}
	v.width = (v.stride + blockSize - 1) / blockSize
	v.stride = v.width * blockSize
	if v.blocks, v.begun = old.blocks, old.begun; len(v.blocks) == 0 {
		v.blocks = make([]block, 1)
	}
	for j := range rows {
		if old.width > 0 {
			v.tables = append(append(v.tables, old.tables[j*old.width:(j+1)*old.width]...),
				make([]int32, v.width-old.width)...)
			continue
		}
		v.begin(j)
		for g := range old.stride {
			if x := old.few[j*old.stride+g]; x > 0 {
				v.set(j, Proc(g), x)
			}
		}
	}
}

// reserve makes room for so many rows at once, where they are large.
func (v *vectors) reserve(rows int) {
	const large = 1 << 12
	if v.width > 0 {
		v.tables = slices.Grow(v.tables, max(0, rows*v.width-len(v.tables)))
	} else if more := rows*v.stride - len(v.few); more > large {
		v.few = append(v.few, make([]uint32, more)...)
	}
}

// begin makes row j zeros. It becomes the last one.
func (v *vectors) begin(j int) {
	if v.width > 0 {
		v.cut(j)
		v.begun = append(v.begun, int32(len(v.blocks)))
		n := len(v.tables)
		v.tables = slices.Grow(v.tables, v.width)[:n+v.width]
		clear(v.tables[n:])
		return
	}
	if (j+1)*v.stride > len(v.few) {
		v.few = append(v.few, make([]uint32, len(v.few)+v.stride)...)
	}
	clear(v.few[j*v.stride : (j+1)*v.stride])
}

// cut removes all but the first rows rows.
func (v *vectors) cut(rows int) {
	if rows < len(v.begun) {
		v.blocks, v.begun = v.blocks[:v.begun[rows]], v.begun[:rows]
		v.tables = v.tables[:rows*v.width]
	}
}

// set puts x into the entry of g in row j, the last one.
func (v *vectors) set(j int, g Proc, x uint32) {
	if v.width == 0 {
		v.few[j*v.stride+int(g)] = x
		return
	}
	v.own(j, int(g)/blockSize)[g%blockSize] = x
}

// own returns block k of row j, the last one, which no other row shares then.
func (v *vectors) own(j, k int) *block {
	at := &v.tables[j*v.width+k]
	if *at < v.begun[j] {
		v.blocks = append(v.blocks, v.blocks[*at])
		*at = int32(len(v.blocks) - 1)
	}
	return &v.blocks[*at]
}

// join makes row j, the last one, the maximum of itself and row i.
func (v *vectors) join(j, i int) {
	if v.width == 0 {
		c, d := v.few[j*v.stride:(j+1)*v.stride], v.few[i*v.stride:(i+1)*v.stride]
		for k, x := range d {
			c[k] = max(c[k], x)
		}
		return
	}
	c, d := v.tables[j*v.width:(j+1)*v.width], v.tables[i*v.width:(i+1)*v.width]
	for k, at := range d {
		switch c[k] {
		case at:
		case 0:
			c[k] = at
		default:
			v.joinBlock(j, k, at)
		}
	}
}

// joinBlock is join for block k: with the block number at, which is another one.
func (v *vectors) joinBlock(j, k int, at int32) {
	x, y := &v.blocks[v.tables[j*v.width+k]], &v.blocks[at]
	more, less := false, false
	for i := range x {
		more, less = more || x[i] > y[i], less || x[i] < y[i]
	}
	switch {
	case !less:
	case !more:
		v.tables[j*v.width+k] = at
	default:
		x, y = v.own(j, k), &v.blocks[at]
		for i := range x {
			x[i] = max(x[i], y[i])
		}
	}
}

// differ calls f with the goroutines whose entries in rows i and j differ, and with these, until f
// returns false. It returns what f did, true if nothing differs.
func (v *vectors) differ(i, j int, f func(g Proc, c, d uint32) bool) bool {
	for g := 0; g < v.stride; {
		if v.width > 0 && g%blockSize == 0 &&
			v.tables[i*v.width+g/blockSize] == v.tables[j*v.width+g/blockSize] {
			g += blockSize
			continue
		}
		if c, d := v.at(i, Proc(g)), v.at(j, Proc(g)); c != d && !f(Proc(g), c, d) {
			return false
		}
		g++
	}
	return true
}

// clone returns a copy of the first rows rows.
func (v *vectors) clone(rows int) vectors {
	return vectors{stride: v.stride, width: v.width,
		few:    slices.Clone(v.few[:min(len(v.few), rows*v.stride)]),
		tables: slices.Clone(v.tables[:rows*v.width]), blocks: slices.Clone(v.blocks)}
}
