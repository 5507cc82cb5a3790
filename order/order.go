// Package order answers whether the operations of a trace could have been done
// in another order, one that shows something.
//
//	p := order.New(t, order.Options{})
//	a := p.Solve(ctx, order.Race(17, 42))
//	switch a.Verdict {
//	case order.Found:      // a.Order: events of t, in an order that ends right before both accesses
//	case order.Impossible: // a.Core: the constraints that say so
//	case order.Unknown:    // stopped, or beyond what is modelled; a.Reason
//	}
//
// An order is correct if the goroutines of the program can do what they did in
// the trace, as far as the order goes, one event after the other: every goroutine
// a prefix of its events, every operation possible where it stands and with its
// outcome, and every read, of memory, an atomic or a channel, with the value that
// it saw in the trace, unless nothing that is done depends on that. Answers are maximal: if any
// correct order shows what the goal asks for, one is found (maximal causality,
// Huang, Meredith & Roşu, PLDI 2014; Huang, "Stateless model checking concurrent
// programs with maximal causality reduction", PLDI 2015). Values count as far as
// the trace has them: an event whose value was not recorded, or only in part, is
// equal to itself alone.
//
// Formula. Variables are "a before b" (package acyclic). There is one more event,
// the end: what comes before it is done, what comes after it is not, so that a
// prefix of the trace needs no variables of its own, and constraints hold for
// what is done. Constraints are not written down beforehand: the solver is asked for an order, the
// order is carried out, and only where that goes wrong the constraint that was
// broken is added, until an order is correct or none is left. Events that a goal
// does not depend on come after the end by default and never get there.
//
// Not modelled: the time of the clock. When it jumped in the trace, what was before stays before
// and what was after stays after. The releases of a lock end the acquisitions that they ended in the trace.
package order

import (
	"context"
	"slices"

	"heddle/order/acyclic"
	"heddle/order/sat"
	"heddle/rt/limit"
	"heddle/trace"
)

// Options of a Problem.
type Options struct {
	// Dependent returns, for an event that reads, the first event of its
	// goroutine that depends on what was read: that may not be done, or happen at all, if the value is
	// another. -1: there is none. By default it is the next event of the goroutine.
	Dependent func(read int) int

	// Exact, if it is not nil, takes the place of all that: the events of which
	// it is true see and change the same versions as in the trace, if they are done: a read the
	// same write, not only the same value, and a write the same write before it. What the others see does not matter.
	Exact func(event int) bool

	// Limit ends New, and what Solve does beside solving (limit.Limit.Check); nil: nothing does.
	Limit *limit.Limit
}

// A Problem is a trace about whose orders questions are asked. What was found
// out for one question is used for the next.
type Problem struct {
	opt Options
	m   *model

	th    *acyclic.Theory
	s     *sat.Solver
	end   int // the node of the end
	names names
	stop  func() bool

	units    []unit
	unitOf   [][]int32 // by event
	objUnit  map[trace.ObjID]unit
	compared map[int]uint64 // by event: what a CompareAndSwap compared with
	need     map[int]lit
	in       []lit     // by node: 1 + the literal that says that it is done; 0: there is none yet
	asked    [][]int32 // by goroutine: its nodes of which there is one, in order
	strict   lit       // see strict.go
	seen     []bool    // by node: see foresee

	// of the question
	goal   lit          // true in this question alone
	tight  bool         // asking for an order that follows the trace more closely than it must, see strict
	forced map[int]bool // reads that the goal wants to see what they saw
	stops  []int
	finals []final

	// of the order being checked
	at    []int32 // by node: its place, -1: not done
	lists [][]int32

	clause []lit
	added  int                    // clauses
	watch  func(round, nodes int) // for tests: called after every round
}

// New reads a trace, which must not be changed while the problem is in use.
func New(t *trace.Trace, opt Options) *Problem {
	p := &Problem{opt: opt, m: newModel(t, opt.Limit), compared: make(map[int]uint64), need: make(map[int]lit)}
	for _, c := range t.Compares {
		p.compared[int(c.Event)] = c.Old
	}
	p.names = names{index: make(map[string]int), approximate: make(map[int]bool)}
	p.makeUnits()
	n := len(p.m.nodes)
	// The end has the first number: at the beginning nothing is done.
	p.th = acyclic.New(n + 1)
	p.th.First(n)
	p.th.Early(n)
	p.end = n
	p.s = sat.New(sat.Options{Theory: p.th, Proof: true, Stop: func() bool { return p.stop != nil && p.stop() }})
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

// mustBefore names the fact that one node comes before another in every order.
func (p *Problem) mustBefore(a, b int) int {
	return p.names.tag(MustBefore, int(p.m.nodes[a].first), int(p.m.nodes[b].first))
}

// A Verdict says what became of a question.
type Verdict uint8

const (
	Unknown Verdict = iota
	Found
	Impossible
)

func (v Verdict) String() string { return [...]string{"unknown", "found", "impossible"}[v] }

// An Answer is what Solve returns.
type Answer struct {
	Verdict Verdict
	Order   []int        // Found: the events that are done, in their order
	Core    []Constraint // Impossible: constraints that cannot all be met
	Reason  string       // Unknown: why
	Stats   Stats
}

// Stats says what an answer took.
type Stats struct {
	Rounds  int // orders that were tried
	Clauses int // added
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
		Decisions: a.Decisions - b.Decisions, Conflicts: a.Conflicts - b.Conflicts, Propagations: a.Propagations - b.Propagations,
		Restarts: a.Restarts - b.Restarts, Deleted: a.Deleted - b.Deleted,
		TheoryConflicts: a.TheoryConflicts - b.TheoryConflicts, TheoryImplied: a.TheoryImplied - b.TheoryImplied,
	}
}

// refuted fills in the core of an answer.
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
			a.Reason = "too many sends and receives of one channel could meet: not all were tried"
			return
		}
		a.Core = append(a.Core, p.names.list[tag])
	}
	a.Verdict = Impossible
	sortConstraints(a.Core)
}

// checkOrder carries out the nodes that are done, in their order.
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

// eventsOf returns the events of nodes, those who meet side by side.
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
