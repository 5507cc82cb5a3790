package symbolic

import (
	"cmp"
	"slices"

	"heddle/order/sat"
)

// Conditions on what is computed with floats are sought by their distance from being true, as
// floats are ordered like the integers that their bits are: how many floats lie between the two
// sides of a comparison (Fu and Su, "XSat", CAV 2016). Where it changes its sign along one
// variable, the place is found by bisection, and the least distance by ternary search.

// mostSought bounds the terms that are computed for one question with floats.
const mostSought = 1 << 17

// mostEnumerated bounds the terms that are computed to try all values.
const mostEnumerated = 1 << 22

// enumerate tries all values of the variables of conditions on floats, if there are few: that is
// faster than circuits. Those that are near come first.
func (t *Table) enumerate(conditions []Term, near Model) (Status, Model) {
	width, terms, floats, guessed := 0, 0, false, false
	var vars []Term
	t.walk(conditions, t.nothing(), func(x Term) {
		n := &t.nodes[x]
		terms++
		floats, guessed = floats || n.op >= FAdd, guessed || guesses(n.op)
		if n.op == OpVar {
			vars, width = append(vars, x), width+int(n.w)
		}
	})
	if !floats || width > 20 || terms<<width > mostEnumerated {
		return sat.Unknown, nil
	}
	m := Model{}
	for k := range uint64(1) << width {
		for _, x := range vars {
			w := t.Width(x)
			m[x] = (near[x] ^ k) & mask(w)
			k >>= w
		}
		if t.Holds(conditions, m) {
			return sat.Sat, m
		}
	}
	if guessed {
		return sat.Unknown, nil
	}
	return sat.Unsat, nil
}

// A line is the values of one variable in order, as integers.
type line struct {
	float bool
	w     int
	lo    int64
	hi    int64
}

// at returns the value with that place in the order.
func (l line) at(i int64) uint64 {
	if l.float && i < 0 {
		return (uint64(^i) | 1<<(l.w-1)) & mask(l.w)
	}
	return uint64(i) & mask(l.w)
}

// place returns the place of a float in the order of all; ok is false for NaN.
func place(v uint64, w int) (i int64, ok bool) {
	abs := v & mask(w-1)
	if abs > nan(w)&^(1<<(formatOf(w).p-2)) {
		return 0, false
	}
	if v>>(w-1) == 1 {
		return ^int64(abs), true
	}
	return int64(abs), true
}

// A spot is a place on a line, and how far the sides of a comparison are apart there.
type spot struct {
	at   int64
	sign int // of the left side less the right one
	far  uint64
	ok   bool // neither is NaN
}

// A seeker seeks values of the variable v with which the comparison q comes out another way.
type seeker struct {
	g    *guesser
	v, q int32
	line line
	do   func(uint64) bool
	over bool // do returned false
}

// ofFloats reports whether the result of an operator is a float, or one of its operands.
func ofFloats(op Op) bool { return isFloat(op) || op == FOfS || op == FOfU }

// floats calls do with values of v that may make p true, if that depends on floats, until do
// returns false.
func (g *guesser) floats(v, p int32, do func(uint64) bool) {
	if !slices.ContainsFunc(g.belowOf(p), func(q int32) bool { return ofFloats(g.op(q)) }) {
		return
	}
	compared := 0
	for _, q := range g.belowOf(p) {
		switch g.op(q) {
		case FEq, FLt, FLe, Eq, ULt, SLt:
		default:
			continue
		}
		if compared++; compared > 8 {
			return
		}
		s := seeker{g: g, v: v, q: q, line: g.lineOf(v, p), do: do}
		if s.seek(); s.over {
			return
		}
	}
}

func (g *guesser) op(q int32) Op { return g.t.nodes[g.terms[q]].op }

// belowOf returns the places of what p depends on, p first.
func (g *guesser) belowOf(p int32) (qs []int32) {
	for q := p; q >= 0; q-- {
		if g.below[q] {
			qs = append(qs, q)
		}
	}
	return qs
}

// lineOf returns the values of v, below p: as floats if it is used as one.
func (g *guesser) lineOf(v, p int32) line {
	w := g.width(v)
	if w == 32 || w == 64 {
		for _, q := range g.belowOf(p) {
			op := g.op(q)
			signs := (op == Xor || op == And) && g.op(g.ops[q][1]) == OpConst
			if slices.Contains(g.ops[q][:], v) && (isFloat(op) || signs) {
				inf, _ := place(uint64(1<<formatOf(w).e-1)<<(formatOf(w).p-1), w)
				return line{float: true, w: w, lo: ^inf, hi: inf}
			}
		}
	}
	if w == 64 {
		return line{w: w, lo: -1 << 63, hi: 1<<63 - 1}
	}
	return line{w: w, lo: -1 << (w - 1), hi: 1<<w - 1}
}

