package unfold

import (
	"slices"

	"heddle/explore/unfold/net"
	"heddle/order/sat"
	"heddle/trace"
)

// When all local states were shown, the net holds every execution. Whether a
// goroutine can be left waiting in one is a question to a solver: is there a set
// of events that can happen, after which none can, and its operation was not
// done? (Such questions to a net: Heljanko, "Using logic programs with stable
// model semantics to solve deadlock and reachability problems for 1-safe Petri
// nets", 1999.) That covers what the search for circular waits does not:
// channels, WaitGroups, Conds, RWMutexes.

// tooMany is from how many events on no such question is asked.
const tooMany = 1 << 18

// A rest is the formula for one net: of an event, that it happens.
type rest struct {
	solver *sat.Solver
	event  []sat.Lit
	takers [][]net.Event
	some   map[net.Cond]sat.Lit // that somebody takes a condition
	events int
	at     map[net.Cond]sat.Lit // that a condition is marked at the end
	clause []sat.Lit
}

// leftOver returns the conditions of all goroutines at an end in which somebody
// is left with a call that no execution has left yet; nil if there is none.
func (s *Strategy) leftOver() []net.Cond {
	var calls []net.Value
	for k := range s.calls.list {
		if k > 0 && !s.left[net.Value(k)] && waits(&s.calls.list[k]) {
			calls = append(calls, net.Value(k))
		}
	}
	if len(calls) == 0 || s.onlyMutexes() {
		return nil
	}
	if s.net.Len() > tooMany {
		s.incomplete("too large a net to look for deadlocks in")
		return nil
	}
	goal := s.leftWith(calls)
	if goal == nil {
		for _, k := range calls {
			s.leave(k) // never
		}
	}
	for _, t := range goal {
		s.leave(s.net.Value(t)) // now, or never
	}
	return goal
}

// onlyMutexes reports whether nobody ever waits but for mutexes, which are unlocked by who has locked them: the search for
// circular waits, and for those whom a goroutine that ended has locked out, is whole then.
func (s *Strategy) onlyMutexes() bool {
	if s.locks.handed {
		return false
	}
	for k := range s.calls.list {
		if c := &s.calls.list[k]; k > 0 && waits(c) && (c.op != trace.OpLock || s.tab.Kind(c.obj) != trace.ObjMutex) {
			return false
		}
	}
	return true
}

// ends returns the formula of the net's ends.
func (s *Strategy) ends() *rest {
	if s.rest == nil || s.rest.events != s.net.Len() {
		s.rest = s.formulaOf(true)
	}
	return s.rest
}

// waits reports whether a call may have to wait.
func waits(c *call) bool {
	switch c.op {
	case trace.OpLock, trace.OpRLock, trace.OpArrive, trace.OpWGWait, trace.OpOnce, trace.OpAcquire, trace.OpCondWake, trace.OpAwait:
		return true
	}
	return c.cases != "" && !c.poll && c.op != trace.OpArrive
}

// formulaOf says of sets of events that they can happen, cycles of asymmetric
// conflict apart; at ends that no other event can happen after them.
func (s *Strategy) formulaOf(ends bool) *rest {
	n := s.net
	r := &rest{solver: sat.New(sat.Options{Stop: s.late}), events: n.Len(), takers: make([][]net.Event, n.Conds()), some: map[net.Cond]sat.Lit{}, at: map[net.Cond]sat.Lit{}}
	joined := map[net.Cond][]net.Event{}
	for e := range net.Event(r.events) {
		r.event = append(r.event, r.solver.NewVar().Pos())
		for _, a := range n.Arcs(e) {
			switch a.Use() {
			case net.Takes, net.Seals:
				r.takers[a.Cond()] = append(r.takers[a.Cond()], e)
			case net.Joins:
				joined[a.Cond()] = append(joined[a.Cond()], e)
			}
		}
	}
	for _, es := range r.takers {
		r.atMostOne(es)
	}
	for c := range net.Cond(n.Conds()) {
		if by := n.By(c); by != net.None && n.Value(c) == crashed && s.isGoroutine(n.Cell(c)) {
			r.solver.Add(0, r.event[by].Not()) // the program would have ended
		}
	}
	for e := range net.Event(r.events) {
		if s.inputs.cut[e] || s.inputs.unsolved[e] {
			r.solver.Add(0, r.event[e].Not())
		}
		idle := []sat.Lit{r.event[e]}
		for _, a := range n.Arcs(e) {
			c := a.Cond()
			if by := n.By(c); by != net.None {
				r.solver.Add(0, r.event[e].Not(), r.event[by])
				idle = append(idle, r.event[by].Not())
			}
			if a.Use() != net.Follows && a.Use() != net.Watches {
				idle = append(idle, r.taken(c, e)...)
			}
			switch a.Use() {
			case net.Seals:
				for _, f := range joined[c] {
					if !s.follows(e, f) {
						r.solver.Add(0, r.event[e].Not(), r.event[f].Not())
						idle = append(idle, r.event[f])
					}
				}
			case net.Watches:
				for _, x := range s.objects[s.objectOf[n.Cell(c)]].tokens {
					if !s.follows(e, n.By(x)) {
						idle = append(idle, r.event[n.By(x)])
					}
				}
			}
		}
		if ends {
			r.solver.Add(0, idle...)
		}
	}
	return r
}

