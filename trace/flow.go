package trace

// A Label says what a value was computed from: it is an index in Flow.Nodes. 0 is a value that
// depends on nothing that happened in the execution.
type Label uint32

// Everything is the label of a value whose origin was given up (see Flow.Full). It is no index.
const Everything = ^Label(0)

// FlowOp says what a FlowNode is.
type FlowOp uint8

const (
	FlowRead  FlowOp = iota + 1 // the value that event A returned: a read, a receive, a draw, ...
	FlowInput                   // input A of the test
	FlowUnion                   // computed from the labels A and B

	// Expressions over inputs, in executions that record them. They compute as Go does for the
	// types of the operands.
	FlowConst // the number B<<32 | A
	FlowLen   // the length of input A, a string or []byte
	FlowByte  // byte B of input A
	FlowSeq   // a string or slice of length B (a label); A is a FlowBase for what lies beyond its bytes, or 0
	FlowBase  // the bytes of input A from offset B (signed) on
	FlowParts // a struct or array whose parts have labels of their own; only while the execution runs
	FlowAdd
	FlowSub
	FlowMul
	FlowQuo
	FlowRem
	FlowAnd
	FlowOr
	FlowXor
	FlowAndNot
	FlowShl
	FlowShr
	FlowEq   // a Bool
	FlowLess // a Bool
	FlowNot  // complements every bit
	FlowConv // A converted to the type of the node

	// Floats.
	FlowLeq   // A <= B, a Bool
	FlowBits  // the bits of A, as a number of the type of the node
	FlowMath  // the Math B of A
	FlowMod   // math.Mod
	FlowPow   // math.Pow
	FlowHypot // math.Hypot

	// Texts that are parts of an input from a place on which depends on the input.
	FlowFrom  // the bytes of input A from offset B (a label, no more than MostSought) on
	FlowPick  // byte B of what the FlowFrom A says
	FlowChars // a constant text: the Kind bytes of A, least first, and then those of B (a FlowChars, or 0)
	// The text with the base A (a FlowBase or FlowFrom), of whose bytes each is its element of the
	// table B (a FlowChars) of 256.
	FlowMapped
	// Element A of a table of constants: B, a FlowChars, has their bytes, those of an element least
	// first. A is within the table.
	FlowTable
	// The index in A (a FlowSeq, which ends no later than MostSought) of the first place where the
	// text B is, or the last; -1 for none.
	FlowFind
	FlowFindLast
	// Likewise, of a byte that is in the set B, a FlowChars of 256 bits.
	FlowFindIn
	FlowFindInLast
)

// A Math is a function of package math of one float. Those up to MathExact are exact.
type Math uint8

// The functions, by their names.
const (
	MathSqrt Math = iota
	MathFloor
	MathCeil
	MathTrunc
	MathRound
	MathRoundToEven
	MathExp
	MathExp2
	MathExpm1
	MathLog
	MathLog2
	MathLog10
	MathLog1p
	MathCbrt
	MathSin
	MathCos
	MathTan
	MathAsin
	MathAcos
	MathAtan
	MathSinh
	MathCosh
	MathTanh

	MathExact = MathRoundToEven
)

// MostSought is where the texts end at most in which something is sought by one expression. Of
// inputs of at most FewSought bytes it is that: fewer places take less time. The Kind of a FlowBase
// or FlowFrom says which of the two it is.
const (
	MostSought = 64
	FewSought  = 16
)

// A Num is the type of a number in arithmetic: its width in bits, and whether it is signed; or a
// float, whose values are its bits.
type Num uint8

// Bool is the type of conditions; Int is the type of indices and lengths.
const (
	Bool    Num = 1
	Int     Num = 64 | numSigned
	Float32 Num = 0x60
	Float64 Num = 0x70

	numSigned Num = 0x80
	numFloat  Num = 0x60 // no width has both bits
)

// NumOf returns the type with that width, from 1 to 64.
func NumOf(width int, signed bool) Num {
	if signed {
		return Num(width) | numSigned
	}
	return Num(width)
}

// Width returns the width in bits, 0 for a value that is no number.
func (k Num) Width() int {
	switch k {
	case Float32:
		return 32
	case Float64:
		return 64
	}
	return int(k &^ numSigned)
}

