package symbolic

import (
	"math/bits"
	"slices"
)

// A span is what is known of the value of a term: it lies between lo and hi, unsigned, and between
// least and most, signed.
type span struct {
	lo, hi      uint64
	least, most int64
}

// spanOf returns the span of all values of a width.
func spanOf(w int) span {
	half := uint64(1) << (w - 1)
	return span{lo: 0, hi: mask(w), least: signed(half, w), most: int64(half - 1)}
}

// between returns the span of the values from lo to hi, unsigned; hi is not less than lo.
func between(lo, hi uint64, w int) span {
	s := spanOf(w)
	s.lo, s.hi = lo, hi
	return s.agree(w)
}

// from returns the span of the values from least to most, signed; most is not less than least.
func from(least, most int64, w int) span {
	s := spanOf(w)
	s.least, s.most = least, most
	return s.agree(w)
}

// agree makes each half of a span as narrow as the other one says.
func (s span) agree(w int) span {
	half, m := uint64(1)<<(w-1), mask(w)
	if s.least >= 0 || s.most < 0 { // the order is the same, signed or not
		s.lo, s.hi = max(s.lo, uint64(s.least)&m), min(s.hi, uint64(s.most)&m)
	}
	if s.hi < half || s.lo >= half {
		s.least, s.most = max(s.least, signed(s.lo, w)), min(s.most, signed(s.hi, w))
	}
	return s
}

// meet returns the values that are in both spans.
func (s span) meet(o span, w int) span {
	s.lo, s.hi = max(s.lo, o.lo), min(s.hi, o.hi)
	s.least, s.most = max(s.least, o.least), min(s.most, o.most)
	return s.agree(w)
}

// join returns a span of all values that are in one of two.
func (s span) join(o span, w int) span {
	s.lo, s.hi = min(s.lo, o.lo), max(s.hi, o.hi)
	s.least, s.most = min(s.least, o.least), max(s.most, o.most)
	return s.agree(w)
}

// none reports whether there is no value.
func (s span) none() bool { return s.lo > s.hi || s.least > s.most }

// one returns the value if it is the only one.
func (s span) one() (uint64, bool) { return s.lo, s.lo == s.hi }

// varies returns the number of the lower bits that are not known.
func (s span) varies() int { return bits.Len64(s.lo ^ s.hi) }

// spans are what is known of terms if some conditions hold.
type spans struct {
	t     *Table
	terms []Term // operands first
	of    map[Term]span
	by    []Term // the conditions that say so
	hard  bool   // something is multiplied or divided
	more  bool   // something became narrower
	never bool   // the conditions exclude each other
}

// mostNarrowed is how often what conditions say is carried up from the variables and down again.
const mostNarrowed = 4

// spansOf returns what is known of the terms below the conditions, if all of these hold. Where
// nothing is multiplied or divided, clauses tell the same as fast, and tell which of the conditions
// exclude each other: then it is known only of variables that are less than a constant, as lengths
// are.
func (t *Table) spansOf(conditions []Term) *spans {
	r := &spans{t: t, of: map[Term]span{}}
	t.walk(conditions, t.nothing(), func(x Term) {
		r.terms = append(r.terms, x)
		r.hard = r.hard || t.nodes[x].op >= Mul && t.nodes[x].op <= SRem
	})
	if !r.hard {
		for _, c := range conditions {
			n := &t.nodes[c]
			if n.op != ULt || t.nodes[n.a].op != OpVar || t.nodes[n.b].op != OpConst || t.nodes[n.b].v == 0 {
				continue
			}
			r.of[n.a], r.by = between(0, t.nodes[n.b].v-1, t.Width(n.a)), append(r.by, c)
		}
		return r
	}
	for _, x := range r.terms {
		r.of[x] = spanOf(t.Width(x))
	}
	for _, c := range conditions {
		r.of[c] = between(1, 1, 1)
	}
	r.by, r.more = conditions, true
	for n := 0; r.more && n < mostNarrowed; n++ {
		r.more = false
		for _, x := range r.terms {
			if r.narrow(x, r.up(x)); r.never {
				return r
			}
		}
		for _, x := range slices.Backward(r.terms) {
			if r.down(x); r.never {
				return r
			}
		}
	}
	return r
}

// narrow says that the value of x is in s.
func (r *spans) narrow(x Term, s span) {
	is := r.of[x]
	if s = is.meet(s, r.t.Width(x)); s != is {
		r.of[x], r.more = s, true
		r.never = r.never || s.none()
	}
}