// follows reports whether e follows something that f gave.
func (s *Strategy) follows(e, f net.Event) bool {
	for _, a := range s.net.Arcs(e) {
		if a.Use() == net.Follows && s.net.By(a.Cond()) == f {
			return true
		}
	}
	return false
}

// taken returns literals of which one is true only if somebody but e takes c.
func (r *rest) taken(c net.Cond, e net.Event) []sat.Lit {
	es := r.takers[c]
	if len(es) <= 8 {
		var ls []sat.Lit
		for _, f := range es {
			if f != e {
				ls = append(ls, r.event[f])
			}
		}
		return ls
	}
	l, ok := r.some[c] // that it may be e does no harm
	if !ok {
		l = r.solver.NewVar().Pos()
		r.some[c] = l
		ls := []sat.Lit{l.Not()}
		for _, f := range es {
			ls = append(ls, r.event[f])
		}
		r.solver.Add(0, ls...)
	}
	return []sat.Lit{l}
}

// atMostOne says that no two of es happen (Sinz's sequential counter, CP 2005).
func (r *rest) atMostOne(es []net.Event) {
	var before sat.Lit
	for i, e := range es {
		if i > 0 {
			r.solver.Add(0, before.Not(), r.event[e].Not())
		}
		if i+1 == len(es) {
			return
		}
		now := r.solver.NewVar().Pos() // e or one before it
		r.solver.Add(0, r.event[e].Not(), now)
		if i > 0 {
			r.solver.Add(0, before.Not(), now)
		}
		before = now
	}
}

// leftWith returns the conditions of all goroutines at an end in which somebody
// is left with one of some calls; nil if there is none.
func (s *Strategy) leftWith(calls []net.Value) (goal []net.Cond) {
	n, r := s.net, s.ends()
	any := r.solver.NewVar().Pos()
	some := []sat.Lit{any.Not()}
	for c := range net.Cond(n.Conds()) {
		if s.isGoroutine(n.Cell(c)) && slices.Contains(calls, n.Value(c)) {
			some = append(some, s.markedAt(c))
		}
	}
	r.solver.Add(0, some...)
	s.eachEnd(any, func(end []net.Cond) bool {
		goal = end
		return false
	})
	return goal
}

// markedAt returns a literal that is true only at ends where c is marked.
func (s *Strategy) markedAt(c net.Cond) sat.Lit {
	r := s.rest
	at, ok := r.at[c]
	if ok {
		return at
	}
	at = r.solver.NewVar().Pos()
	r.at[c] = at
	if by := s.net.By(c); by != net.None {
		r.solver.Add(0, at.Not(), r.event[by])
	}
	for _, e := range r.takers[c] {
		r.solver.Add(0, at.Not(), r.event[e].Not())
	}
	return at
}

// eachEnd calls f with the conditions of all goroutines at the ends where such is
// true, until f returns false; a later call goes on. During a call the events are in s.find.
func (s *Strategy) eachEnd(such sat.Lit, f func(end []net.Cond) bool) {
	r := s.rest
	for r.solver.Solve(such) == sat.Sat {
		var not []sat.Lit
		if cycle := s.happen(); cycle != nil {
			for _, e := range cycle {
				not = append(not, r.event[e].Not())
			}
			r.solver.Add(0, not...)
			continue
		}
		end := s.cutOf(s.find)
		not = append(not, such.Not())
		for _, c := range end {
			if by := s.net.By(c); by != net.None {
				not = append(not, r.event[by].Not())
			}
		}
		r.solver.Add(0, not...)
		if !f(end) {
			return
		}
	}
}

// happen puts the solver's answer into s.find; it returns events that cannot all happen, if there are some.
func (s *Strategy) happen() []net.Event {
	in := s.find
	in.Begin()
	for e := range net.Event(s.rest.events) {
		if s.rest.solver.True(s.rest.event[e]) && !in.Add(e) {
			if len(in.Cycle()) == 0 {
				panic("unfold: an answer takes a condition twice")
			}
			return in.Cycle()
		}
	}
	return s.contradiction(in)
}

// cutOf returns the conditions after a set of events of all goroutines that are started.
func (s *Strategy) cutOf(in *net.Config) (goal []net.Cond) {
	for _, k := range s.procs {
		if k == net.None {
			continue
		}
		if x := in.Last(k); x != net.None {
			goal = append(goal, x)
		}
	}
	return goal
}
