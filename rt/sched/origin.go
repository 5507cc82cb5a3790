package sched

import "heddle/trace"

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
func (s *Sched) noteAccess(g *G, site trace.Site) { s.det.accesses(g.id, site, callers(2)) }

// Origin returns the stack of the go statement that started a goroutine of the
// last execution, or of what started the timer that did; nil where that is not
// known: the execution did not record, or it is main.
func (s *Sched) Origin(id trace.GID) []uintptr {
	if id < 0 || int(id) >= len(s.gs) {
		return nil
	}
	return s.gs[id].origin
}
