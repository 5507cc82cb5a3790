package sched

import "heddle/trace"

// Locks that an iteration of a polling loop takes and gives back, in exhaustive executions, and in
// others once they are long:
//
//	for {
//		mu.Lock()
//		d := done
//		mu.Unlock()
//		if d {
//			break
//		}
//	}
//
// As long as the iteration changes nothing, its sections only read, and nothing can tell that they
// were there (docs/design/dpor.md says why). So Lock and Unlock are no changes: the lock is lent.
// It counts as something that the iteration looked at, which is written by every section that is
// not lent: without a race, no other section can write what was read here.
//
// TryLock can tell. From the first one on nothing is lent, and a search begins again.

// A loan is a lock that a goroutine has taken in an iteration that had changed nothing.
type loan struct {
	o     *object
	op    trace.Op
	level int // iterations that were under way
}

const maxLoans = 4 // of a goroutine; further locks are changes

// locksTried stands for TryLock among the sides of channels that are polled (SetPolled): it begins
// a search again in the same way.
const locksTried = ^trace.Site(0)

// tried notes that g is about to try a lock.
func (s *Sched) tried(g *G) {
	if g.quiet || s.offers.triesLocks {
		return
	}
	s.offers.triesLocks = true
	if s.exhaustive() && !s.offers.clip {
		s.offers.newPolled = append(s.offers.newPolled, locksTried)
	}
}

// lends reports whether a lock that g takes now is lent.
func (s *Sched) lends(g *G) bool {
	return g.spoilt < len(g.iterations) && !g.quiet && !s.offers.triesLocks &&
		len(g.loans) < maxLoans && s.outsiders() == 0
}

// entered makes the event of g's taking o.
func (s *Sched) entered(g *G, o *object, op trace.Op, site trace.Site) {
	look := lentRead
	if op == trace.OpLock {
		look = lentWrite
	}
	lent := len(g.iterations) > 0 && (op == trace.OpLock || op == trace.OpRLock) && s.lends(g)
	s.eventOfLock(g, o, op, 1, site, lent)
	if lent {
		g.loans = append(g.loans, loan{o, op, len(g.iterations)})
		s.looksAtLock(g, o, look)
	}
}

// left makes the event of g's giving o back.
func (s *Sched) left(g *G, o *object, op trace.Op, site trace.Site) {
	look := lentRead
	if op == trace.OpUnlock {
		look = lentWrite
	}
	lent := false
	for i := len(g.loans) - 1; i >= 0; i-- {
		if l := g.loans[i]; l.o == o {
			lent = l.level == len(g.iterations) && g.spoilt < len(g.iterations)
			g.loans = append(g.loans[:i], g.loans[i+1:]...)
			break
		}
	}
	s.eventOfLock(g, o, op, 0, site, lent)
	if lent {
		s.looksAtLock(g, o, look)
		o.lentBefore = o.lentBefore || o.lentTo != nil && o.lentTo != g
		o.lentTo = g
	}
}

// eventOfLock makes an event of a lock, which changes something unless o is lent.
func (s *Sched) eventOfLock(g *G, o *object, op trace.Op, arg int64, site trace.Site, lent bool) {
	if lent {
		s.idle.unchanged = true
		s.event(g, op, o, arg, site)
		s.idle.unchanged = false
		return
	}
	s.event(g, op, o, arg, site)
	o.sections.by(op)
}

// Sections count how often a lock was taken and given back, but for loans.
type sections struct{ writers, readers uint32 }

func (n *sections) by(op trace.Op) {
	if op == trace.OpRLock || op == trace.OpRUnlock {
		n.readers++
	} else {
		n.writers++
	}
}

// seen returns the number of sections whose writes a section may read that looked at the lock in
// that way: what readers write, other readers cannot read without a race.
func (n *sections) seen(how uint8) uint32 {
	if how == lentRead {
		return n.writers
	}
	return n.writers + n.readers
}

// How a lock was looked at.
const (
	notLent uint8 = iota
	lentRead
	lentWrite
)

// looksAtLock notes that g has taken a lock that is lent, or given it back.
func (s *Sched) looksAtLock(g *G, o *object, how uint8) {
	n := len(g.looked)
	s.looksAt(g, o)
	if len(g.looked) > n {
		l := &g.looked[n]
		l.changes, l.lent = o.sections.seen(how), how
	}
}

// recall ends all loans of g: what it does with the locks is a change.
func (g *G) recall() {
	for _, l := range g.loans {
		l.o.sections.by(l.op)
	}
	g.loans = g.loans[:0]
}

// owes reports whether g has not given back a lock that it has taken since iterations came under
// way beyond the first n.
func (g *G) owes(n int) bool {
	for _, l := range g.loans {
		if l.level > n {
			return true
		}
	}
	return false
}

// leaveTo ends all iterations but the first n: their loops were left.
func (g *G) leaveTo(n int) {
	if g.owes(n) {
		g.recall()
	}
	g.iterations = g.iterations[:n]
}

// lentAny reports whether a lock that is lent is among what was looked at.
func lentAny(looked []look) bool {
	for _, l := range looked {
		if l.lent != notLent {
			return true
		}
	}
	return false
}

// heldNow reports whether a lock among what was looked at cannot be taken now.
func heldNow(looked []look) bool {
	for _, l := range looked {
		if l.lent != notLent && (l.o.locked || l.o.wants != nil || l.lent == lentWrite && l.o.readers > 0) {
			return true
		}
	}
	return false
}

// wokenByLocks is told that g has waited for what it looked at in a step. To a strategy sections of
// other goroutines are changes of their lock, also when they are lent. Here they are not, so that
// two goroutines that poll under one lock do not wake each other for ever.
func (s *Sched) wokenByLocks(g *G) {
	for _, l := range g.awaits {
		if l.lent != notLent && (l.o.lentBefore || l.o.lentTo != nil && l.o.lentTo != g) {
			s.guessed()
		}
	}
}

// guessed notes that orders may be missing, where a strategy reads the execution.
func (s *Sched) guessed() {
	if s.opt.Schedule.NoRetry || s.opt.Schedule.Awaits {
		s.t.Spun = true
	}
}
