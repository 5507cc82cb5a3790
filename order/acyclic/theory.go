// Package acyclic is the theory of strict total orders for package sat: atoms
// say that one node comes before another, and what is asserted must leave an
// order of all nodes.
//
//	th := acyclic.New(n)
//	s := sat.New(sat.Options{Theory: th})
//	th.Use(s)
//	th.Fix(0, 1)                        // 0 before 1, always
//	s.Add(0, th.Before(1, 2), th.Before(2, 0))
//	s.Solve(); th.Place(2)
//
// The negation of "a before b" is "b before a", so that a model of the formula
// is an acyclic graph, and any topological order of it an answer. Asserted atoms
// are edges of a graph whose topological order is kept up to date (Pearce &
// Kelly 2006); a cycle is a conflict, explained by the atoms on a shortest one,
// as in He, Sun & Fan, "Satisfiability modulo ordering consistency theory for
// multi-threaded program verification" (PLDI 2021). What follows from an edge is
// looked for among the atoms between nodes that the edge made move, since these
// searches have been paid for. An atom that nothing was said about is as the order of the moment
// has it, which closes no cycle: the search begins with the order that nodes
// were numbered in, and leaves it only where clauses say so.
package acyclic

import "heddle/order/sat"

// A Theory implements sat.Theory for the order of nodes.
type Theory struct {
	// Named, if not nil, is asked for the tag of a fact that a conflict or
	// consequence rests on: that b comes after a by fixed edges alone.
	Named func(a, b int) int

	g     *graph
	s     *sat.Solver
	atoms map[pair]sat.Var
	ends  []pair // by variable; {-1, -1} for those that are none of ours
	next  pair   // the atom whose variable is being made

	touch    [][]sat.Var // by node: the atoms that it is an end of
	asserted int32
	since    []int32 // by variable: how many assertions there were when it was implied
	implied  []sat.Lit
	lits     []sat.Lit
	tags     []int
	way      []int32
	early    int // node, -1
}

type pair struct{ a, b int32 }

var noPair = pair{-1, -1}

// New returns the theory of n nodes, 0 to n-1. It knows nothing but their
// numbers, which are the order to try first.
func New(n int) *Theory {
	return &Theory{g: newGraph(n), atoms: make(map[pair]sat.Var), next: noPair, touch: make([][]sat.Var, n), early: -1}
}

// Use tells the theory its solver, which was made with it.
func (t *Theory) Use(s *sat.Solver) { t.s = s }

// Nodes returns how many nodes there are.
func (t *Theory) Nodes() int { return len(t.g.ord) }

// Atoms returns how many atoms there are.
func (t *Theory) Atoms() int { return len(t.atoms) }

// Fix adds that a comes before b, for good. It returns false if that
// contradicts what was fixed. It must not be called once anything was asserted.
func (t *Theory) Fix(a, b int) bool {
	if t.asserted > 0 {
		panic("acyclic: Fix after an assertion")
	}
	return t.g.add(int32(a), int32(b), fixed, sat.None)
}

// First puts a node first in the order to try first. It must be called before all else.
func (t *Theory) First(a int) {
	g := t.g
	at := g.ord[a]
	copy(g.place[1:at+1], g.place[:at])
	g.place[0] = int32(a)
	for i := int32(0); i <= at; i++ {
		g.ord[g.place[i]] = i
	}
}

// Related returns the nodes that atoms were made of together with n.
func (t *Theory) Related(n int) []int {
	list := make([]int, 0, len(t.touch[n]))
	for _, v := range t.touch[n] {
		e := t.ends[v]
		list = append(list, int(e.a+e.b)-n)
	}
	return list
}

// Early makes node a come as early as it can where nothing is said about it.
func (t *Theory) Early(a int) { t.early = a }

// Before returns the literal of "a before b", a and b being different nodes.
func (t *Theory) Before(a, b int) sat.Lit {
	p, flip := pair{int32(a), int32(b)}, false
	if a > b {
		p, flip = pair{int32(b), int32(a)}, true
	}
	v, ok := t.atoms[p]
	if !ok {
		t.next = p
		v = t.s.NewVar()
		t.next = noPair
		t.atoms[p] = v
		t.touch[p.a] = append(t.touch[p.a], v)
		t.touch[p.b] = append(t.touch[p.b], v)
	}
	if flip {
		return v.Neg()
	}
	return v.Pos()
}

// Atom returns the nodes of an atom: l is true if a comes before b. ok is false if l is none.
func (t *Theory) Atom(l sat.Lit) (a, b int, ok bool) {
	v := l.Var()
	if int(v) >= len(t.ends) || t.ends[v] == noPair {
		return 0, 0, false
	}
	e := t.edge(l)
	return int(e.a), int(e.b), true
}

