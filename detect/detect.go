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
		h, pg := head(k, c, plain, mask(p, n)), s.pages.peek(p)
		if pg != nil {
			if x := &pg.cells[p/wordSize%pageWords]; x.repeats(h, at) || x.renew(h, at) {
				return nil
			}
		}
		return s.word(pg, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c, plain, 0), at)
}

// Write is Read for a write.
func (s *Shadow) Write(k trace.Chain, c trace.Clock, p, n uintptr, at trace.Site) *Race {
	if p&7+n <= 8 && n-1 < 8 { // within a word, and something
		h, pg := head(k, c, plain|write, mask(p, n)), s.pages.peek(p)
		if pg != nil {
			if x := &pg.cells[p/wordSize%pageWords]; x.repeats(h, at) || x.renew(h, at) {
				return nil
			}
		}
		return s.word(pg, p, c, h, at)
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
		h, pg := head(k, c, how, mask(p, n)), s.pages.peek(p)
		if pg != nil {
			if x := &pg.cells[p/wordSize%pageWords]; x.repeats(h, at) || x.renew(h, at) {
				return nil
			}
		}
		return s.word(pg, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c, how, 0), at)
}

// Races returns all races of the access that was last answered with a Race.
func (s *Shadow) Races() []Race { return s.races }

// word takes an access within one word, whose page is pg if not nil.
func (s *Shadow) word(pg *page, p uintptr, c trace.Clock, h entryHead, at trace.Site) *Race {
	if pg == nil {
		pg = s.pages.get(p)
	}
	s.races = s.races[:0]
	s.part(pg, p, c, h, at)
	return s.first()
}

// part takes an access within one word.
func (s *Shadow) part(pg *page, p uintptr, c trace.Clock, h entryHead, at trace.Site) {
	i := uint(p / wordSize % pageWords)
	if pg.covered>>i&1 != 0 {
		r := pg.runAt(i)
		if r.cell.repeats(h, at) {
			return
		}
		pg.expose(r, i, i+1)
	}
	pg.used |= 1 << i
	s.cell(&pg.cells[i], p&^(wordSize-1), c, h, at)
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
		pg := s.pages.peek(p)
		if pg == nil {
			pg = s.pages.get(p)
		}
		end := min(p|(pageSize-1), last)
		s.onPage(pg, p, end, c, h, at)
		if end == last {
			return s.first()
		}
		p = end + 1
	}
}

// onPage takes an access to the bytes from p to last, all on page pg; h has no mask yet.
func (s *Shadow) onPage(pg *page, p, last uintptr, c trace.Clock, h entryHead, at trace.Site) {
	if end := p | (wordSize - 1); p%wordSize != 0 || end > last {
		end = min(end, last)
		s.part(pg, p, c, h|entryHead(mask(p, end-p+1)), at)
		if end == last {
			return
		}
		p = end + 1
	}
	i, j := uint(p/wordSize%pageWords), uint((last+1-p)/wordSize) // last+1 may be 0
	j += i
	if j-i < minRun && pg.covered&wordsOf(i, j) == 0 {
		pg.used |= wordsOf(i, j)
		base := p
		for ; i < j; i++ {
			s.cell(&pg.cells[i%pageWords], base, c, h|0xff, at)
			base += wordSize
		}
	} else {
		s.words(pg, p&^(pageSize-1), i, j, c, h|0xff, at)
	}
	if last%wordSize != wordSize-1 {
		p = last &^ (wordSize - 1)
		s.part(pg, p, c, h|entryHead(mask(p, last-p+1)), at)
	}
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
		if i, m := uint(p/wordSize%pageWords), mask(p, wend-p+1); pg.covered>>i&1 != 0 {
			j := i + 1
			if m != 0xff {
				pg.expose(pg.runAt(i), i, j)
				s.erase(&pg.cells[i], m)
			} else {
				r := pg.runAt(i)
				j = min(uint(r.to), i+uint((last-p+1)/wordSize)) // last+1 may be 0
				wend = p + uintptr(j-i)*wordSize - 1
				pg.carve(r, i, j)
			}
		} else if pg.used>>i&1 != 0 {
			s.erase(&pg.cells[i], m)
		}
		if wend == last {
			return
		}
		p = wend + 1
	}
}
