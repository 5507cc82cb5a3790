package symbolic

import (
	"math"

	"heddle/trace"
)

// Floats are terms of 32 or 64 bits: the bits of IEEE 754. A NaN that arithmetic gives may have
// other bits in a program; no term depends on them, as package flow asks before it looks at bits.

// The functions of FFunc of two operands; those of one have the number of their trace.Math.
const (
	funcMod = 0x80 + iota
	funcPow
	funcHypot
)

var functions = map[uint64]func(float64) float64{
	uint64(trace.MathExp): math.Exp, uint64(trace.MathExp2): math.Exp2, uint64(trace.MathExpm1): math.Expm1,
	uint64(trace.MathLog): math.Log, uint64(trace.MathLog2): math.Log2, uint64(trace.MathLog10): math.Log10,
	uint64(trace.MathLog1p): math.Log1p, uint64(trace.MathCbrt): math.Cbrt, uint64(trace.MathSin): math.Sin,
	uint64(trace.MathCos): math.Cos, uint64(trace.MathTan): math.Tan, uint64(trace.MathAsin): math.Asin,
	uint64(trace.MathAcos): math.Acos, uint64(trace.MathAtan): math.Atan, uint64(trace.MathSinh): math.Sinh,
	uint64(trace.MathCosh): math.Cosh, uint64(trace.MathTanh): math.Tanh,
}

// functions2 are those of two operands, from funcMod on.
var functions2 = [...]func(x, y float64) float64{math.Mod, math.Pow, math.Hypot}

// float is Go for floats: x - y is x + -y.
func (t *Table) float(op trace.FlowOp, x, y Term) Term {
	switch op {
	case trace.FlowAdd:
		return t.Op(FAdd, x, y)
	case trace.FlowSub:
		return t.Op(FAdd, x, t.Op(Xor, y, t.Const(1<<(t.Width(y)-1), t.Width(y))))
	case trace.FlowMul:
		return t.Op(FMul, x, y)
	case trace.FlowQuo:
		return t.Op(FDiv, x, y)
	case trace.FlowEq:
		return t.Op(FEq, x, y)
	case trace.FlowLess:
		return t.Op(FLt, x, y)
	}
	return None
}

// convert returns x, of the type from, as a number of the type to.
func (t *Table) convert(x Term, from, to trace.Num) Term {
	w := to.Width()
	switch {
	case from.Float() && to.Float() && w == t.Width(x):
		return x
	case from.Float() && to.Float():
		return t.to(FConv, x, w)
	case from.Float():
		return t.to(FToInt, x, w)
	case to.Float() && from.Signed():
		return t.to(FOfS, x, w)
	case to.Float():
		return t.to(FOfU, x, w)
	}
	return t.Resize(x, w, from.Signed())
}

// to returns the term of an operator of one operand whose result has the width w.
func (t *Table) to(op Op, x Term, w int) Term {
	if v, ok := t.IsConst(x); ok {
		return t.Const(apply(op, t.Width(x), w, v, 0, 0), w)
	}
	return t.add(node{op: op, w: uint8(w), a: x, b: None, c: None})
}

// math returns the term of a function of x.
func (t *Table) math(f trace.Math, x Term) Term {
	if f > trace.MathExact {
		return t.opaque(uint64(f), x, x)
	}
	return t.Op(FSqrt+Op(f), x)
}

// opaque returns the term of a function whose result is computed by package math. The program may
// have another version of it, so that nothing is claimed by it: it may have any value where
// conditions are shown to exclude each other.
func (t *Table) opaque(f uint64, x, y Term) Term {
	return t.add(node{op: FFunc, w: t.nodes[x].w, a: x, b: y, c: t.Const(f, 8)})
}

// guesses reports whether op has a value by guess alone.
func guesses(op Op) bool { return op == FFunc }

// isFloat reports whether the operands of op are floats.
func isFloat(op Op) bool { return op >= FAdd && op <= FToInt || op == FFunc }

// nan returns the bits of NaN.
func nan(w int) uint64 {
	if w == 32 {
		return 0x7fc00000
	}
	return 0x7ff8 << 48
}

// bitsOf returns the bits of x as a float of w bits, which it is.
func bitsOf(x float64, w int) uint64 {
	switch {
	case x != x:
		return nan(w)
	case w == 32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// floatOf returns the float with these bits.
func floatOf(v uint64, w int) float64 {
	if w == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// applyFloat is apply for floats, by those of this machine.
func applyFloat(op Op, w, to int, a, b, c uint64) uint64 {
	switch op {
	case FOfS:
		if to == 32 {
			return uint64(math.Float32bits(float32(signed(a, w))))
		}
		return math.Float64bits(float64(signed(a, w)))
	case FOfU:
		if to == 32 {
			return uint64(math.Float32bits(float32(a)))
		}
		return math.Float64bits(float64(a))
	}
	x, y := floatOf(a, w), floatOf(b, w)
	switch op {
	case FEq:
		return truth(x == y)
	case FLt:
		return truth(x < y)
	case FLe:
		return truth(x <= y)
	case FConv:
		return bitsOf(x, to)
	case FToInt:
		return truncated(x, to)
	case FFloor:
		return bitsOf(math.Floor(x), w)
	case FCeil:
		return bitsOf(math.Ceil(x), w)
	case FTrunc:
		return bitsOf(math.Trunc(x), w)
	case FRound:
		return bitsOf(math.Round(x), w)
	case FEven:
		return bitsOf(math.RoundToEven(x), w)
	case FFunc:
		if f := functions[c]; f != nil {
			return bitsOf(f(x), w)
		}
		return bitsOf(functions2[c-funcMod](x, y), w)
	}
	if w == 32 { // rounded once
		return bitsOf(float64(arithmetic(op, float32(x), float32(y))), w)
	}
	return bitsOf(arithmetic(op, x, y), w)
}

func arithmetic[T float32 | float64](op Op, x, y T) T {
	switch op {
	case FAdd:
		return x + y
	case FMul:
		return x * y
	case FDiv:
		return x / y
	case FSqrt: // also right for a float32, as a float64 has more than twice its bits
		return T(math.Sqrt(float64(x)))
	}
	panic("symbolic: no such operator")
}

// truncated returns the lower w bits of x without its fraction, 0 for NaN and what is 2^w or more.
func truncated(x float64, w int) uint64 {
	abs := math.Trunc(math.Abs(x))
	if !(abs < math.Ldexp(1, w)) {
		return 0
	}
	v := uint64(abs)
	if x < 0 {
		v = -v
	}
	return v & mask(w)
}
