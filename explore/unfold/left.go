package unfold

import (
	"slices"

	"heddle/explore/unfold/net"
	"heddle/explore/why"
	"heddle/order/sat"
	"heddle/trace"
)

// Deadlocks and leaks in the whole net. When all local states were shown, the net contains every
// execution. Whether a goroutine can be left blocked is a question to a solver: is there a
// configuration that enables no event, and after which the goroutine's operation has not happened?
// (Questions of this form: Heljanko, "Using logic programs with stable model semantics to solve
// deadlock and reachability problems for 1-safe Petri nets", 1999.) That covers what the search for
// circular waits does not: channels, WaitGroups, Conds, RWMutexes.

// tooMany bounds the events of a net that such questions are asked of.
const tooMany = 1 << 18

// A rest is the formula of an epoch: a variable for each event says whether it happens.
type rest struct {
	solver *sat.Solver
	epoch  *epoch
	events int       // of the epoch when the formula was made
	vars   []sat.Lit // by event
	takers map[net.Cond][]net.Event
	some   map[net.Cond]sat.Lit // by condition: an event takes it
	at     map[net.Cond]sat.Lit // by condition: it is marked at the end
	given  map[net.Cond]sat.Lit // by merged condition: a member was given
}

// event returns the literal of an event; ok is false if the event is not of the epoch.
func (r *rest) event(e net.Event) (l sat.Lit, ok bool) {
	i, es := int(e), r.epoch.events[:r.events]
	if i >= len(es) || es[i] != e { // as in the whole net
		if i, ok = slices.BinarySearch(es, e); !ok {
			return sat.None, false
		}
	}
	return r.vars[i], true
}

// must is event for an event of the epoch.
func (r *rest) must(e net.Event) sat.Lit {
	l, _ := r.event(e)
	return l
}

// not appends to a clause that e does not happen, if e is of the epoch.
func (r *rest) not(e net.Event, clause []sat.Lit) []sat.Lit {
	if l, ok := r.event(e); ok {
		clause = append(clause, l.Not())
	}
	return clause
}

// leftOver returns the conditions of all goroutines at an end at which a goroutine is blocked in a
// call that no execution has left blocked; nil if there is none.
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
	for _, k := range s.neverLeft(calls) {
		s.leave(k)
	}
	if calls = slices.DeleteFunc(calls, func(k net.Value) bool { return s.left[k] }); len(calls) == 0 {
		return nil
	}
	goal, ok := s.leftWith(calls)
	if !ok {
		s.incomplete(why.With(why.Limit, "too large a net to look for deadlocks in"))
		return nil
	}
	if s.late() {
		return nil
	}
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

// onlyMutexes reports whether goroutines block at mutexes only, each unlocked by the goroutine that
// locked it. Then the search for circular waits, and for mutexes of goroutines that have ended,
// finds all deadlocks.
func (s *Strategy) onlyMutexes() bool {
	if s.locks.handed {
		return false
	}
	for k := range s.calls.list {
		if c := &s.calls.list[k]; k > 0 && waits(c) && (c.op != trace.OpLock ||
			s.tab.Kind(c.obj) != trace.ObjMutex) {
			return false
		}
	}
	return true
}

// ends returns the formula of the ends of an epoch.
func (s *Strategy) ends(ep *epoch) *rest {
	if s.rest == nil || s.rest.epoch != ep || s.rest.events != len(ep.events) {
		s.rest = s.formulaOf(ep, true)
		for _, end := range ep.cutsOf(func(k cut) bool { return k == jumped }) {
			s.rest.solver.Add(0, s.notAt(end)...)
		}
	}
	return s.rest
}

// waits reports whether a call can block.
func waits(c *call) bool {
	switch c.op {
	case trace.OpLock, trace.OpRLock, trace.OpArrive, trace.OpWGWait, trace.OpOnce, trace.OpAcquire,
		trace.OpCondWake, trace.OpAwait:
		return true
	}
	return c.cases != "" && !c.poll && c.op != trace.OpArrive
}

