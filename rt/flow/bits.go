package flow

import "heddle/trace"

// Functions of package math/bits. It lies below package runtime, so its code is not followed: each
// result is an expression.

// The functions: see package instrument.
const (
	bitsOnes = iota
	bitsLen
	bitsLeading
	bitsTrailing
	bitsReverse
	bitsBytes
	bitsRotate
)

// Bits is r, the result of the function named which of x, or of x and y. Its label goes to to.
func Bits[T integer](r T, which uint8, k trace.Num, x, y *Val, to *Slot) T {
	if !Exprs {
		to.l = U(x.l, y.l)
		return r
	}
	if to.l = 0; x.l == 0 && y.l == 0 || !here() {
		return r
	}
	v := bitsOf(which, *x, *y)
	to.l = is(v.l, k, k.Mask(uint64(r)))
	return r
}

func bitsOf(which uint8, x, y Val) Val {
	w := uint64(x.k.Width())
	switch which {
	case bitsOnes:
		return x.ones()
	case bitsLen:
		return x.smeared().ones()
	case bitsLeading:
		return Val{k: trace.Int, v: w}.does(trace.FlowSub, x.smeared().ones())
	case bitsTrailing:
		below := x.does(trace.FlowSub, Val{k: x.k, v: 1})
		return below.does(trace.FlowAndNot, x).ones()
	case bitsReverse:
		return x.swapped(1, w)
	case bitsBytes:
		return x.swapped(8, w)
	}
	n := Val{l: Conv(y.l, word), k: word, v: y.k.Extend(y.v)}.does(trace.FlowAnd, Val{k: word, v: w - 1})
	back := Val{k: word, v: w}.does(trace.FlowSub, n)
	return x.does(trace.FlowShl, n).does(trace.FlowOr, x.does(trace.FlowShr, back))
}

// does is v op w, of the type of v.
func (v Val) does(op trace.FlowOp, w Val) Val {
	return Val{l: two(op, v.k, &v, &w), k: v.k, v: Apply(op, v.k, w.k, v.v, w.v)}
}

// smeared has every bit that is not above the highest of v.
func (v Val) smeared() Val {
	for n := uint64(1); n < uint64(v.k.Width()); n *= 2 {
		v = v.does(trace.FlowOr, v.does(trace.FlowShr, Val{k: word, v: n}))
	}
	return v
}

// ones is how many bits of v there are, an int.
func (v Val) ones() Val {
	for n := uint64(1); n < uint64(v.k.Width()); n *= 2 {
		m := Val{k: v.k, v: stripes(n) & v.k.Mask(^uint64(0))}
		v = v.does(trace.FlowAnd, m).does(trace.FlowAdd,
			v.does(trace.FlowShr, Val{k: word, v: n}).does(trace.FlowAnd, m))
	}
	return Val{l: Conv(v.l, trace.Int), k: trace.Int, v: v.v}
}

// swapped has the groups of n bits in w in reverse order.
func (v Val) swapped(n, w uint64) Val {
	for ; n < w; n *= 2 {
		m, by := Val{k: v.k, v: stripes(n) & v.k.Mask(^uint64(0))}, Val{k: word, v: n}
		v = v.does(trace.FlowAnd, m).does(trace.FlowShl, by).does(trace.FlowOr,
			v.does(trace.FlowShr, by).does(trace.FlowAnd, m))
	}
	return v
}

// stripes has n bits set, n not set, and so on, from the lowest.
func stripes(n uint64) uint64 {
	if n == 64 {
		return ^uint64(0)
	}
	return ^uint64(0) / (1<<n + 1)
}
