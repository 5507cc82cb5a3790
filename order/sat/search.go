package sat

import "sort"

// Solve asks whether the formula is satisfiable with all of assume true.
func (s *Solver) Solve(assume ...Lit) Status {
	same := 0
	for same < len(assume) && same < len(s.assumed) && assume[same] == s.assumed[same] {
		same++
	}
	if same < len(assume) || same < len(s.assumed) {
		s.backTo(same)
	}
	s.failed = s.failed[:0]
	if s.refuted {
		return Unsat
	}
	s.refuts = s.refuts[:0]
	s.assumed = append(s.assumed[:0], assume...)
	for len(s.levels) <= s.Vars()+len(assume) {
		s.levels = append(s.levels, 0)
	}
	s.settled, s.intact = false, 0
	if s.opt.Theory != nil {
		s.opt.Theory.Settle()
	}
	for round := 1; ; round++ {
		if st := s.search(luby(round) * restartUnit); st != Unknown {
			if st == Sat {
				s.keepModel()
			}
			return st
		}
		if s.stopped() {
			s.backTo(0)
			return Unknown
		}
		s.Stats.Restarts++
		s.backTo(0)
	}
}

const restartUnit = 100

func (s *Solver) stopped() bool { return s.opt.Stop != nil && s.opt.Stop() }

// luby returns the i-th number, from 1, of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... (Luby, Sinclair &
// Zuckerman, 1993).
func luby(i int) int {
	for {
		k := 1
		for 1<<k-1 < i {
			k++
		}
		if 1<<k-1 == i {
			return 1 << (k - 1)
		}
		i -= 1<<(k-1) - 1
	}
}

// askEvery is the number of decisions and conflicts between two calls of Stop.
const askEvery = 256

// search runs until there is an answer or after so many conflicts.
func (s *Solver) search(conflicts int) Status {
	for n := 0; ; {
		if c := s.propagate(); c != noClause {
			s.Stats.Conflicts++
			n++
			if len(s.limits) == 0 {
				s.refuteBy(c)
				return Unsat
			}
			s.learn(c)
			continue
		}
		if n >= conflicts {
			return Unknown
		}
		if len(s.learnt) > s.maxLearnt+len(s.trail) {
			s.reduce()
		}
		if (s.Stats.Decisions+s.Stats.Conflicts)%askEvery == askEvery-1 && s.stopped() {
			return Unknown
		}
		l, st := s.next()
		if st != Unknown {
			return st
		}
		s.limits = append(s.limits, int32(len(s.trail)))
		s.inT = append(s.inT, int32(s.nT))
		if l != None {
			s.assign(l, noClause)
		}
	}
}

// next returns the literal to decide: an assumption, or a variable. For an assumption that is true
// already it returns None, which gets a level of its own.
func (s *Solver) next() (Lit, Status) {
	if d := len(s.limits); d < len(s.assumed) {
		switch l := s.assumed[d]; {
		case s.vals[l] > 0:
			return None, Unknown
		case s.vals[l] < 0:
			s.fail(l)
			return None, Unsat
		default:
			return l, Unknown
		}
	}
	if s.opt.Theory != nil {
		return s.mend()
	}
	for s.opt.InOrder && int(s.first) < s.Vars() {
		if v := s.first; s.vals[v.Pos()] == 0 {
			s.Stats.Decisions++
			return s.phase[v], Unknown
		}
		s.first++
	}
	for !s.opt.InOrder && len(s.heap.order) > 0 {
		v := s.heap.pop()
		if s.vals[v.Pos()] == 0 {
			s.Stats.Decisions++
			return s.phase[v], Unknown
		}
	}
	return None, Sat
}

// mend decides, if there is a theory. A literal that is not assigned counts as its phase, and the
// phases of the theory's literals are possible together. So there is a model once every clause is
// satisfied that way; mend decides a literal only of a clause that is not.
func (s *Solver) mend() (Lit, Status) {
	for {
		for ; s.intact < len(s.given); s.intact++ {
			if s.scan >= len(s.given) {
				s.scan = 0
			}
			if l := s.unsatisfied(s.given[s.scan]); l != None {
				s.Stats.Decisions++
				s.intact, s.settled = 0, false
				return l, Unknown
			}
			s.scan++
		}
		if s.settled {
			return None, Sat
		}
		s.opt.Theory.Settle()
		s.settled, s.intact = true, 0
	}
}