// up returns a span of the value of x, by those of its operands.
func (r *spans) up(x Term) span {
	n := &r.t.nodes[x]
	w := int(n.w)
	switch n.op {
	case OpVar:
		return spanOf(w)
	case OpConst:
		return between(n.v, n.v, w)
	}
	a := r.of[n.a]
	v := r.t.Width(n.a) // the width of the operands
	var b span
	if n.b != None {
		b = r.of[n.b]
	}
	switch n.op {
	case Add:
		return sum(a, b, w)
	case Sub:
		return sum(a, negative(b, w), w).meet(difference(a, b, w), w)
	case Mul:
		return product(a, b, w)
	case UDiv:
		if b.lo > 0 {
			return between(a.lo/b.hi, a.hi/b.lo, w)
		}
	case URem:
		switch {
		case b.lo == 0:
			return between(0, a.hi, w)
		case b.lo == b.hi && a.lo/b.lo == a.hi/b.lo:
			return between(a.lo%b.lo, a.hi%b.lo, w)
		}
		return between(0, min(a.hi, b.hi-1), w)
	case SDiv:
		if b.least > 0 {
			return from(min(a.least/b.least, a.least/b.most), max(a.most/b.least, a.most/b.most), w)
		}
	case SRem:
		if b.least > 0 {
			return from(max(min(a.least, 0), 1-b.most), min(max(a.most, 0), b.most-1), w)
		}
	case And:
		return between(0, min(a.hi, b.hi), w)
	case Or:
		return between(max(a.lo, b.lo), ones(a.hi|b.hi), w)
	case Xor:
		return between(0, ones(a.hi|b.hi), w)
	case Not:
		return between(^a.hi&mask(w), ^a.lo&mask(w), w).meet(from(^a.most, ^a.least, w), w)
	case Shl:
		if k, known := b.one(); known && k < uint64(w) {
			return product(a, between(1<<k, 1<<k, w), w)
		}
	case LShr:
		if k, known := b.one(); known && k < uint64(w) {
			return between(a.lo>>k, a.hi>>k, w)
		}
		return between(0, a.hi, w)
	case AShr:
		if k, known := b.one(); known {
			return from(a.least>>min(k, 63), a.most>>min(k, 63), w)
		}
	case Eq:
		x, known := a.one()
		y, also := b.one()
		switch m := a.meet(b, v); {
		case m.none():
			return between(0, 0, 1)
		case known && also && x == y:
			return between(1, 1, 1)
		}
	case ULt:
		return compared(a.hi < b.lo, a.lo >= b.hi)
	case SLt:
		return compared(a.most < b.least, a.least >= b.most)
	case Ite:
		switch c, known := a.one(); {
		case !known:
			return b.join(r.of[n.c], w)
		case c == 0:
			return r.of[n.c]
		}
		return b
	case ZExt:
		return between(a.lo, a.hi, w)
	case SExt:
		return from(a.least, a.most, w)
	case Trunc:
		if w == v || a.lo>>w == a.hi>>w {
			return between(a.lo&mask(w), a.hi&mask(w), w)
		}
	}
	return spanOf(w)
}

// compared returns the span of a comparison that is known to be true, or false.
func compared(always, never bool) span {
	switch {
	case always:
		return between(1, 1, 1)
	case never:
		return between(0, 0, 1)
	}
	return spanOf(1)
}

// ones returns the greatest number with as many bits as x.
func ones(x uint64) uint64 { return mask(bits.Len64(x)) }

// sum returns the span of a + b.
func sum(a, b span, w int) span {
	s := spanOf(w)
	lo, low := bits.Add64(a.lo, b.lo, 0)
	hi, high := bits.Add64(a.hi, b.hi, 0)
	if w < 64 {
		low, high = lo>>w, hi>>w
	}
	if low == high { // it wraps around always, or never
		s.lo, s.hi = lo&mask(w), hi&mask(w)
	}
	least, most := a.least+b.least, a.most+b.most
	if fits(least, a.least, b.least, w) && fits(most, a.most, b.most, w) {
		s.least, s.most = least, most
	}
	return s.agree(w)
}

// fits reports whether s, which is x + y, is so in numbers of width w.
func fits(s, x, y int64, w int) bool {
	if w < 64 {
		return signed(uint64(s), w) == s
	}
	return (x < 0) != (y < 0) || (s < 0) == (x < 0)
}

// negative returns the span of -a, as far as signs say.
func negative(a span, w int) span {
	if all := spanOf(w); a.least == all.least {
		return all
	}
	return from(-a.most, -a.least, w)
}

// difference returns the span of a - b, as far as it is known without signs.
func difference(a, b span, w int) span {
	if (a.lo < b.hi) != (a.hi < b.lo) { // it wraps around in some cases
		return spanOf(w)
	}
	return between((a.lo-b.hi)&mask(w), (a.hi-b.lo)&mask(w), w)
}

// product returns the span of a * b.
func product(a, b span, w int) span {
	s := spanOf(w)
	if over, hi := bits.Mul64(a.hi, b.hi); over == 0 && hi <= mask(w) {
		s.lo, s.hi = a.lo*b.lo, hi
	}
	least, most, known := int64(0), int64(0), true
	for i, p := range [][2]int64{{a.least, b.least}, {a.least, b.most}, {a.most, b.least}, {a.most, b.most}} {
		x := p[0] * p[1]
		if p[0] != 0 && (x/p[0] != p[1] || p[0] == -1 && p[1] == x && x < 0) || signed(uint64(x), w) != x {
			known = false
			break
		}
		if i == 0 {
			least, most = x, x
		}
		least, most = min(least, x), max(most, x)
	}
	if known {
		s.least, s.most = least, most
	}
	return s.agree(w)
}

