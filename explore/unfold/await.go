package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Loops that poll. At the end of an iteration that changed nothing, the goroutine waits until
// something is written that the iteration read (await in rt/sched). The wait is an event that reads
// the conditions of all places that the iteration read, at least one of them newer than the one
// that the iteration found. If there was such a write during the iteration already, the wait does
// not block, but is a step and an event as well (trace.Schedule.Awaits).

// An iteration is one that has ended and changed nothing.
type iteration struct {
	looked []transition.Object
	site   trace.Site // of the loop
}

// looked is a place that an iteration read, and the condition that it found.
type looked struct {
	place net.Place
	seen  net.Cond
}

// pollable reports whether there is a construction for loops that read an object.
func (s *Strategy) pollable(obj transition.Object) bool {
	switch s.tab.Kind(obj) {
	case trace.ObjMutex, trace.ObjAtomic, trace.ObjMap, trace.ObjChan, trace.ObjOnce, trace.ObjMemory:
		return len(s.tab.Overlaps(obj)) == 0
	}
	return false
}

// readLoops notes after which transitions an iteration ended that changed nothing, and what it
// read. It returns what there is no construction for.
func (s *Strategy) readLoops(t *trace.Trace) string {
	r, p := &s.read, s.path
	r.loops = nil
	at, i := -1, 0
	for k := range t.Offers {
		o := &t.Offers[k]
		switch {
		case o.Case >= 0:
			continue
		case o.Case == trace.LoopGoesOn:
			return "a loop that polls and goes on within a step"
		}
		for ; i < p.Len() && p.Step(i) <= int(o.Step); i++ {
			if !p.At(i).Barrier {
				at = i
			}
		}
		obj := s.tab.Looked(t, o.Obj)
		if !s.pollable(obj) {
			return "a loop that polls a " + s.tab.Kind(obj).String()
		}
		if r.loops == nil {
			r.loops = map[announced]iteration{}
		}
		key := announced{s.tab.ProcOf(o.G), at}
		it := r.loops[key]
		it.looked, it.site = append(it.looked, obj), o.Site
		r.loops[key] = it
	}
	return ""
}

// awaiting returns the call of p at the end of an iteration.
func (s *Strategy) awaiting(p transition.Proc, it iteration) net.Value {
	return s.calls.number(call{proc: p, obj: noObject, op: trace.OpAwait, site: it.site}, nil, it.looked...)
}

// lookedAt returns what the iteration that ended at condition t read.
func (s *Strategy) lookedAt(t net.Cond) (ls []looked) {
	objs := s.calls.objs[s.net.Value(t)]
	for i, obj := range objs {
		if slices.Contains(objs[:i], obj) {
			continue
		}
		times := 0
		for _, x := range objs[i:] {
			if x == obj {
				times++
			}
		}
		o := s.object(obj)
		places := s.placesOf(side{obj: obj})
		if o.kind == trace.ObjChan && o.cap == 0 {
			places = append(places, s.line(o))
		}
		ls = append(ls, s.looks(t, places, times)...)
	}
	return ls
}

// looks returns the conditions of some places, those of one object, that the last events of t's
// goroutine read: as many events as times says, of those that are about the object.
func (s *Strategy) looks(t net.Cond, places []net.Place, times int) (ls []looked) {
	for ; times > 0 && s.net.Up(t) != net.None; t = s.net.Up(t) {
		about := false
		for _, a := range s.net.Arcs(s.net.By(t)) {
			k := s.net.Place(a.Cond())
			if a.Use() != net.Reads || !slices.Contains(places, k) {
				continue
			}
			about = true
			l := looked{k, a.Cond()}
			if i := slices.IndexFunc(ls, func(l looked) bool { return l.place == k }); i >= 0 {
				ls[i] = l
			} else {
				ls = append(ls, l)
			}
		}
		if about {
			times--
		}
	}
	return ls
}

// await calls f with the way in which a polling goroutine at t continues.
func (s *Strategy) await(t net.Cond, in *net.Config, arcs []net.Arc, f func(way)) {
	changed := false
	for _, l := range s.lookedAt(t) {
		x := in.Last(l.place)
		changed = changed || x != l.seen
		arcs = append(arcs, net.To(x, net.Reads))
	}
	if changed {
		f(way{0, arcs})
	}
}
