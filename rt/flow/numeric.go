package flow

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// What package strconv reads as a decimal number, and what is a space in package strings, as one
// expression each, of texts of any length up to a few bytes: so 8080 is found in one step, and not
// digit after digit.

// mostNumeric is how long a text is at most that is read so: the number has 32 bits.
const mostNumeric = 9

// Numeric is 1 if s is a decimal number, perhaps behind one of the bytes of signs, and 0 if not.
// Where that has no expression it is NotSought: that s is longer is a branch.
func Numeric(_ int, s, signs string, l, ls Label, at hook.Site, to *Slot) int {
	valid, _, ok := decimal(s, signs, l, ls, at, to)
	if !ok {
		return NotSought
	}
	to.l = Conv(valid.l, trace.Int)
	return int(valid.v)
}

// Decimal is the number that s is, where Numeric is 1.
func Decimal(_ int, s, signs string, l, ls Label, at hook.Site, to *Slot) int {
	_, x, _ := decimal(s, signs, l, ls, at, to)
	to.l = Conv(x.l, trace.Int)
	return int(int32(x.v))
}

func decimal(s, signs string, l, ls Label, at hook.Site, to *Slot) (valid, x Val, ok bool) {
	if to.l = 0; !Exprs || !here() || ls != 0 || printing() {
		return valid, x, false
	}
	var v Val
	Str(s, l, 0, &v, at)
	if v.l == 0 && (!v.labelled() || v.v == 0) {
		return valid, x, false
	}
	length := v.length()
	if length.l != 0 {
		once(Two1(trace.FlowLess, trace.Bool, &length, mostNumeric+1, trace.Int), v.v <= mostNumeric, at)
	}
	n := uint64(mostNumeric)
	if v.v > n {
		return valid, x, false
	}
	if length.l == 0 {
		n = v.v
	}
	no := Val{k: trace.Bool, v: 1} // to be xored with
	valid = hasByte(0, &length)
	for i := range n {
		b, ok := v.byteVal(i)
		if !ok {
			return valid, x, false
		}
		d := b.does(trace.FlowSub, Val{k: 8, v: '0'})
		is := Val{l: Two1(trace.FlowLess, trace.Bool, &d, 10, 8), k: trace.Bool, v: truth(d.v < 10)}
		d = Val{l: Conv(d.l, signed32), k: signed32, v: d.v}
		has := hasByte(i, &length)
		if i == 0 {
			sign := Val{k: trace.Bool}
			for k := range len(signs) {
				sign = sign.does(trace.FlowOr, b.is(signs[k]))
			}
			valid = valid.does(trace.FlowAnd,
				is.does(trace.FlowOr, sign.does(trace.FlowAnd, hasByte(1, &length))))
			x = d.does(trace.FlowAnd, is.mask())
			continue
		}
		valid = valid.does(trace.FlowAnd, is.does(trace.FlowOr, has.does(trace.FlowXor, no)))
		more := x.does(trace.FlowMul, Val{k: signed32, v: 10}).does(trace.FlowAdd, d)
		x = more.does(trace.FlowAnd, has.mask()).does(trace.FlowOr, x.does(trace.FlowAndNot, has.mask()))
	}
	if first, _ := v.byteVal(0); len(signs) > 0 {
		minus := first.is('-').mask()
		x = x.does(trace.FlowXor, minus).does(trace.FlowSub, minus)
	}
	return valid, x, true
}

var signed32 = trace.NumOf(32, true)

// hasByte is i < length.
func hasByte(i uint64, length *Val) Val {
	return Val{l: Two2(trace.FlowLess, trace.Bool, i, trace.Int, length), k: trace.Bool,
		v: truth(i < length.v)}
}

// is is v == c.
func (v Val) is(c byte) Val {
	return Val{l: Two1(trace.FlowEq, trace.Bool, &v, uint64(c), 8), k: trace.Bool,
		v: truth(v.v == uint64(c))}
}

// mask has all bits of a number, or none, as a condition is true or not.
func (v Val) mask() Val {
	c := Val{l: Conv(v.l, signed32), k: signed32, v: v.v}
	return Val{k: signed32}.does(trace.FlowSub, c)
}

// spaces are those that are not ASCII, in UTF-8.
var spaces = [...]string{"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
	"\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f",
	"\u3000"}

// Spaced is how long the space is that s begins with (way 1: ends with) if that is not ASCII, and 0
// if there is none. Where that has no expression it is NotSought.
func Spaced(way int, s, _ string, l, _ Label, at hook.Site, to *Slot) int {
	if to.l = 0; !Exprs || !here() || printing() {
		return NotSought
	}
	var v Val
	Str(s, l, 0, &v, at)
	if v.l != 0 || v.labelled() {
		if _, ok := v.region(); !ok {
			return NotSought
		}
	}
	length, size := v.length(), Val{k: trace.Int}
	for _, space := range spaces {
		all := hasByte(uint64(len(space))-1, &length)
		for i := range uint64(len(space)) {
			var b Val
			ok := true
			if way == 0 {
				b, ok = v.byteOr0(i, &length)
			} else {
				b, ok = v.last(uint64(len(space))-i, &length, at)
			}
			if !ok {
				return NotSought
			}
			all = all.does(trace.FlowAnd, b.is(space[i]))
		}
		n := Val{l: Conv(all.l, trace.Int), k: trace.Int, v: all.v}
		size = size.does(trace.FlowOr, n.does(trace.FlowMul, Val{k: trace.Int, v: uint64(len(space))}))
	}
	to.l = size.l
	return int(size.v)
}

// byteOr0 is byte i, or 0 if the text ends before it and always does.
func (v *Val) byteOr0(i uint64, length *Val) (Val, bool) {
	if length.l == 0 && i >= v.v {
		return Val{k: 8}, true
	}
	return v.byteVal(i)
}

// last is byte i from the end on, 1 for the last one; any byte if the text is shorter.
func (v *Val) last(i uint64, length *Val, at hook.Site) (b Val, ok bool) {
	if length.l == 0 {
		if i > v.v {
			return Val{k: 8}, true
		}
		return Val{l: v.byteAt(v.v - i), k: 8, v: uint64(peek(v.p + uintptr(v.v-i)))}, true
	}
	lo := length.does(trace.FlowSub, Val{k: trace.Int, v: i})
	from, ok := v.from(&lo, at)
	if !ok || from == 0 {
		return b, false
	}
	l := pick(uint32(from), 0)
	return Val{l: l, k: 8, v: values[l]}, l != 0
}
