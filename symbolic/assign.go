package symbolic

import (
	"math/bits"
	"slices"

	"heddle/order/sat"
)

// Dates, checksums and numbers in decimal digits: few values of a byte remain when the conditions
// on it alone are met, and what a product or remainder of several bytes is, is known at once when
// they are given values. To give the bytes values one after the other finds in milliseconds what
// clauses take seconds for. It is the search of constraint satisfaction with conflict-directed
// backjumping (Prosser, "Hybrid algorithms for the constraint satisfaction problem", 1993).

const (
	mostAssigned = 64      // variables
	mostDomain   = 1 << 10 // values of a variable
)

// assignSteps returns how many terms may be computed, by how many propagations the solver may take.
func assignSteps(limit Limit) int {
	if limit.Steps == 0 {
		return 1 << 26
	}
	return 8 * limit.Steps
}

// An assigner gives variables values.
type assigner struct {
	t     *Table
	near  Model
	terms []Term // below the conditions, operands first
	ops   [][3]int32
	vals  []uint64
	vars  []int32  // places of the variables
	sets  []uint64 // by place: the variables that the term depends on, as bits

	goals []goal
	steps int // that are left

	order   []int      // variables, as they get values
	domains [][]uint64 // by variable
	open    uint64     // variables that have other values too
	spanned bool       // some have no others by their spans
	levels  [][]goal   // by depth: the goals that are known there, with what is to be computed for them
	used    map[Term]bool
}

// A goal is a part of a condition that has to be true.
type goal struct {
	at   int32
	of   Term    // the condition
	todo []int32 // places of what is to be computed for it when its last variable gets a value
}

// assign looks for a model of the conditions by giving variables values, those of near first.
// Unknown: there may be one. core has conditions that exclude each other.
func (t *Table) assign(conditions []Term, near Model, known *spans, steps int) (Status, Model, []Term) {
	a := &assigner{t: t, near: near, steps: steps, used: map[Term]bool{}}
	if !a.begin(conditions) {
		return sat.Unknown, nil, nil
	}
	for _, g := range a.goals {
		if a.sets[g.at] == 0 && a.vals[g.at] == 0 {
			return sat.Unsat, nil, []Term{g.of}
		}
	}
	for v := range a.vars {
		if !a.domain(v, known) {
			return sat.Unsat, nil, a.core(known)
		}
	}
	a.arrange()
	status := a.search()
	switch status {
	case sat.Sat:
		m := Model{}
		for _, p := range a.vars {
			m[a.terms[p]] = a.vals[p]
		}
		return status, m, nil
	case sat.Unsat:
		return status, nil, a.core(known)
	}
	return status, nil, nil
}

// begin takes the terms; false: there are too many variables, or some cannot be computed exactly.
func (a *assigner) begin(conditions []Term) bool {
	at, exact := map[Term]int32{}, true
	a.t.walk(conditions, a.t.nothing(), func(x Term) {
		n := &a.t.nodes[x]
		p := int32(len(a.terms))
		at[x], a.terms = p, append(a.terms, x)
		ops, set := [3]int32{-1, -1, -1}, uint64(0)
		for i, y := range [...]Term{n.a, n.b, n.c} {
			if y != None {
				ops[i] = at[y]
				set |= a.sets[at[y]]
			}
		}
		if n.op == OpVar {
			set = 1 << (len(a.vars) % mostAssigned)
			a.vars = append(a.vars, p)
		}
		exact = exact && n.op < FAdd
		a.ops, a.sets = append(a.ops, ops), append(a.sets, set)
	})
	if !exact || len(a.vars) > mostAssigned {
		return false
	}
	a.vals = make([]uint64, len(a.terms))
	for p := range a.terms {
		if a.sets[p] == 0 {
			a.compute(int32(p))
		}
	}
	met := map[int32]bool{}
	for _, c := range conditions {
		a.part(c, at[c], met)
	}
	return true
}

// part adds the parts that condition c is the conjunction of.
func (a *assigner) part(c Term, p int32, met map[int32]bool) {
	if met[p] {
		return
	}
	met[p] = true
	if a.t.nodes[a.terms[p]].op == And {
		a.part(c, a.ops[p][0], met)
		a.part(c, a.ops[p][1], met)
		return
	}
	a.goals = append(a.goals, goal{at: p, of: c})
}

func (a *assigner) compute(p int32) {
	a.vals[p] = a.t.valueOf(a.terms[p], a.near, a.vals, a.ops[p])
}

// below returns the places below p of what is known of the same variables, as far as it is not in
// met: operands first, without variables.
func (a *assigner) below(p int32, same func(int32) bool, met map[int32]bool) (ps []int32) {
	if p < 0 || met[p] || !same(p) || a.t.nodes[a.terms[p]].op == OpVar {
		return nil
	}
	met[p] = true
	for _, o := range a.ops[p] {
		ps = append(ps, a.below(o, same, met)...)
	}
	return append(ps, p)
}

