package sched

import (
	"slices"
	"unsafe"

	"heddle/detect"
	"heddle/trace"
)

// Memory that is lent to code which is not rewritten (rt/hook/lend.go) is taken for written there. Nothing is known of what
// the code does with it, so if another goroutine accesses it with no order between the two, that is no race that is told,
// but something that was not seen. A shadow of its own has these writes, so that no real access is forgotten for them.

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

func (s *Sched) resetLent() {
	s.unseen = s.unseen[:0]
	if s.lent.some {
		s.lent.shadow.Reset()
	}
	s.lent.some, s.lent.recent, s.lent.calls = false, [8]lentRange{}, s.lent.calls[:0]
}

// lend is hook.LendMemory.
func (s *Sched) lend(p unsafe.Pointer, n uintptr, held bool, fn string, pc uintptr) {
	if s.unwind || !s.race || s.solo {
		return
	}
	g := s.enter()
	g.touched = g.clock.At(g.chain)
	at := trace.Unseen{Code: trace.UnseenMemory, What: fn, Site: trace.PCSite(pc)}
	s.lent.todo = s.lent.todo[:0]
	clear(s.lent.known)
	if s.lent.known == nil {
		s.lent.known = make(map[uintptr]bool)
	}
	from := uintptr(p)
	base, size, noscan, small := heapObject(from)
	switch {
	case !held || onStack(p):
		s.leadsTo(from, from+n)
	case base == 0: // a package-level variable
		s.lendRange(g, from, from+max(n, global), &at)
		s.leadsTo(from, from+n)
	case n <= unsafe.Sizeof(n) && !small: // a length may come with it
		s.lendObject(g, base, size, noscan, &at)
	default:
		s.lendRange(g, from, from+n, &at)
		if !noscan {
			s.leadsTo(from, from+n)
		}
	}
	for i := 0; i < len(s.lent.todo); i++ {
		if i == manyLent {
			s.notSeen(at)
			break
		}
		base, size, noscan, small := heapObject(s.lent.todo[i])
		if base == 0 || small {
			s.lendRange(g, s.lent.todo[i], s.lent.todo[i]+unsafe.Sizeof(n), &at)
			continue
		}
		s.lendObject(g, base, size, noscan, &at)
	}
	s.leave()
}

// lendObject lends a whole object, and notes what it points to.
func (s *Sched) lendObject(g *G, base, size uintptr, noscan bool, at *trace.Unseen) {
	s.lendRange(g, base, base+size, at)
	if !noscan {
		s.leadsTo(base, base+size)
	}
}

// leadsTo notes what the words from one address to another lead to, as if all were pointers.
func (s *Sched) leadsTo(from, to uintptr) {
	const word = unsafe.Sizeof(from)
	for from = (from + word - 1) &^ (word - 1); from+word <= to; from += word {
		p := *(*uintptr)(address(from))
		if p < 4096 || len(s.lent.todo) > manyLent {
			continue
		}
		if base, _, _, small := heapObject(p); base != 0 && !small {
			p = base
		} else if base == 0 && !packageLevel(address(p)) {
			continue
		}
		if !s.lent.known[p] {
			s.lent.known[p] = true
			s.lent.todo = append(s.lent.todo, p)
		}
	}
}

// lendRange lends memory: what is accessed with no order to it, before or after, is not seen.
func (s *Sched) lendRange(g *G, from, to uintptr, at *trace.Unseen) {
	now := trace.NewEpoch(g.chain, g.clock.At(g.chain))
	for i := range s.lent.recent {
		if r := &s.lent.recent[i]; r.epoch == now && r.from <= from && to <= r.to {
			return
		}
	}
	s.lent.recent[s.lent.next%len(s.lent.recent)] = lentRange{from, to, now}
	s.lent.next++
	if to-from > largeLent {
		s.notSeen(*at)
		return
	}
	if _, clash := s.shadow.Clash(g.chain, g.clock, from, to-from); clash {
		s.notSeen(*at)
	}
	if !slices.Contains(s.lent.calls, *at) {
		s.lent.calls = append(s.lent.calls, *at)
	}
	s.lent.some = true
	if s.lent.shadow.Write(g.chain, g.clock, from, to-from, at.Site) != nil {
		s.notSeen(*at)
	}
}

// meetsLent is told of an access to n bytes at p when something was lent.
func (s *Sched) meetsLent(g *G, p, n uintptr) {
	at, ok := s.lent.shadow.Clash(g.chain, g.clock, p, n)
	if !ok {
		return
	}
	for _, u := range s.lent.calls {
		if u.Site == at {
			s.notSeen(u)
		}
	}
}

// notSeen notes, once in an execution, what was not seen.
func (s *Sched) notSeen(u trace.Unseen) {
	if !slices.Contains(s.unseen, u) {
		s.unseen = append(s.unseen, u)
	}
}

// Unseen returns what was not seen of the execution just made. It is overwritten by the next one.
func (s *Sched) Unseen() []trace.Unseen { return s.unseen }

// address is the pointer to p, which the collector need not know of: nothing is collected within an execution.
func address(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
