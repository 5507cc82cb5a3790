package symbolic

import (
	"math/bits"
	"slices"

	"heddle/order/sat"
)

// A blaster translates terms into clauses, with one literal for each bit. Equal gates are shared,
// and gates with constant inputs are simplified away.
type blaster struct {
	t         *Table
	s         *sat.Solver
	one       sat.Lit // the literal that is true
	bits      map[Term][]sat.Lit
	done      marking // the terms that have literals
	ands      map[[2]sat.Lit]sat.Lit
	xors      map[[2]sat.Lit]sat.Lit
	muxs      map[[3]sat.Lit]sat.Lit
	quot      map[[2]Term][2][]sat.Lit // unsigned quotient and remainder
	signed    map[[2]Term][2][]sat.Lit // those of the absolute values
	known     *spans                   // what the conditions say of terms
	preferred map[Term]bool            // variables
	stop      func() bool              // called between terms; true stops the translation
	opaque    bool                     // there is an FFunc: a model has to be tried
}

func newBlaster(t *Table, s *sat.Solver, known *spans) *blaster {
	b := &blaster{t: t, s: s, bits: map[Term][]sat.Lit{}, ands: map[[2]sat.Lit]sat.Lit{},
		xors: map[[2]sat.Lit]sat.Lit{}, preferred: map[Term]bool{},
		known: known, muxs: map[[3]sat.Lit]sat.Lit{}, quot: map[[2]Term][2][]sat.Lit{},
		signed: map[[2]Term][2][]sat.Lit{}}
	b.done.empty(t)
	b.one = s.NewVar().Pos()
	s.Add(-1, b.one)
	return b
}

// of returns the bits of x, least significant first, or nil if it was stopped.
func (b *blaster) of(x Term) []sat.Lit {
	stopped := false
	b.t.walk([]Term{x}, &b.done, func(y Term) {
		if stopped = stopped || b.stop != nil && b.stop(); !stopped {
			b.bits[y] = b.make(y)
			b.know(y)
		}
	})
	if stopped {
		return nil
	}
	return b.bits[x]
}

// know makes the upper bits of x constant, as far as they are known.
func (b *blaster) know(x Term) {
	s, ok := b.known.of[x]
	if !ok || s.varies() >= len(b.bits[x]) {
		return
	}
	ls := slices.Clone(b.bits[x]) // some are those of another term
	for i := s.varies(); i < len(ls); i++ {
		l := ls[i]
		if ls[i] = b.bit(s.lo, i); l == ls[i] {
			continue
		}
		if ls[i] == b.one.Not() {
			l = l.Not()
		}
		b.s.Add(-1, l)
	}
	b.bits[x] = ls
}

func (b *blaster) make(x Term) []sat.Lit {
	n := &b.t.nodes[x]
	w := int(n.w)
	switch n.op {
	case OpVar:
		ls := make([]sat.Lit, w)
		s, ok := b.known.of[x]
		for i := range ls {
			if ok && i >= s.varies() {
				ls[i] = b.bit(s.lo, i)
				continue
			}
			ls[i] = b.s.NewVar().Pos()
		}
		return ls
	case OpConst:
		return b.constant(n.v, w)
	}
	p, q, r := b.bits[n.a], b.bits[n.b], b.bits[n.c] // none has no bits
	switch n.op {
	case Add:
		return b.add(p, q, b.one.Not())
	case Sub:
		return b.add(p, invert(q), b.one)
	case Mul:
		return b.multiply(p, q)
	case UDiv:
		return b.divide(n.a, n.b, p, q)[0]
	case URem:
		return b.divide(n.a, n.b, p, q)[1]
	case SDiv:
		qr, sx, sy := b.divideSigned(n.a, n.b, p, q)
		return b.negateIf(b.xor(sx, sy), qr[0])
	case SRem:
		qr, sx, _ := b.divideSigned(n.a, n.b, p, q)
		return b.negateIf(sx, qr[1])
	case And:
		return b.each(p, q, b.and)
	case Or:
		return b.each(p, q, b.or)
	case Xor:
		return b.each(p, q, b.xor)
	case Not:
		return invert(p)
	case Shl:
		return reverse(b.shiftRight(reverse(p), q, b.one.Not()))
	case LShr:
		return b.shiftRight(p, q, b.one.Not())
	case AShr:
		return b.shiftRight(p, q, p[w-1])
	case Eq:
		return []sat.Lit{b.equal(p, q)}
	case ULt:
		return []sat.Lit{b.less(p, q)}
	case SLt: // signs swapped
		p, q = append([]sat.Lit(nil), p...), append([]sat.Lit(nil), q...)
		p[len(p)-1], q[len(q)-1] = p[len(p)-1].Not(), q[len(q)-1].Not()
		return []sat.Lit{b.less(p, q)}
	case Ite:
		return b.choose(p[0], q, r)
	case ZExt:
		return b.extend(p, w, b.one.Not())
	case SExt:
		return b.extend(p, w, p[len(p)-1])
	case Trunc:
		return p[:w]
	}
	return b.float(n.op, w, p, q)
}