// domain finds the values of a variable with which the conditions on it alone are true, that in
// near first. It reports whether there are any.
func (a *assigner) domain(v int, known *spans) bool {
	p, set := a.vars[v], uint64(1)<<v
	w := a.t.Width(a.terms[p])
	lo, hi := uint64(0), mask(w)
	if s, ok := known.of[a.terms[p]]; ok && w > 8 {
		lo, hi, a.spanned = s.lo, s.hi, true
	}
	first := a.near[a.terms[p]] & mask(w)
	values := []uint64{first}
	if hi-lo < mostDomain {
		if values = values[:0]; first >= lo && first <= hi {
			values = append(values, first)
		}
		for k := range hi - lo + 1 {
			if x := lo + k; x != first {
				values = append(values, x)
			}
		}
	} else {
		a.open |= set
	}
	met, alone := map[int32]bool{}, []goal(nil)
	for _, g := range a.goals {
		if a.sets[g.at] == set {
			g.todo = a.below(g.at, func(q int32) bool { return a.sets[q] == set }, met)
			alone = append(alone, g)
		}
	}
	all := len(values)
	values = slices.DeleteFunc(values, func(x uint64) bool {
		a.vals[p] = x
		return !a.holds(alone, nil)
	})
	if a.open&set != 0 && all > len(values) {
		values = []uint64{first} // the search fails by these conditions
	}
	a.domains = append(a.domains, values)
	return len(values) > 0
}

// holds reports whether goals are true. failed gets the variables of the one that is not.
func (a *assigner) holds(goals []goal, failed *uint64) bool {
	for _, g := range goals {
		for _, q := range g.todo {
			a.compute(q)
		}
		a.steps -= 1 + len(g.todo)
		if g.at >= 0 && a.vals[g.at] == 0 {
			if a.used[g.of] = true; failed != nil {
				*failed |= a.sets[g.at]
			}
			return false
		}
	}
	return true
}

// arrange sets the order of the variables: next are those of the condition that leaves the fewest
// values to be tried.
func (a *assigner) arrange() {
	given, size := uint64(0), make([]int, len(a.vars))
	for v, d := range a.domains {
		size[v] = bits.Len(uint(len(d)))
	}
	for len(a.order) < len(a.vars) {
		best, least := uint64(0), -1
		for _, g := range a.goals {
			left, n := a.sets[g.at]&^given, 0
			for s := left; s != 0; s &= s - 1 {
				n += size[bits.TrailingZeros64(s)]
			}
			if left != 0 && (least < 0 || n < least) {
				best, least = left, n
			}
		}
		if best == 0 {
			break // no condition is left
		}
		given |= best
		for s := best; s != 0; s &= s - 1 {
			a.order = append(a.order, bits.TrailingZeros64(s))
		}
	}
	a.levels = make([][]goal, len(a.order))
	depth, at := make([]int, len(a.terms)), map[int]int{}
	for d, v := range a.order {
		at[v] = d
	}
	for p, set := range a.sets {
		depth[p] = -1
		for ; set != 0; set &= set - 1 {
			depth[p] = max(depth[p], at[bits.TrailingZeros64(set)])
		}
	}
	met := map[int32]bool{}
	for d := range a.order {
		same := func(p int32) bool { return depth[p] == d }
		for _, g := range a.goals {
			if same(g.at) {
				g.todo = a.below(g.at, same, met)
				a.levels[d] = append(a.levels[d], g)
			}
		}
		rest := goal{at: -1}
		for p := range a.terms {
			if p := int32(p); same(p) && !met[p] && a.t.nodes[a.terms[p]].op != OpVar {
				rest.todo = append(rest.todo, p)
			}
		}
		a.levels[d] = append(a.levels[d], rest)
	}
}

// search gives the variables values in that order.
func (a *assigner) search() Status {
	next := make([]int, len(a.order))       // by depth: the value that is next
	because := make([]uint64, len(a.order)) // variables of the conditions that failed there
	partly := false
	for d := 0; d < len(a.order); {
		v, ok := a.order[d], false
		for values := a.domains[v]; !ok && next[d] < len(values); next[d]++ {
			if a.steps < 0 {
				return sat.Unknown
			}
			a.vals[a.vars[v]] = values[next[d]]
			ok = a.holds(a.levels[d], &because[d])
		}
		if ok {
			if d++; d < len(a.order) {
				next[d], because[d] = 0, 0
			}
			continue
		}
		partly = partly || a.open>>v&1 == 1
		reason := because[d] &^ (1 << v)
		for d--; d >= 0 && reason>>a.order[d]&1 == 0; d-- {
		}
		if d < 0 {
			if partly {
				return sat.Unknown
			}
			return sat.Unsat
		}
		because[d] |= reason
	}
	return sat.Sat
}

// core returns the conditions that were found false.
func (a *assigner) core(known *spans) (core []Term) {
	for c := range a.used {
		core = append(core, c)
	}
	if a.spanned {
		core = append(core, known.by...)
	}
	slices.Sort(core)
	return slices.Compact(core)
}
