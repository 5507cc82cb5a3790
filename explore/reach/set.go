package reach

import "math/bits"

// A set is a set of small numbers, mostly of events of a sequence. Operands of one operation have
// the same length.
type set []uint64

func words(n int) int { return (n + 63) / 64 }

func (s set) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s set) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s set) remove(i int)   { s[i>>6] &^= 1 << (i & 63) }

// join adds the members of t.
func (s set) join(t set) {
	for i, x := range t {
		s[i] |= x
	}
}

// joinTo is join for a t without members above last.
func (s set) joinTo(t set, last int) { s[:last>>6+1].join(t[:last>>6+1]) }

// joinFrom is join for a t without members below first.
func (s set) joinFrom(t set, first int) { s[first>>6:].join(t[first>>6:]) }

// drop removes the members of t, which has none above last.
func (s set) drop(t set, last int) {
	for i, x := range t[:last>>6+1] {
		s[i] &^= x
	}
}

// last returns the last member, or -1.
func (s set) last() int {
	for w := len(s) - 1; w >= 0; w-- {
		if s[w] != 0 {
			return w<<6 + bits.Len64(s[w]) - 1
		}
	}
	return -1
}

// meets reports whether s and t have a member in common.
func (s set) meets(t set) bool {
	for i, x := range t {
		if s[i]&x != 0 {
			return true
		}
	}
	return false
}

// within reports whether all members of s are in t.
func (s set) within(t set) bool {
	for i, x := range s {
		if x&^t[i] != 0 {
			return false
		}
	}
	return true
}

func (s set) equal(t set) bool {
	for i, x := range s {
		if x != t[i] {
			return false
		}
	}
	return true
}

// next returns the first member from i on, or -1.
func (s set) next(i int) int {
	for w := i >> 6; w < len(s); w++ {
		x := s[w]
		if w == i>>6 {
			x = x >> (i & 63) << (i & 63)
		}
		if x != 0 {
			return w<<6 + bits.TrailingZeros64(x)
		}
	}
	return -1
}

// An arena allocates sets that are valid until it is emptied.
type arena struct {
	buf  []uint64
	used int
}

func (a *arena) empty() { a.used = 0 }

func (a *arena) set(w int) set {
	if a.used+w > len(a.buf) {
		a.buf = make([]uint64, max(256, 2*len(a.buf), w)) // sets from the old buffer keep it alive
		a.used = 0
	}
	s := a.buf[a.used : a.used+w : a.used+w]
	a.used += w
	clear(s)
	return s
}

func (a *arena) copy(s set) set {
	t := a.set(len(s))
	copy(t, s)
	return t
}
