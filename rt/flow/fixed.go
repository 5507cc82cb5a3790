package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// Texts of floats with few decimals, %.2f: the digits of a whole number, which is an expression of
// the bits of the float.

// FloatText returns the text of f, which has the label l, in the format how&0xff with how>>8
// decimals; "" where labels are not kept, f has none, or the text is not followed.
func FloatText(_ int, f float64, how int, l, lhow Label, at hook.Site, to *Slot) string {
	if to.l = 0; !Exprs || l == 0 || !here() {
		return ""
	}
	pin(lhow, uint64(how), at)
	var v Val
	Real(f, l, trace.Float64, &v)
	if how&0xff != 'f' {
		return ""
	}
	out, ok := v.fixed(nil, how>>8, at)
	if !ok {
		return ""
	}
	return spell(out)
}

// mostDecimals is how many decimals are followed: a significand times 1,000 has 63 bits.
const mostDecimals = 3

// fixed appends the text of v, a float, with that many decimals: its exact value, rounded to the
// nearest, to the even one of two. ok is false if that is not followed.
func (v *Val) fixed(out []letter, decimals int, at hook.Site) (_ []letter, ok bool) {
	if v.l == 0 || decimals < 0 || decimals > mostDecimals {
		return nil, false
	}
	x := Val{l: Conv(v.l, trace.Float64), k: trace.Float64, v: converted(v.v, v.k, trace.Float64)}
	if !x.settled(at) {
		return nil, false
	}
	const exps = 52 // the exponent begins there
	number := func(n uint64) Val { return Val{k: word, v: n} }
	less := func(x, y Val) bool {
		is := x.v < y.v
		if l := two(trace.FlowLess, trace.Bool, &x, &y); l != 0 {
			once(l, is, at)
		}
		return is
	}
	if x.negative(at) {
		out = append(out, letter{c: '-'})
	}
	u := x.as(word).does(trace.FlowAnd, number(1<<63-1))
	if !less(u, number(1075<<exps)) { // a whole number, or none
		return nil, false
	}
	tens := uint64(1)
	for range decimals {
		tens *= 10
	}
	n := number(0)
	if !less(u, number(bits64(1.0/2048))) { // below, it is nearer to 0 than any
		k := number(1075).does(trace.FlowSub, u.does(trace.FlowShr, number(exps)))
		m := u.does(trace.FlowAnd, number(1<<exps-1)).does(trace.FlowOr, number(1<<exps))
		m = m.does(trace.FlowMul, number(tens))
		n = m.does(trace.FlowShr, k)
		rest := m.does(trace.FlowSub, n.does(trace.FlowShl, k))
		half := number(1).does(trace.FlowShl, k.does(trace.FlowSub, number(1)))
		up := less(half, rest)
		if !up && !less(rest, half) {
			up = !less(n.does(trace.FlowAnd, number(1)), number(1))
		}
		if up {
			n = n.does(trace.FlowAdd, number(1))
		}
	}
	whole := n
	if tens > 1 {
		whole = n.does(trace.FlowQuo, number(tens))
	}
	out = digits(out, &whole, 10, at)
	if decimals > 0 {
		out = append(out, letter{c: '.'})
	}
	for tens > 1 {
		tens /= 10
		d := n
		if tens > 1 {
			d = d.does(trace.FlowQuo, number(tens))
		}
		d = d.does(trace.FlowRem, number(10))
		d = Val{l: Conv(d.l, 8), k: 8, v: d.v}.does(trace.FlowAdd, Val{k: 8, v: '0'})
		out = append(out, letter{byte(d.v), d.l})
	}
	return out, true
}
