package flow

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Floats: their values are their bits. Arithmetic is that of the machine, each operation rounded.
// Which of the many NaN an operation gives depends on the machine, so any is as good as another,
// and where a program looks at the bits it is a branch that there is none.

type real interface{ ~float32 | ~float64 }

func float32Of(v uint64) float32 {
	u := uint32(v)
	return *(*float32)(unsafe.Pointer(&u))
}

func float64Of(v uint64) float64 { return *(*float64)(unsafe.Pointer(&v)) }

func bits32(x float32) uint64 { return uint64(*(*uint32)(unsafe.Pointer(&x))) }

func bits64(x float64) uint64 { return *(*uint64)(unsafe.Pointer(&x)) }

// realOf returns the bits of x as a number of the type k.
func realOf(x float64, k trace.Num) uint64 {
	if k == trace.Float32 {
		return bits32(float32(x))
	}
	return bits64(x)
}

// Real is Num for a float. As it is not inlined no product is fused with a sum.
//
//go:noinline
func Real[T real](x T, l Label, k trace.Num, to *Val) T {
	if k == trace.Float32 {
		to.set(bits32(float32(x)), l, k)
	} else {
		to.set(bits64(float64(x)), l, k)
	}
	return x
}

// isNaN reports whether v are the bits of a NaN of the type k.
func isNaN(v uint64, k trace.Num) bool {
	switch k {
	case trace.Float32:
		return v&(1<<31-1) > 0xff<<23
	case trace.Float64:
		return v&(1<<63-1) > 0x7ff<<52
	}
	return false
}

// applyFloat is Apply for floats of the type k.
func applyFloat(op trace.FlowOp, k trace.Num, x, y uint64) uint64 {
	if k == trace.Float32 {
		r, is := arithmetic(op, float32Of(x), float32Of(y))
		if op == trace.FlowEq || op == trace.FlowLess || op == trace.FlowLeq {
			return truth(is)
		}
		return bits32(r)
	}
	r, is := arithmetic(op, float64Of(x), float64Of(y))
	if op == trace.FlowEq || op == trace.FlowLess || op == trace.FlowLeq {
		return truth(is)
	}
	return bits64(r)
}

func arithmetic[T real](op trace.FlowOp, x, y T) (r T, is bool) {
	switch op {
	case trace.FlowAdd:
		r = x + y
	case trace.FlowSub:
		r = x - y
	case trace.FlowMul:
		r = x * y
	case trace.FlowQuo:
		r = x / y
	case trace.FlowEq:
		is = x == y
	case trace.FlowLess:
		is = x < y
	case trace.FlowLeq:
		is = x <= y
	}
	return r, is
}

// converted returns v, a number of the type from, as one of the type to. A float becomes no integer
// so.
func converted(v uint64, from, to trace.Num) uint64 {
	switch {
	case from == to:
		return v
	case from == trace.Float32 && to == trace.Float64:
		return bits64(float64(float32Of(v)))
	case from == trace.Float64 && to == trace.Float32:
		return bits32(float32(float64Of(v)))
	case to == trace.Float32 && from.Signed():
		return bits32(float32(int64(from.Extend(v))))
	case to == trace.Float64 && from.Signed():
		return bits64(float64(int64(from.Extend(v))))
	case to == trace.Float32:
		return bits32(float32(from.Mask(v)))
	case to == trace.Float64:
		return bits64(float64(from.Mask(v)))
	}
	return to.Mask(from.Extend(v))
}

// become gives a constant, an integer of generic code, the type k.
func (v *Val) become(k trace.Num) {
	if v.k = k; k.Float() {
		v.v = converted(v.v, trace.Int, k)
	} else {
		v.v = k.Mask(v.v)
	}
}