func (b *blaster) constant(v uint64, w int) []sat.Lit {
	ls := make([]sat.Lit, w)
	for i := range ls {
		ls[i] = b.bit(v, i)
	}
	return ls
}

// bit returns the literal of a constant's bit.
func (b *blaster) bit(v uint64, i int) sat.Lit {
	if v>>i&1 == 0 {
		return b.one.Not()
	}
	return b.one
}

// Gates.

func (b *blaster) and(x, y sat.Lit) sat.Lit {
	switch {
	case x == b.one.Not() || y == b.one.Not() || x == y.Not():
		return b.one.Not()
	case x == b.one || x == y:
		return y
	case y == b.one:
		return x
	}
	if x > y {
		x, y = y, x
	}
	key := [2]sat.Lit{x, y}
	if z, ok := b.ands[key]; ok {
		return z
	}
	z := b.s.NewVar().Pos()
	b.s.Add(-1, z.Not(), x)
	b.s.Add(-1, z.Not(), y)
	b.s.Add(-1, z, x.Not(), y.Not())
	b.ands[key] = z
	return z
}

func (b *blaster) or(x, y sat.Lit) sat.Lit { return b.and(x.Not(), y.Not()).Not() }

func (b *blaster) xor(x, y sat.Lit) sat.Lit {
	switch {
	case x == b.one.Not():
		return y
	case y == b.one.Not():
		return x
	case x == b.one:
		return y.Not()
	case y == b.one:
		return x.Not()
	case x == y:
		return b.one.Not()
	case x == y.Not():
		return b.one
	}
	flip := x.Negative() != y.Negative()
	x, y = x.Var().Pos(), y.Var().Pos()
	if x > y {
		x, y = y, x
	}
	key := [2]sat.Lit{x, y}
	z, ok := b.xors[key]
	if !ok {
		z = b.s.NewVar().Pos()
		b.s.Add(-1, z.Not(), x, y)
		b.s.Add(-1, z.Not(), x.Not(), y.Not())
		b.s.Add(-1, z, x.Not(), y)
		b.s.Add(-1, z, x, y.Not())
		b.xors[key] = z
	}
	if flip {
		return z.Not()
	}
	return z
}

// mux returns c ? x : y.
func (b *blaster) mux(c, x, y sat.Lit) sat.Lit {
	switch {
	case c == b.one || x == y:
		return x
	case c == b.one.Not():
		return y
	case x == b.one || x == c:
		return b.or(c, y)
	case x == b.one.Not() || x == c.Not():
		return b.and(c.Not(), y)
	case y == b.one || y == c.Not():
		return b.or(c.Not(), x)
	case y == b.one.Not() || y == c:
		return b.and(c, x)
	case x == y.Not():
		return b.xor(c, y)
	}
	if c.Negative() {
		c, x, y = c.Not(), y, x
	}
	key := [3]sat.Lit{c, x, y}
	if z, ok := b.muxs[key]; ok {
		return z
	}
	z := b.s.NewVar().Pos()
	b.s.Add(-1, c.Not(), x.Not(), z)
	b.s.Add(-1, c.Not(), x, z.Not())
	b.s.Add(-1, c, y.Not(), z)
	b.s.Add(-1, c, y, z.Not())
	b.s.Add(-1, x.Not(), y.Not(), z) // redundant, but propagates more
	b.s.Add(-1, x, y, z.Not())
	b.muxs[key] = z
	return z
}

