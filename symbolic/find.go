package symbolic

import "heddle/trace"

// Texts that are parts of an input from a place on that depends on the input (trace.FlowFrom): such
// a place is at most trace.MostSought, so what is there is a choice between so many.

// offset returns the place that a text with the base l (a FlowBase or FlowFrom) begins at, of
// lenWidth bits.
func (r *reader) offset(l trace.Label) Term {
	n := &r.nodes[l]
	if n.Op == trace.FlowBase {
		return r.t.Const(uint64(n.B), lenWidth)
	}
	return r.place(trace.Label(n.B))
}

// place returns the term of a place in an input. What was found in a text that begins at x is x +
// (found - x): that is simplified here.
func (r *reader) place(l trace.Label) Term {
	n := &r.nodes[l]
	if n.Op == trace.FlowAdd {
		a, b := trace.Label(n.A), trace.Label(n.B)
		if p := r.behind(a, b); p != None {
			return p
		}
		return r.t.Op(Add, r.place(a), r.place(b))
	}
	if n.Op >= trace.FlowFind {
		if p := r.behind(0, l); p != None {
			return p
		}
	}
	return r.t.Resize(r.terms[l], lenWidth, false)
}

// behind returns the place x + l, if l is something found in a text that begins at x (0: at the
// beginning of the input), or a constant more; else None.
func (r *reader) behind(x, l trace.Label) Term {
	n := &r.nodes[l]
	switch {
	case n.Op == trace.FlowAdd && r.nodes[n.B].Op == trace.FlowConst:
		if p := r.behind(x, trace.Label(n.A)); p != None {
			return r.t.Op(Add, p, r.place(trace.Label(n.B)))
		}
	case n.Op == trace.FlowConv && n.Kind == trace.Int:
		return r.behind(x, trace.Label(n.A))
	case n.Op >= trace.FlowFind && r.beginsAt(r.nodes[n.A].A, x):
		return r.found(n)
	}
	return None
}

// beginsAt reports whether a text with that base begins at x.
func (r *reader) beginsAt(base uint32, x trace.Label) bool {
	n := &r.nodes[base]
	switch {
	case n.Op == trace.FlowFrom:
		return trace.Label(n.B) == x
	case x == 0:
		return n.B == 0
	}
	c := &r.nodes[x]
	return c.Op == trace.FlowConst && c.A == n.B && c.B == 0
}

// end returns where the text n, a FlowSeq, ends.
func (r *reader) end(n *trace.FlowNode) Term { return r.sum(n.A, trace.Label(n.B)) }

// sum returns the place length behind the base of a text.
func (r *reader) sum(base uint32, length trace.Label) Term {
	x, l := &r.nodes[base], &r.nodes[length]
	if l.Op >= trace.FlowFind && r.nodes[l.A].A == base {
		return r.found(l)
	}
	if x.Op == trace.FlowFrom {
		return r.ending(trace.Label(x.B), length)
	}
	return r.t.Op(Add, r.offset(trace.Label(base)), r.place(length))
}

// ending returns the place begin + length. begin + (end - begin) is simplified.
func (r *reader) ending(begin, length trace.Label) Term {
	if p := r.behind(begin, length); p != None {
		return p
	}
	if l := &r.nodes[length]; l.Op == trace.FlowSub {
		b := &r.nodes[begin]
		switch {
		case trace.Label(l.B) == begin: // x + (end - x)
			return r.place(trace.Label(l.A))
		case b.Op == trace.FlowAdd && b.B == l.B: // (x + y) + (length - y)
			return r.ending(trace.Label(b.A), trace.Label(l.A))
		}
	}
	return r.t.Op(Add, r.place(begin), r.t.Resize(r.terms[length], lenWidth, false))
}

// sought returns where a text with that base ends at most.
func (r *reader) sought(base *trace.FlowNode) int {
	r.bounded = true
	most := trace.MostSought
	if base.Kind == trace.FewSought {
		most = trace.FewSought
	}
	if i := int(base.A); i < len(r.ends) {
		most = min(most, r.ends[i])
	}
	return most
}

// found returns the place of what a FlowFind finds: the end of the text, if that is nowhere.
func (r *reader) found(n *trace.FlowNode) Term {
	if x, ok := r.places[*n]; ok {
		return x
	}
	t, seq := r.t, &r.nodes[n.A]
	input := int(r.nodes[seq.A].A)
	lo, hi := r.offset(trace.Label(seq.A)), r.end(seq)
	chars := r.chars(trace.Label(n.B))
	length, in := len(chars), n.Op >= trace.FlowFindIn
	if in {
		length = 1
	}
	at := func(p uint64) Term { return t.Const(p, lenWidth) }
	out := hi
	most := r.sought(&r.nodes[seq.A])
	for k := range most + 1 - length {
		p := most - length - k // what comes first is asked last
		if n.Op == trace.FlowFindLast || n.Op == trace.FlowFindInLast {
			p = k
		}
		here := t.Negate(t.Op(ULt, at(uint64(p)), lo))
		here = t.Op(And, here, t.Negate(t.Op(ULt, hi, at(uint64(p+length)))))
		if in {
			here = t.Op(And, here, r.within(t.Byte(input, p), chars))
		} else {
			here = t.Op(And, here, r.fits(input, p, chars))
		}
		out = t.If(here, at(uint64(p)), out)
	}
	r.places[*n] = out
	return out
}

