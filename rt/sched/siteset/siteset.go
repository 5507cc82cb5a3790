// Package siteset has sets of places in the program under test.
package siteset

import "heddle/trace"

// A Set is a set of instrumented sites, known by package and index. To ask it costs a few
// nanoseconds.
type Set struct {
	slots []trace.Site // open addressing; a power of two of them, 0 where empty
	n     int
}

// Of returns the set of the given sites.
func Of(sites []trace.Site) (s Set) {
	for _, x := range sites {
		s.Add(x)
	}
	return s
}

// Empty reports whether nothing is in s.
func (s *Set) Empty() bool { return s.n == 0 }

// Has reports whether x is in s.
func (s *Set) Has(x trace.Site) bool {
	if s.n == 0 {
		return false
	}
	x = x.Plain()
	mask := uint64(len(s.slots) - 1)
	for i := hash(x) & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == x {
			return true
		}
	}
	return false
}

// Add adds x, unless it is 0.
func (s *Set) Add(x trace.Site) {
	x = x.Plain()
	if s.Has(x) || x == 0 {
		return
	}
	if 2*(s.n+1) > len(s.slots) {
		old := s.slots
		s.slots, s.n = make([]trace.Site, max(16, 2*len(old))), 0
		for _, y := range old {
			s.Add(y)
		}
	}
	mask := uint64(len(s.slots) - 1)
	i := hash(x) & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	s.slots[i] = x
	s.n++
}

func hash(x trace.Site) uint64 { return uint64(x) * 0x9e3779b97f4a7c15 >> 32 }