// Circuits for words.

func invert(x []sat.Lit) []sat.Lit {
	ls := make([]sat.Lit, len(x))
	for i, l := range x {
		ls[i] = l.Not()
	}
	return ls
}

func reverse(x []sat.Lit) []sat.Lit {
	ls := make([]sat.Lit, len(x))
	for i, l := range x {
		ls[len(x)-1-i] = l
	}
	return ls
}

func (b *blaster) each(x, y []sat.Lit, gate func(x, y sat.Lit) sat.Lit) []sat.Lit {
	ls := make([]sat.Lit, len(x))
	for i := range x {
		ls[i] = gate(x[i], y[i])
	}
	return ls
}

func (b *blaster) choose(c sat.Lit, x, y []sat.Lit) []sat.Lit {
	return b.each(x, y, func(x, y sat.Lit) sat.Lit { return b.mux(c, x, y) })
}

func (b *blaster) extend(x []sat.Lit, w int, fill sat.Lit) []sat.Lit {
	ls := append([]sat.Lit(nil), x...)
	for len(ls) < w {
		ls = append(ls, fill)
	}
	return ls
}

// add returns x + y + carry.
func (b *blaster) add(x, y []sat.Lit, carry sat.Lit) []sat.Lit {
	ls := make([]sat.Lit, len(x))
	for i := range x {
		p := b.xor(x[i], y[i])
		ls[i] = b.xor(p, carry)
		carry = b.mux(p, carry, x[i])
	}
	return ls
}

func (b *blaster) negateIf(c sat.Lit, x []sat.Lit) []sat.Lit {
	flipped := make([]sat.Lit, len(x))
	for i, l := range x {
		flipped[i] = b.xor(l, c)
	}
	return b.add(flipped, b.constant(0, len(x)), c)
}

// multiply adds shifted copies of x, one for each bit of y. If one factor is constant it should be
// y.
func (b *blaster) multiply(x, y []sat.Lit) []sat.Lit {
	sum := b.constant(0, len(x))
	for i, c := range y {
		if c == b.one.Not() {
			continue
		}
		part := b.constant(0, len(x))
		for k := i; k < len(x); k++ {
			part[k] = b.and(c, x[k-i])
		}
		sum = b.add(sum, part, b.one.Not())
	}
	return sum
}

// divide returns quotient and remainder by long division. For divisor zero every subtraction
// succeeds: all ones, and x, as SMT-LIB wants.
func (b *blaster) divide(xt, yt Term, x, y []sat.Lit) [2][]sat.Lit {
	qr, ok := b.quot[[2]Term{xt, yt}]
	if !ok {
		if qr, ok = b.undo(xt, yt); !ok {
			qr = b.longDivision(x, y, b.rests(yt, len(x)))
		}
		b.quot[[2]Term{xt, yt}] = qr
	}
	return qr
}

// divideSigned divides the absolute values, and returns the signs of x and y too.
func (b *blaster) divideSigned(xt, yt Term, x, y []sat.Lit) (qr [2][]sat.Lit, sx, sy sat.Lit) {
	sx, sy = x[len(x)-1], y[len(y)-1]
	if zero := b.one.Not(); sx == zero && sy == zero {
		return b.divide(xt, yt, x, y), sx, sy
	}
	qr, ok := b.signed[[2]Term{xt, yt}]
	if !ok {
		rests := len(x)
		if sy == b.one.Not() {
			rests = b.rests(yt, len(x))
		}
		qr = b.longDivision(b.negateIf(sx, x), b.negateIf(sy, y), rests)
		b.signed[[2]Term{xt, yt}] = qr
	}
	return qr, sx, sy
}

