package symbolic

import (
	"heddle/order/sat"
)

// Circuits for floats: as an implementation in hardware, but for speed. Words are least significant
// bit first, exponents are signed.

// A format is that of floats of a width.
type format struct {
	w, p, e int // bits in all, of the significand with the one before its point, of the exponent
}

func formatOf(w int) format {
	if w == 32 {
		return format{32, 24, 8}
	}
	return format{64, 53, 11}
}

func (f format) bias() int { return 1<<(f.e-1) - 1 }

// wide is the width of exponents while they are computed.
func (f format) wide() int { return f.e + 4 }

// A float is what the bits of one say.
type float struct {
	sign, nan, inf, zero sat.Lit
	exp                  []sat.Lit // of the first bit of sig
	sig                  []sat.Lit // p bits
}

// float returns the bits of the operator op of floats, w of them.
func (b *blaster) float(op Op, w int, x, y []sat.Lit) []sat.Lit {
	f := formatOf(len(x))
	switch op {
	case FEq:
		return []sat.Lit{b.floatEqual(f, x, y)}
	case FLt:
		return []sat.Lit{b.floatLess(f, x, y)}
	case FLe:
		return []sat.Lit{b.or(b.floatLess(f, x, y), b.floatEqual(f, x, y))}
	case FAdd:
		return b.floatAdd(f, x, y)
	case FMul:
		return b.floatMultiply(f, x, y)
	case FDiv:
		return b.floatDivide(f, x, y)
	case FSqrt:
		return b.floatRoot(f, x)
	case FFloor, FCeil, FTrunc, FRound, FEven:
		return b.integral(f, op, x)
	case FConv:
		return b.floatConvert(f, formatOf(w), x)
	case FToInt:
		return b.floatToInt(f, w, x)
	case FOfS:
		sign := x[len(x)-1]
		return b.floatOf(formatOf(w), sign, b.negateIf(sign, x))
	case FOfU:
		return b.floatOf(formatOf(w), b.one.Not(), x)
	case FFunc: // whatever it is
		b.opaque = true
		ls := make([]sat.Lit, w)
		for i := range ls {
			ls[i] = b.s.NewVar().Pos()
		}
		return ls
	}
	panic("symbolic: no such operator")
}

func (b *blaster) any(x []sat.Lit) sat.Lit {
	some := b.one.Not()
	for _, l := range x {
		some = b.or(some, l)
	}
	return some
}

func (b *blaster) number(v, w int) []sat.Lit { return b.constant(uint64(v), w) }

// unpack returns the parts of a float. The significand of a subnormal one begins with zeros.
func (b *blaster) unpack(f format, x []sat.Lit) float {
	frac, exp := x[:f.p-1], x[f.p-1:f.w-1]
	ones := b.any(invert(exp)).Not()
	normal, some := b.any(exp), b.any(frac)
	u := float{sign: x[f.w-1], nan: b.and(ones, some), inf: b.and(ones, some.Not()),
		zero: b.or(normal, some).Not()}
	u.sig = append(append([]sat.Lit(nil), frac...), normal)
	e := append([]sat.Lit(nil), exp...)
	e[0] = b.or(e[0], normal.Not()) // that of subnormal ones is 1
	u.exp = b.add(b.extend(e, f.wide(), b.one.Not()), b.number(-f.bias(), f.wide()), b.one.Not())
	return u
}

// first shifts sig to the left until its first bit is set, and takes that from the exponent.
func (b *blaster) first(exp, sig []sat.Lit) (e, s []sat.Lit) {
	count := b.constant(0, len(exp))
	n := len(sig)
	for k := log2(n) - 1; k >= 0; k-- {
		by := 1 << k
		if by >= n {
			continue
		}
		none := b.any(sig[n-by:]).Not()
		moved := append(b.constant(0, by), sig[:n-by]...)
		sig = b.choose(none, moved, sig)
		count[k] = none
	}
	return b.add(exp, invert(count), b.one), sig
}