// fits returns the condition that the text that begins at p of an input is what is sought.
func (r *reader) fits(input, p int, chars []byte) Term {
	t := r.t
	all := t.Bool(true)
	for i, c := range chars {
		all = t.Op(And, all, t.Op(Eq, t.Byte(input, p+i), t.Const(uint64(c), 8)))
	}
	return all
}

// within returns the condition that byte x is in a set, whose bits are those of set.
func (r *reader) within(x Term, set []byte) Term {
	return r.t.among(x, 256, func(c int) bool { return set[c/8]>>(c%8)&1 == 1 })
}

// chars returns a constant text.
func (r *reader) chars(l trace.Label) (s []byte) {
	for ; l != 0; l = trace.Label(r.nodes[l].B) {
		n := &r.nodes[l]
		for i := range n.Kind {
			s = append(s, byte(n.A>>(8*i)))
		}
	}
	return s
}

// find returns the index that a FlowFind is.
func (r *reader) find(n *trace.FlowNode) Term {
	t, at := r.t, r.found(n)
	index := t.Resize(t.Op(Sub, at, r.offset(trace.Label(r.nodes[n.A].A))), 64, false)
	return t.If(r.nowhere(n), t.Const(^uint64(0), 64), index)
}

// nowhere returns the condition that a FlowFind finds nothing.
func (r *reader) nowhere(n *trace.FlowNode) Term {
	return r.t.Op(Eq, r.found(n), r.end(&r.nodes[n.A]))
}

// pick returns the byte that a FlowPick is.
func (r *reader) pick(n *trace.FlowNode) Term {
	t, at := r.t, r.offset(trace.Label(n.A))
	input := int(r.nodes[n.A].A)
	out := t.Const(0, 8)
	for p := r.sought(&r.nodes[n.A]); p >= 0; p-- {
		out = t.If(t.Op(Eq, at, t.Const(uint64(p), lenWidth)), t.Byte(input, p+int(n.B)), out)
	}
	return out
}

// compared returns the term of a comparison that is simpler than that of its operands, or None:
// whether something is found at all, and whether a byte of a FlowPick is c.
func (r *reader) compared(n *trace.FlowNode) Term {
	if n.Op != trace.FlowEq && n.Op != trace.FlowLess {
		return None
	}
	if n.Op == trace.FlowLess && r.nodes[n.B].Op == trace.FlowConv {
		return r.beyond(trace.Label(n.A), trace.Label(n.B))
	}
	if r.nodes[n.B].Op != trace.FlowConst {
		return None
	}
	t, x, c := r.t, &r.nodes[n.A], &r.nodes[n.B]
	v := uint64(c.B)<<32 | uint64(c.A)
	switch {
	case x.Op == trace.FlowTable && n.Op == trace.FlowEq:
		return r.rowIs(x, v)
	case n.Op == trace.FlowLess && v == 1 && x.Op == trace.FlowSub && r.nodes[x.B].Op >= trace.FlowFind &&
		r.nodes[r.nodes[x.B].A].B == x.A: // len(s) - i, where i is a place in s or -1
		return t.Bool(false)
	case x.Op >= trace.FlowFind && n.Op == trace.FlowLess && v == 0,
		x.Op >= trace.FlowFind && n.Op == trace.FlowEq && v == ^uint64(0):
		return r.nowhere(x)
	case x.Op == trace.FlowPick && n.Op == trace.FlowEq:
		at, any := r.offset(trace.Label(x.A)), t.Bool(false)
		for p := range r.sought(&r.nodes[x.A]) + 1 {
			is := t.Op(Eq, t.Byte(int(r.nodes[x.A].A), p+int(x.B)), t.Const(v, 8))
			any = t.Op(Or, any, t.Op(And, t.Op(Eq, at, t.Const(uint64(p), lenWidth)), is))
		}
		return any
	}
	return None
}

// beyond returns the term of len(s) < i, of numbers without signs, where i is the place of
// something found in s or up to its length more: only if it is -1. Else None.
func (r *reader) beyond(length, i trace.Label) Term {
	plain := func(l trace.Label) trace.Label {
		if n := &r.nodes[l]; n.Op == trace.FlowConv && n.Kind == 64 && r.nodes[n.A].Kind == trace.Int {
			return trace.Label(n.A)
		}
		return l
	}
	length, i = plain(length), plain(i)
	more, n := uint64(0), &r.nodes[i]
	if c := &r.nodes[n.B]; n.Op == trace.FlowAdd && c.Op == trace.FlowConst {
		more, n = uint64(c.B)<<32|uint64(c.A), &r.nodes[n.A]
	}
	if n.Op < trace.FlowFind {
		return None
	}
	of, same := &r.nodes[r.nodes[n.A].B], trace.Label(r.nodes[n.A].B) == length
	if l := &r.nodes[length]; !same && (of.Op != trace.FlowConst || *of != *l) {
		return None
	}
	switch {
	case more == 0:
		return r.nowhere(n)
	case more == 1 && n.B != 0: // what is sought is not empty
		return r.t.Bool(false)
	}
	return None
}
