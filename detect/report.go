package detect

import "heddle/trace"

// raced reports that access h races with e on the bytes m of the word at base, unless these two
// places were reported before.
func (s *Shadow) raced(base uintptr, m uint8, e *entry, h entryHead, at trace.Site) {
	fresh, known := s.all, false
	for lo := uintptr(0); lo < wordSize; lo++ {
		if m>>lo&1 == 0 {
			continue
		}
		hi := lo
		for hi < wordSize && m>>hi&1 != 0 {
			hi++
		}
		if !s.extend(base+lo, hi-lo, e) {
			if !fresh && !known {
				fresh = s.seen.add(places{at, e.site, h.kind() | e.head.kind()<<2})
				known = true
			}
			if fresh {
				s.report(base+lo, hi-lo, e, h, at)
			}
		}
		lo = hi
	}
}

// extend lengthens a race of the same access that ends where this one begins. It reports whether
// there was one.
func (s *Shadow) extend(p, n uintptr, e *entry) bool {
	for i := range s.races {
		r := &s.races[i]
		if r.Prev == e.site && r.PrevEpoch == e.head.epoch() && r.PrevWrite == (e.head.kind()&write != 0) &&
			r.PrevAtomic == (e.head.kind()&plain == 0) && r.Addr+r.Size == p {
			r.Size += n
			return true
		}
	}
	return false
}

func (s *Shadow) report(p, n uintptr, e *entry, h entryHead, at trace.Site) {
	k, prev := h.kind(), e.head.kind()
	s.races = append(s.races, Race{
		Addr: p, Size: n,
		At: at, Write: k&write != 0, Atomic: k&plain == 0,
		Prev: e.site, PrevWrite: prev&write != 0, PrevAtomic: prev&plain == 0, PrevEpoch: e.head.epoch(),
	})
}

// places identifies a report.
type places struct {
	at, prev trace.Site
	kinds    kind // kinds of the access at, and of the access prev shifted by 2
}

// seen has the places reported in this execution: a hash table with open addressing, at most half
// full.
type seen struct {
	slots []places // kinds 0 is an empty slot: two conflicting accesses have some kind
	n     int
}

// add reports whether x is new, and adds it.
func (t *seen) add(x places) bool {
	if 2*t.n >= len(t.slots) {
		old := t.slots
		t.slots, t.n = make([]places, max(32, 2*len(old))), 0
		for _, y := range old {
			if y.kinds != 0 {
				t.add(y)
			}
		}
	}
	m := uint64(len(t.slots) - 1)
	i := (uint64(x.at)*0x9e3779b97f4a7c15 ^ uint64(x.prev)*0xc2b2ae3d27d4eb4f) >> 20 & m
	for t.slots[i].kinds != 0 {
		if t.slots[i] == x {
			return false
		}
		i = (i + 1) & m
	}
	t.slots[i] = x
	t.n++
	return true
}

func (t *seen) reset() {
	if t.n > 0 {
		clear(t.slots)
		t.n = 0
	}
}
