// Package symbolic finds inputs with which a program takes another path: expressions over
// bit-vectors with Go's exact arithmetic, path conditions made of them, and a solver.
//
//	t := symbolic.NewTable()
//	n := t.Var("n", 64)
//	c := t.Op(Eq, t.Op(Add, n, t.Const(1, 64)), t.Const(5, 64)) // n+1 == 5
//	status, model := NewSolver(t, Options{}).Solve([]Term{c}, nil)
//
// Formulas become clauses (bit-blasting) for the solver of package order/sat, a new one for each
// question. The other backend is the user's z3.
package symbolic

import "math/bits"

// A Term is an expression in a Table. Equal expressions of one table are equal Terms. A condition
// is a bit-vector of width 1.
type Term int32

// None is the absence of a term.
const None Term = -1

// An Op is the operator of a term. Operands and result have one width, except where noted.
type Op uint8

// The operators mean the same as in SMT-LIB's theory of fixed-size bit-vectors, also for division
// by zero and shifts by the width or more.
const (
	OpVar Op = iota
	OpConst
	Add
	Sub
	Mul
	UDiv // x/0 is all ones
	URem // x%0 is x
	SDiv // truncated; x/0 is 1 for negative x, else -1
	SRem // sign of x; x%0 is x
	And
	Or
	Xor
	Not  // every bit
	Shl  // by an unsigned count; 0 for the width or more
	LShr // likewise
	AShr // likewise; fills with the sign
	Eq   // width 1
	ULt  // width 1
	SLt  // width 1
	Ite  // the second operand if the first, of width 1, is true, else the third
	ZExt // to a larger width
	SExt
	Trunc // to a smaller width: the lower bits

	// Floats of IEEE 754, of 32 or 64 bits. Results are rounded to the nearest, to the even one of
	// two; of NaN there is one.
	FAdd
	FMul
	FDiv
	FSqrt
	FFloor
	FCeil
	FTrunc
	FRound // away from zero, of two
	FEven  // to the even one, of two
	FEq    // width 1
	FLt    // width 1
	FLe    // width 1
	FConv  // a float of the other width
	FToInt // truncated, of any width w; 0 for NaN and from 2^w on
	FOfS   // of a signed number
	FOfU   // of one without sign
	FFunc  // the function c, a constant, of a and b: guessed only, see opaque
)

type node struct {
	op      Op
	w       uint8
	a, b, c Term
	v       uint64 // value of a constant; index of a variable
}

// A Table has terms, and simplifies each when it is made.
type Table struct {
	nodes []node
	index map[node]Term
	names []string // of variables
	vars  []Term
	named map[string]Term
	parts map[part]Term // variables, by what they are of inputs

	met  marking  // by the current walk
	vals []uint64 // by term, for the terms in met
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{index: map[node]Term{}, named: map[string]Term{}, parts: map[part]Term{}}
}

// asItIs returns the table as it is now, to walk and to evaluate: terms that are made later do not
// disturb that. It must not make any.
func (t *Table) asItIs() Table {
	return Table{nodes: t.nodes[:len(t.nodes):len(t.nodes)], names: t.names[:len(t.names):len(t.names)]}
}

// Len returns the number of terms.
func (t *Table) Len() int { return len(t.nodes) }

// Width returns the width of x in bits.
func (t *Table) Width(x Term) int { return int(t.nodes[x].w) }

// Name returns the name of variable x.
func (t *Table) Name(x Term) string { return t.names[t.nodes[x].v] }

// IsConst returns the value of x if it is a constant.
func (t *Table) IsConst(x Term) (uint64, bool) {
	n := &t.nodes[x]
	return n.v, n.op == OpConst
}