// Truncate returns the label of a float with the label l as an integer of the type k. Whether it is
// in the range of k is a branch: what is outside becomes depends on the machine.
func Truncate(l Label, k trace.Num, s hook.Site) Label {
	if !Exprs || l == 0 {
		return l
	}
	from := F.Nodes[l].Kind
	if !from.Float() || k.Float() || !here() {
		return lost()
	}
	x := Val{l: l, k: from, v: values[l]}
	w, least := k.Width(), 0.0
	if k.Signed() {
		w--
		least = -float64(uint64(1) << w)
	}
	end := float64(uint64(1)<<(w-1)) * 2
	op, digits := trace.FlowLess, 53
	if from == trace.Float32 {
		digits = 24
	}
	if below := least - 1; w < digits {
		least = below
	} else if k.Signed() {
		op = trace.FlowLeq
	} else {
		least = -1
	}
	lo, hi := Val{k: from, v: realOf(least, from)}, Val{k: from, v: realOf(end, from)}
	above, under := applyFloat(op, from, lo.v, x.v) == 1, applyFloat(trace.FlowLess, from, x.v, hi.v) == 1
	once(two(op, trace.Bool, &lo, &x), above, s)
	if above {
		once(two(trace.FlowLess, trace.Bool, &x, &hi), under, s)
	}
	if !above || !under {
		return lost()
	}
	v := uint64(0)
	switch f := float64Of(converted(x.v, from, trace.Float64)); {
	case f < 1<<63:
		v = uint64(int64(f))
	default:
		v = uint64(int64(f-1<<63)) + 1<<63
	}
	return expr(trace.FlowNode{Op: trace.FlowConv, Kind: k, A: uint32(l)}, k.Mask(v))
}

// as returns the bits of v as a number of the type k, of the same width.
func (v Val) as(k trace.Num) Val {
	if v.l == 0 {
		return Val{k: k, v: v.v}
	}
	return Val{l: expr(trace.FlowNode{Op: trace.FlowBits, Kind: k, A: uint32(v.l)}, v.v), k: k, v: v.v}
}

// withSign is v whose bits are combined with its sign bit, or with all but that.
func (v Val) withSign(op trace.FlowOp, all bool) Val {
	w := trace.Num(v.k.Width())
	m := uint64(1) << (w - 1)
	if all {
		m--
	}
	return v.as(w).does(op, Val{k: w, v: m}).as(v.k)
}

// settled asks whether v is NaN, if it may be one whose bits depend on the machine. It returns
// false if it is.
func (v *Val) settled(s hook.Site) bool {
	if v.l == 0 {
		return true
	}
	switch n := &F.Nodes[v.l]; n.Op {
	case trace.FlowInput, trace.FlowConst:
		return true
	case trace.FlowBits:
		switch F.Nodes[n.A].Op {
		case trace.FlowXor, trace.FlowAnd, trace.FlowOr: // perhaps of another float
		default:
			return true
		}
	}
	v.isNaN(s)
	return !isNaN(v.v, v.k)
}

// isNaN asks whether v is NaN.
func (v *Val) isNaN(s hook.Site) bool {
	is := isNaN(v.v, v.k)
	if v.l != 0 {
		once(two(trace.FlowEq, trace.Bool, v, v), !is, s)
	}
	return is
}

// asks asks whether x op y, two floats.
func asks(op trace.FlowOp, x, y *Val, s hook.Site) bool {
	is := applyFloat(op, x.k, x.v, y.v) == 1
	if l := two(op, trace.Bool, x, y); l != 0 {
		once(l, is, s)
	}
	return is
}

// negative asks whether the sign bit of v is set.
func (v Val) negative(s hook.Site) bool {
	k := trace.NumOf(v.k.Width(), true)
	b := v.as(k)
	is := int64(k.Extend(b.v)) < 0
	if b.l != 0 {
		once(Two1(trace.FlowLess, trace.Bool, &b, 0, k), is, s)
	}
	return is
}

// extreme returns the lesser, or the greater, of x and y, as min and max do.
func extreme(least bool, x, y *Val, s hook.Site) *Val {
	if x.l == 0 && y.l == 0 {
		s = 0
	}
	if x.isNaN(s) {
		return x
	}
	if y.isNaN(s) {
		return y
	}
	first := false
	switch zero := (Val{k: x.k}); {
	case asks(trace.FlowLess, x, y, s):
		first = least
	case asks(trace.FlowLess, y, x, s):
		first = !least
	default: // of two zeros one may be -0
		first = !asks(trace.FlowEq, x, &zero, s) || x.negative(s) == least
	}
	if first {
		return x
	}
	return y
}

