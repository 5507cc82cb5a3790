package sched

import (
	"time"

	"heddle/trace"
)

// Spinning. A goroutine that has only read for idleLimit visible operations,
// while nobody changed anything, waits until somebody does: a polling loop
// then neither hangs an execution nor fills it with steps. This is a matter of
// fairness only: when nobody else can go on the goroutine is let go on, with a
// longer limit, before it is called a livelock.

const (
	idleLimit    = 32
	maxIdleLimit = 1 << 12
)

// idleRead counts an operation of g that changed nothing.
func (s *Sched) idleRead(g *G) {
	g.idle++
	if g.idle >= g.idleLimit {
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

// changed notes that g changed something: spinners may see it.
func (s *Sched) changed(g *G) {
	s.progress++
	g.idle, g.nows, g.idleLimit = 0, 0, idleLimit
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

// Goroutines outside control. What is older than the execution may be served
// by them: when nobody under control can go on, those who wait for such an
// object look again for a while of real time.

const (
	foreignPoll = 200 * time.Microsecond
	foreignMax  = 5000 // polls: one second
)

func (s *Sched) pollForeign() bool {
	if !s.ForeignPossible || s.foreign >= foreignMax {
		return false
	}
	any := false
	for _, g := range s.gs[:s.ngs] {
		if g.state == gParked && g.at != nil && g.at.kind == trace.ObjChan && !g.at.known {
			any = true
		}
	}
	if !any {
		return false
	}
	for s.foreign < foreignMax {
		s.foreign++
		if s.foreign > 1 {
			time.Sleep(foreignPoll)
		}
		for _, o := range s.objs[:s.nobj] {
			if o.kind != trace.ObjChan || o.known || o.ch == nil {
				continue
			}
			n, closed, receivers, senders := chanstate(o.ref)
			if n > 0 || closed || senders {
				s.retry(o, &o.ch.recvq)
			}
			if closed || receivers || n < o.cap {
				s.retry(o, &o.ch.sendq)
			}
		}
		if len(s.ready) > 0 {
			s.sawForeign = true
			s.foreign = 0
			return true
		}
	}
	return false
}

// foreignHeld is called when a native object that the model thinks free is held by somebody outside control.
func (s *Sched) foreignHeld() {
	s.sawForeign = true
	time.Sleep(foreignPoll)
}
