package sched

import "heddle/trace"

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
	if s.exhaustive() {
		s.made.number(s.allocs[from:])
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
		s.spare = sortByAddr(s.allocs[begin:], s.spare)
		return
	}
}

// sortByAddr is a merge sort; packages sort and slices are under test here,
// and slow. It returns tmp, grown.
func sortByAddr(as, tmp []alloc) []alloc {
	if len(tmp) < len(as) {
		tmp = make([]alloc, 2*len(as))
	}
	mergeSort(as, tmp[:len(as)])
	return tmp
}

func mergeSort(as, tmp []alloc) {
	if len(as) < 2 {
		return
	}
	h := len(as) / 2
	mergeSort(as[:h], tmp[:h])
	mergeSort(as[h:], tmp[h:])
	if as[h-1].addr <= as[h].addr {
		return
	}
	copy(tmp, as)
	i, j := 0, h
	for k := range as {
		if i < h && (j >= len(as) || tmp[i].addr <= tmp[j].addr) {
			as[k] = tmp[i]
			i++
		} else {
			as[k] = tmp[j]
			j++
		}
	}
}

// allocOf finds the allocation that contains p; see sortAllocs.
func (s *Sched) allocOf(p uintptr) (a alloc, off uint32, ok bool) {
	begin := 0
	for _, end := range s.runs {
		run := s.allocs[begin:end]
		i, hi := 0, len(run) // the first that begins after p
		for i < hi {
			if m := (i + hi) / 2; run[m].addr <= p {
				i = m + 1
			} else {
				hi = m
			}
		}
		for j := i - 1; j >= 0 && j > i-4; j-- {
			if a := run[j]; p < a.addr+max(a.size, 1) {
				return a, uint32(p - a.addr), true
			}
		}
		begin = end
	}
	return alloc{}, 0, false
}

// A madeAt counts what each goroutine has allocated at each place: a hash table with open addressing.
type madeAt struct {
	slots []madeSlot // a power of two of them
	n     int        // that are in use
	gen   uint32     // slots of others are empty, as are those that have counted nothing
}

type madeSlot struct {
	site trace.Site
	g    trace.GID
	n    int32
	gen  uint32
}

func (m *madeAt) reset() {
	m.n = 0
	if m.gen++; m.gen == 0 {
		clear(m.slots)
		m.gen = 1
	}
}

// number counts allocations, in their order.
func (m *madeAt) number(as []alloc) {
	for i := range as {
		a := &as[i]
		if 2*m.n >= len(m.slots) {
			m.grow()
		}
		sl := m.slot(a.site, a.g)
		sl.n++
		a.nth = sl.n
	}
}

// slot returns that of a goroutine and a place, made if there is none.
func (m *madeAt) slot(site trace.Site, g trace.GID) *madeSlot {
	mask := uint64(len(m.slots) - 1)
	for k := (uint64(site) + uint64(g)<<32) * 0x9e3779b97f4a7c15 >> 32; ; k++ {
		switch sl := &m.slots[k&mask]; {
		case sl.n == 0 || sl.gen != m.gen:
			*sl = madeSlot{site, g, 0, m.gen}
			m.n++
			return sl
		case sl.site == site && sl.g == g:
			return sl
		}
	}
}

func (m *madeAt) grow() {
	old := m.slots
	m.slots, m.n = make([]madeSlot, max(64, 2*len(old))), 0
	for _, o := range old {
		if o.n > 0 && o.gen == m.gen {
			m.slot(o.site, o.g).n = o.n
		}
	}
}
