package sat

const (
	seenIt    byte = 1 // of the learnt clause, or resolved away
	redundant byte = 2 // follows from the rest of the learnt clause
)

// learn makes a clause from conflict c, backtracks to the level at which the clause implies a
// literal, and assigns it.
func (s *Solver) learn(c cref) {
	// A conflict of the theory may be of lower levels alone.
	if top := s.topLevel(c); top < len(s.limits) {
		if top == 0 {
			s.backTo(0)
			s.refuteBy(c)
			return
		}
		s.backTo(top)
	}
	s.analyze(c)
	back := s.minimise()
	node := noNode
	if s.opt.Proof {
		node = s.proof.derived(s.used)
	}
	s.forget()
	s.backTo(back)
	if len(s.out) == 1 {
		s.assign(s.out[0], noClause)
		s.unit[s.out[0].Var()] = node
	} else {
		n := s.cs.add(s.out, true, node)
		s.cs.setLBD(n, s.countLevels(s.out))
		s.cs.set(n, flagUsed)
		s.learnt = append(s.learnt, n)
		s.watch(n)
		s.assign(s.out[0], n)
	}
	s.decay()
}

func (s *Solver) topLevel(c cref) int {
	top := int32(0)
	for _, l := range s.cs.lits(c) {
		top = max(top, s.level[l.Var()])
	}
	return int(top)
}

// analyze resolves c with reasons until one literal of the current level is
// left: the first unique implication point. The clause is then in out, that
// literal first, its premises in used.
func (s *Solver) analyze(c cref) {
	s.out, s.used = append(s.out[:0], None), s.used[:0]
	open, at := 0, len(s.trail)
	p := None
	lits, node := s.cs.lits(c), s.cs.node(c)
	for {
		if c > 0 && s.cs.has(c, flagLearnt) && !s.cs.has(c, flagDeleted) {
			s.cs.set(c, flagUsed)
		}
		s.used = append(s.used, node)
		for _, l := range lits {
			v := l.Var()
			if l == p || s.seen[v] != 0 {
				continue
			}
			if s.level[v] == 0 {
				s.seen[v] = seenIt
				s.clear = append(s.clear, v)
				s.used = append(s.used, s.unit[v])
				continue
			}
			s.seen[v] = seenIt
			s.clear = append(s.clear, v)
			s.bump(v)
			if int(s.level[v]) == len(s.limits) {
				open++
			} else {
				s.out = append(s.out, l)
			}
		}
		for at--; s.seen[s.trail[at].Var()] == 0 || int(s.level[s.trail[at].Var()]) != len(s.limits); at-- {
		}
		p = s.trail[at]
		open--
		if open == 0 {
			s.out[0] = p.Not()
			return
		}
		c = s.reason[p.Var()]
		lits, node = s.because(p, c)
	}
}

// minimise removes literals that follow from the others (Sörensson & Biere,
// 2009), puts one of the highest other level second and returns that level.
func (s *Solver) minimise() int {
	s.countLevels(s.out[1:])
	kept := s.out[:1]
	for _, l := range s.out[1:] {
		if s.reason[l.Var()] <= 0 || !s.follows(l) {
			kept = append(kept, l)
		}
	}
	s.out = kept
	if len(kept) == 1 {
		return 0
	}
	top := 1
	for i := range kept {
		if i > 1 && s.level[kept[i].Var()] > s.level[kept[top].Var()] {
			top = i
		}
	}
	kept[1], kept[top] = kept[top], kept[1]
	return int(s.level[kept[1].Var()])
}

// follows reports whether literal l of the learnt clause follows from the negation of the others,
// by reasons that are clauses already. It cannot follow through a level that the clause has no
// literal of; countLevels marked the levels.
func (s *Solver) follows(l Lit) bool {
	s.stack = append(s.stack[:0], l)
	premises, cleared := len(s.used), len(s.clear)
	for len(s.stack) > 0 {
		p := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		lits, node := s.because(p.Not(), s.reason[p.Var()])
		s.used = append(s.used, node)
		for _, q := range lits {
			v := q.Var()
			if v == p.Var() || s.seen[v] == seenIt || s.seen[v] == redundant {
				continue
			}
			if s.level[v] == 0 {
				s.used = append(s.used, s.unit[v])
				continue
			}
			if s.reason[v] <= 0 || s.levels[s.level[v]] != s.epoch {
				for _, u := range s.clear[cleared:] {
					s.seen[u] = 0
				}
				s.clear = s.clear[:cleared]
				s.used = s.used[:premises]
				return false
			}
			s.seen[v] = redundant
			s.clear = append(s.clear, v)
			s.stack = append(s.stack, q)
		}
	}
	return true
}

func (s *Solver) forget() {
	for _, v := range s.clear {
		s.seen[v] = 0
	}
	s.clear = s.clear[:0]
}

// countLevels returns the number of levels of lits (literal block distance).
func (s *Solver) countLevels(lits []Lit) int {
	s.epoch++
	n := 0
	for _, l := range lits {
		if d := s.level[l.Var()]; s.levels[d] != s.epoch {
			s.levels[d] = s.epoch
			n++
		}
	}
	return n
}

const (
	decayFactor = 0.95
	tooActive   = 1e100
)

func (s *Solver) bump(v Var) {
	s.heap.act[v] += s.inc
	if s.heap.act[v] > tooActive {
		for i := range s.heap.act {
			s.heap.act[i] /= tooActive
		}
		s.inc /= tooActive
	}
	s.heap.raised(v)
}

func (s *Solver) decay() { s.inc /= decayFactor }

// fail finds out which assumptions make the assumption l false.
func (s *Solver) fail(l Lit) {
	s.failed = append(s.failed[:0], l)
	s.refuts = s.refuts[:0]
	mark := func(x Lit) {
		v := x.Var()
		if s.level[v] == 0 {
			s.refuts = append(s.refuts, s.unit[v])
		} else if s.seen[v] == 0 {
			s.seen[v] = seenIt
			s.clear = append(s.clear, v)
		}
	}
	mark(l)
	above := len(s.trail) // level 0 says nothing more
	if len(s.limits) > 0 {
		above = int(s.limits[0])
	}
	for i := len(s.trail) - 1; i >= above; i-- {
		p := s.trail[i]
		if s.seen[p.Var()] == 0 {
			continue
		}
		if s.reason[p.Var()] == noClause {
			if p != l {
				s.failed = append(s.failed, p)
			}
			continue
		}
		lits, node := s.because(p, s.reason[p.Var()])
		s.refuts = append(s.refuts, node)
		for _, x := range lits {
			if x != p {
				mark(x)
			}
		}
	}
	s.forget()
}
