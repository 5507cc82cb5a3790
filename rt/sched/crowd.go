package sched

import (
	"heddle/rt/policy"
	"heddle/trace"
)

// Goroutines whose pending operation depends on the state of an object. Where they are several,
// those with the same operation are a crowd: all of them are enabled or none is, and what changes
// that is one operation on sets.

// A crowd are the goroutines that are about to do op on an object.
type crowd struct {
	op trace.Op
	on bool // it is enabled
	in policy.Bits
	n  int
}

// ManyWaiters is how many do without a crowd, whose memory grows with the goroutines of the
// execution. It is a variable for tests.
var ManyWaiters = 1

// state returns why g is where it is.
func (g *G) state() gstate {
	if g.st != gMany {
		return g.st
	}
	if g.asks.crowds[g.asksAt].on {
		return gReady
	}
	return gBlocked
}

// ask notes that g's pending operation depends on the state of o, and whether it is enabled now;
// withdraw that it no longer does.
func (s *Sched) ask(g *G, o *object) {
	g.asks = o
	if len(o.crowds) > 0 && o.join(g, s.pend[g.id].Op) {
		return
	}
	g.asksAt = len(o.announced)
	o.announced = append(o.announced, g)
	if len(o.announced) > ManyWaiters {
		s.gather(o)
	}
}

func (s *Sched) withdraw(g *G, o *object) {
	if g.st == gMany {
		g.st = g.state()
		o.crowds[g.asksAt].drop(g)
	} else {
		o.drop(g)
	}
	g.asks = nil
}

func (c *crowd) drop(g *G) {
	c.in.Unset(g.id)
	c.n--
}

// drop removes g from o.announced.
func (o *object) drop(g *G) {
	last := len(o.announced) - 1
	h := o.announced[last]
	o.announced[g.asksAt] = h
	h.asksAt = g.asksAt
	o.announced = o.announced[:last]
}

// asked reports whether a goroutine asks for the state of o.
func (o *object) asked() bool {
	for i := range o.crowds {
		if o.crowds[i].n > 0 {
			return true
		}
	}
	return len(o.announced) > 0
}

// together reports whether op is enabled for all goroutines or for none.
func (o *object) together(op trace.Op) bool { return o.kind != trace.ObjRWMutex || op != trace.OpLock }

// gather makes crowds of the goroutines that ask for the state of o.
func (s *Sched) gather(o *object) {
	rest := o.announced[:0]
	for _, g := range o.announced {
		if op := s.pend[g.id].Op; g.st != gReady && g.st != gBlocked || !o.together(op) {
			g.asksAt = len(rest)
			rest = append(rest, g)
		} else {
			o.crowdOf(op)
			o.join(g, op)
		}
	}
	o.announced = rest
}

// crowdOf makes the crowd for op, if there is none.
func (o *object) crowdOf(op trace.Op) {
	for i := range o.crowds {
		if o.crowds[i].op == op {
			return
		}
	}
	if n := len(o.crowds); n < cap(o.crowds) {
		o.crowds = o.crowds[:n+1] // its bits are clear, see disperse
	} else {
		o.crowds = append(o.crowds, crowd{})
	}
	c := &o.crowds[len(o.crowds)-1]
	c.op, c.on = op, o.enabled(op, nil)
}

// join adds g, which is ready if and only if op is enabled, to the crowd for op, and reports
// whether there is one.
func (o *object) join(g *G, op trace.Op) bool {
	for i := range o.crowds {
		c := &o.crowds[i]
		if c.op == op && (g.st == gReady) == c.on && (g.st == gReady || g.st == gBlocked) {
			c.in.Set(g.id)
			c.n++
			g.st, g.asksAt = gMany, i
			return true
		}
	}
	return false
}

// uncrowd takes g out of its crowd, if it is in one: its state is its own.
func (s *Sched) uncrowd(g *G) {
	if g.st != gMany {
		return
	}
	o := g.asks
	g.st = g.state()
	o.crowds[g.asksAt].drop(g)
	g.asksAt = len(o.announced)
	o.announced = append(o.announced, g)
}

// disperse forgets the crowds.
func (o *object) disperse() {
	for i := range o.crowds {
		c := &o.crowds[i]
		c.in.Clear()
		c.n = 0
	}
	o.crowds = o.crowds[:0]
}

// refresh asks again which goroutines can go on, after the state of o has changed.
func (s *Sched) refresh(o *object) {
	for _, g := range o.announced {
		if o.enabled(s.pend[g.id].Op, g) {
			if g.st == gBlocked {
				s.insert(g)
			}
		} else if g.st == gReady {
			s.unready(g, gBlocked)
		}
	}
	for i := range o.crowds {
		c := &o.crowds[i]
		if on := o.enabled(c.op, nil); on == c.on {
			continue
		}
		if c.on = !c.on; c.on {
			s.ready.InsertAll(c.in)
			if s.det.solo && s.ready.Len() > 1 {
				s.company()
			}
		} else {
			s.ready.RemoveAll(c.in)
		}
	}
}
