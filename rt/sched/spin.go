package sched

import "heddle/trace"

// Spinning. A goroutine that has only read for 32 operations,
// the same few objects again and again,
// while none changed anything, waits until one does: a polling loop
// then neither hangs an execution nor fills it with steps. This is a matter of
// fairness only: when no other one can go on the goroutine is let go on, with a
// longer limit, before it is called a livelock.

// The standard library looks at its caches again and again (encoding/gob at its
// types) and hardly ever polls: what it reads counts little.
const (
	idleLook      = 64
	idleQuietLook = 1
	idleLimit     = 32 * idleLook
	maxIdleLimit  = idleLimit << 11
)

// idling is about goroutines that gave way or wait for a change.
type idling struct {
	progress  uint32 // events that changed something
	spinners  int    // goroutines in gSpinning
	awaiting  int    // goroutines in gAwaits
	yielded   int    // goroutines in gYielded
	rounds    int    // how often all those went on since something changed
	at        uint32 // progress then
	unchanged bool   // what is done now changes nothing
	same      bool   // it is a write of the value that was there: no spinner has to look again
}

// again reports whether those that gave way are to go on before time passes: they only wait for
// each other once nothing has changed for a few rounds.
func (i *idling) again() bool {
	if i.yielded == 0 {
		return false
	}
	if i.progress != i.at {
		i.at, i.rounds = i.progress, 0
	}
	i.rounds++
	return i.rounds <= 3
}

// maxIdleRounds is how often goroutines that only give way to each other go on before that is a
// livelock.
const maxIdleRounds = 1000

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
		s.idle.spinners++
		s.unready(g, gSpinning)
		if !s.ending.on && g == s.cur {
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
	s.idle.progress++
	g.idle, g.nows, g.idleLimit, g.others = 0, 0, idleLimit, false
	g.spoil()
	if s.idle.spinners > 0 {
		for _, h := range s.gs {
			if h.state() == gSpinning && h != g {
				h.idle = 0
				s.insert(h)
				s.idle.spinners--
			}
		}
	}
}

// wakeSpinners lets spinners try a while longer when no other goroutine can go on.
func (s *Sched) wakeSpinners() bool {
	if s.idle.spinners == 0 {
		return false
	}
	n := 0
	for _, g := range s.gs {
		if g.state() == gSpinning && g.idleLimit < maxIdleLimit {
			g.idleLimit *= 4
			s.insert(g)
			s.idle.spinners--
			n++
		}
	}
	return n > 0
}

// Fairness of yields. A goroutine that gave way is ready again when another
// one has made a step.

func (s *Sched) unyield(by trace.GID) {
	n := 0
	for _, g := range s.gs {
		if g.state() == gYielded {
			if g.id != by {
				s.insert(g)
			} else {
				n++
			}
		}
	}
	s.idle.yielded = n
}

// yield lets all other goroutines go first.
func (s *Sched) yield(g *G) {
	if s.ready.Len() > 1 || s.ready.Len() == 1 && g.state() != gReady {
		s.unready(g, gYielded)
		s.idle.yielded++
	}
}

// idlers lets those that yielded go on when no other goroutine can.
func (s *Sched) idlers() bool {
	if s.idle.yielded == 0 {
		return false
	}
	s.idle.yielded = 0
	for _, g := range s.gs {
		if g.state() == gYielded {
			s.insert(g)
		}
	}
	return s.ready.Len() > 0
}
