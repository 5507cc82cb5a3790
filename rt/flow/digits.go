package flow

import (
	"math/bits"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// The text of a number: how many digits it has, and its sign, are branches; every digit is an
// expression.

// A digit is a byte of the text of the number u, which has no sign.
type digit struct {
	u     Label
	at, n int // it is digit at of n, from the highest on
	base  uint64
}

// digitOf are the digits by the labels of their bytes.
var digitOf = map[Label]digit{}

// A letter is a byte with its label.
type letter struct {
	c byte
	l Label
}

// Digits returns the text of u, which has the label l, as digits to a base, without a sign;
// "" where labels are not kept, u has none, or there is no such base.
func Digits(_ int, u uint64, base int, l, lb Label, at hook.Site, to *Slot) string {
	if to.l = 0; !Exprs || l == 0 || !here() {
		return ""
	}
	pin(lb, uint64(base), at)
	var v Val
	v.set(u, l, word)
	if v.l == 0 || base < 2 || base > 36 {
		return ""
	}
	return spell(digits(nil, &v, uint64(base), at))
}

// digits appends the digits of v, of the type word.
func digits(out []letter, v *Val, base uint64, at hook.Site) []letter {
	n, end, whole := 1, base, true // v < end, if whole
	for {
		small := v.v < end
		once(Two1(trace.FlowLess, trace.Bool, v, end, word), small, at)
		if small {
			break
		}
		n++
		if hi, lo := bits.Mul64(end, base); hi == 0 {
			end = lo
		} else {
			whole = false
			break
		}
	}
	x := *v
	if whole { // a narrow number is divided with fewer gates
		w := trace.Num(max(1, bits.Len64(end-1)))
		x = Val{l: Conv(v.l, w), k: w, v: v.v}
	}
	unit := uint64(1)
	for range n - 1 {
		unit *= base
	}
	for i := range n {
		d := x
		if unit > 1 {
			d = d.does(trace.FlowQuo, Val{k: x.k, v: unit})
		}
		if i > 0 {
			d = d.does(trace.FlowRem, Val{k: x.k, v: base})
		}
		unit /= base
		d = Val{l: Conv(d.l, 8), k: 8, v: d.v}
		c := d.does(trace.FlowAdd, Val{k: 8, v: '0'})
		if base > 10 {
			nine := Val{k: 8, v: 9}
			above := Val{l: two(trace.FlowLess, trace.Bool, &nine, &d), v: truth(d.v > 9)}
			c = c.does(trace.FlowAdd, Val{l: Conv(above.l, 8), k: 8, v: above.v}.does(trace.FlowMul,
				Val{k: 8, v: 'a' - '9' - 1}))
		}
		if c.l != 0 {
			digitOf[c.l] = digit{v.l, i, n, base}
		}
		out = append(out, letter{byte(c.v), c.l})
	}
	return out
}

// spelled appends the text of v, a number or condition, of at least width bytes: with zeros,
// or else with spaces, before or behind it.
func (v *Val) spelled(out []letter, base uint64, width int, zeros, left bool, at hook.Site) []letter {
	u, sign := *v, false
	if v.k.Signed() {
		u = Val{l: Conv(v.l, trace.Int), k: trace.Int, v: v.k.Extend(v.v)}
		if sign = int64(u.v) < 0; u.l != 0 {
			once(Two1(trace.FlowLess, trace.Bool, &u, 0, trace.Int), sign, at)
		}
		if sign {
			u = Val{k: trace.Int}.does(trace.FlowSub, u)
		}
	}
	u = Val{l: Conv(u.l, word), k: word, v: u.v}
	number := digits(nil, &u, base, at)
	n := width - len(number)
	if sign {
		n--
	}
	pad := func(c byte) {
		for range n {
			out = append(out, letter{c: c})
		}
	}
	if !zeros && !left {
		pad(' ')
	}
	if sign {
		out = append(out, letter{c: '-'})
	}
	if zeros && !left {
		pad('0')
	}
	out = append(out, number...)
	if left {
		pad(' ')
	}
	return out
}

// spell returns letters as a string whose bytes have labels.
func spell(ls []letter) string {
	b := make([]byte, len(ls))
	Kept = b
	for i, x := range ls {
		b[i] = x.c
		if x.l != 0 {
			memory.set(uintptr(unsafe.Pointer(&b[i])), 1, x.l)
		}
	}
	return string(unsafe.String(unsafe.SliceData(b), len(b)))
}

// number returns the label of whether the digits of a number that begin at byte i of s are those of
// t, n of them, whose bytes have no labels. ok is false if there is no number.
func (s *Val) number(t *Val, i uint64) (l Label, same, n uint64, ok bool) {
	first, ok := digitOf[s.byteAt(i)]
	if !ok || first.at != 0 || i+uint64(first.n) > min(s.v, t.v) {
		return 0, 0, 0, false
	}
	value, same := uint64(0), 1
	possible := true
	for k := range uint64(first.n) {
		l := s.byteAt(i + k)
		if d := digitOf[l]; d != (digit{first.u, int(k), first.n, first.base}) || t.byteAt(i+k) != 0 {
			return 0, 0, 0, false
		}
		c := uint64(peek(t.p + uintptr(i+k)))
		same &= truth(uint64(peek(s.p+uintptr(i+k))) == c)
		d := c - '0'
		if first.base > 10 && c >= 'a' {
			d = c - 'a' + 10
		} else if d > 9 {
			d = first.base
		}
		hi, lo := bits.Mul64(value, first.base)
		sum, carry := bits.Add64(lo, d, 0)
		possible = possible && d < first.base && hi == 0 && carry == 0 && (k > 0 || d > 0 || first.n == 1)
		value = sum
	}
	if !possible {
		return 0, 0, uint64(first.n), true
	}
	u := Val{l: first.u, k: word, v: values[first.u]}
	return Two1(trace.FlowEq, trace.Bool, &u, value, word), same, uint64(first.n), true
}
