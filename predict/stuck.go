package predict

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"heddle/trace"
)

// Stuck is the pattern of goroutines that can wait for ever, each at a lock, a channel, a WaitGroup
// or a Cond, because only others of the set could enable them, or no goroutine any more. It shows
// as a deadlock, or as a leak if the test ends without them.
var Stuck = &Pattern{Name: "waiting for each other", Kind: "deadlock"}

// Stuck yields sets of operations at which goroutines may wait for ever: closed sets, in which
// every goroutine that could help one of them waits as well, or has no help left. They are
// candidates for a Solver; every set that is deadlocked in some correct order contains a set that
// is yielded. near: only some of them, within bounds, with something other than locks, which
// Deadlocks predicts.
//
// For a lock, a goroutine must be stuck in a critical section that excludes the waiting one. For
// anything else, every goroutine that helped in the trace must be stuck before the last time that
// it helped, or must have done all of it. Supersets of a closed set are left out. stop, if not nil,
// is called now and then: the search ends when it returns true.
func (g *Graph) Stuck(near bool, stop func() bool) iter.Seq[Anomaly] {
	return g.stuck(near, 0, 1, stop)
}

// StuckPart yields a part of what Stuck yields. The search, which may take long, is divided after
// the choice of the second operation of a set. The parts together yield the same sets, some more
// than once.
func (g *Graph) StuckPart(part, parts int, stop func() bool) iter.Seq[Anomaly] {
	return g.stuck(false, part, parts, stop)
}

func (g *Graph) stuck(near bool, part, parts int, stop func() bool) iter.Seq[Anomaly] {
	return func(yield func(Anomaly) bool) {
		var w *waits
		if !g.Limit.Within(func() { w = g.waiting() }) {
			return
		}
		s := &stuck{w: w, near: near, stop: stop, yield: yield, seen: make(map[string]int), part: part,
			parts: parts}
		begun := make(map[beginning]int)
		for id := range s.w.at {
			for _, e := range s.w.at[id] {
				if near {
					// A set with something other than locks is found from there.
					b := beginning{trace.GID(id), s.w.events[e].Site}
					if lockWait(s.w.events[e].Op) || begun[b] == maxBegun {
						continue
					}
					begun[b]++
				}
				s.set = append(s.set[:0], e)
				s.left = maxSets
				if !s.grow(0) {
					return
				}
			}
		}
	}
}

// A beginning is an operation with which the search for sets begins, several times at most.
type beginning struct {
	g    trace.GID
	site trace.Site
}

// Bounds of near.
const (
	maxBegun  = 16      // operations of a goroutine at one site to begin with
	maxSets   = 1 << 14 // steps of the search from one beginning
	maxSearch = 1 << 22 // steps of all searches
	maxStuck  = 6       // goroutines in a set
	maxSame   = 3       // sets with the same sites that are yielded
	maxHelped = 64      // waits of one helper that are tried
)

type stuck struct {
	w     *waits
	near  bool
	stop  func() bool
	yield func(Anomaly) bool
	set   []int32    // events of different goroutines
	needs [][2]int32 // pairs: the first waits for ever because the second does
	left  int
	steps int
	over  bool
	seen  map[string]int // number of sets, by sites

	part, parts int // this part of the search, and the number of parts
	choices     int // number of choices of a second operation
}

// mine reports whether this part of the search tries the next second operation.
func (s *stuck) mine() bool {
	if len(s.set) > 1 {
		return true
	}
	s.choices++
	return s.choices%s.parts == s.part
}

// tired counts a step of the search, and reports whether the bound is reached.
func (s *stuck) tired() bool {
	s.steps++
	s.left--
	if s.near && s.steps > maxSearch || s.steps%1024 == 0 && s.stop != nil && s.stop() {
		s.over = true
	}
	return s.over || s.near && s.left < 0
}

// grow closes the set, in all ways, beginning with what its i-th event waits for. It returns false
// when the search is to end.
func (s *stuck) grow(i int) bool {
	if s.near && len(s.set) > maxStuck {
		return true
	}
	if s.over {
		return false
	}
	if i == len(s.set) {
		return s.add()
	}
	e := s.set[i]
	switch ev := &s.w.events[e]; ev.Op {
	case trace.OpLock, trace.OpRLock, trace.OpArrive, trace.OpOnce:
		return s.locked(i, e)
	case trace.OpWGWait, trace.OpAcquire, trace.OpCondWake:
		return s.unhelped(i, e, []helpKey{{ev.Obj, helpWaiter}}, 0, 0)
	default:
		return s.unhelped(i, e, s.keys(e), 0, 0)
	}
}

// keys returns the helpKeys of communication e: a partner for any of its cases.
func (s *stuck) keys(e int32) []helpKey {
	ev := &s.w.events[e]
	side := func(send bool) helpSide {
		if send {
			return helpSender
		}
		return helpReceiver
	}
	cs := s.w.casesOf(e)
	if len(cs) == 0 {
		return []helpKey{{ev.Obj, side(ev.Op == trace.OpSend)}}
	}
	var ks []helpKey
	for _, c := range cs {
		if k := (helpKey{c.Obj, side(c.Send)}); c.Obj != 0 && !slices.Contains(ks, k) {
			ks = append(ks, k)
		}
	}
	return ks
}

