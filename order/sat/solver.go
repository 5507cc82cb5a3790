// Package sat decides propositional formulas in conjunctive normal form, with
// room for a theory inside the search.
//
//	s := sat.New(sat.Options{})
//	a, b := s.NewVar(), s.NewVar()
//	s.Add(0, a.Pos(), b.Neg())
//	if s.Solve(b.Pos()) == sat.Sat { ... s.True(a.Pos()) ... }
//
// The search is conflict-driven clause learning: two watched literals, first
// unique implication point, recursive minimisation of learnt clauses,
// activities of variables that decay, saved phases, restarts by Luby's sequence
// and deletion of learnt clauses by the number of levels in them (Marques-Silva
// & Sakallah, GRASP, 1996; Moskewicz et al., Chaff, 2001; Eén & Sörensson,
// MiniSat, 2003; Audemard & Simon, Glucose, 2009). Assumptions and the answer
// which of them fail are MiniSat's. A Theory is told every one of its literals
// that becomes true, and answers with conflicts and consequences (CDCL(T),
// Nieuwenhuis, Oliveras & Tinelli, JACM 2006).
package sat

// Options configure a Solver. The zero Options are good defaults.
type Options struct {
	Theory Theory
	Proof  bool // record derivations, for Core

	// InOrder: variables are decided in the order of NewVar, not by activity. That is best without
	// a theory, for all models of a formula whose variables are numbered in the order in which
	// things happen.
	InOrder bool

	// Stop, if not nil, is called now and then; true ends Solve with Unknown.
	Stop func() bool
}

// A Theory gives meaning to some of the variables. Literals are asserted in the
// order in which they become true and retracted in the opposite order.
type Theory interface {
	// Owns reports whether v has a meaning in the theory. It is asked once, when v is made.
	Owns(v Var) bool

	// Assert is called when l has become true. A conflict is a set of asserted literals, l among
	// them, that exclude each other, with the tags of all else that it rests on; the assertion is
	// then not in force. The next call overwrites the slices.
	Assert(l Lit) (conflict []Lit, tags []int)

	// Expect is called before Assert with the literals that have become true together, if they are
	// many. Some may have no meaning in the theory.
	Expect(ls []Lit)

	// Implied returns literals, not yet assigned, that follow from what was
	// asserted since the last call.
	Implied() []Lit

	// Explain returns asserted literals that imply l, which Implied returned, and the tags of all
	// else that this rests on. They were all asserted before l was implied.
	Explain(l Lit) (because []Lit, tags []int)

	// Retract undoes the last n assertions.
	Retract(n int)

	// Phase returns which of v's two literals holds if nothing else is asserted:
	// what is asserted, and the phases of all other variables, can be true together.
	Phase(v Var) Lit

	// Settle is called before phases are used. It may change them to the best possible.
	Settle()
}

// Stats counts the work of a Solver.
type Stats struct {
	Decisions, Conflicts, Propagations, Restarts, Deleted int
	TheoryConflicts, TheoryImplied                        int
}

// A Solver holds a formula. Variables and clauses may be added between calls of Solve.
type Solver struct {
	opt   Options
	Stats Stats

	cs      clauses
	given   []cref
	lemmas  []cref // clauses that follow from the theory alone
	learnt  []cref
	watches [][]watch // by literal: the clauses to visit when it becomes false

	vals   []int8 // by literal: 1 true, -1 false, 0 not assigned
	model  []int8 // vals at the last Sat
	level  []int32
	reason []cref
	phase  []Lit
	owned  []bool
	heap   varHeap
	first  Var // with Options.InOrder: all variables before it are assigned
	inc    float64

	trail  []Lit
	limits []int32 // indices in trail where levels begin
	head   int     // trail is propagated up to here
	told   int     // trail is asserted to the theory up to here
	inT    []int32 // by level: how many literals were asserted before it
	nT     int     // assertions in force

	assumed []Lit
	failed  []Lit // of the assumptions
	refuted bool  // the formula is unsatisfiable without assumptions

	// Of the search with a theory, see broken.
	scan, intact int
	settled      bool

	proof  proof
	unit   []int32 // by variable: the node of its value at level 0
	refuts []int32 // nodes of the last refutation

	// memory of analyze
	seen    []byte
	clear   []Var
	out     []Lit
	stack   []Lit
	used    []int32
	explain []Lit
	lits    []Lit
	in      []int32 // by literal: the clause that was last found to have it
	clause  int32   // clauses given so far
	levels  []int32 // by level: when it was counted last
	epoch   int32

	maxLearnt int
}

// New returns a solver without clauses.
func New(opt Options) *Solver {
	s := &Solver{opt: opt, inc: 1, maxLearnt: 4000}
	s.cs.mem = append(s.cs.mem, 0) // 0 is no clause
	return s
}

// NewVar adds a variable.
func (s *Solver) NewVar() Var {
	v := Var(len(s.reason))
	s.vals = append(s.vals, 0, 0)
	s.in = append(s.in, 0, 0)
	s.watches = append(s.watches, nil, nil)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, noClause)
	s.phase = append(s.phase, v.Neg())
	s.owned = append(s.owned, s.opt.Theory != nil && s.opt.Theory.Owns(v))
	s.seen = append(s.seen, 0)
	s.unit = append(s.unit, noNode)
	s.heap.grow()
	return v
}

