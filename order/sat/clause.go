package sat

// A cref is where a clause is in the memory of clauses.
type cref int32

const (
	noClause     cref = 0
	theoryReason cref = -1 // the theory implied the literal and will explain it
)

// clauses keeps all clauses in one slice, which spares the garbage collector: a header of three
// words (length, flags, node of the proof), then the literals.
type clauses struct {
	mem    []Lit
	wasted int
}

const header = 3

const (
	flagLearnt Lit = 1 << iota
	flagDeleted
	flagUsed // took part in a conflict since the last reduce
	lbdShift = 3
)

func (cs *clauses) add(lits []Lit, learnt bool, node int32) cref {
	c := cref(len(cs.mem))
	flags := Lit(0)
	if learnt {
		flags = flagLearnt
	}
	cs.mem = append(cs.mem, Lit(len(lits)), flags, Lit(node))
	cs.mem = append(cs.mem, lits...)
	return c
}

func (cs *clauses) lits(c cref) []Lit {
	n := cs.mem[c]
	return cs.mem[c+header : int(c)+header+int(n) : int(c)+header+int(n)]
}

func (cs *clauses) node(c cref) int32      { return int32(cs.mem[c+2]) }
func (cs *clauses) has(c cref, f Lit) bool { return cs.mem[c+1]&f != 0 }
func (cs *clauses) set(c cref, f Lit)      { cs.mem[c+1] |= f }
func (cs *clauses) unset(c cref, f Lit)    { cs.mem[c+1] &^= f }
func (cs *clauses) lbd(c cref) int         { return int(cs.mem[c+1] >> lbdShift) }

func (cs *clauses) setLBD(c cref, n int) {
	cs.mem[c+1] = cs.mem[c+1]&(1<<lbdShift-1) | Lit(n)<<lbdShift
}

func (cs *clauses) delete(c cref) {
	cs.set(c, flagDeleted)
	cs.wasted += header + int(cs.mem[c])
}

// A watch is a clause to visit when a literal becomes false. If other is true the visit is not
// needed.
type watch struct {
	c     cref
	other Lit
}

// watch watches the first two literals of c.
func (s *Solver) watch(c cref) {
	ls := s.cs.lits(c)
	s.watches[ls[0]] = append(s.watches[ls[0]], watch{c, ls[1]})
	s.watches[ls[1]] = append(s.watches[ls[1]], watch{c, ls[0]})
}

// compact moves the remaining clauses together, when deleted ones take much of the memory.
func (s *Solver) compact() {
	if s.cs.wasted*2 < len(s.cs.mem) {
		return
	}
	to := clauses{mem: make([]Lit, 1, len(s.cs.mem)-s.cs.wasted+1)}
	move := func(c cref) cref {
		n := cref(len(to.mem))
		to.mem = append(to.mem, s.cs.mem[c:int(c)+header+int(s.cs.mem[c])]...)
		s.cs.mem[c+2] = Lit(n) // its new position; the node is copied
		return n
	}
	for i, c := range s.given {
		s.given[i] = move(c)
	}
	for i, c := range s.lemmas {
		s.lemmas[i] = move(c)
	}
	for i, c := range s.learnt {
		s.learnt[i] = move(c)
	}
	for _, l := range s.trail {
		if r := s.reason[l.Var()]; r > 0 {
			s.reason[l.Var()] = cref(s.cs.mem[r+2])
		}
	}
	for i := range s.watches {
		for k := range s.watches[i] {
			w := &s.watches[i][k]
			w.c = cref(s.cs.mem[w.c+2])
		}
	}
	s.cs = to
}
