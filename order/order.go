// Package order decides whether the operations of a trace can be done in another order that shows
// something.
//
//	p := order.New(t, order.Options{})
//	a := p.Solve(ctx, order.Race(17, 42))
//	switch a.Verdict {
//	case order.Found:      // a.Order: events of t, in an order that ends right before both accesses
//	case order.Impossible: // a.Core: the constraints that say so
//	case order.Unknown:    // stopped, or beyond what is modelled; a.Reason
//	}
//
// An order is correct if the program can execute it. Each goroutine does a prefix of its events.
// Each operation is enabled in its place and has the same outcome. Each read, of memory, an atomic
// or a channel, reads the same value as in the trace, unless nothing that is done depends on it.
// Answers are maximal: if a correct order shows the goal, one is found (maximal causality, Huang,
// Meredith and Roşu, PLDI 2014; Huang, "Stateless model checking concurrent programs with maximal
// causality reduction", PLDI 2015). Values count as far as the trace has them. An event whose value
// was not recorded in full equals only itself.
//
// The formula has variables "a before b" (package acyclic). One more event is the end: events
// before it are done, events after it are not. So a prefix of the trace needs no variables of its
// own, and constraints hold for events that are done. Constraints are not written down in advance.
// The solver is asked for an order, the order is replayed, and only the constraints that it breaks
// are added, until an order is correct or none is left. Events on which the goal does not depend
// follow the end by default.
//
// The time of the clock is not modelled. Events before a jump of the clock in the trace stay before
// it, and events after it stay after. The releases of a lock end the acquisitions that they ended
// in the trace.
package order

import (
	"context"
	"slices"

	"heddle/order/acyclic"
	"heddle/order/sat"
	"heddle/rt/limit"
	"heddle/trace"
)

// Options configure a Problem.
type Options struct {
	// Dependent returns, for an event that reads, the first event of its goroutine that depends on
	// the value: with another value it may not happen. -1: there is none. By default it is the next
	// event of the goroutine.
	Dependent func(read int) int

	// Exact, if not nil, replaces the condition on values. The events for which it is true access
	// the same versions as in the trace, if they are done: a read the same write, not only the same
	// value, and a write follows the same write. The reads of all other events do not matter.
	Exact func(event int) bool

	// Limit ends New, and the work of Solve beside solving (limit.Limit.Check); nil: no limit.
	Limit *limit.Limit
}

// A Problem is a trace with questions about its orders. Constraints found for one question are used
// for the next.
type Problem struct {
	opt Options
	m   *movable

	th    *acyclic.Theory
	s     *sat.Solver
	end   int // the node of the end
	names names
	stop  func() bool

	units    []unit
	unitOf   [][]int32 // by event
	objUnit  map[trace.ObjID]unit
	offers   [][]int32      // by goroutine: its offers, in order; see announced
	compared map[int]uint64 // by event: the old value of a CompareAndSwap
	need     map[int]lit
	in       []lit     // by node: 1 + the literal that it is done; 0 if there is none
	asked    [][]int32 // by goroutine: its nodes that have one, in order
	strict   lit       // see strict.go
	seen     []bool    // by node: see foresee

	// the current question
	goal   lit          // true in this question alone
	tight  bool         // the order must follow the trace more closely than it must to be correct, see strict
	forced map[int]bool // reads that the goal wants to read the same
	stops  []int
	must   []int // events that it demands to be done, for counted
	finals []final

	// the order that is checked
	at    []int32 // by node: its place, -1: not done
	lists [][]int32

	clause []lit
	added  int                    // number of clauses added
	watch  func(round, nodes int) // for tests: called after every round
}

// New prepares questions about t, which must not change while the problem is in use.
func New(t *trace.Trace, opt Options) *Problem {
	p := &Problem{opt: opt, m: newMovable(t, opt.Limit), compared: make(map[int]uint64),
		need: make(map[int]lit)}
	for _, c := range t.Compares {
		p.compared[int(c.Event)] = c.Old
	}
	p.names = names{index: make(map[string]int), approximate: make(map[int]bool)}
	p.makeUnits()
	n := len(p.m.nodes)
	// The end has the first number: at the beginning no event is done.
	p.th = acyclic.New(n + 1)
	p.th.First(n)
	p.th.Early(n)
	p.end = n
	p.s = sat.New(sat.Options{Theory: p.th, Proof: true,
		Stop: func() bool { return p.stop != nil && p.stop() }})
	p.th.Use(p.s)
	for _, e := range p.m.hard {
		opt.Limit.Check()
		p.th.Fix(int(e.a), int(e.b))
	}
	p.th.Named = p.mustBefore
	p.at, p.in = make([]int32, n), make([]lit, n)
	p.asked = make([][]int32, len(p.m.byG))
	p.lists = make([][]int32, len(p.units))
	p.strict = p.fresh()
	p.seen = make([]bool, n)
	return p
}