// grid returns places on the line to begin with, in order.
func (s *seeker) grid() (at []int64) {
	l := s.line
	add := func(i int64) {
		for _, i := range [...]int64{i, ^i} {
			if i >= l.lo && i <= l.hi {
				at = append(at, i)
			}
		}
	}
	add(0)
	if !l.float {
		for k := range min(l.w, 63) {
			add(1 << k)
		}
		add(l.hi)
	} else {
		f := formatOf(l.w)
		for e := range int64(1)<<f.e - 1 {
			if d := int(e) - f.bias(); d >= -20 && d <= 64 || e%16 == 0 {
				add(e << (f.p - 1))
			}
		}
		add(1)
		add(l.hi)
		add(l.hi - 1)
		for q, op := range s.g.terms {
			if n := &s.g.t.nodes[op]; n.op == OpConst && int(n.w) == l.w && s.g.below[q] {
				if i, ok := place(n.v, l.w); ok {
					add(i)
				}
			}
		}
	}
	if is := s.g.vals[s.v]; l.float {
		if i, ok := place(is, l.w); ok {
			add(i)
		}
	} else if i := signed(is, l.w); i >= l.lo {
		add(i)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// try tries a place.
func (s *seeker) try(i int64) (p spot) {
	if s.over || i < s.line.lo || i > s.line.hi {
		return spot{at: i}
	}
	if s.over = !s.do(s.line.at(i)); s.over {
		return spot{at: i}
	}
	g := s.g
	x, y := g.trial[g.ops[s.q][0]], g.trial[g.ops[s.q][1]]
	w := g.width(g.ops[s.q][0])
	var a, b int64
	ok, okB := true, true
	switch g.op(s.q) {
	case FEq, FLt, FLe:
		a, ok = place(x, w)
		b, okB = place(y, w)
	case ULt:
		a, b = int64(x^1<<63), int64(y^1<<63)
	default:
		a, b = signed(x, w), signed(y, w)
	}
	return spot{at: i, sign: cmp.Compare(a, b), far: uint64(max(a, b)) - uint64(min(a, b)), ok: ok && okB}
}

// seek tries the grid, and then the places where it looks as if the comparison came out another
// way.
func (s *seeker) seek() {
	var spots []spot
	for _, i := range s.grid() {
		if p := s.try(i); p.ok {
			spots = append(spots, p)
		}
		if s.over {
			return
		}
	}
	crossed := false
	for i := 1; i < len(spots) && !s.over; i++ {
		a, b := spots[i-1], spots[i]
		if a.sign != b.sign {
			crossed = true
			s.bisect(a, b, func(sign int) bool { return sign < 0 })
			s.bisect(a, b, func(sign int) bool { return sign > 0 })
		}
	}
	var dips []int
	for i := 1; i+1 < len(spots); i++ {
		if b := spots[i]; b.sign != 0 && b.far <= spots[i-1].far && b.far <= spots[i+1].far &&
			b.sign == spots[i-1].sign && b.sign == spots[i+1].sign {
			dips = append(dips, i)
		}
	}
	slices.SortStableFunc(dips, func(i, j int) int { return cmp.Compare(spots[i].far, spots[j].far) })
	most := 6
	if crossed {
		most = 2
	}
	for _, i := range dips[:min(most, len(dips))] {
		s.dip(spots[i-1].at, spots[i+1].at)
	}
}

// bisect finds the place between a and b where is becomes another, and tries what is near it.
func (s *seeker) bisect(a, b spot, is func(sign int) bool) {
	if is(a.sign) == is(b.sign) {
		return
	}
	lo, hi := a.at, b.at
	for hi-1 > lo && !s.over {
		p := s.try(lo + int64((uint64(hi)-uint64(lo))/2))
		if !p.ok {
			break
		}
		if is(p.sign) == is(a.sign) {
			lo = p.at
		} else {
			hi = p.at
		}
	}
	s.around(lo, hi)
}

// around tries what is near lo and hi: the next ones, and others ever further.
func (s *seeker) around(lo, hi int64) {
	for d := int64(1); d < 1<<60 && !s.over; d += max(1, d/2) {
		s.try(lo - d)
		s.try(hi + d)
	}
}

// dip finds a place between lo and hi where the distance is least.
func (s *seeker) dip(lo, hi int64) {
	for uint64(hi)-uint64(lo) > 2 && !s.over {
		third := int64((uint64(hi) - uint64(lo)) / 3)
		a, b := s.try(lo+max(1, third)), s.try(hi-max(1, third))
		switch {
		case !a.ok || !b.ok:
			return
		case a.far < b.far:
			hi = b.at
		case a.far > b.far:
			lo = a.at
		default:
			lo, hi = a.at, b.at
		}
		if hi <= lo {
			return
		}
	}
	s.try(lo + 1)
}
