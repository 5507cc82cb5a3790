package symbolic

import (
	"testing"

	"heddle/order/sat"
)

// TestAssign compares the answer with all values of the variables. Every other time there is a
// variable of more values than are tried.
func TestAssign(t *testing.T) {
	counts := map[Status]int{}
	for seed := range uint64(*formulas / 20) {
		wide := 1 + int(seed/2%4)
		if seed%2 == 0 {
			wide = 11 // more than mostDomain
		}
		m := newMaker(seed, 1+int(seed%4), wide, 1+int(seed/4%2))
		cs := m.conditions(1 + int(seed%6))
		for range m.IntN(3) {
			cs = append(cs, m.count(3+m.IntN(4))...)
		}
		if m.IntN(2) == 0 {
			cs = append(cs, m.t.Op(ULt, m.vars[1], m.t.Const(uint64(1+m.IntN(1<<wide)), wide)))
		}
		near := Model{}
		for _, v := range m.vars {
			near[v] = m.Uint64() & mask(m.t.Width(v))
		}
		known := m.t.spansOf(cs)
		if known.never {
			continue
		}
		status, got, core := m.t.assign(cs, near, known, 1<<20)
		counts[status]++
		want := m.brute(cs)
		switch {
		case status == sat.Sat && !m.t.Holds(cs, over(near, got)), status == sat.Unsat && want,
			status == sat.Unsat && m.brute(core), status == sat.Unknown && wide < 11:
			t.Fatalf("formula %d: %v, model %v, core %v\n%s", seed, status, got, core, m.t.SMT(cs))
		}
	}
	for s := range sat.Status(3) {
		if counts[s] < *formulas/1000 {
			t.Errorf("one-sided answers: %v", counts)
		}
	}
}

// A date is found among those with a certain day of the week: digits that are multiplied, divided
// and compared.
func TestAssignDate(t *testing.T) {
	tab := NewTable()
	digits := make([]Term, 4)
	var cs []Term
	year := tab.Const(0, 32)
	for i := range digits {
		digits[i] = tab.Var(string(rune('a'+i)), 8)
		d := tab.Op(Sub, digits[i], tab.Const('0', 8))
		cs = append(cs, tab.Op(ULt, d, tab.Const(10, 8)))
		year = tab.Op(Add, tab.Op(Mul, year, tab.Const(10, 32)), tab.Resize(d, 32, false))
	}
	by := func(n uint64) Term { return tab.Op(UDiv, year, tab.Const(n, 32)) }
	// of the 29th of February, of leap years that are no multiples of 100
	days := tab.Op(Add, tab.Op(Mul, year, tab.Const(365, 32)),
		tab.Op(Add, tab.Op(Sub, by(4), by(100)), tab.Op(Add, by(400), tab.Const(58, 32))))
	cs = append(cs, tab.Op(Eq, tab.Op(And, year, tab.Const(3, 32)), tab.Const(0, 32)),
		tab.Negate(tab.Op(Eq, tab.Op(URem, year, tab.Const(100, 32)), tab.Const(0, 32))),
		tab.Op(Eq, tab.Op(URem, days, tab.Const(7, 32)), tab.Const(1, 32)))
	near := Model{digits[0]: '2', digits[1]: '0', digits[2]: '2', digits[3]: '3'}
	status, m, _ := tab.assign(cs, near, tab.spansOf(cs), 1<<20)
	if status != sat.Sat || !tab.Holds(cs, m) {
		t.Fatalf("%v, %v, want a year", status, m)
	}
	never := append(cs, tab.Op(Eq, tab.Op(URem, year, tab.Const(28, 32)), tab.Const(27, 32)))
	if status, _, core := tab.assign(never, near, tab.spansOf(never), 1<<20); status != sat.Unsat ||
		len(core) == 0 {
		t.Errorf("%v, want that there is none", status)
	}
}
