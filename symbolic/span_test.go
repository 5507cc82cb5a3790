package symbolic

import (
	"testing"

	"heddle/order/sat"
)

// count returns conditions as programs that count in units have them: that a variable, or a sum of
// multiples, divided by the unit, is less than a constant.
func (m *maker) count(w int) (cs []Term) {
	c := func() Term { return m.t.Const(1+m.Uint64N(mask(w)/2), w) }
	v := func() Term { return m.t.Resize(m.vars[m.IntN(len(m.vars))], w, false) }
	x, unit := m.t.Resize(m.vars[m.IntN(len(m.vars))], w, m.IntN(2) == 0), c()
	if m.IntN(4) == 0 {
		unit = m.t.Op(Or, v(), c())
	}
	if m.IntN(3) > 0 {
		x = m.t.Op(Mul, x, unit)
		if m.IntN(2) == 0 {
			rest := v()
			x = m.t.Op(Add, x, rest)
			cs = append(cs, m.t.Op(ULt, rest, m.t.Op(Add, unit, m.t.Const(uint64(m.IntN(3)), w))))
		}
	}
	if m.IntN(3) > 0 {
		x = m.t.Op([]Op{UDiv, URem, SDiv, SRem}[m.IntN(4)], x, unit)
	}
	y := m.t.Op([]Op{Eq, ULt, SLt}[m.IntN(3)], x, c())
	if m.IntN(2) == 0 {
		y = m.t.Negate(y)
	}
	return append(cs, y)
}

// TestSpans compares what is said of terms with all values that they have where the conditions
// hold, and the answer with whether there is one.
func TestSpans(t *testing.T) {
	narrower := 0
	for seed := range uint64(*formulas / 5) {
		w := 3 + int(seed%4)
		m := newMaker(seed, w, min(w, 5), 2)
		var cs []Term
		if m.IntN(2) == 0 {
			cs = m.conditions(w)
		}
		for range 1 + m.IntN(3) {
			cs = append(cs, m.count(w)...)
		}
		known := m.t.spansOf(cs)
		bits, some := w+min(w, 5)+2, false
		for x := range uint64(1) << bits {
			model := Model{}
			for _, v := range m.vars {
				model[v] = x & mask(m.t.Width(v))
				x >>= m.t.Width(v)
			}
			if !m.t.Holds(cs, model) {
				continue
			}
			if some = true; known.never {
				t.Fatalf("seed %d: the conditions hold with %v\n%s", seed, model, m.t.SMT(cs))
			}
			for x, s := range known.of {
				v, sv := m.t.vals[x], signed(m.t.vals[x], m.t.Width(x))
				if v < s.lo || v > s.hi || sv < s.least || sv > s.most {
					t.Fatalf("seed %d: term %d is %d with %v, not in %+v\n%s", seed, x, v, model, s,
						m.t.SMT(cs))
				}
			}
		}
		for x, s := range known.of {
			if s != spanOf(m.t.Width(x)) && m.t.nodes[x].op == OpVar {
				narrower++
			}
		}
		status, _, err := NewSolver(m.t, Options{}).Solve(cs, nil)
		if err != nil || some != (status == sat.Sat) {
			t.Fatalf("seed %d: %v, %v; there are values: %v\n%s", seed, status, err, some, m.t.SMT(cs))
		}
	}
	if narrower < *formulas/20 {
		t.Errorf("of %d formulas only %d variables were narrowed", *formulas, narrower)
	}
}

// TestUnits divides a sum of multiples of 7 and a rest that can be 7 too.
func TestUnits(t *testing.T) {
	for most, want := range map[uint64]sat.Status{6: sat.Unsat, 7: sat.Sat} {
		tab := NewTable()
		u, v, c := tab.Var("u", 16), tab.Var("v", 16), tab.Const(7, 16)
		sum := tab.Op(Add, tab.Op(Mul, u, c), v)
		status, m, err := NewSolver(tab, Options{}).Solve([]Term{tab.Op(ULt, u, tab.Const(1000, 16)),
			tab.Op(ULt, v, tab.Const(most+1, 16)), tab.Negate(tab.Op(Eq, tab.Op(UDiv, sum, c), u))}, nil)
		if err != nil || status != want || status == sat.Sat && m[v] != 7 {
			t.Errorf("rest up to %d: %v, %v, %v", most, status, m, err)
		}
	}
}
