package sched

import "heddle/trace"

// guiding is what a guide is asked about.
type guiding struct {
	ways  []trace.Way
	named int // objects of the trace that nameChannels has looked at
}

// guided lets the schedule's guide choose among all ways to go on.
func (s *Sched) guided() (trace.GID, bool) {
	s.guide.ways = s.allWays(s.guide.ways[:0])
	s.nameChannels()
	i := s.opt.Schedule.Guide.Choose(&s.t.Trace, s.turns.prev, s.guide.ways)
	if i < 0 {
		s.stop(trace.Aborted)
		return 0, false
	}
	return s.take(&s.guide.ways[i]), true
}

// inTurn goes on in the non-preemptive round robin, and records all ways to go on.
func (s *Sched) inTurn() trace.GID {
	from := len(s.t.Ways)
	s.t.Ways = s.allWays(s.t.Ways)
	g := s.turns.prev
	if !s.prevReady() {
		g = s.ready.After(g)
	}
	ws := s.t.Ways[from:]
	turn, n := -1, 0
	for i := range ws {
		ws[i].Step = int32(len(s.t.Steps))
		if ws[i].G == g {
			turn, n = i, n+1
		}
	}
	return s.take(&ws[turn+1-n+s.gs[g].fair(0, n)])
}

// take makes w the next step.
func (s *Sched) take(w *trace.Way) trace.GID {
	s.replay.take(trace.Step{G: w.G, Choice: -1, With: w.With, Case: w.Case, WithCase: w.WithCase})
	return w.G
}

// allWays appends all ways to go on.
func (s *Sched) allWays(ws []trace.Way) []trace.Way {
	for id := s.ready.First(); id != trace.NoG; id = s.ready.Next(id) {
		ws = s.waysOf(ws, s.gs[id])
	}
	return ws
}

// nameChannels fills in which goroutines made the channels that were used since it was called last.
func (s *Sched) nameChannels() {
	for ; s.guide.named < len(s.t.Objects); s.guide.named++ {
		if o := &s.t.Objects[s.guide.named]; o.Kind == trace.ObjChan {
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
	ms := s.offers.meetings(g, g.polls)
	if len(ms) == 0 {
		return append(ws, trace.Way{G: g.id, Op: p.Op, Obj: p.Obj, Site: p.Site})
	}
	for _, m := range ms {
		w := trace.Way{G: g.id, Op: trace.OpRecv, Obj: g.offers[m.mine].o.id, Site: p.Site}
		if g.offers[m.mine].send {
			w.Op = trace.OpSend
		}
		if w.With, w.Case, w.WithCase = names(g, m); w.With > 0 {
			w.WithSite = s.pend[w.With-1].Site
		}
		ws = append(ws, w)
	}
	return ws
}
