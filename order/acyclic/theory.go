// Package acyclic is the theory of strict total orders for package sat. Atoms say that one node
// precedes another; the asserted atoms must allow an order of all nodes.
//
//	th := acyclic.New(n)
//	s := sat.New(sat.Options{Theory: th})
//	th.Use(s)
//	th.Fix(0, 1)                        // 0 before 1, always
//	s.Add(0, th.Before(1, 2), th.Before(2, 0))
//	s.Solve(); th.Place(2)
//
// The negation of "a before b" is "b before a". So a model of the formula is an acyclic graph, and
// any topological order of it is an answer. Asserted atoms are edges of a graph whose topological
// order is kept up to date (Pearce and Kelly 2006). A cycle is a conflict, explained by the atoms
// on a shortest cycle, as in He, Sun and Fan, "Satisfiability modulo ordering consistency theory
// for multi-threaded program verification" (PLDI 2021). Consequences of an edge are looked for
// among atoms between the nodes that the edge moved, since that search has been paid for. An atom
// that is not assigned counts as the current order has it, which closes no cycle. The search begins
// with the numbers of the nodes as their order, and changes it only where clauses demand it.
package acyclic

import "heddle/order/sat"

// A Theory implements sat.Theory for the order of nodes.
type Theory struct {
	// Named, if not nil, returns the tag of a fact on which a conflict or consequence rests: that b
	// follows a by fixed edges alone.
	Named func(a, b int) int

	g     *graph
	s     *sat.Solver
	atoms map[pair]sat.Var
	ends  []pair // by variable; {-1, -1} if it is no atom
	next  pair   // the atom whose variable is being made

	touch    [][]sat.Var // by node: the atoms with this node
	asserted int32
	since    []int32 // by variable: the number of assertions when it was implied
	implied  []sat.Lit
	lits     []sat.Lit
	tags     []int
	way      []int32
	coming   []pair // see Expect
	early    int    // a node, -1
}

type pair struct{ a, b int32 }

var noPair = pair{-1, -1}

// New returns the theory of n nodes, 0 to n-1. Their numbers are the order to try first.
func New(n int) *Theory {
	return &Theory{g: newGraph(n), atoms: make(map[pair]sat.Var), next: noPair, touch: make([][]sat.Var, n),
		early: -1}
}

// Use sets the solver, which was made with this theory.
func (t *Theory) Use(s *sat.Solver) { t.s = s }

// Nodes returns the number of nodes.
func (t *Theory) Nodes() int { return len(t.g.ord) }

// Atoms returns the number of atoms.
func (t *Theory) Atoms() int { return len(t.atoms) }

// Fix adds permanently that a precedes b. It returns false if that contradicts earlier calls. It
// must not be called after an assertion.
func (t *Theory) Fix(a, b int) bool {
	if t.asserted > 0 {
		panic("acyclic: Fix after an assertion")
	}
	return t.g.add(int32(a), int32(b), fixed, sat.None)
}

// First makes a the first node of the order to try first. It must precede all other calls.
func (t *Theory) First(a int) {
	g := t.g
	at := g.ord[a]
	copy(g.place[1:at+1], g.place[:at])
	g.place[0] = int32(a)
	for i := int32(0); i <= at; i++ {
		g.ord[g.place[i]] = i
	}
}

// Related returns the nodes that share an atom with n.
func (t *Theory) Related(n int) []int {
	list := make([]int, 0, len(t.touch[n]))
	for _, v := range t.touch[n] {
		e := t.ends[v]
		list = append(list, int(e.a+e.b)-n)
	}
	return list
}

// Early gives node a the first place possible where it is unconstrained.
func (t *Theory) Early(a int) { t.early = a }

// Before returns the literal of "a before b". a and b differ.
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

// Atom returns the nodes of an atom: l is true if a precedes b. ok is false if l is no atom.
func (t *Theory) Atom(l sat.Lit) (a, b int, ok bool) {
	v := l.Var()
	if int(v) >= len(t.ends) || t.ends[v] == noPair {
		return 0, 0, false
	}
	e := t.edge(l)
	return int(e.a), int(e.b), true
}

// edge returns the edge for l.
func (t *Theory) edge(l sat.Lit) pair {
	p := t.ends[l.Var()]
	if l.Negative() {
		return pair{p.b, p.a}
	}
	return p
}

// Place returns the place of a node in an order that agrees with all assertions.
func (t *Theory) Place(n int) int { return int(t.g.ord[n]) }

// At returns the node at a place.
func (t *Theory) At(place int) int { return int(t.g.place[place]) }

// Ancestors returns the nodes from which fixed and asserted edges lead to n, in the order of their
// places. They must precede n.
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

// leastArrange is from how many edges on that do not fit the order it is made anew for them.
const leastArrange = 32

// Expect implements sat.Theory. Edges that come in the wrong sequence move long chains again and
// again, each a little further. So where many do not fit, the order is made for all of them at
// once; if they close a cycle it stays, and Assert finds the cycle.
func (t *Theory) Expect(ls []sat.Lit) {
	t.coming = t.coming[:0]
	misfits := 0
	for _, l := range ls {
		if t.ends[l.Var()] == noPair {
			continue
		}
		e := t.edge(l)
		t.coming = append(t.coming, e)
		if t.g.ord[e.a] >= t.g.ord[e.b] {
			misfits++
		}
	}
	if misfits >= leastArrange {
		t.g.arrange(t.coming)
	}
}

// imply looks for atoms between ancestors and descendants of the new edge.
func (t *Theory) imply() {
	few, many, back := t.g.fwd, t.g.bwd, false
	if len(many) < len(few) {
		few, many, back = many, few, true
	}
	if len(few) > maxImply {
		return
	}
	theirs := t.g.search + 1 // the mark of many
	if back {
		theirs = t.g.search
	}
	for _, n := range few {
		if len(t.touch[n]) > len(many) {
			// A node that shares an atom with nearly every other, as the end of a prefix does.
			for _, m := range many {
				if v, ok := t.atoms[pair{min(m, n), max(m, n)}]; ok {
					t.implyOne(v, n, back)
				}
			}
			continue
		}
		for _, v := range t.touch[n] {
			if p := t.ends[v]; t.g.mark[p.a+p.b-n] == theirs {
				t.implyOne(v, n, back)
			}
		}
	}
}

// implyOne notes atom v of node n as a consequence: the other node precedes n, or follows it if
// back.
func (t *Theory) implyOne(v sat.Var, n int32, back bool) {
	if t.s.Assigned(v) {
		return
	}
	l := v.Pos()
	if (t.ends[v].a == n) != back {
		l = v.Neg()
	}
	t.since[v] = t.asserted
	t.implied = append(t.implied, l)
}

// maxImply bounds the nodes whose atoms imply looks at after an edge.
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

// explain collects the assertions, before limit, on a way from a to b.
func (t *Theory) explain(a, b, limit int32) bool {
	t.lits, t.tags = t.lits[:0], t.tags[:0]
	if a == b {
		return true
	}
	t.way = t.g.path(a, b, limit, t.way)
	if len(t.way) == 0 {
		return false
	}
	from := a // start of the current chain of fixed edges
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

// Settle implements sat.Theory: the node of Early gets its first possible place.
func (t *Theory) Settle() {
	if t.early >= 0 {
		t.g.advance(int32(t.early))
	}
}