// sticky shifts x to the right. The last bit is set if one that is lost, or it, was.
func (b *blaster) sticky(x, count []sat.Lit) []sat.Lit {
	n, lost := len(x), b.one.Not()
	stages := log2(n + 1)
	for k := range min(stages, len(count)) {
		by := min(1<<k, n)
		moved := append(append([]sat.Lit(nil), x[by:]...), b.constant(0, by)...)
		lost = b.or(lost, b.and(count[k], b.any(x[:by])))
		x = b.choose(count[k], moved, x)
	}
	if len(count) > stages {
		all := b.any(count[stages:])
		lost = b.or(lost, b.and(all, b.any(x)))
		x = b.choose(all, b.constant(0, n), x)
	}
	x = append([]sat.Lit(nil), x...)
	x[0] = b.or(x[0], lost)
	return x
}

// pack rounds a float whose significand begins with its first bit and has at least two bits more
// than the format, the last of which says whether others that are set follow.
func (b *blaster) pack(f format, sign sat.Lit, exp, sig []sat.Lit) []sat.Lit {
	w := len(exp)
	low := b.add(b.number(1-f.bias(), w), invert(exp), b.one) // how far below the least exponent
	under := low[w-1].Not()                                   // or none
	sig = b.sticky(sig, b.each(low, low, func(x, _ sat.Lit) sat.Lit { return b.and(x, under) }))
	n := len(sig)
	kept, half, rest := sig[n-f.p:], sig[n-f.p-1], b.any(sig[:n-f.p-1])
	up := b.and(half, b.or(rest, kept[0]))
	// an exponent one less, as the first bit of the significand adds one
	field := b.add(exp, b.number(f.bias()-1, w), b.one.Not())
	field = b.choose(under, b.constant(0, w), field)
	wide := append(b.constant(0, f.p-1), field...)
	wide = b.add(wide, b.extend(kept, len(wide), b.one.Not()), up)
	over := b.or(b.any(wide[f.w-1:]), b.any(invert(wide[f.p-1:f.w-1])).Not())
	out := b.choose(over, b.infinite(f), wide[:f.w-1])
	return append(append([]sat.Lit(nil), out...), sign)
}

// infinite returns the bits of infinity without its sign.
func (b *blaster) infinite(f format) []sat.Lit {
	return b.constant((1<<f.e-1)<<(f.p-1), f.w-1)
}

// special returns x, or NaN, or infinity, or zero, with that sign.
func (b *blaster) special(f format, nanIf, infIf, zeroIf, sign sat.Lit, x []sat.Lit) []sat.Lit {
	x = b.choose(zeroIf, append(b.constant(0, f.w-1), sign), x)
	x = b.choose(infIf, append(b.infinite(f), sign), x)
	return b.choose(nanIf, b.constant(nan(f.w), f.w), x)
}

func (b *blaster) floatEqual(f format, x, y []sat.Lit) sat.Lit {
	same := b.or(b.equal(x, y), b.or(b.any(x[:f.w-1]), b.any(y[:f.w-1])).Not())
	return b.and(same, b.and(b.isNaN(f, x).Not(), b.isNaN(f, y).Not()))
}

func (b *blaster) floatLess(f format, x, y []sat.Lit) sat.Lit {
	n := f.w - 1
	zeros := b.or(b.any(x[:n]), b.any(y[:n])).Not()
	less := b.mux(x[n], b.less(y[:n], x[:n]), b.less(x[:n], y[:n]))
	less = b.mux(b.xor(x[n], y[n]), b.and(x[n], zeros.Not()), less)
	return b.and(less, b.and(b.isNaN(f, x).Not(), b.isNaN(f, y).Not()))
}

func (b *blaster) isNaN(f format, x []sat.Lit) sat.Lit {
	return b.less(b.infinite(f), x[:f.w-1])
}

func (b *blaster) floatAdd(f format, x, y []sat.Lit) []sat.Lit {
	n := f.w - 1
	swap := b.less(x[:n], y[:n])
	x, y = b.choose(swap, y, x), b.choose(swap, x, y) // the greater one, and the other
	u, v := b.unpack(f, x), b.unpack(f, y)
	by := b.add(u.exp, invert(v.exp), b.one) // not negative
	great := append(b.constant(0, 3), u.sig...)
	small := b.sticky(append(b.constant(0, 3), v.sig...), by)
	minus := b.xor(u.sign, v.sign)
	k := len(great) + 1
	sum := b.add(b.extend(great, k, b.one.Not()),
		b.each(b.extend(small, k, b.one.Not()), b.extend(nil, k, minus), b.xor), minus)
	zero := b.any(sum).Not()
	exp := b.add(u.exp, b.number(1, f.wide()), b.one.Not())
	exp, sum = b.first(exp, sum)
	out := b.pack(f, u.sign, exp, sum)
	out = b.choose(zero, append(b.constant(0, n), b.and(u.sign, v.sign)), out)
	nan := b.or(b.or(u.nan, v.nan), b.and(b.and(u.inf, v.inf), minus))
	return b.special(f, nan, b.or(u.inf, v.inf), b.one.Not(), u.sign, out)
}

