package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Loops that poll, in exhaustive executions: when an iteration only looked, and
// nothing that it looked at was written since, the next one would do the same.
// The goroutine waits until something is written. So an execution ends, and no
// interleaving is lost.
//
// What an iteration does is seen, not guessed: an operation that changes
// something spoils it, and so does what the hook Spoil announces (an assignment
// to what outlives the iteration, a call of which nothing is known; see package instrument).

// An iteration of a polling loop is under way. Those of a goroutine nest.
type iteration struct {
	site  trace.Site
	depth uintptr // of the stack where the loop is: the function that it is in, called once
	from  int     // index in G.looked

	// it could have gone on in another way: a draw had another outcome, a select another case
	others bool
}

// A look is an object that was read, how often that was changed before, and the step.
type look struct {
	o       *object
	changes uint32
	step    int32
	lent    uint8 // a lock that is lent, see loan.go; its changes are sections
}

const (
	maxIterations = 8  // that nest; of more the outermost are not waited for
	maxLooked     = 32 // looks of an iteration that is waited for
)

// loop is the hook at the start of every iteration of a loop that may poll.
func (s *Sched) loop(st hook.Site, again bool) {
	if s.ending.on {
		return
	}
	g := s.enter()
	site, depth := trace.Site(st), stackDepth(uintptr(unsafe.Pointer(&again)))
	k := g.iterationAt(site, depth)
	if again && k >= 0 {
		if g.owes(k) {
			g.spoil()
		}
		if g.leaveTo(k + 1); k >= g.spoilt {
			s.iterated(g, g.looked[g.iterations[k].from:], site)
		}
	} else if k >= 0 {
		g.leaveTo(k)
	}
	if !again && len(g.iterations) == 0 {
		g.others = false // what it chose before led here
	}
	g.iterate(site, depth)
	s.leave()
}

// leftLoop is the hook where such a loop is left.
func (s *Sched) leftLoop(st hook.Site) {
	g := s.cur
	for k := len(g.iterations) - 1; k >= 0 && !s.ending.on; k-- {
		if g.iterations[k].site == trace.Site(st) {
			g.leaveTo(k)
			return
		}
	}
}

// stackDepth is how far from its beginning an address of the running goroutine's stack is. The
// stack may move, this stays.
func stackDepth(p uintptr) uintptr {
	_, hi := stackBounds()
	return hi - p
}

// iterationAt returns the index of the iteration of the loop at site in the
// function at that depth, -1 if there is none. Those of functions that have returned are forgotten.
func (g *G) iterationAt(site trace.Site, depth uintptr) int {
	n := len(g.iterations)
	for n > 0 && deeper(g.iterations[n-1].depth, depth) {
		n--
	}
	g.leaveTo(n)
	for k := n - 1; k >= 0 && g.iterations[k].depth == depth; k-- {
		if g.iterations[k].site == site {
			return k
		}
	}
	return -1
}

// deeper compares depths, which wrap around where the bounds of the stack are not known.
func deeper(a, b uintptr) bool { return int(a-b) > 0 }

// iterate begins an iteration, another one of the innermost if that is the same loop.
func (g *G) iterate(site trace.Site, depth uintptr) {
	n := len(g.iterations)
	if n > 0 && g.iterations[n-1].site == site && g.iterations[n-1].depth == depth {
		n--
	}
	if n == maxIterations {
		n--
		g.recall()
		copy(g.iterations, g.iterations[1:])
		g.spoilt = max(0, g.spoilt-1)
	}
	g.spoilt = min(g.spoilt, n)
	if g.spoilt == n {
		g.looked = g.looked[:0] // no other iteration needs them
	}
	g.iterations = append(g.iterations[:n], iteration{site: site, depth: depth, from: len(g.looked)})
}

// chose notes that g could have gone on in another way.
func (g *G) chose() {
	g.others = true
	for k := range g.iterations {
		g.iterations[k].others = true
	}
}

// mayEnd reports whether the loop in which g is held may end, though nothing changes: g could have
// gone on in another way in the iteration after which it waits, or, where none is known, since it
// changed something.
func (g *G) mayEnd() bool {
	if n := len(g.iterations); g.state() == gAwaits && n > 0 {
		return g.iterations[n-1].others
	}
	return g.others
}

// spoil keeps all iterations of g from being waited for.
func (g *G) spoil() {
	if g.spoilt = len(g.iterations); g.spoilt > 0 {
		g.looked = g.looked[:0]
	}
	if len(g.loans) > 0 {
		g.recall()
	}
}

// spoils is the hook before what changes something that is no operation.
func (s *Sched) spoils() { s.cur.spoil() }

// asks is the hook before a call of a function value by a loop of the package at that path.
func (s *Sched) asks(fn unsafe.Pointer, path string) {
	if fn == nil {
		return // it panics
	}
	if s.pcs.writtenIn(*(*uintptr)(fn)) != path {
		s.cur.spoil()
	}
}