// undo returns quotient and remainder if x is u*y + v with a constant y, nothing wraps around, and
// v is less than y: u and v.
func (b *blaster) undo(xt, yt Term) (qr [2][]sat.Lit, ok bool) {
	c, constant := b.t.IsConst(yt)
	if !constant || c == 0 {
		return qr, false
	}
	n := &b.t.nodes[xt]
	w := int(n.w)
	times := func(x Term) (u Term, most uint64, ok bool) {
		n := &b.t.nodes[x]
		if n.op != Mul {
			return None, 0, false
		}
		v, constant := b.t.IsConst(n.b)
		s, known := b.known.of[n.a]
		over, most := bits.Mul64(s.hi, c)
		return n.a, most, constant && v == c && known && over == 0 && most <= mask(w)
	}
	if u, _, ok := times(xt); ok {
		return [2][]sat.Lit{b.bits[u], b.constant(0, w)}, true
	}
	if n.op != Add {
		return qr, false
	}
	for _, p := range [][2]Term{{n.a, n.b}, {n.b, n.a}} {
		u, most, ok := times(p[0])
		s, known := b.known.of[p[1]]
		if ok && known && s.hi < c && most <= mask(w)-s.hi {
			return [2][]sat.Lit{b.bits[u], b.bits[p[1]]}, true
		}
	}
	return qr, false
}

// rests returns the bits that remainders of a division by y can have, where they have w.
func (b *blaster) rests(y Term, w int) int {
	v, constant := b.t.IsConst(y)
	switch s, ok := b.known.of[y]; {
	case constant && v > 0:
		return bits.Len64(v)
	case ok && s.lo > 0:
		return bits.Len64(s.hi)
	}
	return w
}

// longDivision divides x by y. Remainders, also those on the way, have no more bits than rests.
func (b *blaster) longDivision(x, y []sat.Lit, rests int) [2][]sat.Lit {
	w := len(x)
	q := make([]sat.Lit, w)
	rest, wide := b.constant(0, rests+1), b.extend(y, w+1, b.one.Not())[:rests+1]
	for i := w - 1; i >= 0; i-- {
		rest = append([]sat.Lit{x[i]}, rest[:rests]...)
		q[i] = b.less(rest, wide).Not()
		rest = b.choose(q[i], b.add(rest, invert(wide), b.one), rest)
	}
	return [2][]sat.Lit{q, b.extend(rest[:rests], w, b.one.Not())}
}

// shiftRight shifts by 1, 2, 4, ... as the bits of count say. A count of the width or more leaves
// only fill.
func (b *blaster) shiftRight(x, count []sat.Lit, fill sat.Lit) []sat.Lit {
	w := len(x)
	ls := x
	stages := log2(w)
	for i := 0; i < stages && i < len(count); i++ {
		by := 1 << i
		moved := make([]sat.Lit, w)
		for k := range moved {
			moved[k] = fill
			if k+by < w {
				moved[k] = ls[k+by]
			}
		}
		ls = b.choose(count[i], moved, ls)
	}
	over := b.less(count, b.constant(uint64(w), len(count))).Not()
	if len(count) < 64 && uint64(w) > mask(len(count)) {
		over = b.one.Not() // the bits of count cannot exceed the width
	}
	all := make([]sat.Lit, w)
	for i := range all {
		all[i] = fill
	}
	return b.choose(over, all, ls)
}

func (b *blaster) equal(x, y []sat.Lit) sat.Lit {
	same := b.one
	for i := range x {
		same = b.and(same, b.xor(x[i], y[i]).Not())
	}
	return same
}

// less returns x < y, unsigned: the highest bit in which they differ decides.
func (b *blaster) less(x, y []sat.Lit) sat.Lit {
	less := b.one.Not()
	for i := range x {
		less = b.mux(b.xor(x[i], y[i]), y[i], less)
	}
	return less
}