func (b *blaster) floatMultiply(f format, x, y []sat.Lit) []sat.Lit {
	u, v := b.unpack(f, x), b.unpack(f, y)
	sign := b.xor(u.sign, v.sign)
	// the sum of the exponents is that of the second bit of the product
	exp := b.add(u.exp, v.exp, b.one)
	product := b.multiply(b.extend(u.sig, 2*f.p, b.one.Not()), v.sig)
	exp, product = b.first(exp, product)
	return b.special(f, b.or(b.or(u.nan, v.nan), b.or(b.and(u.inf, v.zero), b.and(u.zero, v.inf))),
		b.or(u.inf, v.inf), b.or(u.zero, v.zero), sign, b.pack(f, sign, exp, product))
}

func (b *blaster) floatDivide(f format, x, y []sat.Lit) []sat.Lit {
	u, v := b.unpack(f, x), b.unpack(f, y)
	sign := b.xor(u.sign, v.sign)
	ex, sx := b.first(u.exp, u.sig)
	ey, sy := b.first(v.exp, v.sig)
	// the quotient of the significands is between 1/2 and 2: first its bit of 1, then p+1 others
	wide := b.extend(sy, f.p+1, b.one.Not())
	rest := b.extend(sx, f.p+1, b.one.Not())
	q := make([]sat.Lit, f.p+3)
	for i := len(q) - 1; i > 0; i-- {
		q[i] = b.less(rest, wide).Not()
		rest = b.choose(q[i], b.add(rest, invert(wide), b.one), rest)
		rest = append([]sat.Lit{b.one.Not()}, rest[:f.p]...)
	}
	q[0] = b.any(rest)
	exp := b.add(ex, invert(ey), b.one)
	exp, q = b.first(exp, q)
	return b.special(f, b.or(b.or(u.nan, v.nan), b.or(b.and(u.inf, v.inf), b.and(u.zero, v.zero))),
		b.or(u.inf, v.zero), b.or(u.zero, v.inf), sign, b.pack(f, sign, exp, q))
}

func (b *blaster) floatRoot(f format, x []sat.Lit) []sat.Lit {
	u := b.unpack(f, x)
	exp, sig := b.first(u.exp, u.sig)
	odd := exp[0]
	// an even exponent, so that the number before it is between 1 and 4: two bits before the point
	n := f.p + 2 // bits of the root
	num := make([]sat.Lit, 2*n)
	for i := range num {
		num[i] = b.one.Not()
	}
	for i := range f.p { // the bit of 1 is at 2n-2
		at := 2*n - 2 - (f.p - 1) + i
		num[at] = b.or(num[at], b.and(sig[i], odd.Not()))
		num[at+1] = b.or(num[at+1], b.and(sig[i], odd))
	}
	half := append(append([]sat.Lit(nil), exp[1:]...), exp[len(exp)-1]) // rounded down, as exp - odd is even
	rest, root := b.constant(0, n+2), []sat.Lit{}
	for i := n - 1; i >= 0; i-- {
		rest = append([]sat.Lit{num[2*i], num[2*i+1]}, rest[:n]...)
		try := b.extend(append([]sat.Lit{b.one, b.one.Not()}, root...), n+2, b.one.Not()) // 4*root + 1
		fits := b.less(rest, try).Not()
		rest = b.choose(fits, b.add(rest, invert(try), b.one), rest)
		root = append([]sat.Lit{fits}, root...)
	}
	root = append([]sat.Lit{b.any(rest)}, root...)
	out := b.pack(f, b.one.Not(), half, root)
	negative := b.and(u.sign, u.zero.Not())
	return b.special(f, b.or(u.nan, negative), u.inf, u.zero, u.sign, out)
}