// unsatisfied returns a literal to make true of a clause that no phase satisfies, the most active;
// None if the clause is satisfied.
func (s *Solver) unsatisfied(c cref) Lit {
	best := None
	for _, l := range s.cs.lits(c) {
		switch {
		case s.vals[l] < 0:
			continue
		case s.vals[l] > 0 || s.phaseOf(l.Var()) == l:
			return None
		}
		if best == None || s.heap.act[l.Var()] > s.heap.act[best.Var()] {
			best = l
		}
	}
	return best
}

func (s *Solver) phaseOf(v Var) Lit {
	if s.owned[v] {
		return s.opt.Theory.Phase(v)
	}
	return s.phase[v]
}

// keepModel saves the model.
func (s *Solver) keepModel() {
	s.model = append(s.model[:0], s.vals...)
	if s.opt.Theory == nil {
		return
	}
	for v := range s.reason {
		if v := Var(v); s.vals[v.Pos()] == 0 {
			l := s.phaseOf(v)
			s.model[l], s.model[l.Not()] = 1, -1
		}
	}
}

func (s *Solver) assign(l Lit, because cref) {
	v := l.Var()
	s.vals[l], s.vals[l.Not()] = 1, -1
	s.level[v], s.reason[v] = int32(len(s.limits)), because
	s.trail = append(s.trail, l)
	if s.opt.Proof && len(s.limits) == 0 && because != noClause {
		s.unit[v] = s.unitNode(l, because)
	}
}

// unitNode makes the proof node of l, which a clause made true at level 0.
func (s *Solver) unitNode(l Lit, because cref) int32 {
	lits, node := s.because(l, because)
	premises := append(s.used[:0], node)
	for _, x := range lits {
		if x != l {
			premises = append(premises, s.unit[x.Var()])
		}
	}
	s.used = premises
	return s.proof.derived(premises)
}

// backTo undoes all levels above n.
func (s *Solver) backTo(n int) {
	if len(s.limits) <= n {
		return
	}
	from := int(s.limits[n])
	for i := len(s.trail) - 1; i >= from; i-- {
		l := s.trail[i]
		v := l.Var()
		s.vals[l], s.vals[l.Not()] = 0, 0
		s.phase[v] = l
		if s.first = min(s.first, v); !s.opt.InOrder {
			s.heap.push(v)
		}
	}
	s.intact, s.settled = 0, false
	if k := s.nT - int(s.inT[n]); k > 0 {
		s.opt.Theory.Retract(k)
		s.nT -= k
	}
	s.trail = s.trail[:from]
	s.limits, s.inT = s.limits[:n], s.inT[:n]
	s.head, s.told = from, min(s.told, from)
}

// propagate assigns consequences. It returns a clause that has become false, if there is one.
func (s *Solver) propagate() cref {
	for {
		if c := s.propagateClauses(); c != noClause {
			return c
		}
		if s.opt.Theory == nil || s.told == len(s.trail) {
			return noClause
		}
		if c := s.propagateTheory(); c != noClause {
			return c
		}
	}
}

func (s *Solver) propagateClauses() cref {
	for s.head < len(s.trail) {
		p := s.trail[s.head].Not() // has become false
		s.head++
		s.Stats.Propagations++
		ws := s.watches[p]
		kept := ws[:0]
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			if s.vals[w.other] > 0 {
				kept = append(kept, w)
				continue
			}
			ls := s.cs.lits(w.c)
			if ls[0] == p {
				ls[0], ls[1] = ls[1], p
			}
			first := ls[0]
			if s.vals[first] > 0 {
				kept = append(kept, watch{w.c, first})
				continue
			}
			if k := s.unfalse(ls); k > 0 {
				ls[1], ls[k] = ls[k], p
				s.watches[ls[1]] = append(s.watches[ls[1]], watch{w.c, first})
				continue
			}
			kept = append(kept, watch{w.c, first})
			if s.vals[first] < 0 {
				kept = append(kept, ws[i+1:]...)
				s.watches[p] = kept
				s.head = len(s.trail)
				return w.c
			}
			s.assign(first, w.c)
		}
		s.watches[p] = kept
	}
	return noClause
}

