package sched

import "heddle/trace"

// guided lets the schedule's guide choose among all ways to go on.
func (s *Sched) guided() (trace.GID, bool) {
	ws := s.guideWays[:0]
	for _, id := range s.ready {
		ws = s.waysOf(ws, s.gs[id])
	}
	s.guideWays = ws
	s.nameChannels()
	i := s.opt.Schedule.Guide.Choose(&s.t, s.prev, ws)
	if i < 0 {
		s.stop(trace.Aborted)
		return 0, false
	}
	w := &ws[i]
	s.wants = trace.Step{G: w.G, Choice: -1, With: w.With, Case: w.Case, WithCase: w.WithCase}
	s.follow = &s.wants
	return w.G, true
}

// nameChannels fills in who made the channels that were used since it was called last.
func (s *Sched) nameChannels() {
	for ; s.chansNamed < len(s.t.Objects); s.chansNamed++ {
		if o := &s.t.Objects[s.chansNamed]; o.Kind == trace.ObjChan {
			s.sortAllocs()
			s.nameObject(o)
		}
	}
}

// waysOf appends the ways in which g, which is ready, can go on.
func (s *Sched) waysOf(ws []trace.Way, g *G) []trace.Way {
	p := &s.pend[g.id]
	switch p.Op {
	case trace.OpSend, trace.OpRecv, trace.OpSelect:
	default:
		return append(ws, trace.Way{G: g.id, Op: p.Op, Obj: p.Obj, Site: p.Site})
	}
	ms := s.meetings(g, g.polls)
	if len(ms) == 0 {
		return append(ws, trace.Way{G: g.id, Op: p.Op, Obj: p.Obj, Site: p.Site})
	}
	for _, m := range ms {
		w := trace.Way{G: g.id, Op: trace.OpRecv, Obj: g.offers[m.mine].o.id, Site: p.Site}
		if g.offers[m.mine].send {
			w.Op = trace.OpSend
		}
		if w.With, w.Case, w.WithCase = s.names(g, m); w.With > 0 {
			w.WithSite = s.pend[w.With-1].Site
		}
		ws = append(ws, w)
	}
	return ws
}