// integral rounds to a whole number.
func (b *blaster) integral(f format, op Op, x []sat.Lit) []sat.Lit {
	u := b.unpack(f, x)
	n, m, sign := f.w-1, f.p-1, x[f.w-1]
	minus := u.exp[len(u.exp)-1] // |x| < 1
	// bits of the fraction: m-exp of them
	count := b.add(b.number(m, f.wide()), invert(u.exp), b.one)
	whole := count[len(count)-1] // or exp > m: no fraction
	frac := make([]sat.Lit, m+1) // bit i is one of the fraction
	for i := range frac {
		frac[i] = b.less(b.number(i, f.wide()-1), count[:f.wide()-1])
	}
	some, half, rest := b.one.Not(), b.one.Not(), b.one.Not()
	last := b.one.Not() // the last bit that is whole
	out := append([]sat.Lit(nil), x[:n]...)
	add := b.constant(0, n)
	for i := range m {
		in := b.and(x[i], frac[i])
		some = b.or(some, in)
		first := b.and(frac[i], frac[i+1].Not()) // the first of the fraction
		half = b.or(half, b.and(in, first))
		rest = b.or(rest, b.and(in, first.Not()))
		last = b.or(last, b.and(first, x[i+1]))
		out[i] = b.and(out[i], frac[i].Not())
		add[i+1] = first
	}
	up := b.one.Not()
	small := b.one.Not() // whether what is less than 1 becomes 1
	exact := u.zero
	atLeastHalf := b.equal(x[m:n], b.number(f.bias()-1, f.e))
	switch op {
	case FFloor:
		up, small = b.and(sign, some), b.and(sign, exact.Not())
	case FCeil:
		up, small = b.and(sign.Not(), some), b.and(sign.Not(), exact.Not())
	case FRound:
		up, small = half, atLeastHalf
	case FEven:
		up, small = b.and(half, b.or(rest, last)), b.and(atLeastHalf, b.any(x[:m]))
	}
	out = b.add(out, b.each(add, add, func(l, _ sat.Lit) sat.Lit { return b.and(l, up) }), b.one.Not())
	one := b.constant(uint64(f.bias())<<m, n)
	below := b.choose(small, one, b.constant(0, n))
	out = b.choose(minus, below, b.choose(whole, x[:n], out))
	out = append(append([]sat.Lit(nil), out...), sign)
	return b.choose(u.nan, b.constant(nan(f.w), f.w), out)
}

func (b *blaster) floatConvert(from, to format, x []sat.Lit) []sat.Lit {
	u := b.unpack(from, x)
	w := max(from.wide(), to.wide())
	exp := b.extend(u.exp, w, u.exp[len(u.exp)-1])
	sig := u.sig
	if to.p > from.p {
		exp, sig = b.first(exp, sig)
		sig = append(b.constant(0, to.p+2-from.p), sig...)
	}
	return b.special(to, u.nan, u.inf, u.zero, u.sign, b.pack(to, u.sign, exp, sig))
}

func (b *blaster) floatToInt(f format, w int, x []sat.Lit) []sat.Lit {
	u := b.unpack(f, x)
	m, k := f.p-1, len(u.exp)
	wide := b.extend(u.sig, m+w, b.one.Not())
	stages := log2(w + 1)
	for i := range stages {
		by := min(1<<i, len(wide))
		moved := append(b.constant(0, by), wide[:len(wide)-by]...)
		wide = b.choose(u.exp[i], moved, wide)
	}
	fits := b.and(u.exp[k-1].Not(), b.less(u.exp[:k-1], b.number(w, k-1)))
	out := b.negateIf(u.sign, wide[m:])
	return b.each(out, out, func(l, _ sat.Lit) sat.Lit { return b.and(l, fits) })
}

// floatOf returns the float nearest to x, a number without sign.
func (b *blaster) floatOf(f format, sign sat.Lit, x []sat.Lit) []sat.Lit {
	n := max(len(x), f.p+2)
	sig := append(b.constant(0, n-len(x)), x...)
	exp, sig := b.first(b.number(len(x)-1, f.wide()), sig)
	zero := b.any(x).Not()
	return b.special(f, b.one.Not(), b.one.Not(), zero, b.and(sign, zero.Not()), b.pack(f, sign, exp, sig))
}