// unfalse returns the index of a literal from the third on that is not false, 0 if there is none.
func (s *Solver) unfalse(ls []Lit) int {
	for k := 2; k < len(ls); k++ {
		if s.vals[ls[k]] >= 0 {
			return k
		}
	}
	return 0
}

// propagateTheory asserts new literals to the theory and assigns what it implies.
func (s *Solver) propagateTheory() cref {
	if len(s.trail)-s.told >= manyLits {
		s.opt.Theory.Expect(s.trail[s.told:])
	}
	for s.told < len(s.trail) {
		l := s.trail[s.told]
		s.told++
		if !s.owned[l.Var()] {
			continue
		}
		conflict, tags := s.opt.Theory.Assert(l)
		if conflict != nil {
			s.Stats.TheoryConflicts++
			return s.lemma(conflict, tags, None)
		}
		s.nT++
		s.implied()
	}
	return noClause
}

// manyLits is from how many literals on the theory is told of them together.
const manyLits = 64

func (s *Solver) implied() {
	for _, l := range s.opt.Theory.Implied() {
		if s.vals[l] == 0 {
			s.Stats.TheoryImplied++
			s.assign(l, theoryReason)
		}
	}
}

// lemma makes the clause that not all of lits are true; or, if implied is
// given, that implied is true if they are. It is used for one analysis and not kept.
func (s *Solver) lemma(lits []Lit, tags []int, implied Lit) cref {
	s.explain = s.explain[:0]
	if implied != None {
		s.explain = append(s.explain, implied)
	}
	for _, l := range lits {
		s.explain = append(s.explain, l.Not())
	}
	node := noNode
	if s.opt.Proof {
		leaves := make([]int32, 0, len(tags))
		for _, t := range tags {
			leaves = append(leaves, s.proof.leaf(t))
		}
		node = s.proof.derived(leaves)
	}
	c := s.cs.add(s.explain, true, node)
	s.cs.delete(c)
	return c
}

// because returns the literals of the clause that made l true, and its node.
func (s *Solver) because(l Lit, c cref) ([]Lit, int32) {
	if c == theoryReason {
		lits, tags := s.opt.Theory.Explain(l)
		c = s.lemma(lits, tags, l)
		s.reason[l.Var()] = c // explained once; see reduce
	}
	return s.cs.lits(c), s.cs.node(c)
}

// reduce deletes the worse half of the learnt clauses: those over many levels.
func (s *Solver) reduce() {
	at := func(i int) (int, int) { return s.cs.lbd(s.learnt[i]), len(s.cs.lits(s.learnt[i])) }
	sort.SliceStable(s.learnt, func(i, j int) bool {
		li, ni := at(i)
		lj, nj := at(j)
		return li < lj || li == lj && ni < nj
	})
	kept := s.learnt[:0]
	for i, c := range s.learnt {
		if i < len(s.learnt)/2 || s.cs.lbd(c) <= 2 || s.cs.has(c, flagUsed) || s.locked(c) {
			kept = append(kept, c)
		} else {
			s.cs.delete(c)
			s.Stats.Deleted++
		}
		s.cs.unset(c, flagUsed)
	}
	s.learnt = kept
	s.maxLearnt += s.maxLearnt / 10
	for l := range s.watches {
		ws := s.watches[l]
		kept := ws[:0]
		for _, w := range ws {
			if !s.cs.has(w.c, flagDeleted) {
				kept = append(kept, w)
			}
		}
		s.watches[l] = kept
	}
	for _, l := range s.trail {
		// Explanations are no clauses of the formula and may be asked for again.
		if r := s.reason[l.Var()]; r > 0 && s.cs.has(r, flagDeleted) {
			s.reason[l.Var()] = theoryReason
		}
	}
	s.compact()
}

// locked reports whether c is why its first literal is true.
func (s *Solver) locked(c cref) bool {
	l := s.cs.lits(c)[0]
	return s.vals[l] > 0 && s.reason[l.Var()] == c
}