// locked makes the i-th event of the set wait for a lock that a goroutine holds and will not
// release.
func (s *stuck) locked(i int, e int32) bool {
	ev := &s.w.events[e]
	for _, id := range s.w.byLock[ev.Obj] {
		if s.tired() {
			return !s.over
		}
		r := &s.w.regions[id]
		early := ev.Op != trace.OpLock && r.from < r.take // the arrival of a writer is enough
		if !r.write && ev.Op != trace.OpLock || r.take == e || r.from == e {
			continue
		}
		to := r.to
		if to < 0 {
			to = int32(len(s.w.events))
		}
		if f, ok := s.of(r.g); ok {
			// The holder waits inside the critical section; or a writer, whose arrival blocks
			// readers, waits before it.
			if f > r.take && f <= to || f == r.take && early {
				if !s.given(e, f, i+1) {
					return false
				}
			}
			continue
		}
		if r.to < 0 && int(r.take) < len(s.w.t.Events) && !s.grow(i+1) {
			return false
		}
		from := r.take
		if early {
			from--
		}
		for _, f := range s.w.between(r.g, from, to) {
			if s.mine() && s.fits(f) && !s.with(e, f, i+1) {
				return false
			}
		}
	}
	return true
}

// unhelped makes the i-th event of the set wait without help: from the j-th helper of the k-th key
// on, every helper needs a reason.
func (s *stuck) unhelped(i int, e int32, keys []helpKey, k, j int) bool {
	for ; k < len(keys); k, j = k+1, 0 {
		by := s.w.helps[keys[k]]
		for ; j < len(by); j++ {
			g, help := by[j].g, by[j].at
			if g == s.w.events[e].G {
				continue
			}
			if f, ok := s.of(g); ok {
				// The solver decides whether its earlier help is used up.
				s.needs = append(s.needs, [2]int32{e, f})
				more := s.unhelped(i, e, keys, k, j+1)
				s.needs = s.needs[:len(s.needs)-1]
				return more
			}
			at := s.w.between(g, -1, help[len(help)-1])
			if s.near && len(at) > maxHelped {
				at = at[len(at)-maxHelped:]
			}
			for _, f := range slices.Backward(at) {
				if s.tired() {
					return !s.over
				}
				if !s.mine() || !s.fits(f) {
					continue
				}
				s.set, s.needs = append(s.set, f), append(s.needs, [2]int32{e, f})
				more := s.unhelped(i, e, keys, k, j+1)
				s.set, s.needs = s.set[:len(s.set)-1], s.needs[:len(s.needs)-1]
				if !more {
					return false
				}
			}
			// Or it has no help left.
		}
	}
	return s.grow(i + 1)
}

// of returns the event of goroutine g in the set.
func (s *stuck) of(g trace.GID) (int32, bool) {
	for _, f := range s.set {
		if s.w.events[f].G == g {
			return f, true
		}
	}
	return 0, false
}

func (s *stuck) fits(f int32) bool {
	return !slices.ContainsFunc(s.set, func(e int32) bool { return !s.w.together(e, f) })
}

// with adds f, which e waits for, to the set and continues.
func (s *stuck) with(e, f int32, i int) bool {
	s.set = append(s.set, f)
	more := s.given(e, f, i)
	s.set = s.set[:len(s.set)-1]
	return more
}

// given continues with e waiting for f, which is in the set.
func (s *stuck) given(e, f int32, i int) bool {
	s.needs = append(s.needs, [2]int32{e, f})
	more := s.grow(i)
	s.needs = s.needs[:len(s.needs)-1]
	return more
}

// minimal reports whether all of the set wait, directly or indirectly, for its first event.
// Otherwise the others are a closed set.
func (s *stuck) minimal() bool {
	reach := []int32{s.set[0]}
	for i := 0; i < len(reach); i++ {
		for _, n := range s.needs {
			if n[1] == reach[i] && !slices.Contains(reach, n[0]) {
				reach = append(reach, n[0])
			}
		}
	}
	return len(reach) == len(s.set)
}

// add yields the set if it is new.
func (s *stuck) add() bool {
	locks := true
	for _, e := range s.set {
		locks = locks && lockWait(s.w.events[e].Op)
	}
	if locks && s.near || len(s.set) == 1 && s.part > 0 || !s.minimal() {
		return true
	}
	set := slices.Clone(s.set)
	slices.SortFunc(set, func(a, b int32) int { return cmp.Compare(s.w.events[a].G, s.w.events[b].G) })
	exact := fmt.Sprint(set)
	var places []trace.Site
	for _, e := range set {
		places = append(places, s.w.events[e].Site)
	}
	slices.Sort(places)
	key := fmt.Sprint(places)
	if s.seen[exact] > 0 || s.near && s.seen[key] >= maxSame {
		return true
	}
	s.seen[exact]++
	s.seen[key]++
	return s.yield(Anomaly{Pattern: Stuck, Events: set})
}

// lockWait reports whether an operation waits for a goroutine that holds something.
func lockWait(op trace.Op) bool {
	return op == trace.OpLock || op == trace.OpRLock || op == trace.OpOnce
}