// iterated ends an iteration of g that changed nothing: it waits, or, where
// that is to be a step or something was written meanwhile, goes on.
func (s *Sched) iterated(g *G, looked []look, site trace.Site) {
	g.idle = 0
	same := unchanged(looked)
	switch {
	case lentAny(looked):
		if op, ok := s.replay.next(&s.t.Trace, g.id, false); ok && op != trace.OpAwait {
			g.spoil() // the schedule is of an execution in which locks were tried
			return
		}
	case !s.exhaustive(): // see spin.go
		return
	}
	if same || s.opt.Schedule.NoRetry || s.stepsOn(g) {
		s.awaitChange(g, looked, same, site)
	} else {
		s.noteLooked(g, looked, site, trace.LoopGoesOn)
	}
	g.spoil() // the loops around it: they have waited here
}

// awaitChange is a step of g before its next iteration. same: it has to wait.
func (s *Sched) awaitChange(g *G, looked []look, same bool, site trace.Site) {
	s.announce(g, trace.OpAwait, nil, site)
	s.noteLooked(g, looked, site, trace.LoopWaits)
	if g.kept = s.opt.Schedule.NoRetry; same || g.kept {
		s.idle.awaiting++
		g.awaits = looked
		s.unready(g, gAwaits)
	}
	s.reschedule(g)
	if g.awaits != nil {
		s.wokenByLocks(g)
	}
	g.awaits = nil
	for i := range looked {
		if first, times := lookedAt(looked, i); first {
			s.event(g, trace.OpAwait, looked[i].o, times, site)
		}
	}
}

// unchanged reports whether nothing that was looked at has changed since.
func unchanged(looked []look) bool {
	for _, l := range looked {
		now := l.o.changes
		if l.lent != notLent {
			now = l.o.sections.seen(l.lent)
		}
		if now != l.changes {
			return false
		}
	}
	return true
}

// lookedAt reports whether looked[i] is the first look at its object, and in how many steps that
// was looked at.
func lookedAt(looked []look, i int) (first bool, times int64) {
	o := looked[i].o
	for _, l := range looked[:i] {
		if l.o == o {
			return false, 0
		}
	}
	last := int32(-1)
	for _, l := range looked[i:] {
		if l.o == o && l.step != last {
			last = l.step
			times++
		}
	}
	return true, times
}

// stepsOn reports whether it is a step that g goes on with a polling loop though
// it need not wait.
func (s *Sched) stepsOn(g *G) bool {
	if op, ok := s.replay.next(&s.t.Trace, g.id, false); ok {
		return op == trace.OpAwait
	}
	return s.opt.Schedule.Awaits
}

// noteLooked records what an iteration looked at, as often as it did.
func (s *Sched) noteLooked(g *G, looked []look, site trace.Site, what int16) {
	for i, l := range looked {
		if !s.exhaustive() || i > 0 && l.step == looked[i-1].step && l.o == looked[i-1].o {
			continue
		}
		s.t.Offers = append(s.t.Offers, trace.Offer{G: g.id, Step: int32(len(s.t.Steps)) - 1, Case: what,
			Obj: l.o.id, Site: site, After: int32(len(s.t.Events))})
	}
}

// looksAt notes that g reads o.
func (s *Sched) looksAt(g *G, o *object) {
	if g.spoilt == len(g.iterations) || o == nil {
		return
	}
	n := len(g.looked)
	for g.spoilt < len(g.iterations) && n-g.iterations[g.spoilt].from >= maxLooked {
		g.spoilt++
	}
	if g.spoilt == len(g.iterations) {
		g.looked = g.looked[:0]
		return
	}
	g.looked = append(g.looked, look{o: o, changes: o.changes, step: int32(len(s.t.Steps))})
}

// wakeAwaiting lets those go on that wait for o to change.
func (s *Sched) wakeAwaiting(o *object) {
	for _, h := range s.gs {
		if h.state() != gAwaits || h.kept {
			continue
		}
		for _, l := range h.awaits {
			if l.o == o {
				s.idle.awaiting--
				s.insert(h)
				break
			}
		}
	}
}

// wouldRetry reports whether a goroutine is kept after an iteration (trace.Schedule.NoRetry) though
// what it read has changed.
func (s *Sched) wouldRetry() bool {
	if s.idle.awaiting == 0 {
		return false
	}
	for _, g := range s.gs {
		if g.state() == gAwaits && g.kept && (!unchanged(g.awaits) || heldNow(g.awaits)) {
			return true
		}
	}
	return false
}

// rest is asked when no goroutine is ready. It ends an execution in which one would be, if it were
// not kept back. In another one those that are kept wait from now on, since time may pass.
func (s *Sched) rest() {
	if s.idle.awaiting == 0 || len(s.fails) > 0 || s.freely() {
		return
	}
	if s.wouldRetry() {
		s.stop(trace.Aborted)
		return
	}
	for _, g := range s.gs {
		if g.kept {
			g.kept = false
		} else if g.state() == gAwaits && heldNow(g.awaits) { // it will wait for the lock
			s.idle.awaiting--
			s.insert(g)
		}
	}
}