// Var returns the variable with that name. The first call sets its width, from 1 to 64.
func (t *Table) Var(name string, width int) Term {
	if x, ok := t.named[name]; ok {
		return x
	}
	x := t.add(node{op: OpVar, w: uint8(width), a: None, b: None, c: None, v: uint64(len(t.names))})
	t.names, t.vars = append(t.names, name), append(t.vars, x)
	t.named[name] = x
	return x
}

// Const returns the lower bits of v as a constant.
func (t *Table) Const(v uint64, width int) Term {
	return t.add(node{op: OpConst, w: uint8(width), a: None, b: None, c: None, v: v & mask(width)})
}

// Bool returns a constant of width 1.
func (t *Table) Bool(v bool) Term {
	if v {
		return t.Const(1, 1)
	}
	return t.Const(0, 1)
}

func (t *Table) add(n node) Term {
	if x, ok := t.index[n]; ok {
		return x
	}
	x := Term(len(t.nodes))
	t.nodes = append(t.nodes, n)
	t.index[n] = x
	return x
}

func mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}

// signed returns v, of the given width, as a signed number.
func signed(v uint64, width int) int64 {
	return int64(v<<(64-width)) >> (64 - width)
}

// apply computes an operator on values. w is the width of the operands, to that of the result of
// an extension or truncation.
func apply(op Op, w, to int, a, b, c uint64) uint64 {
	m := mask(w)
	switch op {
	case Add:
		return (a + b) & m
	case Sub:
		return (a - b) & m
	case Mul:
		return a * b & m
	case UDiv:
		if b == 0 {
			return m
		}
		return a / b
	case URem:
		if b == 0 {
			return a
		}
		return a % b
	case SDiv, SRem:
		return divide(op, w, a, b)
	case And:
		return a & b
	case Or:
		return a | b
	case Xor:
		return a ^ b
	case Not:
		return ^a & m
	case Shl:
		if b >= uint64(w) {
			return 0
		}
		return a << b & m
	case LShr:
		if b >= uint64(w) {
			return 0
		}
		return a >> b
	case AShr:
		return uint64(signed(a, w)>>min(b, uint64(w-1))) & m
	case Eq:
		return truth(a == b)
	case ULt:
		return truth(a < b)
	case SLt:
		return truth(signed(a, w) < signed(b, w))
	case Ite:
		if a != 0 {
			return b
		}
		return c
	case ZExt:
		return a
	case SExt:
		return uint64(signed(a, w)) & mask(to)
	case Trunc:
		return a & mask(to)
	}
	return applyFloat(op, w, to, a, b, c)
}

