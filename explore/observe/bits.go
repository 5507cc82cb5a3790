package observe

import mathbits "math/bits"

// Sets of small numbers.

// bits is a set of small numbers. Most programs have fewer than 64 objects and variables, and then
// a set is a word and no memory beside it.
type bits struct {
	low  uint64   // 0 to 63
	high []uint64 // 64 for each word
}

func (b *bits) add(i int32) { b.joinWord(int(i>>6), 1<<(i&63)) }

func (b *bits) has(i int32) bool { return b.word(int(i>>6))>>(i&63)&1 != 0 }

func (b *bits) clear() { b.low, b.high = 0, b.high[:0] }

func (b *bits) empty() bool { return b.low == 0 && len(b.high) == 0 }

// words is the number of words of the set.
func (b *bits) words() int { return 1 + len(b.high) }

// word returns a word of the set, 0 beyond the last.
func (b *bits) word(k int) uint64 {
	switch {
	case k == 0:
		return b.low
	case k <= len(b.high):
		return b.high[k-1]
	}
	return 0
}

// joinWord adds the numbers of one word. grown: one of them is new.
func (b *bits) joinWord(k int, w uint64) (grown bool) {
	if k == 0 {
		grown = w&^b.low != 0
		b.low |= w
		return grown
	}
	if w == 0 {
		return false
	}
	if k > len(b.high) {
		b.high = append(b.high, make([]uint64, k-len(b.high))...)
	}
	grown = w&^b.high[k-1] != 0
	b.high[k-1] |= w
	return grown
}

func (b *bits) join(c *bits) (grown bool) {
	grown = c.low&^b.low != 0
	b.low |= c.low
	if len(b.high) < len(c.high) {
		b.high = append(b.high, make([]uint64, len(c.high)-len(b.high))...)
	}
	in := b.high[:len(c.high)]
	for i, w := range c.high {
		if w&^in[i] != 0 {
			in[i] |= w
			grown = true
		}
	}
	return grown
}

// A fullWord is a word of bits that is not empty, by its index.
type fullWord struct {
	k int
	w uint64
}

// spots returns the words of b that are not empty, in the memory of to.
func (b *bits) spots(to []fullWord) []fullWord {
	to = to[:0]
	if b.low != 0 {
		to = append(to, fullWord{0, b.low})
	}
	for i, w := range b.high {
		if w != 0 {
			to = append(to, fullWord{i + 1, w})
		}
	}
	return to
}

// joinFew is join with the words of a set that are not empty.
func (b *bits) joinFew(few []fullWord) (grown bool) {
	for _, s := range few {
		grown = b.joinWord(s.k, s.w) || grown
	}
	return grown
}

// meets reports whether b and c have a number in common.
func (b *bits) meets(c *bits) bool {
	if b.low&c.low != 0 {
		return true
	}
	for i := range min(len(b.high), len(c.high)) {
		if b.high[i]&c.high[i] != 0 {
			return true
		}
	}
	return false
}

func (b *bits) appendTo(list []int32, but int32) []int32 {
	for k := range b.words() {
		for w := b.word(k); w != 0; w &= w - 1 {
			if i := int32(k<<6 + mathbits.TrailingZeros64(w)); i != but {
				list = append(list, i)
			}
		}
	}
	return list
}

// all yields the numbers of the set.
func (b *bits) all(yield func(int32) bool) {
	for k := range b.words() {
		for w := b.word(k); w != 0; w &= w - 1 {
			if !yield(int32(k<<6 + mathbits.TrailingZeros64(w))) {
				return
			}
		}
	}
}
