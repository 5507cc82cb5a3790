package symbolic

import (
	"slices"

	"heddle/order/sat"
)

// Most questions of a parser are answered by another value of one byte, or of a few, one after the
// other. To try these values takes far less time than to translate the conditions into clauses.

// mostGuessed bounds the terms that are computed for one question.
const mostGuessed = 1 << 13

// A guesser changes one variable after the other until all conditions hold, as long as each change
// makes one more part of the conditions true, and none false.
type guesser struct {
	t     *Table
	terms []Term         // below the conditions, operands first
	at    map[Term]int32 // their places in terms
	ops   [][3]int32     // places of their operands; -1: none
	vals  []uint64
	trial []uint64
	goals []int32        // places of the parts that are to be true
	of    map[int32]Term // by goal: a condition that it is a part of
	isVar []int32
	left  int // of mostGuessed

	below  []bool   // by place: the part that is made true depends on it
	moduli []uint64 // constants that something is divided by, a few
}

// mostModuli bounds them.
const mostModuli = 2

// guess looks for a model of the conditions that differs from near in few variables. Unknown: there
// may be one. core has conditions that exclude each other.
func (t *Table) guess(conditions []Term, near Model) (status Status, m Model, core []Term) {
	g := &guesser{t: t, at: map[Term]int32{}, of: map[int32]Term{}, left: mostGuessed}
	t.walk(conditions, t.nothing(), g.add)
	g.below = make([]bool, len(g.terms))
	for i := range g.terms {
		if ofFloats(g.op(int32(i))) {
			g.left = mostSought
		}
		g.vals = append(g.vals, t.valueOf(g.terms[i], near, g.vals, g.ops[i]))
	}
	g.trial = slices.Clone(g.vals)
	for _, c := range conditions {
		g.part(c, g.at[c])
	}
	for {
		i := slices.IndexFunc(g.goals, func(p int32) bool { return g.vals[p] == 0 })
		if i < 0 {
			break
		}
		if status := g.repair(g.goals[i]); status == sat.Unsat {
			return sat.Unsat, nil, []Term{g.of[g.goals[i]]}
		} else if status != sat.Sat {
			return sat.Unknown, nil, nil
		}
	}
	m = Model{}
	for _, p := range g.isVar {
		m[g.terms[p]] = g.vals[p]
	}
	return sat.Sat, m, nil
}

// add adds a term whose operands were added.
func (g *guesser) add(x Term) {
	n := &g.t.nodes[x]
	p := int32(len(g.terms))
	g.at[x], g.terms = p, append(g.terms, x)
	ops := [3]int32{-1, -1, -1}
	for i, y := range [...]Term{n.a, n.b, n.c} {
		if y != None {
			ops[i] = g.at[y]
		}
	}
	g.ops = append(g.ops, ops)
	if n.op == OpVar {
		g.isVar = append(g.isVar, p)
	}
	if n.op == URem || n.op == SRem {
		c, known := g.t.IsConst(n.b)
		if known && c > 0 && len(g.moduli) < mostModuli && !slices.Contains(g.moduli, c) {
			g.moduli = append(g.moduli, c)
		}
	}
}

// part adds the parts of condition c: what it is the conjunction of. The term at p is one.
func (g *guesser) part(c Term, p int32) {
	if g.t.nodes[g.terms[p]].op == And {
		g.part(c, g.ops[p][0])
		g.part(c, g.ops[p][1])
		return
	}
	if _, ok := g.of[p]; !ok {
		g.goals, g.of[p] = append(g.goals, p), c
	}
}

