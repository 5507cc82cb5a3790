package sched

import (
	"slices"

	"heddle/trace"
	"heddle/trace/remains"
)

// Lock cycles: goroutines each of which waits for a lock that the next one
// holds. A cycle is seen the moment the goroutine that closes it blocks.
//
// It is not yet a deadlock for certain, since in Go any goroutine may unlock a mutex:
// a mutex that is handed over is a semaphore. What makes it certain is
// that the rest of the program runs on and none unlocks, either until no
// goroutine is left that could, or, where others go on for ever (tickers, servers), until
// it is plain that they only repeat themselves: confirmRests times they have all
// come to rest and only the clock woke one again, no timer among them has
// run for long, and others like it have fired confirmTicks times. In a test in which
// a lock was ever released by another goroutine than its owner, only the first of
// the two counts. Others that never rest run to the bound on steps.
//
// A cycle that was certain once is known: later executions end where it forms.
// An exhaustive one, which is to show all that the others do, ends when they have
// come to rest, if all that went on for ever was a matter of time.

const confirmRests = 10_000

// A lockCycle is one that formed in the running execution.
type lockCycle struct {
	members []*G
	at      int   // steps of the execution when it formed
	events  int   // and its events
	look    int32 // how often time must have passed when repeats is asked next
	fires   fires // timers that fired since
	key     uint64
	end     remains.End
}

// Deadlock returns the lock cycle of the last execution if that can never be
// resolved, nil otherwise.
func (s *Sched) Deadlock() *remains.Deadlock {
	c := s.locks.cycle
	if c == nil || c.end == remains.EndUnsure {
		return nil
	}
	d := &remains.Deadlock{Steps: c.at, Events: c.events, End: c.end}
	for _, g := range c.members {
		d.Members = append(d.Members, g.id)
	}
	return d
}

// heldBy returns the goroutines that keep g from doing op on o.
func (o *object) heldBy(op trace.Op, buf []*G) []*G {
	switch {
	case op == trace.OpLock && o.kind == trace.ObjRWMutex:
		return append(buf, o.holders...) // it has arrived: only readers are before it
	case o.locked && o.owner != nil:
		return append(buf, o.owner)
	case o.wants != nil && (op == trace.OpArrive || op == trace.OpRLock):
		return append(buf, o.wants)
	}
	return buf
}

// lockGraph is which goroutine waits for a lock that which other one holds.
type lockGraph struct {
	cycle   *lockCycle // the first of the running execution
	learnt  bool       // one became known in the running execution
	visited []*G       // by pathTo
}

func (l *lockGraph) reset() { l.cycle, l.learnt = nil, false }

// blockers returns the goroutines that keep g from going on.
func blockers(g *G, pend []trace.Pending, buf []*G) []*G {
	if g.state() != gBlocked || g.at == nil {
		return buf
	}
	return g.at.heldBy(pend[g.id].Op, buf)
}

// closed returns the cycle that g, which has blocked at a lock, closes; nil if it closes none.
func (l *lockGraph) closed(g *G, pend []trace.Pending) []*G {
	var fixed [8]*G
	waits := false
	for _, h := range blockers(g, pend, fixed[:0]) {
		waits = waits || h.state() == gBlocked // which g is too
	}
	if !waits || l.cycle != nil {
		return nil
	}
	l.visited = l.visited[:0]
	return l.pathTo(g, g, pend, nil)
}

// pathTo returns the goroutines from g to the one that waits for target, nil if there is no such
// path.
func (l *lockGraph) pathTo(target, g *G, pend []trace.Pending, path []*G) []*G {
	path = append(path, g)
	var fixed [8]*G
	for _, h := range blockers(g, pend, fixed[:0]) {
		if h == target {
			return path
		}
		if h.state() != gBlocked || slices.Contains(l.visited, h) {
			continue
		}
		l.visited = append(l.visited, h)
		if p := l.pathTo(target, h, pend, path); p != nil {
			return p
		}
	}
	return nil
}

// formed notes a new cycle, and ends the execution if it is a known one.
func (s *Sched) formed(members []*G) {
	first := 0 // whichever closed it, the cycle is told from its oldest goroutine on
	c := &lockCycle{at: len(s.t.Steps), events: len(s.t.Events)}
	for i, g := range members {
		p := &s.pend[g.id]
		c.key += (uint64(p.Site)<<8 | uint64(p.Op)) * 0x9e3779b97f4a7c15
		if g.id < members[first].id {
			first = i
		}
	}
	c.members = append(slices.Clone(members[first:]), members[:first]...)
	c.look = s.vtime.rests + confirmRests
	s.locks.cycle = c
	if !s.opt.PastDeadlock && !s.handedOver && !s.exhaustive() {
		if c.end = s.lessons.cycles[c.key]; c.end != remains.EndUnsure {
			s.stop(trace.Deadlocked)
		}
	}
}

// released is called when g releases a lock that owner holds. It may
// break a cycle only if that is another goroutine.
func (s *Sched) released(g, owner *G) {
	if owner != nil && owner != g {
		s.handedOver = true
		s.locks.cycle = nil
	}
}

// confirmed is asked whenever all have come to rest. It reports whether those that
// went on since the cycle formed have had every chance to resolve it, and ends the
// execution then.
func (s *Sched) confirmed() bool {
	c := s.locks.cycle
	if c == nil || s.vtime.rests < c.look {
		return false
	}
	c.look += confirmRests / 10
	if s.handedOver || !s.timersRepeat() || s.outsiders() > 0 {
		return false
	}
	if len(s.fails) > 0 { // the program ended there
		s.stop(trace.Panicked)
		return true
	}
	s.locks.learnt = true
	s.knowCycle(remains.EndOthers)
	s.stop(trace.Deadlocked)
	return true
}

// recognised reports whether only the clock could let a goroutine go on in an
// exhaustive execution, and a known cycle formed that time did not resolve before.
func (s *Sched) recognised() bool {
	c := s.locks.cycle
	if c == nil || !s.exhaustive() || s.opt.PastDeadlock || s.handedOver ||
		s.lessons.cycles[c.key] != remains.EndOthers || len(s.fails) > 0 {
		return false
	}
	c.end = remains.EndOthers
	s.stop(trace.Deadlocked)
	return true
}

// timersRepeat reports whether no timer that is running could still bring
// something new: it was started, or has ticked, a short while ago and is one of a long series.
func (s *Sched) timersRepeat() bool {
	for _, t := range s.timers.heap {
		if t.when != never && (t.looks() || s.vtime.rests-t.started > confirmRests/2 ||
			s.locks.cycle.fires[seriesOf(t)] < confirmTicks) {
			return false
		}
	}
	return true
}

func (s *Sched) knowCycle(end remains.End) {
	s.locks.cycle.end = end
	s.lessons.deadlock(s.locks.cycle.key, end)
}

// endCycle is called when no goroutine can go on any more. A cycle beside a crash is no deadlock:
// the program ends by the crash.
func (s *Sched) endCycle() {
	if s.locks.cycle == nil || s.outside.took || len(s.fails) > 0 {
		return
	}
	if s.mainOver {
		s.knowCycle(remains.EndOver)
	} else {
		s.knowCycle(remains.EndAll)
	}
}
