// Package detect finds data races while the program runs. The scheduler gives it every memory
// access with the vector clock of its goroutine, and the chain of the clock that is the goroutine's
// own. Two accesses race if neither clock covers the other, they share a byte, at least one writes,
// and not both are atomic.
//
//	var s detect.Shadow
//	s.Write(0, c, p, 8, siteA)       // main writes: c has 1 for chain 0
//	r := s.Read(1, d, p+4, 1, siteB) // concurrent with it: d has 1 for chain 1 only
//	// r: Addr p+4, Size 1, At siteB, PrevEpoch 1@0, Prev siteA, PrevWrite
//
// It follows FastTrack (Flanagan and Freund, PLDI 2009): it records an access as an epoch, and in
// the common case one comparison decides. It differs in three ways.
//
//   - It drops less. FastTrack lets a racing write overwrite what it races with, and so promises
//     only the first race on a variable. Here an access is dropped only if a later one stands for
//     it: the later one happens after it, and conflicts with all that it conflicts with. So every
//     access that races is reported, not only the first.
//   - A variable is a byte. Eight bytes share a cell, and each recorded access says which of them
//     it accessed.
//   - Atomic accesses are recorded beside plain ones. Neither replaces the other unless it stands
//     for it.
//
// What it promises:
//
//   - No false report. Each Race has two accesses that happened, the later of which is the current
//     one, and that are concurrent by the given clocks.
//   - No miss. If the current access races with an earlier one on some byte, there is a Race for
//     that byte. Its earlier access is one for which no later racing access stands.
//   - Two exceptions. An access that repeats one of the same goroutine, clock, place, kind and
//     bytes is not checked again; an access in between that races with it was reported then. And
//     two places are reported once per execution for every combination of kinds, at however many
//     addresses they race.
//
// It knows only the accesses and clocks that it is given. A goroutine's clock must advance after
// each release.
//
// The package is compiled into the program under test. It imports trace only. It allocates nothing
// once it has seen as much memory as one execution accesses.
package detect

import "heddle/trace"

// A Race is two concurrent accesses, at least one of which writes, not both atomic.
type Race struct {
	Addr, Size uintptr // bytes that both accessed

	At            trace.Site // place of the later access
	Write, Atomic bool
	Prev          trace.Site // place of the earlier access
	PrevWrite     bool
	PrevAtomic    bool
	PrevEpoch     trace.Epoch // chain and clock of the earlier access
}

// Shadow records the accesses of one execution. The zero Shadow is ready for use.
type Shadow struct {
	pages pages
	wides wides
	seen  seen

	races    []Race
	repeated bool // see Repeated
	all      bool // report races again in one execution; for tests
}

// Reset removes everything, for a new execution. It costs a few nanoseconds per page that was
// touched.
func (s *Shadow) Reset() {
	s.pages.reset()
	s.wides.reset()
	s.seen.reset()
	s.races = s.races[:0]
}

// Read records that a goroutine of chain k with clock c reads the n bytes at p. It returns nil, or
// the first of the races that were not reported before; Races returns all of them. Both are valid
// until the next call.
func (s *Shadow) Read(k trace.Chain, c *trace.Vector, p, n uintptr, at trace.Site) *Race {
	if p&7+n <= 8 && n-1 < 8 { // within a word, and not empty
		h, pg := head(k, c.At(k), plain, mask(p, n)), s.pages.peek(p)
		if pg != nil {
			x := &pg.cells[p/wordSize%pageWords]
			if x.a.head == h && x.b.head == 0 { // but for the place, the same again
				s.repeated = x.a.site == at
				x.a.site = at
				return nil
			}
			if s.repeated = x.repeats(h, at); s.repeated || x.follow(h, at) {
				return nil
			}
			if x.a.head != 0 {
				return s.known(x, p, h, at, c)
			}
		}
		return s.word(pg, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c.At(k), plain, 0), at)
}

// Write is Read for a write.
func (s *Shadow) Write(k trace.Chain, c *trace.Vector, p, n uintptr, at trace.Site) *Race {
	if p&7+n <= 8 && n-1 < 8 { // within a word, and not empty
		h, pg := head(k, c.At(k), plain|write, mask(p, n)), s.pages.peek(p)
		if pg != nil {
			x := &pg.cells[p/wordSize%pageWords]
			if x.a.head == h && x.b.head == 0 { // but for the place, the same again
				s.repeated = x.a.site == at
				x.a.site = at
				return nil
			}
			if s.repeated = x.repeats(h, at); s.repeated || x.follow(h, at) {
				return nil
			}
			if x.a.head != 0 {
				return s.known(x, p, h, at, c)
			}
		}
		return s.word(pg, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c.At(k), plain|write, 0), at)
}