// edge returns from where to where the edge goes that l stands for.
func (t *Theory) edge(l sat.Lit) pair {
	p := t.ends[l.Var()]
	if l.Negative() {
		return pair{p.b, p.a}
	}
	return p
}

// Place returns the place of a node in an order that agrees with all that is asserted.
func (t *Theory) Place(n int) int { return int(t.g.ord[n]) }

// At returns the node at a place.
func (t *Theory) At(place int) int { return int(t.g.place[place]) }

// Ancestors returns the nodes from which ways of fixed and asserted edges lead
// to n: those that must come before it. They come in the order of their places.
func (t *Theory) Ancestors(n int) []int {
	g := t.g
	g.ancestors(int32(n))
	list := make([]int, 0, len(g.bwd)-1)
	for at := int32(0); len(list) < len(g.bwd)-1; at++ {
		if m := g.place[at]; g.mark[m] == g.search && int(m) != n {
			list = append(list, int(m))
		}
	}
	return list
}

// Owns implements sat.Theory.
func (t *Theory) Owns(v sat.Var) bool {
	for len(t.ends) <= int(v) {
		t.ends = append(t.ends, noPair)
		t.since = append(t.since, 0)
	}
	t.ends[v] = t.next
	return t.next != noPair
}

// Assert implements sat.Theory.
func (t *Theory) Assert(l sat.Lit) ([]sat.Lit, []int) {
	e := t.edge(l)
	t.implied = t.implied[:0]
	if !t.g.add(e.a, e.b, t.asserted, l) {
		t.explain(e.b, e.a, t.asserted)
		t.lits = append(t.lits, l)
		return t.lits, t.tags
	}
	t.asserted++
	t.imply()
	return nil, nil
}

// imply looks for atoms between what now comes before and what comes after.
func (t *Theory) imply() {
	few, back := t.g.fwd, false
	if len(t.g.bwd) < len(few) {
		few, back = t.g.bwd, true
	}
	if len(few) > maxImply {
		return
	}
	fwd, bwd := t.g.search, t.g.search+1
	for _, n := range few {
		for _, v := range t.touch[n] {
			if t.s.Assigned(v) {
				continue
			}
			p := t.ends[v]
			other := p.a + p.b - n
			m := t.g.mark[other]
			if back && m != fwd || !back && m != bwd {
				continue
			}
			l := v.Pos()
			if (p.a == n) != back {
				l = v.Neg()
			}
			t.since[v] = t.asserted
			t.implied = append(t.implied, l)
		}
	}
}

// maxImply bounds the nodes whose atoms are looked at after an edge.
const maxImply = 200

// Implied implements sat.Theory.
func (t *Theory) Implied() []sat.Lit { return t.implied }

// Explain implements sat.Theory.
func (t *Theory) Explain(l sat.Lit) ([]sat.Lit, []int) {
	e := t.edge(l)
	if !t.explain(e.a, e.b, t.since[l.Var()]) {
		panic("acyclic: implied without a reason")
	}
	return t.lits, t.tags
}

// explain collects the assertions, of those before limit, on a way from a to b.
func (t *Theory) explain(a, b, limit int32) bool {
	t.lits, t.tags = t.lits[:0], t.tags[:0]
	if a == b {
		return true
	}
	t.way = t.g.path(a, b, limit, t.way)
	if len(t.way) == 0 {
		return false
	}
	from := a // where the fixed edges being followed began
	for _, i := range t.way {
		e := &t.g.edges[i]
		if e.lit == fixed {
			continue
		}
		t.lits = append(t.lits, e.atom)
		t.name(from, e.from)
		from = e.to
	}
	t.name(from, b)
	return true
}

func (t *Theory) name(a, b int32) {
	if t.Named != nil && a != b {
		t.tags = append(t.tags, t.Named(int(a), int(b)))
	}
}

// Retract implements sat.Theory.
func (t *Theory) Retract(n int) {
	for range n {
		t.g.pop()
	}
	t.asserted -= int32(n)
}

// Phase implements sat.Theory.
func (t *Theory) Phase(v sat.Var) sat.Lit {
	if p := t.ends[v]; t.g.ord[p.a] < t.g.ord[p.b] {
		return v.Pos()
	}
	return v.Neg()
}

// Settle implements sat.Theory: the node of Early gets the first place that it can have.
func (t *Theory) Settle() {
	if t.early >= 0 {
		t.g.advance(int32(t.early))
	}
}
