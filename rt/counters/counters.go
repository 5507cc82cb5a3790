// Package counters has what Go's compiler tells for fuzzing (-d=libfuzzer) of packages that are
// built so: how often each branch of them was taken, and what was compared with what. It needs
// nothing of the program under test and changes nothing in it. Only test binaries have counters, as
// the linker gives their addresses to package internal/fuzz alone.
package counters

import (
	"math/bits"
	"unsafe"
)

// All has the counters of the binary, one byte for each branch, nil if it was not built with any.
var All []byte

// compared counts, by a hash of the place, how near a text came to what it was compared with, and
// where a number was equal to a constant: for all that is merged into one branch (a && b || c) each
// is news, and a value that is compared, but is not empty any more, is worth to be kept.
var compared [1 << compareBits]byte

const compareBits = 13

// Reset sets all counters to 0.
func Reset() {
	clear(All)
	clear(compared[:])
}

// A Seen is which branches were taken by some executions, and about how often.
type Seen struct {
	by []uint8 // bits: taken once, 2 or 3 times, up to 15 times, more often
}

// often is how often a branch was taken, by the length of its count.
var often = [...]uint8{0, 0, 1, 2, 2, 3, 3, 3, 3}

// place is a branch with a bit of by, in one number.
func place(i int, count byte) uint32 { return uint32(i)<<2 | uint32(often[bits.Len8(count)]) }

// Add adds what the counters tell since Reset. It returns how many branches were not taken before,
// and all branches with about how often they were taken, as far as that is new.
func (s *Seen) Add() (branches int, news []uint32) {
	if s.by == nil {
		s.by = make([]uint8, len(All)+len(compared))
	}
	each(func(i int, count byte) {
		bit, old := uint8(1)<<often[bits.Len8(count)], s.by[i]
		if old&bit != 0 {
			return
		}
		s.by[i] = old | bit
		if old == 0 {
			branches++
		}
		news = append(news, place(i, count))
	})
	return branches, news
}

// each calls do with the branches that were taken, and after them those of compared.
func each(do func(i int, count byte)) {
	eachOf(All, 0, do)
	eachOf(compared[:], len(All), do)
}

// eachOf passes many that are 0 at once: few of a program's branches are taken.
func eachOf(counts []byte, base int, do func(i int, count byte)) {
	const many = 32
	for at := 0; at < len(counts); at += many {
		some := counts[at:min(at+many, len(counts))]
		if len(some) == many {
			if w := (*[many / 8]uint64)(unsafe.Pointer(&some[0])); w[0]|w[1]|w[2]|w[3] == 0 {
				continue
			}
		}
		for i, c := range some {
			if c != 0 {
				do(base+at+i, c)
			}
		}
	}
}

// Has reports whether all news that Add returned are so again since Reset.
func Has(news []uint32) bool {
	for _, n := range news {
		i := int(n >> 2)
		c := compared[max(i-len(All), 0)]
		if i < len(All) {
			c = All[i]
		}
		if c == 0 || place(i, c) != n {
			return false
		}
	}
	return true
}
