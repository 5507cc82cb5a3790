package sched

import "heddle/trace"

// Spinning. A goroutine that has only read for 32 operations,
// the same few objects again and again,
// while nobody changed anything, waits until somebody does: a polling loop
// then neither hangs an execution nor fills it with steps. This is a matter of
// fairness only: when nobody else can go on the goroutine is let go on, with a
// longer limit, before it is called a livelock.

// The standard library looks at its caches again and again (encoding/gob at its
// types) and hardly ever polls: what it reads counts little.
const (
	idleLook      = 64
	idleQuietLook = 1
	idleLimit     = 32 * idleLook
	maxIdleLimit  = idleLimit << 11
)

// idleRead counts an operation of g on o that changed nothing; o may be nil.
func (s *Sched) idleRead(g *G, o *object) {
	if !g.polled(o) {
		g.idle = 0 // a walk over a data structure, not a polling loop
		return
	}
	if g.quiet {
		g.idle += idleQuietLook
	} else {
		g.idle += idleLook
	}
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
func (g *G) polled(o *object) bool {
	id := trace.ObjID(0)
	if o != nil {
		id = o.id
	}
	for _, p := range g.looks {
		if p == id {
			return true
		}
	}
	g.looks[g.lookAt%len(g.looks)] = id
	g.lookAt++
	return false
}

// changed notes that g changed something: spinners may see it.
func (s *Sched) changed(g *G) {
	s.progress++
	g.idle, g.nows, g.idleLimit, g.others = 0, 0, idleLimit, false
	g.spoil()
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