// Steps is Read, or Write, for n bytes at p, then n bytes at p+step, and so on: as many times as
// times says.
func (s *Shadow) Steps(k trace.Chain, c *trace.Vector, p, n, step, times uintptr, at trace.Site,
	writes bool) *Race {
	how := plain
	if writes {
		how |= write
	}
	h := head(k, c.At(k), how, 0)
	s.races = s.races[:0]
	var pg *page
	for of := uintptr(1); times > 0; { // no key is 1
		if p%wordSize+n > wordSize {
			s.bytes(p, n, c, h, at)
			p, times = p+step, times-1
			continue
		}
		if key(p) != of {
			pg, of = s.pages.get(p), key(p)
		}
		word, hm := p&^(wordSize-1), h
		for ; times > 0 && p&^(wordSize-1) == word && p%wordSize+n <= wordSize; times-- {
			hm |= entryHead(mask(p, n))
			p += step
		}
		if x := &pg.cells[word/wordSize%pageWords]; !x.repeats(hm, at) && !x.renew(hm, at) {
			s.part(pg, word, c, hm, at)
		}
	}
	s.repeated = false
	return s.first()
}

// Repeated reports whether the goroutine had made the access for which Read or Write was called
// last at the same place and moment before, as far as is easily known.
func (s *Shadow) Repeated() bool { return s.repeated }

// Atomic is Read or Write for an atomic access. Its clock is that after the acquire and before the
// release of the operation. So a plain write, an atomic store and an atomic load of one address,
// each observing the one before, are ordered.
func (s *Shadow) Atomic(k trace.Chain, c *trace.Vector, p, n uintptr, at trace.Site, writes bool) *Race {
	how := kind(0)
	if writes {
		how = write
	}
	if p&7+n <= 8 && n-1 < 8 { // within a word, and not empty
		h, pg := head(k, c.At(k), how, mask(p, n)), s.pages.peek(p)
		if pg != nil {
			x := &pg.cells[p/wordSize%pageWords]
			if x.repeats(h, at) || x.follow(h, at) {
				return nil
			}
			if x.a.head != 0 {
				return s.known(x, p, h, at, c)
			}
		}
		return s.word(pg, p, c, h, at)
	}
	return s.span(p, n, c, head(k, c.At(k), how, 0), at)
}

// Races returns all races of the access for which Read, Write or Atomic last returned one.
func (s *Shadow) Races() []Race { return s.races }

// known records an access within one word of which there are other accesses.
func (s *Shadow) known(x *cell, p uintptr, h entryHead, at trace.Site, c *trace.Vector) *Race {
	s.races = s.races[:0]
	s.touch(x, p&^(wordSize-1), h, at, c)
	return s.first()
}

// word records an access within one word on page pg, which may be nil.
func (s *Shadow) word(pg *page, p uintptr, c *trace.Vector, h entryHead, at trace.Site) *Race {
	if pg == nil {
		pg, s.repeated = s.pages.get(p), false
	}
	s.races = s.races[:0]
	s.part(pg, p, c, h, at)
	return s.first()
}

// part records an access within one word.
func (s *Shadow) part(pg *page, p uintptr, c *trace.Vector, h entryHead, at trace.Site) {
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

// span records an access of any size. h has no mask yet.
func (s *Shadow) span(p, n uintptr, c *trace.Vector, h entryHead, at trace.Site) *Race {
	if n == 0 {
		s.repeated = false
		return nil
	}
	s.races = s.races[:0]
	s.bytes(p, n, c, h, at)
	s.repeated = false // not all of it
	return s.first()
}

// bytes records an access of any size but 0. h has no mask yet.
func (s *Shadow) bytes(p, n uintptr, c *trace.Vector, h entryHead, at trace.Site) {
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
			return
		}
		p = end + 1
	}
}

// onPage records an access to the bytes from p to last, all on page pg. h has no mask yet.
func (s *Shadow) onPage(pg *page, p, last uintptr, c *trace.Vector, h entryHead, at trace.Site) {
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

// cell records an access to one word at address base.
func (s *Shadow) cell(x *cell, base uintptr, c *trace.Vector, h entryHead, at trace.Site) {
	if x.a.head == 0 {
		x.a = entry{h, at} // a cell's first entry is empty only if all are
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

// Forget records that the n bytes at p were freed, or reused.
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

// forgetIn removes the bytes from p to last, all on page pg.
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
