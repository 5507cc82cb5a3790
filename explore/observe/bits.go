package observe

// Sets of small numbers.

// bits is a set of small numbers.
type bits []uint64

func (b *bits) add(i int32) {
	for len(*b) <= int(i>>6) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

func (b bits) has(i int32) bool { return int(i>>6) < len(b) && b[i>>6]>>(i&63)&1 != 0 }

func (b *bits) join(c bits) (grown bool) {
	if len(*b) < len(c) {
		*b = append(*b, make(bits, len(c)-len(*b))...)
	}
	in := (*b)[:len(c)]
	for i, w := range c {
		if w != 0 && w&^in[i] != 0 {
			in[i] |= w
			grown = true
		}
	}
	return grown
}

// A fullWord is a word of bits that is not empty, by its index.
type fullWord struct {
	i int
	w uint64
}

// spots returns the words of b that are not empty, in the memory of to.
func (b bits) spots(to []fullWord) []fullWord {
	to = to[:0]
	for i, w := range b {
		if w != 0 {
			to = append(to, fullWord{i, w})
		}
	}
	return to
}

// joinFew is join with the words of a set that are not empty.
func (b *bits) joinFew(few []fullWord) (grown bool) {
	if n := len(few); n > 0 && few[n-1].i >= len(*b) {
		*b = append(*b, make(bits, few[n-1].i+1-len(*b))...)
	}
	for _, s := range few {
		if s.w&^(*b)[s.i] != 0 {
			(*b)[s.i] |= s.w
			grown = true
		}
	}
	return grown
}

// meets reports whether b and c have a number in common.
func (b bits) meets(c bits) bool {
	for i := range min(len(b), len(c)) {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}