// Float reports whether it is the type of a float.
func (k Num) Float() bool { return k&(numSigned|numFloat) == numFloat }

// Signed reports whether the type is signed.
func (k Num) Signed() bool { return k&numSigned != 0 }

// Mask returns the lower Width bits.
func (k Num) Mask(v uint64) uint64 { return v << (64 - k.Width()) >> (64 - k.Width()) }

// Extend returns v, a number of this type, sign-extended to 64 bits if the type is signed.
func (k Num) Extend(v uint64) uint64 {
	if k.Signed() {
		return uint64(int64(v<<(64-k.Width())) >> (64 - k.Width()))
	}
	return k.Mask(v)
}

// Pinned is the Arg of an OpBranch that came out true and fixes a number: another input makes it
// another number.
const Pinned = 2

// Checked is the Arg of an OpBranch that is no condition but a check of the runtime, which would
// panic: an index in its range, a pointer that is not nil, a divisor that is not zero, ...
const Checked = -1

// A FlowNode says how one value was computed. Its operands precede it.
type FlowNode struct {
	Op   FlowOp
	Kind Num    // of an expression
	A, B uint32 // an event, an input, or the labels of the operands
}

// operands reports which of A and B are labels.
func (n *FlowNode) operands() (a, b bool) {
	switch {
	case n.Op == FlowUnion, n.Op == FlowSeq, n.Op >= FlowAdd && n.Op <= FlowLess, n.Op >= FlowMapped,
		n.Op == FlowLeq, n.Op >= FlowMod && n.Op <= FlowHypot:
		return true, true
	case n.Op == FlowNot, n.Op == FlowConv, n.Op == FlowPick, n.Op == FlowBits, n.Op == FlowMath:
		return true, false
	case n.Op == FlowFrom, n.Op == FlowChars:
		return false, true
	}
	return false, false
}

// A Flow is the data flow of one execution: the earlier reads from which every written value, every
// address or index of an access, and every outcome of a branch was computed. Control dependence is
// not in it: a branch is an event of its own (OpBranch).
//
// Of has the label of what went into an event: the value and address of a write or send, the
// address or channel of a read or receive, the condition of a branch. The label of the value that a
// read returned is that of the write that it reads from.
type Flow struct {
	Nodes []FlowNode // index 0 is unused
	Of    []Label    // by event
	// values that passed code that is not instrumented, or an expression that is not followed; they
	// have the union of the labels that went in
	Foreign int
	Full    bool // there were too many nodes, and some labels are Everything
	Timed   bool // when a timer is due, or what the clock shows, depends on an input
}

// A FlowReader lists what a label depends on. It is not safe for concurrent use.
type FlowReader struct {
	f     *Flow
	mark  []uint32
	turn  uint32
	stack []Label
	out   []int32
}

// Reader returns a reader of f, which must not change while it is in use.
func (f *Flow) Reader() *FlowReader { return &FlowReader{f: f} }

// Reads returns the events whose values the label was computed from, ascending. all is true if it
// depends on more (Everything). The next call overwrites the slice.
func (r *FlowReader) Reads(l Label) (events []int32, all bool) {
	return r.leaves(l, FlowRead)
}

// Inputs is Reads for inputs of the test.
func (r *FlowReader) Inputs(l Label) (inputs []int32, all bool) {
	return r.leaves(l, FlowInput)
}

// Deps returns the events that the event with this index was computed from, see Flow.Of.
func (r *FlowReader) Deps(event int) (events []int32, all bool) {
	if event >= len(r.f.Of) {
		return nil, false
	}
	return r.Reads(r.f.Of[event])
}

// Forget begins a new series of calls of More.
func (r *FlowReader) Forget() {
	if len(r.mark) < len(r.f.Nodes) {
		r.mark = append(r.mark, make([]uint32, len(r.f.Nodes)-len(r.mark))...)
	}
	if r.turn++; r.turn == 0 {
		clear(r.mark)
		r.turn = 1
	}
}

// More is Deps without what an earlier call since Forget has returned, in any order. So a series of
// calls visits each node of the flow once.
func (r *FlowReader) More(event int) (events []int32, all bool) {
	if event >= len(r.f.Of) {
		return nil, false
	}
	return r.walk(r.f.Of[event], FlowRead)
}