// down narrows the operands of x by its span.
func (r *spans) down(x Term) {
	n, s := &r.t.nodes[x], r.of[x]
	w := int(n.w)
	if n.op == OpVar || n.op == OpConst || s.none() {
		return
	}
	a, v := r.of[n.a], r.t.Width(n.a)
	var b span
	if n.b != None {
		b = r.of[n.b]
	}
	value, known := s.one()
	switch n.op {
	case Add:
		r.minus(n.a, s, b, w)
		r.minus(n.b, s, a, w)
	case Sub:
		r.narrow(n.a, sum(s, b, w))
		r.minus(n.b, a, s, w)
	case Mul:
		if over, hi := bits.Mul64(a.hi, b.hi); over == 0 && hi <= mask(w) {
			r.factor(n.a, s, b, w)
			r.factor(n.b, s, a, w)
		}
	case UDiv:
		if c, is := b.one(); is && c > 0 {
			over, hi := bits.Mul64(s.hi, c)
			hi, carry := bits.Add64(hi, c-1, 0)
			if over+carry > 0 {
				hi = mask(w)
			}
			if over, lo := bits.Mul64(s.lo, c); over == 0 {
				r.narrow(n.a, span{lo: lo, hi: min(hi, mask(w))}.only(w))
			}
		}
	case And:
		if w == 1 && known && value == 1 {
			r.narrow(n.a, s)
			r.narrow(n.b, s)
		}
	case Or:
		if w == 1 && known && value == 0 {
			r.narrow(n.a, s)
			r.narrow(n.b, s)
		}
	case Not:
		r.narrow(n.a, between(^s.hi&mask(w), ^s.lo&mask(w), w))
	case Eq:
		switch {
		case known && value == 1:
			r.narrow(n.a, b)
			r.narrow(n.b, a)
		case known:
			r.without(n.a, b, v)
			r.without(n.b, a, v)
		}
	case ULt, SLt:
		if known {
			r.less(n, a, b, v, value == 1)
		}
	case Ite:
		c := r.of[n.c]
		if b.meet(s, w).none() {
			r.narrow(n.a, between(0, 0, 1))
		}
		if c.meet(s, w).none() {
			r.narrow(n.a, between(1, 1, 1))
		}
		switch cond, known := r.of[n.a].one(); {
		case known && cond == 1:
			r.narrow(n.b, s)
		case known:
			r.narrow(n.c, s)
		}
	case ZExt:
		r.narrow(n.a, span{lo: s.lo, hi: min(s.hi, mask(v))}.only(v))
	case SExt:
		all := spanOf(v)
		r.narrow(n.a, all.meet(span{lo: 0, hi: mask(v), least: s.least, most: s.most}, v))
	case Trunc:
		if w < v && a.lo>>w == a.hi>>w {
			top := a.lo >> w << w
			r.narrow(n.a, span{lo: top | s.lo, hi: top | s.hi}.only(v))
		}
	}
}

// only returns a span of which the unsigned half is known.
func (s span) only(w int) span {
	all := spanOf(w)
	s.least, s.most = all.least, all.most
	return s.agree(w)
}

// factor narrows x, which times b is s, without wrapping around.
func (r *spans) factor(x Term, s, b span, w int) {
	if b.lo > 0 && !b.none() {
		r.narrow(x, span{lo: (s.lo + min(b.hi-1, ^s.lo)) / b.hi, hi: s.hi / b.lo}.only(w))
	}
}

// minus narrows x, which is s - b.
func (r *spans) minus(x Term, s, b span, w int) {
	r.narrow(x, sum(s, negative(b, w), w).meet(difference(s, b, w), w))
}

// without narrows x, which is not what is in b, if that is one value.
func (r *spans) without(x Term, b span, w int) {
	v, known := b.one()
	if !known {
		return
	}
	s := r.of[x]
	if s.lo == v && s.lo < s.hi {
		s.lo++
	}
	if s.hi == v && s.lo < s.hi {
		s.hi--
	}
	r.narrow(x, s)
}

// less narrows the operands of a comparison that is true, or false.
func (r *spans) less(n *node, a, b span, w int, holds bool) {
	all := spanOf(w)
	below, above := all, all // what the first and the second operand can be
	switch {
	case n.op == ULt && holds:
		below.hi, above.lo = b.hi-1, a.lo+1
		if b.hi == 0 || a.lo == all.hi {
			r.never = true
			return
		}
	case n.op == ULt:
		below.lo, above.hi = b.lo, a.hi
	case holds:
		below.most, above.least = b.most-1, a.least+1
		if b.most == all.least || a.least == all.most {
			r.never = true
			return
		}
	default:
		below.least, above.most = b.least, a.most
	}
	r.narrow(n.a, below.agree(w))
	r.narrow(n.b, above.agree(w))
}
