package sched

import "heddle/trace"

// Spinning. A goroutine that has only read for idleLimit visible operations,
// the same few objects again and again,
// while nobody changed anything, waits until somebody does: a polling loop
// then neither hangs an execution nor fills it with steps. This is a matter of
// fairness only: when nobody else can go on the goroutine is let go on, with a
// longer limit, before it is called a livelock.

const (
	idleLimit    = 32
	maxIdleLimit = 1 << 16
)

// idleRead counts an operation of g that changed nothing.
func (s *Sched) idleRead(g *G) {
	if !g.polled(s.pend[g.id].Obj) {
		g.idle = 0 // a walk over a data structure, not a polling loop
		return
	}
	g.idle++
	if g.idle >= g.idleLimit {
		s.t.Spun = true
		g.idle = 0
		s.spinners++
		s.unready(g, gSpinning)
		if !s.unwind && g == s.cur {
			p := s.pend[g.id]
			s.announce(g, trace.OpResume, nil, p.Site)
			s.reschedule(g)
		}
	}
}

// polled reports whether o is one of the objects that g has looked at last.
func (g *G) polled(o trace.ObjID) bool {
	for _, p := range g.looks {
		if p == o {
			return true
		}
	}
	g.looks[g.lookAt%len(g.looks)] = o
	g.lookAt++
	return false
}

// changed notes that g changed something: spinners may see it.
func (s *Sched) changed(g *G) {
	s.progress++
	g.idle, g.nows, g.idleLimit, g.loopPure = 0, 0, idleLimit, false
	if s.spinners > 0 {
		for _, h := range s.gs[:s.ngs] {
			if h.state == gSpinning && h != g {
				h.idle = 0
				s.insert(h)
				s.spinners--
			}
		}
	}
}

// wakeSpinners lets spinners try a while longer when nobody else can go on.
func (s *Sched) wakeSpinners() bool {
	if s.spinners == 0 {
		return false
	}
	n := 0
	for _, g := range s.gs[:s.ngs] {
		if g.state == gSpinning && g.idleLimit < maxIdleLimit {
			g.idleLimit *= 4
			s.insert(g)
			s.spinners--
			n++
		}
	}
	return n > 0
}
