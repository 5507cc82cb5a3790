package symbolic

import (
	"fmt"
	"slices"

	"heddle/trace"
)

// A Path has the branches of an execution that depend on inputs, in order.
type Path struct {
	Branches []Branch
	Sought   bool // some conditions are about where something is in a text
}

// A Branch is a condition that was true in the execution. For a branch whose condition was false
// it is the negation.
type Branch struct {
	Cond  Term
	If    Term // the condition in the source
	Site  trace.Site
	Event int  // index in the trace
	Taken bool // whether If was true

	Pinned bool // the condition says that something has a certain value, or one of several
}

// Conditions returns the conditions that all branches before n are the same, and branch n is not.
func (p *Path) Conditions(t *Table, n int) []Term {
	cs := make([]Term, 0, n+1)
	for _, b := range p.Branches[:n] {
		cs = append(cs, b.Cond)
	}
	return append(cs, t.Negate(p.Branches[n].Cond))
}

// ConditionsAt returns the conditions that all branches before an event are the same, and the one
// of that event is not; nil: it has none that can be another.
func (p *Path) ConditionsAt(t *Table, event int) []Term {
	n := slices.IndexFunc(p.Branches, func(b Branch) bool { return b.Event == event })
	if n < 0 {
		return nil
	}
	return p.Conditions(t, n)
}

// OtherWay reports whether b is branch a with the other outcome. For a pinned branch it is the
// same question with another value.
func (t *Table) OtherWay(a, b *Branch) bool {
	if b.Cond == t.Negate(a.Cond) {
		return true
	}
	return a.Pinned && b.Pinned && a.Site == b.Site && a.If != b.If &&
		slices.Equal(t.variablesOf(a.If), t.variablesOf(b.If))
}

// variablesOf returns the variables that x depends on, in a fixed order.
func (t *Table) variablesOf(x Term) (vs []Term) {
	t.Variables([]Term{x}, func(v Term) { vs = append(vs, v) })
	slices.Sort(vs)
	return vs
}

// PathOf returns the path of an execution that recorded expressions (trace.Flow), without repeated
// conditions and with at most most branches.
func PathOf(t *Table, tr *trace.Trace, most int) *Path { return PathWithin(t, tr, most, nil) }

// PathWithin is PathOf for inputs whose texts are no longer than ends says, by input. Its
// conditions are those of PathOf as far as these inputs go, and shorter.
func PathWithin(t *Table, tr *trace.Trace, most int, ends []int) *Path {
	p := &Path{}
	seen := map[Term]bool{}
	all, _, sought := branches(t, tr, ends)
	p.Sought = sought
	for _, b := range all {
		if seen[b.Cond] || len(p.Branches) == most {
			continue // the same condition again
		}
		seen[b.Cond] = true
		p.Branches = append(p.Branches, b)
	}
	return p
}

// Branches returns the branches on inputs of an execution that recorded expressions (trace.Flow),
// in order, and without conditions repeated in one goroutine. Inputs are the variables named by
// InputName, LenName and ByteName. whole is false if other branches have conditions that cannot be
// expressed as terms.
func Branches(t *Table, tr *trace.Trace) (bs []Branch, whole bool) {
	bs, whole, _ = branches(t, tr, nil)
	return bs, whole
}

// branches is Branches for inputs whose texts are no longer than ends says (nil: of any length),
// and reports whether any condition is about where something is in a text.
func branches(t *Table, tr *trace.Trace, ends []int) (bs []Branch, whole, sought bool) {
	if tr.Flow == nil {
		return nil, true, false
	}
	type answer struct {
		g    trace.GID
		cond Term
	}
	whole = true
	seen := map[answer]bool{}
	r := reader{t: t, nodes: tr.Flow.Nodes, ends: ends, terms: make([]Term, len(tr.Flow.Nodes)),
		places: map[trace.FlowNode]Term{}, tables: map[trace.FlowNode][]uint64{}}
	for i := range r.terms {
		r.terms[i] = None
	}
	for i := range tr.Events {
		e := &tr.Events[i]
		if e.Op != trace.OpBranch || i >= len(tr.Flow.Of) {
			continue
		}
		l := tr.Flow.Of[i]
		if l == 0 {
			continue
		}
		c := None
		if int64(l) < int64(len(r.nodes)) {
			c = r.term(l)
		}
		if c == None || t.Width(c) != 1 {
			whole = false
			continue
		}
		b := Branch{Cond: c, If: c, Site: e.Site, Event: i, Taken: e.Arg != 0, Pinned: e.Arg == trace.Pinned}
		if !b.Taken {
			b.Cond = t.Negate(c)
		}
		if _, known := t.IsConst(c); known || seen[answer{e.G, b.Cond}] {
			continue
		}
		seen[answer{e.G, b.Cond}] = true
		bs = append(bs, b)
	}
	return bs, whole, r.bounded
}

// InputName returns the name of the variable for input i, a number.
func InputName(i int) string { return fmt.Sprintf("in%d", i) }

// LenName returns the name of the variable for the length of a text.
func LenName(i int) string { return fmt.Sprintf("in%d", i) + lenSuffix }

const lenSuffix = ".len"

// ByteName returns the name of the variable for a byte of a text.
func ByteName(i, n int) string { return fmt.Sprintf("in%d[%d]", i, n) }

// lenWidth is the width of the length of a text. It suffices for MostText and takes a quarter of
// the clauses of an int.
const lenWidth = 16

