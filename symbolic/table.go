package symbolic

import (
	"math/bits"

	"heddle/trace"
)

// Tables of constants with an index that depends on the input (trace.FlowTable).

// table returns the elements of a table.
func (r *reader) table(n *trace.FlowNode) []uint64 {
	key := trace.FlowNode{Op: n.Op, Kind: n.Kind, B: n.B}
	if es, ok := r.tables[key]; ok {
		return es
	}
	size := (n.Kind.Width() + 7) / 8
	text := r.chars(trace.Label(n.B))
	es := make([]uint64, len(text)/size)
	for i := range es {
		for k := range size {
			es[i] |= uint64(text[i*size+k]) << (8 * k)
		}
	}
	r.tables[key] = es
	return es
}

// row returns the element that a FlowTable is: a sum of the table's rows at powers of two, if each
// element is such a sum without carries, as in tables of checksums; else a choice by every bit of
// the index. Beyond the table elements are 0.
func (r *reader) row(n *trace.FlowNode) Term {
	t, es, w := r.t, r.table(n), n.Kind.Width()
	x := r.terms[n.A]
	if linear(es) {
		out := t.Const(es[0], w)
		for i := 1; i < len(es); i *= 2 {
			out = t.Op(Xor, out, t.If(r.bit(x, bits.TrailingZeros(uint(i))), t.Const(es[i]^es[0], w),
				t.Const(0, w)))
		}
		return out
	}
	return r.choice(x, es, w, 0, bits.Len(uint(len(es)-1)))
}

// bit returns bit n of x.
func (r *reader) bit(x Term, n int) Term {
	return r.t.Resize(r.t.Op(LShr, x, r.t.Const(uint64(n), r.t.Width(x))), 1, false)
}

// choice returns the element with the index at + the lower n bits of x.
func (r *reader) choice(x Term, es []uint64, w, at, n int) Term {
	same := true
	for i := at; i < at+1<<n; i++ {
		same = same && row(es, i) == row(es, at)
	}
	if same {
		return r.t.Const(row(es, at), w)
	}
	return r.t.If(r.bit(x, n-1), r.choice(x, es, w, at+1<<(n-1), n-1), r.choice(x, es, w, at, n-1))
}

func row(es []uint64, i int) uint64 {
	if i < len(es) {
		return es[i]
	}
	return 0
}

// linear reports whether element i^k is that of i plus that of k minus the first, without carries.
func linear(es []uint64) bool {
	if len(es) < 4 || len(es)&(len(es)-1) != 0 {
		return false
	}
	for i := range es {
		low := i & -i
		if es[i] != es[i^low]^es[low]^es[0] {
			return false
		}
	}
	return true
}

// rowIs returns the condition that a FlowTable is v: that its index is one of those.
func (r *reader) rowIs(n *trace.FlowNode, v uint64) Term {
	es := r.table(n)
	return r.t.among(r.terms[n.A], len(es), func(i int) bool { return es[i] == v })
}

// among returns the condition that x is one of the numbers below n that are such ones.
func (t *Table) among(x Term, n int, is func(i int) bool) Term {
	w, any := t.Width(x), t.Bool(false)
	for lo := 0; lo < n; {
		hi := lo
		for hi < n && is(hi) == is(lo) {
			hi++
		}
		switch k := uint64(hi - lo); {
		case !is(lo):
		case k > mask(w):
			return t.Bool(true)
		case k == 1:
			any = t.Op(Or, any, t.Op(Eq, x, t.Const(uint64(lo), w)))
		default:
			from := t.Op(Sub, x, t.Const(uint64(lo), w))
			any = t.Op(Or, any, t.Op(ULt, from, t.Const(k, w)))
		}
		lo = hi
	}
	return any
}
