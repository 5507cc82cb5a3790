package order

import (
	"heddle/model"
	"heddle/trace"
)

// A region is a critical section: from an acquisition to the release that ended it in the trace, -1
// if there is none.
type region struct {
	from  int // the acquisition; for a writer of an RWMutex its arrival, which blocks new readers
	take  int // the acquisition
	to    int
	write bool
}

// A lock is a Mutex or RWMutex. The trace decides which release ends which acquisition.
type lock struct {
	regions []region
	of      map[int]int // by event: its region
}

func newLock(p *Problem, events []int32) *lock {
	l := &lock{of: make(map[int]int)}
	var open []int // regions that are open
	arrived := make(map[trace.GID]int)
	for _, i := range events {
		e := int(i)
		ev := &p.m.events[e]
		switch s := p.section(e, ev.Arg); {
		case ev.Op == trace.OpArrive:
			arrived[ev.G] = e
		case e >= p.m.done:
		case s.Enters():
			r := region{from: e, take: e, to: -1, write: s == model.Enter}
			if a, ok := arrived[ev.G]; ok && r.write {
				r.from = a
				delete(arrived, ev.G)
				l.of[a] = len(l.regions)
			}
			l.of[e] = len(l.regions)
			open = append(open, len(l.regions))
			l.regions = append(l.regions, r)
		case s.Leaves():
			open = l.release(p, open, e, s == model.Leave)
		}
	}
	for _, i := range events { // writers that arrived and did not get the lock
		e := int(i)
		if a, ok := arrived[p.m.events[e].G]; ok && a == e && e < p.m.done {
			l.of[e] = len(l.regions)
			l.regions = append(l.regions, region{from: e, take: -1, to: -1, write: true})
		}
	}
	return l
}

// release ends the last open region of the same goroutine, or else one of another goroutine.
func (l *lock) release(p *Problem, open []int, e int, write bool) []int {
	best := -1
	for k, i := range open {
		r := &l.regions[i]
		if r.write == write && (best < 0 || p.m.events[r.take].G == p.m.events[e].G) {
			best = k
		}
	}
	if best < 0 {
		return open // acquired before the trace
	}
	i := open[best]
	l.regions[i].to = e
	l.of[e] = i
	return append(open[:best:best], open[best+1:]...)
}

func (l *lock) check(p *Problem, events []int32) {
	writer := -1
	var readers []int
	for _, i := range events {
		e := int(i)
		r, known := l.of[e]
		switch s := p.section(e, 1); { // what e does if it succeeds: an event without a region failed
		case s.Leaves():
			if known && writer == r {
				writer = -1
			}
			if known {
				readers = without(readers, r)
			}
		case p.m.events[e].Op == trace.OpArrive:
			if writer >= 0 {
				l.exclude(p, writer, r)
			}
			writer = r
		case s == model.Enter:
			if !known {
				if writer < 0 && len(readers) == 0 {
					l.failed(p, e, true)
				}
				continue
			}
			if writer >= 0 && writer != r {
				l.exclude(p, writer, r)
			}
			for _, x := range readers {
				l.exclude(p, r, x)
			}
			writer = r
		case s == model.EnterShared:
			switch {
			case !known && writer < 0:
				l.failed(p, e, false)
			case known && writer >= 0:
				l.exclude(p, writer, r)
			}
			if known {
				readers = append(readers, r)
			}
		}
	}
}

func without(list []int, x int) []int {
	for i, y := range list {
		if x == y {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}

// exclude adds that two regions do not overlap.
func (l *lock) exclude(p *Problem, i, j int) {
	a, b := &l.regions[i], &l.regions[j]
	if a.write && b.write {
		tag := p.names.tag(Lock, a.from, b.from)
		p.add(tag, not(p.kept(a.from)), not(p.kept(b.from)), p.ended(a, b.from), p.ended(b, a.from))
		return
	}
	if !a.write {
		a, b = b, a
	}
	// Writer a blocks reader b from its arrival on; a reader that holds the lock blocks the writer.
	tag := p.names.tag(Lock, a.from, b.from)
	p.add(tag, not(p.kept(a.from)), not(p.kept(b.take)), p.before(b.take, a.from), p.ended(a, b.take))
	if a.take >= 0 {
		p.add(tag, not(p.kept(a.take)), not(p.kept(b.take)), p.ended(b, a.take), p.ended(a, b.take))
	}
}

// ended returns the literal that region r ends before event e.
func (p *Problem) ended(r *region, e int) lit {
	if r.to < 0 {
		return no
	}
	return p.before(r.to, e)
}

// failed adds that a goroutine holds the lock when the TryLock e fails; for a TryRLock readers do
// not count.
func (l *lock) failed(p *Problem, e int, byReaders bool) {
	tag := p.names.tag(TryFailed, e)
	held := []lit{not(p.kept(e))}
	for i := range l.regions {
		r := &l.regions[i]
		if !r.write && !byReaders {
			continue
		}
		in, out := p.before(r.from, e), yes
		if r.to >= 0 {
			out = p.before(e, r.to)
		}
		if in == no || out == no {
			continue
		}
		f := p.fresh()
		held = append(held, f)
		p.add(tag, f.Not(), in)
		p.add(tag, f.Not(), out)
	}
	p.add(tag, held...)
}

// heldLits returns literals of which one must be true if event e is to wait for the lock for ever
// while the goroutines of stopped do not continue: a goroutine holds the lock, blocks e, and never
// releases it.
func (l *lock) heldLits(p *Problem, e int, stopped map[trace.GID]int) (lits []lit) {
	s, own := p.section(e, 1), p.m.events[e].G
	for i := range l.regions {
		r := &l.regions[i]
		g := p.m.events[r.from].G
		if !p.neverReleased(r, stopped) {
			continue
		}
		from, take := p.reached(r.from, stopped), no
		if r.take >= 0 {
			take = p.reached(r.take, stopped)
		}
		switch {
		case s == model.Enter, s == model.EnterShared && r.write && g == own:
			lits = append(lits, take)
		case r.write: // e is a reader, or a writer that arrives
			lits = append(lits, from)
		}
	}
	return lits
}

// neverReleased reports whether a region is never ended: the goroutine that ended it stops before
// that, or the goroutine that holds the lock has ended.
func (p *Problem) neverReleased(r *region, stopped map[trace.GID]int) bool {
	if r.to >= 0 {
		at, ok := stopped[p.m.events[r.to].G]
		return ok && r.to >= at
	}
	g := p.m.events[r.from].G
	es := p.m.byG[g]
	_, ok := stopped[g]
	return ok || p.m.events[es[len(es)-1]].Op == trace.OpEnd
}

// reached returns the literal that event e was done, with the goroutines of stopped having stopped.
func (p *Problem) reached(e int, stopped map[trace.GID]int) lit {
	if at, ok := stopped[p.m.events[e].G]; ok {
		if e < at {
			return yes
		}
		return no
	}
	return p.kept(e)
}
