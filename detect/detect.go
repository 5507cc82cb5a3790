// Package detect finds data races while the program runs. The scheduler tells
// it every access to memory together with the vector clock of the goroutine
// that makes it, and which of the clock's chains is its own; two accesses race if neither clock covers the other, they
// share a byte, at least one writes and not both are atomic.
//
//	var s detect.Shadow
//	s.Write(0, trace.Clock{1}, p, 8, siteA)       // main writes
//	r := s.Read(1, trace.Clock{0, 1}, p+4, 1, siteB) // main/1 does not know of it
//	// r: Addr p+4, Size 1, At siteB, PrevEpoch 1@0, Prev siteA, PrevWrite
//
// It goes back to FastTrack (Flanagan & Freund, PLDI 2009): an access is
// remembered as an epoch, and in the common case one compare settles it. It
// differs in three ways.
//
//   - It forgets less. FastTrack lets a racing write overwrite what it races
//     with, and so promises the first race on a variable only. Here an access
//     goes only when a later one stands for it: ordered after it, and in conflict
//     with all that it is in conflict with. So every access that races is noticed, not only the first.
//   - A variable is a byte. Eight bytes share a cell, and each remembered
//     access says which of them it was about.
//   - Atomic accesses are remembered beside plain ones; neither replaces the other unless it stands for it.
//
// What is promised, exactly:
//
//   - No false report. Each Race names two accesses that happened, the later
//     of which is the one just told, unordered by the clocks given.
//   - No miss. If the access just told races with an earlier one on some byte,
//     there is a Race for that byte; its previous access is one that no later racing access stands for.
//   - Except: an access that repeats one of the same goroutine, clock, place, kind and bytes is
//     not looked at again (whoever raced with it in between was told so), and two places are reported
//     once in an execution for every combination of kinds, however many addresses they race on.
//
// What is left out: nothing is known of an access that was not told, and
// clocks are taken as they are. A goroutine's clock must advance after each release.
//
// The package is compiled into the program under test. It imports trace only
// and allocates nothing once it has seen as much memory as it sees in one execution.
package detect

import "heddle/trace"

// A Race is two accesses of which at least one writes, not both atomic, with no order between them.
type Race struct {
	Addr, Size uintptr // bytes that both touched

	At            trace.Site // of the later access
	Write, Atomic bool
	Prev          trace.Site // of the earlier one
	PrevWrite     bool
	PrevAtomic    bool
	PrevEpoch     trace.Epoch // by whom it was made, and when
}

// Shadow remembers the accesses of one execution. The zero Shadow is ready for use.
type Shadow struct {
	pages pages
	wides wides
	seen  seen

	races []Race
	all   bool // report what was reported before too; for tests
}

// Reset forgets everything: a new execution begins. It costs a few nanoseconds for each page that was touched.
func (s *Shadow) Reset() {
	s.pages.reset()
	s.wides.reset()
	s.seen.reset()
	s.races = s.races[:0]
}

// Read tells that a goroutine of chain k, whose clock is c, reads the n bytes at p. It
// returns nil, or the first of the races that were not reported before; Races has all of them.
// Both are valid until the next call.
func (s *Shadow) Read(k trace.Chain, c trace.Clock, p, n uintptr, at trace.Site) *Race {
	if p&7+n <= 8 && n-1 < 8 { // within a word, and something
		h, x := head(k, c, plain, mask(p, n)), s.pages.peek(p)
		if x != nil && (x.repeats(h, at) || x.renew(h, at)) {
			return nil
		}
		return s.word(x, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c, plain, 0), at)
}

// Write is Read for a write.
func (s *Shadow) Write(k trace.Chain, c trace.Clock, p, n uintptr, at trace.Site) *Race {
	if p&7+n <= 8 && n-1 < 8 { // within a word, and something
		h, x := head(k, c, plain|write, mask(p, n)), s.pages.peek(p)
		if x != nil && (x.repeats(h, at) || x.renew(h, at)) {
			return nil
		}
		return s.word(x, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c, plain|write, 0), at)
}

// Atomic is Read or Write for an atomic access. Call it with the clock after the acquire
// and before the release that the operation stands for: plain write, atomic store and
// atomic load of one address, each seeing the one before, are in order.
func (s *Shadow) Atomic(k trace.Chain, c trace.Clock, p, n uintptr, at trace.Site, writes bool) *Race {
	how := kind(0)
	if writes {
		how = write
	}
	if p&7+n <= 8 && n-1 < 8 { // within a word, and something
		h, x := head(k, c, how, mask(p, n)), s.pages.peek(p)
		if x != nil && (x.repeats(h, at) || x.renew(h, at)) {
			return nil
		}
		return s.word(x, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c, how, 0), at)
}

// Races returns all races of the access that was last answered with a Race.
func (s *Shadow) Races() []Race { return s.races }

