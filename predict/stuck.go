package predict

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"heddle/trace"
)

// Stuck is goroutines that can wait for ever, each at a lock, a channel, a WaitGroup or a
// Cond, because only others of them could let it go on, or nobody any more. What
// it predicts shows as a deadlock, or as a leak where the test ends without them.
var Stuck = &Pattern{Name: "waiting for each other", Kind: "deadlock"}

// Stuck yields sets of operations that goroutines may wait before for ever: closed ones, in which
// whoever could help one of them waits as well, or has no help left to give. They are guesses, to
// be asked of a Solver; every set that is deadlocked in some correct order contains one that is
// yielded. With near it is some of them: those within bounds, with something else than locks in
// them, which Deadlocks predicts.
//
// For a lock somebody must be stuck in a critical section that excludes it. For anything else
// everybody who helped in the trace must be stuck before the last time he did, or have done it all.
// Sets that contain a closed one are left out. stop, if it is not nil, is asked now and then
// whether to go on.
func (g *Graph) Stuck(near bool, stop func() bool) iter.Seq[Anomaly] {
	return g.stuck(near, 0, 1, stop)
}

// StuckPart yields a part of all that Stuck yields: the search for them, which may take long, is
// divided where it has chosen the second operation of a set. The parts together yield the same
// sets, some more than once.
func (g *Graph) StuckPart(part, parts int, stop func() bool) iter.Seq[Anomaly] {
	return g.stuck(false, part, parts, stop)
}

func (g *Graph) stuck(near bool, part, parts int, stop func() bool) iter.Seq[Anomaly] {
	return func(yield func(Anomaly) bool) {
		var w *waits
		if !g.Limit.Within(func() { w = newWaits(g) }) {
			return
		}
		s := &stuck{w: w, near: near, stop: stop, yield: yield, seen: make(map[string]int), part: part,
			parts: parts}
		begun := make(map[beginning]int)
		for id := range s.w.at {
			for _, e := range s.w.at[id] {
				if near {
					// A set that has something else than locks in it is found from there.
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

// A beginning is where a search for sets begins, several times at most.
type beginning struct {
	g    trace.GID
	site trace.Site
}

// Bounds of near.
const (
	maxBegun  = 16      // operations of a goroutine at one place to begin with
	maxSets   = 1 << 14 // steps of the search that begins with one
	maxSearch = 1 << 22 // and of all of them
	maxStuck  = 6       // goroutines in a set
	maxSame   = 3       // sets of the same places that are yielded
	maxHelped = 64      // waits of one helper that are tried
)

type stuck struct {
	w     *waits
	near  bool
	stop  func() bool
	yield func(Anomaly) bool
	set   []int32    // events, of different goroutines
	needs [][2]int32 // the first waits for ever because the second does
	left  int
	steps int
	over  bool
	seen  map[string]int // sets by places

	part, parts int // of the search
	choices     int // of a second operation
}

// mine reports whether this part of the search is to try another operation beside the set.
func (s *stuck) mine() bool {
	if len(s.set) > 1 {
		return true
	}
	s.choices++
	return s.choices%s.parts == s.part
}

// tired counts a step of the search, and reports whether there are to be no more.
func (s *stuck) tired() bool {
	s.steps++
	s.left--
	if s.near && s.steps > maxSearch || s.steps%1024 == 0 && s.stop != nil && s.stop() {
		s.over = true
	}
	return s.over || s.near && s.left < 0
}

// grow makes the set closed, in all ways, beginning with what its i-th event waits for. It
// reports false when nobody wants more.
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

// keys returns what would help the communication e: a partner for any of its cases.
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

// locked lets the i-th event of the set wait for a lock that somebody holds and will not release.
func (s *stuck) locked(i int, e int32) bool {
	ev := &s.w.events[e]
	for _, id := range s.w.byLock[ev.Obj] {
		if s.tired() {
			return !s.over
		}
		r := &s.w.regions[id]
		early := ev.Op != trace.OpLock && r.from < r.take // a writer who has arrived is enough
		if !r.write && ev.Op != trace.OpLock || r.take == e || r.from == e {
			continue
		}
		to := r.to
		if to < 0 {
			to = int32(len(s.w.events))
		}
		if f, ok := s.of(r.g); ok {
			// He who holds it waits within, or, a writer who keeps readers out, before taking it.
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

// unhelped lets the i-th event of the set wait where nobody helps: from the
// k-th of the keys and its j-th helper on it is to be said why.
func (s *stuck) unhelped(i int, e int32, keys []helpKey, k, j int) bool {
	for ; k < len(keys); k, j = k+1, 0 {
		by := s.w.helps[keys[k]]
		for ; j < len(by); j++ {
			g, help := by[j].g, by[j].at
			if g == s.w.events[e].G {
				continue
			}
			if f, ok := s.of(g); ok {
				// Whether what he did before that is all used up the solver tells.
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
			// Or he has no help left to give.
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

// with grows the set with f added, for which e waits.
func (s *stuck) with(e, f int32, i int) bool {
	s.set = append(s.set, f)
	more := s.given(e, f, i)
	s.set = s.set[:len(s.set)-1]
	return more
}

// given grows the set, e waiting for f.
func (s *stuck) given(e, f int32, i int) bool {
	s.needs = append(s.needs, [2]int32{e, f})
	more := s.grow(i)
	s.needs = s.needs[:len(s.needs)-1]
	return more
}

// minimal reports whether all of the set wait for its first event in the end.
// Otherwise those who do not are a closed set by themselves.
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

// add yields the set, if it is new.
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

// lockWait reports whether who waits with op waits for somebody who holds something.
func lockWait(op trace.Op) bool {
	return op == trace.OpLock || op == trace.OpRLock || op == trace.OpOnce
}