// The functions of package math, beside those of trace.Math: see package instrument.
const (
	mathAbs = 100 + iota
	mathCopysign
	mathSignbit
	mathBits
	mathFromBits
	mathIsNaN
	mathIsInf
	mathMax
	mathMin
	mathMod
	mathPow
	mathHypot
)

// Math is r, the result, of the type k, of the function named which of package math of x, or of x
// and y. Its label goes to to.
func Math[T any](r T, which uint8, k trace.Num, x, y *Val, to *Slot, s hook.Site) T {
	if !Exprs {
		to.l = U(x.l, y.l)
		return r
	}
	if to.l = 0; x.l == 0 && y.l == 0 || !here() {
		return r
	}
	v := uint64(0)
	for i := range unsafe.Sizeof(r) {
		v |= uint64(*(*byte)(unsafe.Add(unsafe.Pointer(&r), i))) << (8 * i)
	}
	l := mathOf(which, k, v, *x, *y, s)
	to.l = is(l, k, v)
	return r
}

// mathOf returns the label of the result v.
func mathOf(which uint8, k trace.Num, v uint64, x, y Val, s hook.Site) Label {
	same := func(to uint64) Label {
		return two(trace.FlowEq, trace.Bool, &x, &Val{k: x.k, v: to})
	}
	plus, minus := realOf(infinity(), x.k), realOf(-infinity(), x.k)
	switch which {
	case mathAbs:
		return x.withSign(trace.FlowAnd, true).l
	case mathCopysign:
		if !y.settled(s) {
			return lost()
		}
		w := trace.Num(64)
		sign := y.as(w).does(trace.FlowAnd, Val{k: w, v: 1 << 63})
		return x.as(w).does(trace.FlowAnd, Val{k: w, v: 1<<63 - 1}).does(trace.FlowOr, sign).as(k).l
	case mathSignbit:
		if !x.settled(s) {
			return lost()
		}
		b := x.as(trace.Int)
		return Two1(trace.FlowLess, trace.Bool, &b, 0, trace.Int)
	case mathBits:
		if !x.settled(s) {
			return lost()
		}
		return x.as(k).l
	case mathFromBits:
		return x.as(k).l
	case mathIsNaN:
		return Invert(two(trace.FlowEq, trace.Bool, &x, &x))
	case mathIsInf:
		pin(y.l, y.v, s)
		switch sign := int64(y.v); {
		case x.l == 0:
			return 0
		case sign > 0:
			return same(plus)
		case sign < 0:
			return same(minus)
		}
		either := [2]Val{{l: same(plus), k: trace.Bool}, {l: same(minus), k: trace.Bool}}
		for i := range either {
			either[i].v = values[either[i].l]
		}
		return either[0].does(trace.FlowOr, either[1]).l
	case mathMax, mathMin:
		end := Val{k: k, v: plus}
		if which == mathMin {
			end.v = minus
		}
		for _, z := range [...]*Val{&x, &y} { // also beside NaN
			if asks(trace.FlowEq, z, &end, s) {
				return z.l
			}
		}
		return extreme(which == mathMin, &x, &y, s).l
	}
	if which >= mathMod {
		for _, z := range [...]*Val{&x, &y} {
			if z.l == 0 {
				z.l = constant(z.v, z.k)
			}
		}
		if x.l == 0 || y.l == 0 {
			return 0
		}
		return expr(trace.FlowNode{Op: trace.FlowMod + trace.FlowOp(which-mathMod), Kind: k, A: uint32(x.l),
			B: uint32(y.l)}, v)
	}
	return expr(trace.FlowNode{Op: trace.FlowMath, Kind: k, A: uint32(x.l), B: uint32(which)}, v)
}

func infinity() float64 { return float64Of(0x7ff << 52) }

// SwitchReal is Switch for a float.
func SwitchReal[T real](x T, l Label, k trace.Num, s hook.Site, cases ...uint64) T {
	if l == 0 || !Exprs || !here() {
		return x
	}
	var v Val
	Real(x, l, k, &v)
	for _, c := range cases {
		is := applyFloat(trace.FlowEq, k, v.v, c) == 1
		condition(is, Two1(trace.FlowEq, trace.Bool, &v, c, k), s)
		if is {
			break
		}
	}
	return x
}
