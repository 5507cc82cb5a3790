package sched

import (
	"cmp"
	"slices"
)

// The allocation log is searched by address while it grows (a map keyed by
// pointers is visited in the order of their making). It is kept as sorted
// runs, each less than half as long as the one before, so that many searches
// between many allocations cost no more than sorting once.

// sortAllocs makes the whole log searchable.
func (s *Sched) sortAllocs() {
	from := 0
	if n := len(s.runs); n > 0 {
		from = s.runs[n-1]
	}
	if from == len(s.allocs) {
		return
	}
	s.runs = append(s.runs, len(s.allocs))
	for n := len(s.runs); ; n-- {
		begin := 0
		if n > 1 {
			begin = s.runs[n-2]
		}
		before := begin
		if n > 2 {
			before -= s.runs[n-3]
		}
		if n > 1 && 2*(s.runs[n-1]-begin) >= before {
			// Longer than half of the run before: one run.
			s.runs[n-2] = s.runs[n-1]
			s.runs = s.runs[:n-1]
			continue
		}
		slices.SortFunc(s.allocs[begin:], func(a, b alloc) int { return cmp.Compare(a.addr, b.addr) })
		return
	}
}

// allocOf finds the allocation that contains p; see sortAllocs.
func (s *Sched) allocOf(p uintptr) (a alloc, off uint32, ok bool) {
	begin := 0
	for _, end := range s.runs {
		run := s.allocs[begin:end]
		i, _ := slices.BinarySearchFunc(run, p, func(a alloc, p uintptr) int {
			if a.addr <= p {
				return -1
			}
			return 1
		})
		for j := i - 1; j >= 0 && j > i-4; j-- {
			if a := run[j]; p < a.addr+max(a.size, 1) {
				return a, uint32(p - a.addr), true
			}
		}
		begin = end
	}
	return alloc{}, 0, false
}
