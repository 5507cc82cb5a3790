// Package mutate makes inputs of fuzz targets out of others: by chance, with the words of a
// dictionary, and by putting one side of a comparison where the input has the other.
package mutate

import (
	"math"
	"slices"
	"strconv"

	"heddle/rt/counters"
	"heddle/rt/splitmix"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
)

// A Mutator changes inputs. What it draws depends on its seed and on what it was given so far.
type Mutator struct {
	rng     splitmix.Stream
	lists   [4]words // constants that stand in comparisons, other ones, what was compared, and far ones
	names   []counters.Name
	marks   []byte // those of the source
	bits    int    // numbers become no greater
	longest int    // texts become no longer, but where a comparison asks for it

	matched       map[counters.Pair]bool // comparisons that inputs were made of
	matchedTyped  map[counters.Pair]bool // the same, of what was decoded
	encodedBefore map[string]bool
}

// New returns a mutator that draws by a seed, and knows the constants of the program: those that a
// fuzz target leads to come first. c may be nil.
func New(seed uint64, c *counters.Constants, target string) *Mutator {
	m := &Mutator{rng: splitmix.Stream(splitmix.Mix(seed)), bits: firstBits, longest: firstLength,
		matched: map[counters.Pair]bool{}, matchedTyped: map[counters.Pair]bool{},
		encodedBefore: map[string]bool{}}
	if c == nil {
		return m
	}
	near, far := c.NearTo(target)
	for _, s := range near.Compared {
		m.lists[0].add(s)
	}
	for _, s := range near.Other {
		m.lists[1].add(s)
	}
	for _, n := range near.Names {
		m.lists[1].add(n.Name)
	}
	m.names = near.Names
	for _, s := range slices.Concat(far.Compared, far.Other) {
		m.lists[3].add(s)
	}
	for _, s := range slices.Concat(near.Compared, near.Other) {
		if len(s) == 1 && kind(s[0]) > 1 {
			m.marks = append(m.marks, s[0])
		}
	}
	return m
}

// mostAtOnce is how many changes one input gets at most. It gets one in half of the cases, two in
// half of the others, and so on.
const mostAtOnce = 8

// Change returns a changed copy of an input: a list of values of the types that fuzz targets take.
// other is another input for the same target, or the same.
func (m *Mutator) Change(values, other []any) []any {
	out := slices.Clone(values)
	for n := 1; ; n++ {
		i := m.n(len(out))
		var from any
		if i < len(other) {
			from = other[i]
		}
		out[i] = m.value(out[i], from)
		if n == mostAtOnce || m.n(2) == 0 {
			return out
		}
	}
}

// N returns a number below n, which is at least 1.
func (m *Mutator) N(n int) int { return m.n(n) }

func (m *Mutator) n(n int) int { return int(m.rng.Next() % uint64(max(n, 1))) }

func (m *Mutator) value(v, other any) any {
	switch v := v.(type) {
	case string:
		o, _ := other.(string)
		return string(m.text([]byte(v), []byte(o)))
	case []byte:
		o, _ := other.([]byte)
		return m.text(slices.Clone(v), o)
	case bool:
		return !v
	case float32:
		return float32(m.float(float64(v)))
	case float64:
		return m.float(v)
	}
	n, ok := corpus.Number(v)
	if !ok {
		return v
	}
	o, _ := corpus.Number(other)
	x := m.number(n, o, 8*size(v))
	if !m.fits(x, n) {
		x = x % (1 << m.bits)
	}
	return corpus.WithNumber(v, x)
}

// Numbers have firstBits at first, and more or fewer by moreBits: loops count to them.
const (
	firstBits = 12
	moreBits  = 4
)

// Greater lets numbers be greater from now on, up to all of their type.
func (m *Mutator) Greater() { m.bits = min(m.bits+moreBits, 64) }

// Texts have firstLength bytes at first, and twice or half as many: loops go over them.
const firstLength = 64

// Longer lets texts be longer from now on.
func (m *Mutator) Longer() { m.longest = min(2*m.longest, symbolic.MostText) }

// Shorter lets texts be no longer than half of what they were, from now on.
func (m *Mutator) Shorter() { m.longest = max(m.longest/2, firstLength) }

// Smaller lets numbers be smaller from now on.
func (m *Mutator) Smaller() { m.bits = max(m.bits-moreBits, moreBits) }

// fits reports whether a number may become another one.
func (m *Mutator) fits(n, was uint64) bool {
	size := func(n uint64) uint64 { return min(n, -n) }
	return m.bits == 64 || size(n)>>m.bits == 0 || size(n) <= size(was)
}

// number changes a number of so many bits. What is drawn is no greater than it was, or than m.bits
// allow.
func (m *Mutator) number(n, other uint64, bits int) uint64 {
	was := bits
	bits = min(bits, m.bits)
	switch m.n(11) {
	case 0:
		return n + uint64(1+m.n(16))
	case 1:
		return n - uint64(1+m.n(16))
	case 2:
		return n ^ 1<<m.n(bits)
	case 3:
		return -n
	case 4:
		return m.rng.Next() >> (64 - 1 - m.n(bits))
	case 5:
		return other
	case 6:
		if n>>(bits-1) != 0 && -n>>(bits-1) != 0 {
			return n / uint64(2+m.n(9))
		}
		return n * uint64(2+m.n(9))
	case 7, 8, 9:
		if w, ok := m.knownNumber(); ok {
			switch m.n(6) {
			case 0:
				return -w // the source has the sign apart
			case 1:
				return w + uint64(m.n(3)) - 1
			}
			return w
		}
	}
	if bits == was && m.n(4) == 0 {
		return 1 << (bits - 1) // the least, or with another one taken away the greatest
	}
	return m.edge(bits)
}

// edge returns a number at an edge: a power of two or one beside it, or the negation.
func (m *Mutator) edge(bits int) uint64 {
	n := uint64(1)<<m.n(bits) + uint64(m.n(3)) - 1
	if m.n(3) == 0 {
		return -n
	}
	return n
}

func (m *Mutator) float(x float64) float64 {
	switch m.n(10) {
	case 0:
		return x + 1
	case 1:
		return x - 1
	case 2:
		return -x
	case 3:
		return x * math.Pow(10, float64(m.n(7)-3))
	case 4:
		return x / 2
	case 5:
		return [...]float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
			-math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, math.MaxInt64, 0.5, 1e-9,
			100, 180, 360}[m.n(16)]
	case 6:
		return math.Float64frombits(math.Float64bits(x) ^ 1<<m.n(64))
	case 7:
		return float64(int64(m.rng.Next() >> (64 - 1 - m.n(m.bits))))
	}
	if f, ok := m.knownFloat(); ok {
		switch m.n(4) {
		case 0:
			return math.Nextafter(f, math.Inf(1))
		case 1:
			return math.Nextafter(f, math.Inf(-1))
		case 2:
			return f + float64(m.n(201)-100)/10
		}
		return f
	}
	return math.Trunc(x)
}

// size returns how many bytes a number has, bool included; 0: it is none, or a float.
func size(v any) int {
	switch v.(type) {
	case bool, int8, uint8:
		return 1
	case int16, uint16:
		return 2
	case int32, uint32:
		return 4
	case int, uint:
		return strconv.IntSize / 8
	case int64, uint64:
		return 8
	}
	return 0
}