// A reader translates the nodes of a trace into terms.
type reader struct {
	t     *Table
	nodes []trace.FlowNode
	terms []Term

	ends    []int // how long texts are at most, by input; nil: that is not known
	bounded bool  // it would make a difference

	places map[trace.FlowNode]Term     // see found
	tables map[trace.FlowNode][]uint64 // see table
}

// term returns the term of a label, or None. Operands precede their nodes, so a list of the terms
// so far is enough.
func (r *reader) term(l trace.Label) Term {
	stack := []trace.Label{l}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		if r.terms[l] != None {
			stack = stack[:len(stack)-1]
			continue
		}
		n := &r.nodes[l]
		missing := false
		for i, x := range [2]uint32{n.A, n.B} {
			if operand(n.Op, i) && r.terms[x] == None {
				stack, missing = append(stack, trace.Label(x)), true
			}
		}
		if missing {
			continue
		}
		if r.terms[l] = r.make(n); r.terms[l] == None {
			return None
		}
	}
	return r.terms[l]
}

// operand reports whether A (i = 0) or B (i = 1) of such a node is a label.
func operand(op trace.FlowOp, i int) bool {
	switch op {
	case trace.FlowNot, trace.FlowConv, trace.FlowPick, trace.FlowMapped, trace.FlowTable, trace.FlowBits,
		trace.FlowMath:
		return i == 0
	case trace.FlowFrom:
		return i == 1
	case trace.FlowSeq, trace.FlowLeq, trace.FlowMod, trace.FlowPow, trace.FlowHypot:
		return true
	}
	return op >= trace.FlowAdd && op <= trace.FlowLess || op >= trace.FlowFind && i == 0
}

func (r *reader) make(n *trace.FlowNode) Term {
	t, w := r.t, n.Kind.Width()
	switch n.Op {
	case trace.FlowConst:
		return t.Const(uint64(n.B)<<32|uint64(n.A), w)
	case trace.FlowBase, trace.FlowMapped, trace.FlowSeq: // of what is sought in it, see find
		return t.Const(0, 1)
	case trace.FlowFrom:
		return r.place(trace.Label(n.B))
	case trace.FlowPick:
		return r.pick(n)
	case trace.FlowTable:
		return r.row(n)
	case trace.FlowInput:
		return t.Number(int(n.A), w)
	case trace.FlowLen:
		return t.Resize(t.Length(int(n.A)), w, false)
	case trace.FlowByte:
		return t.Byte(int(n.A), int(n.B))
	case trace.FlowNot:
		return t.Op(Not, r.terms[n.A])
	case trace.FlowConv:
		return t.convert(r.terms[n.A], r.nodes[n.A].Kind, n.Kind)
	case trace.FlowBits:
		return r.terms[n.A]
	case trace.FlowMath:
		return t.math(trace.Math(n.B), r.terms[n.A])
	case trace.FlowMod, trace.FlowPow, trace.FlowHypot:
		return t.opaque(funcMod+uint64(n.Op-trace.FlowMod), r.terms[n.A], r.terms[n.B])
	case trace.FlowLeq:
		return t.Op(FLe, r.terms[n.A], r.terms[n.B])
	}
	if n.Op >= trace.FlowFind {
		return r.find(n)
	}
	if n.Op >= trace.FlowAdd && n.Op <= trace.FlowLess {
		if x := r.compared(n); x != None {
			return x
		}
		return t.Go(n.Op, r.terms[n.A], r.terms[n.B], r.nodes[n.A].Kind, r.nodes[n.B].Kind)
	}
	return None
}

// Go returns the term of x op y with Go's semantics for numbers of types k and l: sums wrap
// around, quotients are truncated, and the count of a shift may have any type and size. Division
// by zero and negative counts are branches of their own; the result is meaningless then.
func (t *Table) Go(op trace.FlowOp, x, y Term, k, l trace.Num) Term {
	signed := func(s, u Op) Op {
		if k.Signed() {
			return s
		}
		return u
	}
	if k.Float() {
		return t.float(op, x, y)
	}
	switch op {
	case trace.FlowAdd:
		return t.Op(Add, x, y)
	case trace.FlowSub:
		return t.Op(Sub, x, y)
	case trace.FlowMul:
		return t.Op(Mul, x, y)
	case trace.FlowQuo:
		return t.Op(signed(SDiv, UDiv), x, y)
	case trace.FlowRem:
		return t.Op(signed(SRem, URem), x, y)
	case trace.FlowAnd:
		return t.Op(And, x, y)
	case trace.FlowOr:
		return t.Op(Or, x, y)
	case trace.FlowXor:
		return t.Op(Xor, x, y)
	case trace.FlowAndNot:
		return t.Op(And, x, t.Op(Not, y))
	case trace.FlowShl:
		return t.shift(Shl, x, y)
	case trace.FlowShr:
		return t.shift(signed(AShr, LShr), x, y)
	case trace.FlowEq:
		return t.Op(Eq, x, y)
	case trace.FlowLess:
		return t.Op(signed(SLt, ULt), x, y)
	}
	return None
}

// shift shifts by a count of another width. A count that does not fit acts as the largest one that
// does.
func (t *Table) shift(op Op, x, y Term) Term {
	w, wy := t.Width(x), t.Width(y)
	if wy <= w {
		return t.Op(op, x, t.Resize(y, w, false))
	}
	over := t.Op(ULt, t.Const(uint64(w), wy), y)
	return t.Op(op, x, t.If(over, t.Const(uint64(w), w), t.Resize(y, w, false)))
}
