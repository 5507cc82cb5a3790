package sched

import (
	"slices"
	"unsafe"

	"heddle/detect"
	"heddle/trace"
)

// Memory that is lent to code which is not rewritten (rt/hook/lend.go) is taken for written there.
// Nothing is known of what the code does with it, so if another goroutine accesses it with no order
// between the two, that is no race that is told, but something that was not seen. A shadow of its
// own has these writes, so that no real access is forgotten for them.

// lent is what an execution has lent.
type lent struct {
	some   bool // something was
	shadow detect.Shadow
	recent [8]lentRange
	next   int
	todo   []uintptr        // objects to lend, and those that were, of one call
	known  map[uintptr]bool // the same
	calls  []trace.Unseen   // that lent something
}

// A lentRange is memory that a goroutine lent at one moment of its clock.
type lentRange struct {
	from, to uintptr
	epoch    trace.Epoch
}

const (
	// manyLent bounds the objects that are followed from the arguments of one call.
	manyLent = 4096
	// largeLent bounds the memory of one object whose bytes are told one by one.
	largeLent = 64 << 20
	// global is how much of a package-level variable is lent where its size is not known.
	global = 64
)

func (l *lent) reset() {
	if l.some {
		l.shadow.Reset()
	}
	l.some, l.recent, l.calls = false, [8]lentRange{}, l.calls[:0]
}

// lend is hook.LendMemory.
func (s *Sched) lend(p unsafe.Pointer, n uintptr, held bool, fn string, pc uintptr) {
	if s.ending.on || !s.det.on || s.det.solo {
		return
	}
	g := s.enter()
	g.heads.wrote(0)
	s.det.lend(g, &s.findings, p, n, held,
		&trace.Unseen{Code: trace.UnseenMemory, What: fn, Site: trace.PCSite(pc)})
	s.leave()
}

// lend lends n bytes at p, and what they lead to, to the call at. held: an interface or the like
// holds p.
func (d *detector) lend(g *G, f *findings, p unsafe.Pointer, n uintptr, held bool, at *trace.Unseen) {
	g.touched = g.now.C()
	l := &d.lent
	l.todo = l.todo[:0]
	clear(l.known)
	if l.known == nil {
		l.known = make(map[uintptr]bool)
	}
	from := uintptr(p)
	base, size, noscan, small := heapObject(from)
	switch {
	case !held || onStack(p):
		l.leadsTo(from, from+n)
	case base == 0: // a package-level variable
		d.lendRange(g, f, from, from+max(n, global), at)
		l.leadsTo(from, from+n)
	case n <= unsafe.Sizeof(n) && !small: // a length may come with it
		d.lendObject(g, f, base, size, noscan, at)
	default:
		d.lendRange(g, f, from, from+n, at)
		if !noscan {
			l.leadsTo(from, from+n)
		}
	}
	for i := 0; i < len(l.todo); i++ {
		if i == manyLent {
			f.notSeen(*at)
			break
		}
		base, size, noscan, small := heapObject(l.todo[i])
		if base == 0 || small {
			d.lendRange(g, f, l.todo[i], l.todo[i]+unsafe.Sizeof(n), at)
			continue
		}
		d.lendObject(g, f, base, size, noscan, at)
	}
}

// lendObject lends a whole object, and notes what it points to.
func (d *detector) lendObject(g *G, f *findings, base, size uintptr, noscan bool, at *trace.Unseen) {
	d.lendRange(g, f, base, base+size, at)
	if !noscan {
		d.lent.leadsTo(base, base+size)
	}
}

// leadsTo notes what the words from one address to another lead to, as if all were pointers.
func (l *lent) leadsTo(from, to uintptr) {
	const word = unsafe.Sizeof(from)
	for from = (from + word - 1) &^ (word - 1); from+word <= to; from += word {
		p := *(*uintptr)(address(from))
		if p < 4096 || len(l.todo) > manyLent {
			continue
		}
		if base, _, _, small := heapObject(p); base != 0 && !small {
			p = base
		} else if base == 0 && !packageLevel(address(p)) {
			continue
		}
		if !l.known[p] {
			l.known[p] = true
			l.todo = append(l.todo, p)
		}
	}
}

// lendRange lends memory: what is accessed with no order to it, before or after, is not seen.
func (d *detector) lendRange(g *G, f *findings, from, to uintptr, at *trace.Unseen) {
	now := g.now
	for i := range d.lent.recent {
		if r := &d.lent.recent[i]; r.epoch == now && r.from <= from && to <= r.to {
			return
		}
	}
	d.lent.recent[d.lent.next%len(d.lent.recent)] = lentRange{from, to, now}
	d.lent.next++
	if to-from > largeLent {
		f.notSeen(*at)
		return
	}
	if _, clash := d.shadow.Clash(g.chain, &g.clock, from, to-from); clash {
		f.notSeen(*at)
	}
	if !slices.Contains(d.lent.calls, *at) {
		d.lent.calls = append(d.lent.calls, *at)
	}
	d.lent.some = true
	if d.lent.shadow.Write(g.chain, &g.clock, from, to-from, at.Site) != nil {
		f.notSeen(*at)
	}
}

// meetsLent is told of an access to n bytes at p when something was lent.
func (d *detector) meetsLent(g *G, f *findings, p, n uintptr) {
	at, ok := d.lent.shadow.Clash(g.chain, &g.clock, p, n)
	if !ok {
		return
	}
	for _, u := range d.lent.calls {
		if u.Site == at {
			f.notSeen(u)
		}
	}
}

// address is the pointer to p, which the collector need not know of: nothing is collected within an
// execution.
func address(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
