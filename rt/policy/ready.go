package policy

import (
	"math/bits"

	"heddle/trace"
)

// A Ready is the set of goroutines that can go on, in order of creation, and behind them the pseudo
// goroutine of early timers where it can. The zero value is the empty set.
type Ready struct {
	words  Bits
	n      int
	timers trace.GID // the pseudo goroutine and 1, 0: it cannot go on
	passed Bits      // see Passed
}

// Bits are goroutines, a bit each. They are clear beyond the length, up to the capacity.
type Bits []uint64

// Set adds g.
func (b *Bits) Set(g trace.GID) {
	if int(g>>6) >= len(*b) {
		b.grow(int(g >> 6))
	}
	(*b)[g>>6] |= 1 << (g & 63)
}

func (b *Bits) grow(n int) {
	for len(*b) <= n {
		*b = append(*b, 0)
	}
}

// Unset removes g, which is a member.
func (b Bits) Unset(g trace.GID) { b[g>>6] &^= 1 << (g & 63) }

// Clear removes all.
func (b *Bits) Clear() {
	clear(*b)
	*b = (*b)[:0]
}

// Len returns the number of members.
func (r *Ready) Len() int {
	if r.timers != 0 {
		return r.n + 1
	}
	return r.n
}

// Has reports whether g, or NoG, is a member.
func (r *Ready) Has(g trace.GID) bool {
	return uint(g>>6) < uint(len(r.words)) && r.words[g>>6]>>(g&63)&1 != 0 || g+1 == r.timers && g >= 0
}

// First returns the first member, NoG if there is none.
func (r *Ready) First() trace.GID {
	if len(r.words) > 0 && r.words[0] != 0 {
		return trace.GID(bits.TrailingZeros64(r.words[0]))
	}
	return r.first()
}

func (r *Ready) first() trace.GID {
	for i, w := range r.words {
		if w != 0 {
			return trace.GID(i<<6 + bits.TrailingZeros64(w))
		}
	}
	if r.timers != 0 {
		return r.timers - 1
	}
	return trace.NoG
}

// Next returns the member after g, which is one, NoG if there is none.
func (r *Ready) Next(g trace.GID) trace.GID {
	if g < 63 && len(r.words) > 0 && g+1 != r.timers {
		if w := r.words[0] >> (g + 1) << (g + 1); w != 0 {
			return trace.GID(bits.TrailingZeros64(w))
		}
	}
	return r.next(g)
}

func (r *Ready) next(g trace.GID) trace.GID {
	if g+1 == r.timers {
		return trace.NoG
	}
	if g = r.above(g); g == trace.NoG && r.timers != 0 {
		return r.timers - 1
	}
	return g
}

// All calls f with each member.
func (r *Ready) All(f func(g trace.GID) bool) {
	for i, w := range r.words {
		for ; w != 0; w &= w - 1 {
			if !f(trace.GID(i<<6 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
	if r.timers != 0 {
		f(r.timers - 1)
	}
}

// above returns the first goroutine above g, which may be NoG; NoG if there is none.
func (r *Ready) above(g trace.GID) trace.GID {
	g++
	i := int(g >> 6)
	if i >= len(r.words) {
		return trace.NoG
	}
	for w := r.words[i] >> (g & 63) << (g & 63); ; w = r.words[i] {
		if w != 0 {
			return trace.GID(i<<6 + bits.TrailingZeros64(w))
		}
		if i++; i == len(r.words) {
			return trace.NoG
		}
	}
}

// After returns the goroutine after g, a member or not, in round-robin order. There must be a
// goroutine.
func (r *Ready) After(g trace.GID) trace.GID {
	if g = r.above(g); g == trace.NoG {
		return r.above(trace.NoG)
	}
	return g
}

// Nth returns the k-th member, from 0. There must be that many.
func (r *Ready) Nth(k int) trace.GID {
	if k == r.n {
		return r.timers - 1
	}
	for i, w := range r.words {
		n := bits.OnesCount64(w)
		if k >= n {
			k -= n
			continue
		}
		if w < 1<<nthBits { // without a branch that depends on k
			return trace.GID(i<<6 + int(nth[w][k%nthBits]))
		}
		for ; k > 0; k-- {
			w &= w - 1
		}
		return trace.GID(i<<6 + bits.TrailingZeros64(w))
	}
	panic("heddle: fewer goroutines are ready")
}

// nth[w][k] is the k-th bit of w that is set.
var nth [1 << nthBits][nthBits]uint8

const nthBits = 8

func init() {
	for w := range nth {
		for i, k := 0, 0; i < nthBits; i++ {
			if w>>i&1 != 0 {
				nth[w][k] = uint8(i)
				k++
			}
		}
	}
}

// Clear removes all.
func (r *Ready) Clear() {
	r.words.Clear()
	r.passed.Clear()
	r.n, r.timers = 0, 0
}

// Passed notes that g has made a step since the last choice by a policy, which will not be told of
// it by Choose.
func (r *Ready) Passed(g trace.GID) { r.passed.Set(g) }

// word returns the members i*64 to i*64+63.
func (r *Ready) word(i int) uint64 {
	if i < len(r.words) {
		return r.words[i]
	}
	return 0
}

// Insert adds g, which is no member.
func (r *Ready) Insert(g trace.GID) {
	r.words.Set(g)
	r.n++
}

// Remove removes g, which is a member.
func (r *Ready) Remove(g trace.GID) {
	r.words.Unset(g)
	r.n--
}

// InsertAll adds goroutines none of which is a member.
func (r *Ready) InsertAll(gs Bits) {
	for len(r.words) < len(gs) {
		r.words = append(r.words, 0)
	}
	for i, w := range gs {
		r.words[i] |= w
		r.n += bits.OnesCount64(w)
	}
}

// RemoveAll removes goroutines all of which are members.
func (r *Ready) RemoveAll(gs Bits) {
	for i, w := range gs {
		r.words[i] &^= w
		r.n -= bits.OnesCount64(w)
	}
}

// Timers says that the pseudo goroutine g can go on too, NoG: that it cannot.
func (r *Ready) Timers(g trace.GID) { r.timers = g + 1 }

// Of returns the set of some goroutines.
func Of(gs ...trace.GID) *Ready {
	r := new(Ready)
	for _, g := range gs {
		r.Insert(g)
	}
	return r
}