// repair gives one variable a value with which the part p is true, and no other part that is true
// becomes false. Unsat: p is false with all values.
func (g *guesser) repair(p int32) Status {
	vars := g.dependsOn(p)
	for _, v := range vars {
		affected := g.affected(v)
		var goals []int32 // that may change, and are true
		for _, q := range g.goals {
			if _, ok := slices.BinarySearch(affected, q); ok && g.vals[q] != 0 {
				goals = append(goals, q)
			}
		}
		found, once := false, false
		all := g.values(v, p, func(x uint64) bool {
			g.trial[v] = x
			for _, q := range affected {
				if g.below[q] {
					g.compute(q)
				}
			}
			if g.trial[p] == 0 {
				return g.left > 0
			}
			once = true
			for _, q := range affected {
				if !g.below[q] {
					g.compute(q)
				}
			}
			found = !slices.ContainsFunc(goals, func(q int32) bool { return g.trial[q] == 0 })
			return !found && g.left > 0
		})
		from, to := g.vals, g.trial
		if found {
			from, to = g.trial, g.vals
		}
		to[v] = from[v]
		for _, q := range affected {
			to[q] = from[q]
		}
		switch {
		case found:
			return sat.Sat
		case g.left <= 0:
			return sat.Unknown
		case all && !once && len(vars) == 1 && !g.guesses(p):
			return sat.Unsat
		}
	}
	return sat.Unknown
}

// compute computes a term on trial.
func (g *guesser) compute(q int32) {
	g.trial[q] = g.t.valueOf(g.terms[q], nil, g.trial, g.ops[q])
	g.left--
}

// dependsOn returns the variables that p depends on: narrow ones first, as lengths are wide. It
// marks what is below p.
func (g *guesser) dependsOn(p int32) (vars []int32) {
	clear(g.below)
	g.below[p] = true
	for q := p; q >= 0; q-- {
		if !g.below[q] {
			continue
		}
		for _, o := range g.ops[q] {
			if o >= 0 {
				g.below[o] = true
			}
		}
		if g.t.nodes[g.terms[q]].op == OpVar {
			vars = append(vars, q)
		}
	}
	slices.Reverse(vars)
	slices.SortStableFunc(vars, func(a, b int32) int { return g.width(a) - g.width(b) })
	return vars
}

func (g *guesser) width(p int32) int { return g.t.Width(g.terms[p]) }

// affected returns the places of what depends on the variable v, in ascending order.
func (g *guesser) affected(v int32) (ps []int32) {
	is := make([]bool, len(g.terms))
	is[v] = true
	g.left -= (len(g.terms) - int(v)) / 8
	for p := v + 1; int(p) < len(g.terms); p++ {
		for _, o := range g.ops[p] {
			if o >= 0 && is[o] {
				is[p] = true
				ps = append(ps, p)
				break
			}
		}
	}
	return ps
}

// values calls do with values of the variable v that may make p true, those that are near first,
// until it returns false. It reports whether these were all values.
func (g *guesser) values(v, p int32, do func(uint64) bool) (all bool) {
	is, w := g.vals[v], g.width(v)
	if w <= 8 {
		for x := uint64(1); x <= mask(w); x++ {
			if !do(is ^ x) {
				return false
			}
		}
		return true
	}
	give := func(x uint64) bool {
		if !(do(x&mask(w)) && do((x+1)&mask(w)) && do((x-1)&mask(w))) {
			return false
		}
		for _, c := range g.moduli { // the next ones that leave the same remainder
			if y := x - x%c + is%c; !(do(y&mask(w)) && do((y+c)&mask(w))) {
				return false
			}
		}
		return true
	}
	if !give(is) {
		return false
	}
	for q := p; q >= 0; q-- { // what it is compared with, and what lies between
		if !g.below[q] {
			continue
		}
		switch op := g.t.nodes[g.terms[q]].op; op {
		case Eq, ULt, SLt:
			a, b := g.vals[g.ops[q][0]], g.vals[g.ops[q][1]]
			if !(give(a) && give(b) && give(is+b-a) && give(is+a-b)) {
				return false
			}
		}
	}
	g.floats(v, p, do)
	return false
}

// guesses reports whether the value of p is known by guess alone.
func (g *guesser) guesses(p int32) bool {
	return slices.ContainsFunc(g.belowOf(p), func(q int32) bool { return guesses(g.op(q)) })
}
