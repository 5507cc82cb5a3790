package order

import (
	"slices"

	"heddle/trace"
)

// sees adds that r, which is done or next, reads from w, or reads the initial value if w is -1: no
// other write to what both access comes between. See Goal.Part.
func (p *Problem) sees(r, w int, part trace.ObjID) {
	p.finals = append(p.finals, func(p *Problem) {
		for _, i := range p.unitOf[r] {
			c, ok := p.units[i].(*cell)
			length := p.m.events[r].Op == trace.OpLen
			w := w
			if ok && p.apart(c, part) {
				w = c.uses[c.of[r]].source
			}
			if !ok && !length || w >= 0 && !slices.Contains(p.unitOf[w], i) {
				continue
			}
			for _, e := range p.lists[i] {
				if x := int(e); x != r && x != w && (length && p.m.events[x].Op != trace.OpLen ||
					!length && c.uses[c.of[x]].writes) {
					p.notBetween(w, x, r)
				}
			}
		}
	})
}

// apart reports whether a cell is not that of an object; no cell is if there is no object.
func (p *Problem) apart(c *cell, part trace.ObjID) bool {
	return part != 0 && c.at != p.m.t.Objects[part].Addr
}

// elsewhere returns the writes that r read from in the trace, but in the cell of part.
func (p *Problem) elsewhere(r int, part trace.ObjID) (writes []int) {
	for _, i := range p.unitOf[r] {
		if c, ok := p.units[i].(*cell); ok && p.apart(c, part) {
			if w := c.uses[c.of[r]].source; w >= 0 {
				writes = append(writes, w)
			}
		}
	}
	return writes
}

// notBetween adds that write x is not between w and r, where it is.
func (p *Problem) notBetween(w, x, r int) {
	next := slices.Contains(p.stops, r)
	if w >= 0 && !p.precedes(w, x) || !next && !p.precedes(x, r) {
		return
	}
	lits := []lit{p.goal.Not()}
	if next {
		lits = append(lits, not(p.kept(x)))
	} else {
		lits = append(lits, p.before(r, x))
	}
	if w >= 0 {
		lits = append(lits, p.before(x, w))
	}
	p.add(p.names.tag(Sees, r, w, x), lits...)
}

// Must reports whether event a precedes event b in every order of these operations, by program
// order, go statements and jumps of the clock. Locks and data do not count.
func (p *Problem) Must(a, b int) bool {
	v, w := p.m.node[a], p.m.node[b]
	return v == w && a < b || p.m.reaches(v, w)
}

// Value returns the value that an access to memory or an atomic read, or wrote if written is true;
// "" if it was not recorded.
func (p *Problem) Value(e int, written bool) string {
	for _, i := range p.unitOf[e] {
		if c, ok := p.units[i].(*cell); ok {
			if u := &c.uses[c.of[e]]; written {
				return u.out.text
			} else {
				return u.in.text
			}
		}
	}
	return p.text(e)
}
