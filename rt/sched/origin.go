package sched

import (
	"runtime"
	"strings"

	"heddle/trace"
)

// Where things come from. What an execution that records shows is explained to
// a reader, so it keeps the stacks of go statements, of what starts timers, and of the accesses at
// watched sites: the earlier access of a race is known to the detector by its site only, and a
// site in the standard library says little.

// noteOrigin keeps the running goroutine's stack as where n comes from.
func (s *Sched) noteOrigin(n *G) {
	switch {
	case !s.opt.Record:
	case s.timers.firing != nil:
		n.origin = s.timers.firing.origin
	default:
		n.origin = callers(2)
	}
}

// noteAccess keeps the running goroutine's stack as that of its last access at site.
func (s *Sched) noteAccess(g *G, site trace.Site) {
	s.det.accesses(g.id, site, len(s.t.Steps), callers(2))
}

// Origin returns the stack of the go statement that started a goroutine of the
// last execution, or of what started the timer that did; nil where that is not
// known: the execution did not record, or it is main.
func (s *Sched) Origin(id trace.GID) []uintptr {
	if id < 0 || int(id) >= len(s.gs) {
		return nil
	}
	return s.gs[id].origin
}

// noteCall keeps, for the step by which g does what it announces at site, the program's own call
// that leads there, if site is in the standard library or a dependency. A goroutine without a frame
// of the program's own goes by the go statement that started it.
func (s *Sched) noteCall(g *G, site trace.Site) {
	g.call = trace.Call{}
	if s.pcs.own[site.Loud()] {
		return
	}
	if g == s.cur {
		var pcs [256]uintptr // what transpiled code calls is deep
		from, into := s.pcs.ownCall(pcs[:runtime.Callers(4, pcs[:])])
		switch {
		case from != 0 && into == 0:
			s.pcs.notes(site.Loud())
			return
		case from != 0:
			g.call = trace.Call{From: trace.PCSite(from), Into: trace.PCSite(into)}
			return
		}
	}
	if from, into := s.pcs.ownCall(g.origin); from != 0 && into != 0 {
		g.call = trace.Call{From: trace.PCSite(from), Into: trace.PCSite(into)}
	}
}

// ownCall returns the innermost frame of a stack that is the program's own, 0 if there is none, and
// the frame that it calls, 0 if that is heddle's.
func (t *pcTable) ownCall(stack []uintptr) (from, into uintptr) {
	for _, pc := range stack {
		in := t.look(pc)
		if in.own {
			continue
		}
		if !in.std && !in.kept {
			return pc, into
		}
		into = pc
	}
	return 0, 0
}

// called keeps the call that led to the step just made.
func (s *Sched) called(g *G) {
	for len(s.t.Calls) < len(s.t.Steps)-1 { // draws and timers
		s.t.Calls = append(s.t.Calls, trace.Call{})
	}
	s.t.Calls = append(s.t.Calls, g.call)
}

// notes notes that a site is in the program's own code.
func (t *pcTable) notes(site trace.Site) {
	if t.own == nil {
		t.own = make(map[trace.Site]bool)
	}
	t.own[site] = true
}

// kept reports whether a file belongs to a module in the module cache, whose folders have the
// version in their name, or to a vendored one.
func kept(file string) bool {
	if strings.Contains(file, "/vendor/") {
		return true
	}
	i := strings.LastIndex(file, "@v")
	return i >= 0 && i+2 < len(file) && file[i+2] >= '0' && file[i+2] <= '9'
}
