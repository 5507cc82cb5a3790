package order

import (
	"slices"
	"sort"

	"heddle/order/sat"
)

// A lit is a literal of the solver, or a constant.
type lit = sat.Lit

const (
	yes lit = -2
	no  lit = -3
)

func not(l lit) lit {
	switch l {
	case yes:
		return no
	case no:
		return yes
	}
	return l.Not()
}

// before returns the literal that event a precedes event b, if both are done.
func (p *Problem) before(a, b int) lit {
	v, w := p.m.node[a], p.m.node[b]
	if v == w && a < b {
		return yes
	}
	return p.nodeBefore(v, w)
}

// nodeBefore is before for nodes.
func (p *Problem) nodeBefore(v, w int32) lit {
	switch {
	case v == w || p.m.reaches(w, v):
		return no
	case p.m.reaches(v, w):
		return yes
	}
	atoms := p.th.Atoms()
	l := p.th.Before(int(v), int(w))
	if p.th.Atoms() > atoms {
		// Consequences for being done. The theory knows them, but would find them late.
		in, out := p.isDone(v), p.isDone(w)
		p.s.Lemma(-1, l.Not(), out.Not(), in)
		p.s.Lemma(-1, l, in.Not(), out)
	}
	return l
}

// kept returns the literal that an event is done: it precedes the end. Events that are not done
// follow the end.
func (p *Problem) kept(e int) lit {
	if e >= p.m.done {
		return no
	}
	return p.isDone(p.m.node[e])
}

// isDone is kept for nodes.
func (p *Problem) isDone(v int32) lit {
	if l := p.in[v]; l != 0 {
		return l - 1
	}
	l := p.th.Before(int(v), p.end)
	p.in[v] = l + 1
	// The nodes of a goroutine are done in their order. The theory knows that too.
	g := p.m.nodes[v].g
	list := p.asked[g]
	k := sort.Search(len(list), func(i int) bool { return list[i] > v })
	if k > 0 {
		p.s.Lemma(p.mustBefore(int(list[k-1]), int(v)), l.Not(), p.in[list[k-1]]-1)
	}
	if k < len(list) {
		p.s.Lemma(p.mustBefore(int(v), int(list[k])), (p.in[list[k]] - 1).Not(), l)
	}
	p.asked[g] = slices.Insert(list, k, v)
	return l
}

// needed returns the literal that event e must read the same value as in the trace, since an event
// depends on it that is done or that the goal wants to be reached.
func (p *Problem) needed(e int) lit {
	if p.opt.Exact != nil {
		if p.opt.Exact(e) {
			return p.kept(e)
		}
		return no
	}
	if l, ok := p.need[e]; ok {
		return l
	}
	l := yes
	if d := p.dependent(e); d < 0 || p.m.node[d] != p.m.node[e] {
		l = p.s.NewVar().Pos()
		if d >= 0 && d < p.m.done {
			p.s.Add(-1, p.kept(d).Not(), l)
		}
	} else {
		l = p.kept(e)
	}
	p.need[e] = l
	return l
}

// dependent returns the first event of e's goroutine that depends on the value that e read, -1 if
// there is none.
func (p *Problem) dependent(e int) int {
	if p.opt.Dependent != nil {
		return p.opt.Dependent(e)
	}
	return p.m.next(e)
}

// isNeeded reports whether e must read the same value, in the order that is checked.
func (p *Problem) isNeeded(e int) bool {
	if p.opt.Exact != nil {
		return p.opt.Exact(e)
	}
	if p.forced[e] {
		return true
	}
	d := p.dependent(e)
	return d >= 0 && d < p.m.done && p.at[p.m.node[d]] >= 0
}

// add adds a clause of the constraint with that tag.
func (p *Problem) add(tag int, lits ...lit) {
	out := p.clause[:0]
	for _, l := range lits {
		switch l {
		case yes:
			return
		case no:
		default:
			out = append(out, l)
		}
	}
	p.clause = out
	p.added++
	p.s.Add(tag, out...)
}

// fresh returns a new literal, which the solver tries false first.
func (p *Problem) fresh() lit { return p.s.NewVar().Pos() }

// isTrue reports whether l is true in the model.
func (p *Problem) isTrue(l lit) bool { return l == yes || l != no && p.s.True(l) }
