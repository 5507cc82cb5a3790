package unfold

import (
	"slices"

	"heddle/explore/unfold/net"
	"heddle/explore/why"
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

// A rest is the formula for an epoch: of an event, that it happens.
type rest struct {
	solver *sat.Solver
	epoch  *epoch
	events int       // how many the epoch had
	vars   []sat.Lit // of each
	takers map[net.Cond][]net.Event
	some   map[net.Cond]sat.Lit // that somebody takes a condition
	at     map[net.Cond]sat.Lit // that a condition is marked at the end
}

// event returns the literal of one of the epoch's events; ok is false if it is none of these.
func (r *rest) event(e net.Event) (l sat.Lit, ok bool) {
	i, es := int(e), r.epoch.events[:r.events]
	if i >= len(es) || es[i] != e { // as it is in the whole net
		if i, ok = slices.BinarySearch(es, e); !ok {
			return sat.None, false
		}
	}
	return r.vars[i], true
}

// must is event for one that is the epoch's.
func (r *rest) must(e net.Event) sat.Lit {
	l, _ := r.event(e)
	return l
}

// not appends to a clause that e does not happen, if it is the epoch's.
func (r *rest) not(e net.Event, clause []sat.Lit) []sat.Lit {
	if l, ok := r.event(e); ok {
		clause = append(clause, l.Not())
	}
	return clause
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

// onlyMutexes reports whether nobody ever waits but for mutexes, which are unlocked by who has
// locked them: the search for circular waits, and for those whom a goroutine that ended has locked
// out, is whole then.
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

// ends returns the formula of an epoch's ends.
func (s *Strategy) ends(ep *epoch) *rest {
	if s.rest == nil || s.rest.epoch != ep || s.rest.events != len(ep.events) {
		s.rest = s.formulaOf(ep, true)
		for _, end := range ep.cutsOf(func(k cut) bool { return k == jumped }) {
			s.rest.solver.Add(0, s.notAt(end)...)
		}
	}
	return s.rest
}

// waits reports whether a call may have to wait.
func waits(c *call) bool {
	switch c.op {
	case trace.OpLock, trace.OpRLock, trace.OpArrive, trace.OpWGWait, trace.OpOnce, trace.OpAcquire,
		trace.OpCondWake, trace.OpAwait:
		return true
	}
	return c.cases != "" && !c.poll && c.op != trace.OpArrive
}

// formulaOf says of sets of an epoch's events that they can happen, cycles of asymmetric
// conflict apart; at ends that no other event can happen after them.
func (s *Strategy) formulaOf(ep *epoch, ends bool) *rest {
	n := s.net
	r := &rest{solver: sat.New(sat.Options{Stop: s.expires, InOrder: true}), epoch: ep,
		events: len(ep.events), takers: map[net.Cond][]net.Event{}, some: map[net.Cond]sat.Lit{},
		at: map[net.Cond]sat.Lit{}}
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

// crashes reports whether one of k conditions from first on is that of a goroutine that has ended
// the program.
func (s *Strategy) crashes(first net.Cond, k int) bool {
	for c := first; c < first+net.Cond(k); c++ {
		if s.net.Value(c) == crashed && s.isGoroutine(s.net.Place(c)) {
			return true
		}
	}
	return false
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

// taken returns literals of which one is true only if somebody but e takes c, and no others are
// needed beside those of who takes what else e uses.
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
	l, ok := r.some[c] // that it may be e does no harm
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

// mostTakers is for how many events that take a condition no variable of their own is worth while.
const mostTakers = 8

// later reports whether f belongs to the goroutine of e, and to what it can do from there on: it
// does not keep e from happening, or what its goroutine does instead of e has done so already.
func (s *Strategy) later(e, f net.Event) bool {
	n := s.net
	x, y := n.Arcs(e)[0].Cond(), n.Arcs(f)[0].Cond()
	return n.Place(x) == n.Place(y) && n.Depth(y) >= n.Depth(x) && n.Ancestor(y, n.Depth(x)) == x && x != y
}

// atMostOne says that no two of es happen (Sinz's sequential counter, CP 2005).
func (r *rest) atMostOne(es []net.Event) {
	var before sat.Lit
	for i, e := range es {
		if i > 0 {
			r.solver.Add(0, before.Not(), r.must(e).Not())
		}
		if i+1 == len(es) {
			return
		}
		now := r.solver.NewVar().Pos() // e or one before it
		r.solver.Add(0, r.must(e).Not(), now)
		if i > 0 {
			r.solver.Add(0, before.Not(), now)
		}
		before = now
	}
}

// leftWith returns the conditions of all goroutines at an end in which somebody
// is left with one of some calls; nil if there is none. ok is false if not all ends were asked for.
func (s *Strategy) leftWith(calls []net.Value) (goal []net.Cond, ok bool) {
	for _, ep := range s.epochs() {
		if goal, ok = s.leftIn(ep, calls); goal != nil || !ok {
			return goal, ok
		}
	}
	return nil, true
}

// leftIn is leftWith for an epoch's ends.
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
	for _, c := range wanted { // one after the other: hardly anything is left to be decided then
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
		if l, ok := r.event(by); ok {
			r.solver.Add(0, at.Not(), l)
		}
	}
	for _, e := range r.takers[c] {
		r.solver.Add(0, at.Not(), r.must(e).Not())
	}
	return at
}

// eachEnd calls f with the conditions of all goroutines at the ends where such is true, and all of
// also, until f returns false; a later call goes on with what such has not brought yet. During a
// call the events are in s.find.
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

// notAt appends to a clause that the end is another one.
func (s *Strategy) notAt(end []net.Cond, clause ...sat.Lit) []sat.Lit {
	for _, c := range end {
		if by := s.net.By(c); by != net.None {
			clause = s.rest.not(by, clause)
		}
	}
	return clause
}

// happen puts the solver's answer into s.find; it returns events that cannot all happen, if there
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