// formulaOf returns the formula of the configurations of an epoch, without the constraint that
// asymmetric conflicts have no cycle. ends: only those that enable no other event.
func (s *Strategy) formulaOf(ep *epoch, ends bool) *rest {
	n := s.net
	r := &rest{solver: sat.New(sat.Options{Stop: s.expires, InOrder: true}), epoch: ep,
		events: len(ep.events), takers: map[net.Cond][]net.Event{}, some: map[net.Cond]sat.Lit{},
		at: map[net.Cond]sat.Lit{}, given: map[net.Cond]sat.Lit{}}
	joined := map[net.Cond][]net.Event{}
	var taken []net.Cond
	for _, e := range ep.events {
		r.vars = append(r.vars, r.solver.NewVar().Pos())
		r.solver.Prefer(r.vars[len(r.vars)-1])
		for _, a := range n.Arcs(e) {
			switch a.Use() {
			case net.Takes, net.Seals:
				if r.takers[a.Cond()] == nil {
					taken = append(taken, a.Cond())
				}
				r.takers[a.Cond()] = append(r.takers[a.Cond()], e)
			case net.Joins:
				joined[a.Cond()] = append(joined[a.Cond()], e)
			}
		}
	}
	for _, c := range taken {
		s.limit.Check()
		r.atMostOne(r.takers[c])
	}
	for i, e := range ep.events {
		s.limit.Check()
		happens := r.vars[i]
		if first, k := n.Given(e); s.inputs.cut[e] || s.inputs.unsolved[e] || s.crashes(first, k) {
			r.solver.Add(0, happens.Not())
		}
		idle := []sat.Lit{happens}
		for _, a := range n.Arcs(e) {
			c := a.Cond()
			if by := n.By(c); by != net.None {
				if l, ok := r.event(by); ok {
					r.solver.Add(0, happens.Not(), l)
					idle = append(idle, l.Not())
				}
			}
			if a.Use() == net.Follows && n.IsMerged(c) {
				given := s.givenTo(r, c)
				r.solver.Add(0, happens.Not(), given)
				idle = append(idle, given.Not())
			}
			if a.Use() != net.Follows && a.Use() != net.Watches {
				idle = append(idle, s.taken(r, c, e)...)
			}
			switch a.Use() {
			case net.Seals:
				for _, f := range joined[c] {
					if l, _ := r.event(f); !s.follows(e, f) {
						r.solver.Add(0, happens.Not(), l.Not())
						idle = append(idle, l)
					}
				}
			case net.Watches:
				for _, x := range s.objects[s.objectOf[n.Place(c)]].tokens {
					if l, ok := r.event(n.By(x)); ok && !s.follows(e, n.By(x)) {
						idle = append(idle, l)
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

// givenTo returns a literal that is true if and only if a member of m was given.
func (s *Strategy) givenTo(r *rest, m net.Cond) sat.Lit {
	l, ok := r.given[m]
	if ok {
		return l
	}
	l = r.solver.NewVar().Pos()
	r.given[m] = l
	some := []sat.Lit{l.Not()}
	for _, y := range s.net.Members(m) {
		if by, ok := r.event(s.net.By(y)); ok {
			some = append(some, by)
			r.solver.Add(0, by.Not(), l)
		}
	}
	r.solver.Add(0, some...)
	return l
}

// crashes reports whether one of k conditions from first on is of a goroutine that has ended the
// program by a panic.
func (s *Strategy) crashes(first net.Cond, k int) bool {
	for c := first; c < first+net.Cond(k); c++ {
		if s.net.Value(c) == crashed && s.isGoroutine(s.net.Place(c)) {
			return true
		}
	}
	return false
}

// follows is net.Net.Follows.
func (s *Strategy) follows(e, f net.Event) bool { return s.net.Follows(e, f) }

// taken returns literals of which one is true only if an event other than e takes c. Together with
// those for the other conditions that e takes, they are enough.
func (s *Strategy) taken(r *rest, c net.Cond, e net.Event) []sat.Lit {
	es := r.takers[c]
	if len(es) <= mostTakers {
		var ls []sat.Lit
		for _, f := range es {
			if f != e && !s.later(e, f) {
				ls = append(ls, r.must(f))
			}
		}
		return ls
	}
	l, ok := r.some[c] // it includes e, which does no harm
	if !ok {
		l = r.solver.NewVar().Pos()
		r.some[c] = l
		ls := []sat.Lit{l.Not()}
		for _, f := range es {
			ls = append(ls, r.must(f))
		}
		r.solver.Add(0, ls...)
	}
	return []sat.Lit{l}
}

// mostTakers is the number of takers of a condition from which on they share a variable.
const mostTakers = 8

// later reports whether f is an event of e's goroutine at or after e's place in its tree. Such an f
// does not prevent e, or an alternative to e has done so already.
func (s *Strategy) later(e, f net.Event) bool {
	n := s.net
	x, y := n.Arcs(e)[0].Cond(), n.Arcs(f)[0].Cond()
	return n.Place(x) == n.Place(y) && n.Depth(y) >= n.Depth(x) && n.Ancestor(y, n.Depth(x)) == x && x != y
}

// atMostOne adds that at most one of es happens (Sinz's sequential counter, CP 2005).
func (r *rest) atMostOne(es []net.Event) {
	var before sat.Lit
	for i, e := range es {
		if i > 0 {
			r.solver.Add(0, before.Not(), r.must(e).Not())
		}
		if i+1 == len(es) {
			return
		}
		now := r.solver.NewVar().Pos() // e or an earlier one
		r.solver.Add(0, r.must(e).Not(), now)
		if i > 0 {
			r.solver.Add(0, before.Not(), now)
		}
		before = now
	}
}

// leftWith returns the conditions of all goroutines at an end at which a goroutine is blocked in
// one of calls; nil if there is none. ok is false if not all ends were searched.
func (s *Strategy) leftWith(calls []net.Value) (goal []net.Cond, ok bool) {
	for _, ep := range s.epochs() {
		if goal, ok = s.leftIn(ep, calls); goal != nil || !ok {
			return goal, ok
		}
	}
	return nil, true
}

// leftIn is leftWith for the ends of an epoch.
func (s *Strategy) leftIn(ep *epoch, calls []net.Value) (goal []net.Cond, ok bool) {
	if len(ep.events) > tooMany {
		return nil, false
	}
	var wanted []net.Cond
	ep.each(s.net, func(c net.Cond) {
		if s.isGoroutine(s.net.Place(c)) && slices.Contains(calls, s.net.Value(c)) {
			wanted = append(wanted, c)
		}
	})
	if len(wanted) == 0 {
		return nil, true
	}
	s.ends(ep)
	for _, c := range wanted { // one by one, which leaves the solver little to decide
		s.eachEnd(s.markedAt(c), func(end []net.Cond) bool {
			goal = end
			return false
		})
		if goal != nil || s.late() {
			break
		}
	}
	return goal, true
}

// markedAt returns a literal that implies that c is marked at the end.
func (s *Strategy) markedAt(c net.Cond) sat.Lit {
	r := s.rest
	at, ok := r.at[c]
	if ok {
		return at
	}
	at = r.solver.NewVar().Pos()
	r.at[c] = at
	if by := s.net.By(c); by != net.None {
		if l, ok := r.event(by); ok {
			r.solver.Add(0, at.Not(), l)
		}
	}
	for _, e := range r.takers[c] {
		r.solver.Add(0, at.Not(), r.must(e).Not())
	}
	return at
}

// eachEnd calls f with the conditions of all goroutines at the ends where such and also are true,
// until f returns false. A later call continues with the ends that such has not had. During a call
// the events are in s.find.
func (s *Strategy) eachEnd(such sat.Lit, f func(end []net.Cond) bool, also ...sat.Lit) {
	r := s.rest
	assume := append([]sat.Lit{such}, also...)
	for !s.late() && r.solver.Solve(assume...) == sat.Sat {
		if wrong := s.happen(); wrong != nil {
			var not []sat.Lit
			for _, e := range wrong {
				not = r.not(e, not)
			}
			r.solver.Add(0, not...)
			continue
		}
		end := s.cutOf(s.find)
		r.solver.Add(0, s.notAt(end, such.Not())...)
		if !f(end) {
			return
		}
	}
}

// notAt appends to a clause that the end is not this one: a condition of it is not given, or taken.
// (With events that read, one end may have all events of another: what reads first, and then waits
// for what has changed, has gone further than what came too late to read.)
func (s *Strategy) notAt(end []net.Cond, clause ...sat.Lit) []sat.Lit {
	for _, c := range end {
		if by := s.net.By(c); by != net.None {
			clause = s.rest.not(by, clause)
		}
		for _, e := range s.rest.takers[c] {
			clause = append(clause, s.rest.must(e))
		}
	}
	return clause
}

// happen puts the solver's answer into s.find. It returns events that cannot all happen, if there
// are some.
func (s *Strategy) happen() []net.Event {
	in, r := s.find, s.rest
	in.Begin()
	if r.epoch.begin != net.None {
		in.AddCond(r.epoch.begin)
	}
	for i, l := range r.vars {
		s.limit.Check()
		if r.solver.True(l) && !in.Add(r.epoch.events[i]) {
			if len(in.Cycle()) == 0 {
				panic("unfold: an answer takes a condition twice")
			}
			return in.Cycle()
		}
	}
	return s.contradiction(in)
}

// cutOf returns the conditions of all started goroutines after a configuration.
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