// word takes an access within one word, whose cell is x if not nil.
func (s *Shadow) word(x *cell, p uintptr, c trace.Clock, h entryHead, at trace.Site) *Race {
	if x == nil {
		x = &s.pages.get(p).cells[p/wordSize%pageWords]
	}
	s.races = s.races[:0]
	s.touch(x, p&^(wordSize-1), h, at, c)
	return s.first()
}

// span takes an access of any size; h has no mask yet.
func (s *Shadow) span(p, n uintptr, c trace.Clock, h entryHead, at trace.Site) *Race {
	if n == 0 {
		return nil
	}
	s.races = s.races[:0]
	last := p + (n - 1)
	if last < p {
		last = ^uintptr(0)
	}
	for {
		end := min(p|(pageSize-1), last)
		if end-p == pageSize-1 {
			s.wholePage(p, c, h, at)
		} else {
			s.onPage(s.pages.get(p), p, end, c, h, at)
		}
		if end == last {
			return s.first()
		}
		p = end + 1
	}
}

// wholePage takes an access to all bytes of the page at p; h has no mask yet.
func (s *Shadow) wholePage(p uintptr, c trace.Clock, h entryHead, at trace.Site) {
	hw := h | 0xff
	sl := s.pages.slotOf(p)
	if sl == nil {
		pg := s.pages.fresh()
		pg.whole, pg.even = cell{a: entry{hw, at}}, true
		s.pages.put(key(p), pg, p)
		return
	}
	if pg := sl.page; pg.even {
		x := &pg.whole
		if x.repeats(hw, at) || x.renew(hw, at) {
			return
		}
		if x.simple(hw, at, c) {
			s.touch(x, p, hw, at, c)
			return
		}
	}
	s.onPage(sl.spread(), p, p+(pageSize-1), c, h, at)
	sl.even()
}

// simple reports whether an access races with nothing in x, and there is room for it.
func (x *cell) simple(h entryHead, at trace.Site, c trace.Clock) bool {
	room := false
	for _, e := range [2]*entry{&x.a, &x.b} {
		switch {
		case e.head == 0, e.head.sameBut(h) && e.site == at:
			room = true
		case e.head.before(c):
			room = room || standsFor(h.kind(), e.head.kind())
		case conflict(h.kind(), e.head.kind()):
			return false
		}
	}
	return room
}

// onPage takes an access to the bytes from p to last, all on page pg; h has no mask yet.
func (s *Shadow) onPage(pg *page, p, last uintptr, c trace.Clock, h entryHead, at trace.Site) {
	base := p &^ (pageSize - 1)
	i, j := p%pageSize/wordSize, last%pageSize/wordSize
	hw := h | entryHead(mask(p, min(wordSize-p%wordSize, last-p+1)))
	for ; i < j; i++ {
		s.cell(&pg.cells[i%pageWords], base+i*wordSize, c, hw, at)
		hw = h | 0xff
	}
	if from := base + j*wordSize; from >= p {
		hw = h | entryHead(mask(from, last-from+1))
	}
	s.cell(&pg.cells[j%pageWords], base+j*wordSize, c, hw, at)
}

// cell takes an access to one word, whose address is base.
func (s *Shadow) cell(x *cell, base uintptr, c trace.Clock, h entryHead, at trace.Site) {
	if x.a.head == 0 {
		x.a = entry{h, at} // fresh: a cell's first entry is empty only when all are
	} else if !x.repeats(h, at) && !x.renew(h, at) {
		s.touch(x, base, h, at, c)
	}
}

func (s *Shadow) first() *Race {
	if len(s.races) == 0 {
		return nil
	}
	return &s.races[0]
}

// Forget says that the n bytes at p were freed, or are used for something new.
func (s *Shadow) Forget(p, n uintptr) {
	if n == 0 {
		return
	}
	last := p + (n - 1)
	if last < p {
		last = ^uintptr(0)
	}
	if (last-p)/pageSize > uintptr(len(s.pages.used)) {
		for _, u := range s.pages.used {
			if lo, hi := max(u, p), min(u|(pageSize-1), last); lo <= hi {
				s.forgetIn(s.pages.find(u), lo, hi)
			}
		}
		return
	}
	for {
		end := min(p|(pageSize-1), last)
		if pg := s.pages.find(p); pg != nil {
			s.forgetIn(pg, p, end)
		}
		if end == last {
			return
		}
		p = end + 1
	}
}

// forgetIn forgets the bytes from p to last, all on page pg.
func (s *Shadow) forgetIn(pg *page, p, last uintptr) {
	for {
		wend := min(p|(wordSize-1), last)
		s.erase(&pg.cells[p/wordSize%pageWords], mask(p, wend-p+1))
		if wend == last {
			return
		}
		p = wend + 1
	}
}
