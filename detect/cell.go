package detect

import "heddle/trace"

// touch records one access to a word. It reports the earlier accesses that race with it, and drops
// those that it stands for. base is the address of the word.
func (s *Shadow) touch(x *cell, base uintptr, h entryHead, at trace.Site, c *trace.Vector) {
	if x.wide() {
		s.touchWide(x, base, h, at, c)
		return
	}
	a, b := x.a.head, x.b.head
	if uint8(a&h) != 0 {
		a = s.meet(&x.a, base, h, at, c)
	}
	if uint8(b&h) != 0 {
		b = s.meet(&x.b, base, h, at, c)
	}
	switch {
	case a.sameBut(h) && a != 0 && x.a.site == at:
		x.a.head, x.b.head = a|h, b
	case b.sameBut(h) && b != 0 && x.b.site == at:
		x.a.head, x.b.head = a, b|h
		if a == 0 {
			x.a, x.b = x.b, entry{}
		}
	case a == 0 && b == 0:
		x.a, x.b = entry{h, at}, entry{}
	case a == 0:
		x.a, x.b = x.b, entry{h, at}
		x.a.head = b
	case b == 0:
		x.a.head = a
		x.b = entry{h, at}
	default:
		x.a.head, x.b.head = a, b
		s.widen(x, entry{h, at})
	}
}

// meet compares access h with the earlier access e, and returns what is left of e.
func (s *Shadow) meet(e *entry, base uintptr, h entryHead, at trace.Site, c *trace.Vector) entryHead {
	m := uint8(e.head & h)
	if m == 0 {
		return e.head
	}
	if e.head.before(c) {
		if standsFor(h.kind(), e.head.kind()) {
			return e.head.without(m)
		}
	} else if conflict(h.kind(), e.head.kind()) {
		s.raced(base, m, e, h, at)
	}
	return e.head
}

// erase removes the bytes m of a word.
func (s *Shadow) erase(x *cell, m uint8) {
	if m == 0xff {
		if x.wide() {
			s.wides.put(x.number())
		}
		*x = cell{}
		return
	}
	if x.wide() {
		s.eraseWide(x, m)
		return
	}
	x.a.head, x.b.head = x.a.head.without(m), x.b.head.without(m)
	if x.a.head == 0 {
		x.a, x.b = x.b, entry{}
	}
}
