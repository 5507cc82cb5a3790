package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// Loops that poll. At the end of an iteration that changed nothing the goroutine
// waits until something is written that the iteration looked at (rt/sched, await):
// an event that reads all of it, at least one of them later than the iteration
// did. If something was written while the iteration was at work, an execution
// goes on without waiting; that is the same event, right after the iteration.

// An iteration is one that has ended and changed nothing.
type iteration struct {
	looked []transition.Object
	site   trace.Site // of the loop
	goesOn bool       // without having waited
	before int        // the next one begins before this event
}

// looked is what an iteration looked at: a cell, and its condition then.
type looked struct {
	cell net.Cell
	seen net.Cond
}

// pollable reports whether there is a construction for loops that look at an object.
func (s *Strategy) pollable(obj transition.Object) bool {
	switch s.tab.Kind(obj) {
	case trace.ObjMutex, trace.ObjAtomic, trace.ObjMap, trace.ObjChan, trace.ObjOnce, trace.ObjMemory:
		return len(s.tab.Overlaps(obj)) == 0
	}
	return false
}

// readLoops collects at which transitions iterations ended that changed nothing, and what they looked at.
func (s *Strategy) readLoops(t *trace.Trace) string {
	r, p := &s.read, s.path
	r.loops, r.passed = nil, false
	at, i := -1, 0
	for k := range t.Offers {
		o := &t.Offers[k]
		if o.Case >= 0 {
			continue
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
		it.looked, it.site, it.goesOn, it.before = append(it.looked, obj), o.Site, o.Case == trace.LoopGoesOn, int(o.After)
		r.loops[key], r.passed = it, r.passed || it.goesOn
	}
	return ""
}

// awaiting returns the call of p at the end of an iteration.
func (s *Strategy) awaiting(p transition.Proc, it iteration) net.Value {
	return s.calls.number(call{proc: p, obj: noObject, op: trace.OpAwait, site: it.site}, nil, it.looked...)
}

// lookedAt returns what the iteration that ended at t looked at.
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
		cells := s.cellsOf(side{obj: obj})
		if o.kind == trace.ObjChan && o.cap == 0 {
			cells = append(cells, s.line(o))
		}
		ls = append(ls, s.looks(t, cells, times)...)
	}
	return ls
}

// looks returns the first conditions of some cells, those of an object, that the
// last so many events of t's goroutine read which are about it.
func (s *Strategy) looks(t net.Cond, cells []net.Cell, times int) (ls []looked) {
	for ; times > 0 && s.net.Up(t) != net.None; t = s.net.Up(t) {
		about := false
		for _, a := range s.net.Arcs(s.net.By(t)) {
			k := s.net.Cell(a.Cond())
			if a.Use() != net.Reads || !slices.Contains(cells, k) {
				continue
			}
			about = true
			l := looked{k, a.Cond()}
			if i := slices.IndexFunc(ls, func(l looked) bool { return l.cell == k }); i >= 0 {
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

// await calls f with the way in which the one at t, which polls, goes on.
func (s *Strategy) await(t net.Cond, in *net.Config, arcs []net.Arc, f func(way)) {
	changed := false
	for _, l := range s.lookedAt(t) {
		x := in.Last(l.cell)
		changed = changed || x != l.seen
		arcs = append(arcs, net.To(x, net.Reads))
	}
	if changed {
		f(way{0, arcs})
	}
}

// inOrder returns the events of a config in an order that an execution can have:
// whoever waits in a polling loop did so before what it looked at was written, or
// never had to. passed are those who had not to; ok is false if there is none.
func (s *Strategy) inOrder(in *net.Config) (order []net.Event, passed map[net.Event]bool, ok bool) {
	if !s.calls.awaits {
		return in.OrderLike(s.run.Events()), nil, true
	}
	var before map[net.Event][]net.Event
	for _, e := range in.Events() {
		t := s.net.Arcs(e)[0].Cond()
		c, _ := s.callAt(t)
		if c.op != trace.OpAwait {
			continue
		}
		if before == nil {
			before = map[net.Event][]net.Event{}
		}
		last := s.stepOf(s.net.By(t))
		was := map[net.Event]int{}
		for _, l := range s.lookedAt(t) {
			if w := in.Taker(l.seen); w != net.None && w != last {
				was[w] = len(before[w])
				before[w] = append(before[w], last)
			}
		}
		if _, ok := in.OrderBefore(before); ok {
			continue
		}
		for w, n := range was {
			before[w] = before[w][:n]
		}
		for _, a := range s.net.Arcs(e)[1:] {
			if by := s.net.By(a.Cond()); by != net.None && by != last {
				before[last] = append(before[last], by)
			}
		}
		if passed == nil {
			passed = map[net.Event]bool{}
		}
		passed[e] = true
	}
	if len(before) == 0 {
		return in.OrderLike(s.run.Events()), nil, true
	}
	order, ok = in.OrderBefore(before)
	return order, passed, ok
}

// stepOf returns the event in whose step e, which may be none of its own, is.
func (s *Strategy) stepOf(e net.Event) net.Event {
	for e != net.None && s.branches(e) {
		e = s.net.By(s.net.Arcs(e)[0].Cond())
	}
	return e
}