// mustBefore returns the tag of the fact that one node precedes another in every order.
func (p *Problem) mustBefore(a, b int) int {
	return p.names.tag(MustBefore, int(p.m.nodes[a].first), int(p.m.nodes[b].first))
}

// A Verdict is the answer to a question.
type Verdict uint8

const (
	Unknown Verdict = iota
	Found
	Impossible
)

func (v Verdict) String() string { return [...]string{"unknown", "found", "impossible"}[v] }

// An Answer is the result of Solve.
type Answer struct {
	Verdict Verdict
	Order   []int        // Found: the events that are done, in order
	Core    []Constraint // Impossible: constraints that exclude each other
	Reason  string       // Unknown: the reason
	Stats   Stats
}

// Stats are the costs of an answer.
type Stats struct {
	Rounds  int // orders that were tried
	Clauses int // clauses that were added
	Search  sat.Stats
}

// Solve looks for a correct order that shows goal.
func (p *Problem) Solve(ctx context.Context, goal Goal) Answer {
	p.stop = func() bool { return ctx.Err() != nil }
	added, search := p.added, p.s.Stats
	assume, names, a := p.pose(goal)
	if a.Verdict == Unknown && a.Reason == "" {
		p.foresee(goal)
	}
	p.tight = true
	assume[0], names[0] = p.strict, Constraint{Kind: Target}
	for round := 1; a.Verdict == Unknown && a.Reason == ""; round++ {
		a.Stats.Rounds = round
		switch p.s.Solve(assume...) {
		case sat.Unknown:
			a.Reason = "stopped"
		case sat.Unsat:
			if p.tight && slices.Contains(p.s.Failed(), p.strict) {
				p.tight = false
				assume[0] = p.strict.Not()
				continue
			}
			p.refuted(&a, assume, names)
		case sat.Sat:
			nodes := p.th.Ancestors(p.end)
			if before := p.added; ctx.Err() != nil {
				a.Reason = "stopped"
			} else if p.checkOrder(nodes, goal); p.added == before {
				a.Verdict, a.Order = Found, p.eventsOf(nodes)
			}
			if p.watch != nil {
				p.watch(round, len(nodes))
			}
		}
	}
	a.Stats.Clauses, a.Stats.Search = p.added-added, sub(p.s.Stats, search)
	if p.goal != no {
		p.add(-1, p.goal.Not())
	}
	return a
}

func sub(a, b sat.Stats) sat.Stats {
	return sat.Stats{
		Decisions: a.Decisions - b.Decisions, Conflicts: a.Conflicts - b.Conflicts,
		Propagations: a.Propagations - b.Propagations,
		Restarts:     a.Restarts - b.Restarts, Deleted: a.Deleted - b.Deleted,
		TheoryConflicts: a.TheoryConflicts - b.TheoryConflicts,
		TheoryImplied:   a.TheoryImplied - b.TheoryImplied,
	}
}

// refuted sets the core of an answer.
func (p *Problem) refuted(a *Answer, assume []lit, names []Constraint) {
	have := make(map[int]bool)
	for _, l := range p.s.Failed() {
		for i := range assume {
			if assume[i] == l && !have[i] && names[i].Events != nil {
				have[i] = true
				a.Core = append(a.Core, names[i])
				break
			}
		}
	}
	for _, tag := range p.s.Core() {
		if p.names.approximate[tag] {
			a.Core = nil
			a.Reason = "not all ways in which sends and receives could meet were tried"
			return
		}
		a.Core = append(a.Core, p.names.list[tag])
	}
	a.Verdict = Impossible
	sortConstraints(a.Core)
}

// checkOrder replays the nodes that are done, in their order.
func (p *Problem) checkOrder(nodes []int, goal Goal) {
	for v := range p.at {
		p.at[v] = -1
	}
	for u := range p.lists {
		p.lists[u] = p.lists[u][:0]
	}
	for k, v := range nodes {
		p.opt.Limit.Check()
		p.at[v] = int32(k)
		n := &p.m.nodes[v]
		for _, e := range p.m.byG[n.g][p.m.place[n.first] : p.m.place[n.last]+1] {
			for _, u := range p.unitOf[e] {
				p.lists[u] = append(p.lists[u], e)
			}
		}
	}
	for i, u := range p.units {
		if len(p.lists[i]) > 0 {
			p.opt.Limit.Check()
			u.check(p, p.lists[i])
		}
	}
	if len(p.finals) > 0 {
		for _, f := range p.finals {
			f(p)
		}
	}
}

// eventsOf returns the events of nodes, with those that meet side by side.
func (p *Problem) eventsOf(nodes []int) []int {
	var order []int
	for _, v := range p.adjoin(nodes) {
		n := &p.m.nodes[v]
		for _, e := range p.m.byG[n.g][p.m.place[n.first] : p.m.place[n.last]+1] {
			order = append(order, int(e))
		}
	}
	return order
}