// Vars returns the number of variables.
func (s *Solver) Vars() int { return len(s.reason) }

// Prefer makes l the first phase of its variable.
func (s *Solver) Prefer(l Lit) { s.phase[l.Var()] = l }

// True reports whether l is true in the last model. It is not for variables made since.
func (s *Solver) True(l Lit) bool { return int(l) < len(s.model) && s.model[l] > 0 }

// Assigned reports whether v has a value now. It is for a Theory.
func (s *Solver) Assigned(v Var) bool { return s.vals[v.Pos()] != 0 }

// Fixed returns 1 if l is true under all assumptions, -1 if it is false, 0 if that is not known.
func (s *Solver) Fixed(l Lit) int {
	if s.vals[l] != 0 && s.level[l.Var()] == 0 {
		return int(s.vals[l])
	}
	return 0
}

// Add adds a clause: one of lits is true. tag names the constraint that it is
// part of, for Core; -1 for none. It returns false if the formula has become
// unsatisfiable by it at once.
//
// What the search has assigned stays assigned as far as the clause allows, so that a
// Solve with the same assumptions goes on where the last one ended.
func (s *Solver) Add(tag int, lits ...Lit) bool { return s.add(tag, false, lits) }

// Lemma adds a clause that holds in the theory. The theory would find it too, but later.
func (s *Solver) Lemma(tag int, lits ...Lit) bool { return s.add(tag, true, lits) }

func (s *Solver) add(tag int, lemma bool, lits []Lit) bool {
	if s.refuted {
		return false
	}
	node := noNode
	if s.opt.Proof {
		node = s.proof.leaf(tag)
	}
	s.lits = append(s.lits[:0], lits...)
	out, premises := s.lits[:0], append(s.used[:0], node)
	s.clause++
	for _, l := range s.lits {
		switch fixed := s.Fixed(l); {
		case fixed > 0 || s.in[l.Not()] == s.clause:
			return true // satisfied for ever
		case fixed < 0:
			premises = append(premises, s.unit[l.Var()])
		case s.in[l] != s.clause:
			s.in[l] = s.clause
			out = append(out, l)
		}
	}
	s.lits, s.used = s.lits[:len(out)], premises
	if s.opt.Proof && len(premises) > 1 {
		node = s.proof.derived(premises)
	}
	switch len(out) {
	case 0:
		s.backTo(0)
		s.refute(node)
		return false
	case 1:
		s.backTo(0)
		s.assign(out[0], noClause)
		s.unit[out[0].Var()] = node
		if c := s.propagate(); c != noClause {
			s.refuteBy(c)
			return false
		}
		return true
	}
	s.attach(out, node, lemma)
	return true
}

// attach adds a clause of two or more literals during a search. It backtracks until one of them is
// not false, and assigns that literal if it is the only one.
func (s *Solver) attach(lits []Lit, node int32, lemma bool) {
	s.twoBest(lits)
	if s.vals[lits[0]] < 0 { // all are
		s.backTo(int(s.level[lits[0].Var()]) - 1)
		s.twoBest(lits)
	}
	unit := s.vals[lits[0]] == 0 && s.vals[lits[1]] < 0
	if unit {
		s.backTo(int(s.level[lits[1].Var()]))
	}
	c := s.cs.add(lits, false, node)
	if lemma {
		s.lemmas = append(s.lemmas, c)
	} else {
		s.given = append(s.given, c)
	}
	s.watch(c)
	if unit {
		s.assign(lits[0], c)
	}
}

// twoBest puts first the two literals that are best watched: true ones, then
// those not assigned, then those that became false last.
func (s *Solver) twoBest(lits []Lit) {
	rank := func(l Lit) int {
		switch {
		case s.vals[l] > 0:
			return 1 << 30
		case s.vals[l] == 0:
			return 1<<30 - 1
		}
		return int(s.level[l.Var()])
	}
	for i := range 2 {
		for k := i + 1; k < len(lits); k++ {
			if rank(lits[k]) > rank(lits[i]) {
				lits[i], lits[k] = lits[k], lits[i]
			}
		}
	}
}

// refute records that the formula is unsatisfiable under all assumptions.
func (s *Solver) refute(nodes ...int32) {
	s.refuted = true
	s.failed = s.failed[:0]
	s.refuts = append(s.refuts[:0], nodes...)
}

// refuteBy records that clause c is false at level 0.
func (s *Solver) refuteBy(c cref) {
	nodes := []int32{s.cs.node(c)}
	for _, l := range s.cs.lits(c) {
		nodes = append(nodes, s.unit[l.Var()])
	}
	s.refute(nodes...)
}

// Failed returns assumptions of the last Solve, which returned Unsat, that the formula excludes;
// none if the formula is unsatisfiable without assumptions.
func (s *Solver) Failed() []Lit { return s.failed }

// Core returns the tags of the clauses, and of what the theory added, from
// which the last answer Unsat was derived. Options.Proof must be set.
func (s *Solver) Core() []int { return s.proof.tags(s.refuts) }