// leaves lists the leaves of a label of one kind, ascending.
func (r *FlowReader) leaves(l Label, op FlowOp) (out []int32, all bool) {
	r.Forget()
	_, all = r.walk(l, op)
	sortAscending(r.out)
	n := 0
	for i, x := range r.out {
		if i == 0 || x != r.out[n-1] {
			r.out[n] = x
			n++
		}
	}
	r.out = r.out[:n]
	return r.out, all
}

// walk lists the leaves of a label that were not visited since Forget.
func (r *FlowReader) walk(l Label, op FlowOp) (out []int32, all bool) {
	r.out = r.out[:0]
	r.stack = append(r.stack[:0], l)
	for len(r.stack) > 0 {
		l := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if l == Everything {
			all = true
			continue
		}
		if l == 0 || r.mark[l] == r.turn {
			continue
		}
		r.mark[l] = r.turn
		n := &r.f.Nodes[l]
		if n.Op == op || op == FlowInput && (n.Op == FlowLen || n.Op == FlowByte || n.Op == FlowBase ||
			n.Op == FlowFrom) {
			r.out = append(r.out, int32(n.A))
		}
		a, b := n.operands()
		if b {
			r.stack = append(r.stack, Label(n.B))
		}
		if a {
			r.stack = append(r.stack, Label(n.A))
		}
	}
	return r.out, all
}

// sortAscending is heapsort. Package slices may be under test where this is compiled in.
func sortAscending(a []int32) {
	down := func(i, n int) {
		for {
			c := 2*i + 1
			if c >= n {
				return
			}
			if c+1 < n && a[c+1] > a[c] {
				c++
			}
			if a[i] >= a[c] {
				return
			}
			a[i], a[c] = a[c], a[i]
			i = c
		}
	}
	for i := len(a)/2 - 1; i >= 0; i-- {
		down(i, len(a))
	}
	for n := len(a) - 1; n > 0; n-- {
		a[0], a[n] = a[n], a[0]
		down(0, n)
	}
}

// clone returns a deep copy.
func (f *Flow) clone() *Flow {
	if f == nil {
		return nil
	}
	c := *f
	c.Nodes = append([]FlowNode(nil), f.Nodes...)
	c.Of = append([]Label(nil), f.Of...)
	return &c
}

// append appends the encoding of f, which may be nil.
func (f *Flow) append(b []byte) []byte {
	if f == nil {
		return append(b, 0)
	}
	b = append32(append(b, 1, flag(f.Full)|flag(f.Timed)<<1), f.Foreign)
	b = append32(b, len(f.Nodes))
	for _, n := range f.Nodes {
		b = append32(append32(append(b, byte(n.Op), byte(n.Kind)), int(n.A)), int(n.B))
	}
	b = append32(b, len(f.Of))
	for _, l := range f.Of {
		b = append32(b, int(l))
	}
	return b
}

// flow decodes what Flow.append encoded. A label that is no node, or an operand after its node, is
// an error.
func (d *decoder) flow(events int) *Flow {
	if d.u8() == 0 {
		return nil
	}
	flags := d.u8()
	f := &Flow{Full: flags&1 != 0, Timed: flags&2 != 0, Foreign: int(d.i32())}
	f.Nodes = make([]FlowNode, d.rows(10))
	for i := range f.Nodes {
		n := FlowNode{FlowOp(d.u8()), Num(d.u8()), uint32(d.i32()), uint32(d.i32())}
		a, b := n.operands()
		d.bad = d.bad || n.Op > FlowFindInLast || a && !before(n.A, i) || b && !before(n.B, i) ||
			n.Op == FlowRead && int(n.A) >= events
		f.Nodes[i] = n
	}
	f.Of = make([]Label, d.rows(4))
	for i := range f.Of {
		f.Of[i] = Label(d.i32())
		d.bad = d.bad || !before(uint32(f.Of[i]), len(f.Nodes)) && f.Of[i] != 0
	}
	d.bad = d.bad || len(f.Of) > events
	return f
}

// before reports whether the node with index i may have l as an operand.
func before(l uint32, i int) bool { return uint64(l) < uint64(i) || Label(l) == Everything }
