package policy

import (
	"math/bits"

	"heddle/trace"
)

// heights are the priorities of goroutines, and of each word of a Ready the goroutine that has the
// highest. A step changes few of them, so it costs a look at each word and not at each goroutine.
type heights struct {
	of  []uint64 // by GID
	was Bits     // the words of Ready that top is of
	top []tallest
}

// A tallest is the goroutine of a word with the highest priority, the oldest of several.
type tallest struct {
	of uint64
	g  trace.GID
}

func (h *heights) reset() { h.of, h.was, h.top = h.of[:0], h.was[:0], h.top[:0] }

// grow makes room for n goroutines, in so many words.
func (h *heights) grow(n, words int) {
	h.of, h.was, h.top = atLeast(h.of, n), atLeast(h.was, words), atLeast(h.top, words)
}

// look says that word i is w now, and looks for its tallest.
func (h *heights) look(i int, w uint64) {
	h.was[i] = w
	t := &h.top[i]
	t.of, t.g = 0, trace.NoG
	for ; w != 0; w &= w - 1 {
		if g := trace.GID(i<<6 + bits.TrailingZeros64(w)); h.of[g] > t.of || t.g == trace.NoG {
			t.of, t.g = h.of[g], g
		}
	}
}

// highest returns the goroutine with the highest priority, and of a tie the oldest. timers, if not
// NoG, is ready behind all others.
func (h *heights) highest(timers trace.GID) trace.GID {
	best := tallest{g: trace.NoG}
	for i := range h.top {
		if t := &h.top[i]; h.was[i] != 0 && (t.of > best.of || best.g == trace.NoG) {
			best = *t
		}
	}
	if timers != trace.NoG && (best.g == trace.NoG || h.of[timers] > best.of) {
		return timers
	}
	return best.g
}