// divide returns signed quotient and remainder. As in Go, the least number divided by -1 wraps
// around.
func divide(op Op, w int, a, b uint64) uint64 {
	x, y := signed(a, w), signed(b, w)
	switch {
	case op == SRem && y == 0:
		return a
	case y == 0 && x < 0:
		return 1
	case y == 0:
		return mask(w)
	case op == SRem:
		return uint64(x%y) & mask(w)
	}
	return uint64(x/y) & mask(w)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// commutes marks the operators whose operands may be swapped.
var commutes = [FFunc + 1]bool{Add: true, Mul: true, And: true, Or: true, Xor: true, Eq: true, FAdd: true,
	FMul: true, FEq: true}

// Op returns the term of an operator and its operands.
func (t *Table) Op(op Op, xs ...Term) Term {
	n := node{op: op, w: t.nodes[xs[0]].w, a: xs[0], b: None, c: None}
	if len(xs) > 1 {
		n.b = xs[1]
		if t.nodes[n.b].w != n.w {
			panic("symbolic: operands of different widths")
		}
	}
	w := int(n.w) // of the operands
	switch op {
	case Eq, ULt, SLt, FEq, FLt, FLe:
		n.w = 1
	}
	a, aConst := t.IsConst(n.a)
	b, bConst := uint64(0), true
	if n.b != None {
		b, bConst = t.IsConst(n.b)
	}
	if aConst && bConst {
		return t.Const(apply(op, w, w, a, b, 0), int(n.w))
	}
	if commutes[op] && (aConst || !bConst && n.a > n.b) { // a constant comes second
		n.a, n.b = n.b, n.a
		b, bConst = a, aConst
	}
	if x := t.simpler(n, w, b, n.b != None && bConst); x != None {
		return x
	}
	return t.add(n)
}

// simpler returns a shorter term equal to n, or None. w is the width of the operands; b is the
// second operand if it is constant.
func (t *Table) simpler(n node, w int, b uint64, constant bool) Term {
	if n.op == Not {
		if in := t.nodes[n.a]; in.op == Not {
			return in.a
		}
		return None
	}
	if constant {
		return t.byConstant(n, w, b)
	}
	if n.a != n.b {
		return None
	}
	switch n.op {
	case Sub, Xor:
		return t.Const(0, w)
	case And, Or:
		return n.a
	case Eq:
		return t.Bool(true)
	case ULt, SLt:
		return t.Bool(false)
	}
	return None
}

func (t *Table) byConstant(n node, w int, b uint64) Term {
	in := t.nodes[n.a]
	switch {
	case b == 0:
		switch n.op {
		case Add, Sub, Or, Xor, Shl, LShr, AShr:
			return n.a
		case Mul, And:
			return t.Const(0, w)
		case ULt:
			return t.Bool(false)
		}
	case b == 1 && (n.op == Mul || n.op == UDiv || n.op == SDiv && w > 1):
		return n.a
	case b == mask(w) && n.op == And:
		return n.a
	case b == mask(w) && n.op == Or:
		return t.Const(b, w)
	case b == mask(w) && n.op == Xor:
		return t.Op(Not, n.a)
	}
	if n.op == Eq && w == 1 {
		if b == 1 {
			return n.a
		}
		return t.Op(Not, n.a)
	}
	if n.op == Sub { // combines the constants of nested sums
		return t.Op(Add, n.a, t.Const(-b, w))
	}
	if (n.op == Add || n.op == Eq) && in.op == Add {
		if c, ok := t.IsConst(in.b); ok {
			if n.op == Add {
				return t.Op(Add, in.a, t.Const(b+c, w))
			}
			return t.Op(Eq, in.a, t.Const(b-c, w))
		}
	}
	if n.op == Eq && (in.op == ZExt || in.op == SExt) {
		from := int(t.nodes[in.a].w)
		if apply(in.op, from, w, b&mask(from), 0, 0) != b {
			return t.Bool(false)
		}
		return t.Op(Eq, in.a, t.Const(b, from))
	}
	return None
}

// If returns the term cond ? x : y.
func (t *Table) If(cond, x, y Term) Term {
	c, known := t.IsConst(cond)
	switch {
	case known && c != 0 || x == y:
		return x
	case known:
		return y
	}
	if a, ok := t.IsConst(x); ok && t.Width(x) == 1 {
		if b, ok := t.IsConst(y); ok && a != b {
			if a == 1 {
				return cond
			}
			return t.Op(Not, cond)
		}
	}
	return t.add(node{op: Ite, w: t.nodes[x].w, a: cond, b: x, c: y})
}

// Resize returns x with another width: its lower bits, or extended with zeros or, if sign is set,
// with its sign.
func (t *Table) Resize(x Term, width int, sign bool) Term {
	n := t.nodes[x]
	op := ZExt
	switch {
	case width == int(n.w):
		return x
	case width < int(n.w):
		op = Trunc
		if in := t.nodes[n.a0()]; n.op == ZExt || n.op == SExt {
			if int(in.w) >= width {
				return t.Resize(n.a, width, false)
			}
			return t.Resize(n.a, width, n.op == SExt)
		}
	case sign:
		op = SExt
	}
	if n.op == OpConst {
		return t.Const(apply(op, int(n.w), width, n.v, 0, 0), width)
	}
	return t.add(node{op: op, w: uint8(width), a: x, b: None, c: None})
}

// a0 returns the first operand, or term 0 if there is none.
func (n *node) a0() Term { return max(n.a, 0) }

// Negate returns the negation of a condition.
func (t *Table) Negate(x Term) Term { return t.Op(Not, x) }

// Variables calls do once for each variable that xs depend on. do must not make or evaluate terms.
func (t *Table) Variables(xs []Term, do func(Term)) {
	t.walk(xs, t.nothing(), func(x Term) {
		if t.nodes[x].op == OpVar {
			do(x)
		}
	})
}

// A marking is a set of terms. Emptying it takes constant time.
type marking struct {
	at  []uint32
	now uint32
}

// empty removes all terms and makes room for those of t.
func (m *marking) empty(t *Table) *marking {
	if m.now++; m.now == 0 { // the counter wrapped around
		m.at, m.now = nil, 1
	}
	if n := len(t.nodes) - len(m.at); n > 0 {
		m.at = append(m.at, make([]uint32, n)...)
	}
	return m
}

// add adds x and reports whether it was missing.
func (m *marking) add(x Term) bool {
	if m.at[x] == m.now {
		return false
	}
	m.at[x] = m.now
	return true
}

// nothing returns an empty set for a new walk.
func (t *Table) nothing() *marking { return t.met.empty(t) }

// walk calls do for every term below xs that is not in met, operands first, and adds it to met.
func (t *Table) walk(xs []Term, met *marking, do func(Term)) {
	type frame struct {
		x    Term
		done bool
	}
	var stack []frame
	for _, x := range xs {
		stack = append(stack, frame{x, false})
		for len(stack) > 0 {
			f := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if f.done {
				do(f.x)
				continue
			}
			if f.x == None || !met.add(f.x) {
				continue
			}
			n := &t.nodes[f.x]
			stack = append(stack, frame{f.x, true}, frame{n.c, false}, frame{n.b, false}, frame{n.a, false})
		}
	}
}

// A Model gives variables values; missing ones are 0.
type Model map[Term]uint64

// Eval returns the value of x under m.
func (t *Table) Eval(x Term, m Model) uint64 {
	t.eval(x, t.nothing(), m)
	return t.vals[x]
}

// eval stores the values of x and of the terms below it in vals, except those in met.
func (t *Table) eval(x Term, met *marking, m Model) {
	if n := len(t.nodes) - len(t.vals); n > 0 {
		t.vals = append(t.vals, make([]uint64, n)...)
	}
	t.walk([]Term{x}, met, func(y Term) { t.vals[y] = t.value(y, m) })
}

// value computes y from its operands in vals.
func (t *Table) value(y Term, m Model) uint64 {
	n := &t.nodes[y]
	return t.valueOf(y, m, t.vals, [3]int32{int32(n.a), int32(n.b), int32(n.c)})
}

// valueOf computes x from the values of its operands: vals[places[i]] is that of the i-th, if
// places[i] is not negative.
func (t *Table) valueOf(x Term, m Model, vals []uint64, places [3]int32) uint64 {
	n := &t.nodes[x]
	switch n.op {
	case OpVar:
		return m[x] & mask(int(n.w))
	case OpConst:
		return n.v
	}
	var b, c uint64
	if places[1] >= 0 {
		b = vals[places[1]]
	}
	if places[2] >= 0 {
		c = vals[places[2]]
	}
	return apply(n.op, int(t.nodes[n.a].w), int(n.w), vals[places[0]], b, c)
}

// Holds reports whether all conditions are true under m.
func (t *Table) Holds(conditions []Term, m Model) bool {
	met := t.nothing()
	for _, c := range conditions {
		t.eval(c, met, m)
		if t.vals[c] == 0 {
			return false
		}
	}
	return true
}

// log2 returns the number of bits of numbers below n.
func log2(n int) int { return bits.Len(uint(n - 1)) }
