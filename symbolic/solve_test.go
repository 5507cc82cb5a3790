package symbolic

import (
	"flag"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"heddle/order/sat"
)

var formulas = flag.Int("formulas", 10000, "how many random formulas are tried")

// A maker makes random terms.
type maker struct {
	*rand.Rand
	t    *Table
	vars []Term
}

func newMaker(seed uint64, widths ...int) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 7)), t: NewTable()}
	for i, w := range widths {
		m.vars = append(m.vars, m.t.Var(string(rune('a'+i)), w))
	}
	return m
}

// term returns a random term of width w.
func (m *maker) term(w, depth int) Term {
	if depth == 0 || m.IntN(8) == 0 {
		v := m.vars[m.IntN(len(m.vars))]
		if m.IntN(3) == 0 {
			return m.t.Const([]uint64{0, 1, 2, m.Uint64(), 1 << (w - 1), ^uint64(0)}[m.IntN(6)], w)
		}
		return m.t.Resize(v, w, m.IntN(2) == 0)
	}
	switch op := Op(m.IntN(int(Trunc))) + 1; op {
	case Not:
		return m.t.Op(op, m.term(w, depth-1))
	case Eq, ULt, SLt:
		k := 1 + m.IntN(8)
		return m.t.Resize(m.t.Op(op, m.term(k, depth-1), m.term(k, depth-1)), w, m.IntN(2) == 0)
	case Ite:
		return m.t.If(m.term(1, depth-1), m.term(w, depth-1), m.term(w, depth-1))
	case OpConst, ZExt, SExt, Trunc:
		return m.t.Resize(m.term(1+m.IntN(min(64, 2*w)), depth-1), w, m.IntN(2) == 0)
	default:
		return m.t.Op(op, m.term(w, depth-1), m.term(w, depth-1))
	}
}

func (m *maker) conditions(w int) []Term {
	cs := make([]Term, 1+m.IntN(3))
	for i := range cs {
		cs[i] = m.term(1, 2)
		if m.IntN(2) == 0 {
			cs[i] = m.t.Op([]Op{Eq, ULt, SLt}[m.IntN(3)], m.term(w, 3), m.term(w, 2))
		}
	}
	return cs
}

// translated is what translate answers.
func translated(t *Table, cs []Term, near Model, limit Limit) (Status, Model, []Term) {
	known := t.spansOf(cs)
	if known.never {
		return sat.Unsat, nil, cs
	}
	return Blast{}.translate(t, cs, near, known, limit)
}

// brute tries all values of the variables.
func (m *maker) brute(cs []Term) bool {
	bits := 0
	for _, v := range m.vars {
		bits += m.t.Width(v)
	}
	for x := range uint64(1) << bits {
		model, rest := Model{}, x
		for _, v := range m.vars {
			model[v] = rest & mask(m.t.Width(v))
			rest >>= m.t.Width(v)
		}
		if m.t.Holds(cs, model) {
			return true
		}
	}
	return false
}

// Satisfiable conditions have a model that satisfies them (Solver.Solve panics if not), and
// unsatisfiable ones are false under all values.
func TestRandomFormulas(t *testing.T) {
	counts, guessed := map[Status]int{}, map[Status]int{}
	for i := range *formulas {
		m := newMaker(uint64(i), 1+i%4, 1+i/4%4, 1)
		cs := m.conditions(1 + i%6)
		status, model, err := NewSolver(m.t, Options{}).Solve(cs, nil)
		if err != nil {
			t.Fatal(err)
		}
		counts[status]++
		if status == sat.Unknown {
			t.Fatalf("formula %d: unknown\n%s", i, m.t.SMT(cs))
		}
		want := m.brute(cs)
		if want != (status == sat.Sat) {
			t.Fatalf("formula %d: %v, model %v\n%s", i, status, model, m.t.SMT(cs))
		}
		near := Model{}
		for _, v := range m.vars {
			near[v] = m.Uint64() & mask(m.t.Width(v))
		}
		guess, g, core := m.t.guess(cs, near)
		if guess == sat.Sat && !m.t.Holds(cs, g) || guess == sat.Unsat && (want || m.brute(core)) {
			t.Fatalf("formula %d: guessed %v, model %v, core %v\n%s", i, guess, g, core, m.t.SMT(cs))
		}
		guessed[guess]++
		status, g, core = translated(m.t, cs, near, Limit{Time: time.Minute})
		if want != (status == sat.Sat) || want && !m.t.Holds(cs, over(near, g)) || !want && m.brute(core) {
			t.Fatalf("formula %d: %v, model %v, core %v\n%s", i, status, g, core, m.t.SMT(cs))
		}
	}
	if counts[sat.Sat] < *formulas/10 || counts[sat.Unsat] < *formulas/10 {
		t.Errorf("one-sided formulas: %v", counts)
	}
	for s := range sat.Status(3) {
		if guessed[s] < *formulas/50 {
			t.Errorf("one-sided guesses: %v", guessed)
		}
	}
}

// On wide words the answers agree with z3's, and models are right.
func TestRandomZ3(t *testing.T) {
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("no z3 in PATH to compare with")
	}
	z, err := NewZ3()
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	n, unknown := *formulas/100, 0
	for i := range n {
		w := []int{8, 16, 32, 64, 13}[i%5]
		m := newMaker(uint64(i), w, w, 8)
		cs := m.conditions(w)
		own, _, err := NewSolver(m.t, Options{Limit: 100 * time.Millisecond}).Solve(cs, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, _, err := NewSolver(m.t, Options{Limit: 100 * time.Millisecond, Backend: z}).Solve(cs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if own == sat.Unknown || other == sat.Unknown {
			unknown++
			continue
		}
		if own != other {
			t.Fatalf("formula %d: %v, z3 says %v\n%s", i, own, other, m.t.SMT(cs))
		}
	}
	t.Logf("%d formulas, %d of them unknown to one of the two within a tenth of a second", n, unknown)
}

// Simplification, evaluation and bit-blasting agree: a term equals its value under a random model.
func TestEvaluate(t *testing.T) {
	for i := range *formulas / 20 {
		w := []int{64, 32, 16, 8, 1, 7}[i%6]
		m := newMaker(uint64(i), w, w)
		x := m.term(w, 3)
		model := Model{m.vars[0]: m.Uint64() & mask(w), m.vars[1]: m.Uint64() & mask(w)}
		want := m.t.Eval(x, model)
		var cs []Term
		for v, val := range model {
			cs = append(cs, m.t.Op(Eq, v, m.t.Const(val, w)))
		}
		same := m.t.Op(Eq, x, m.t.Const(want, w))
		status, _, _, _ := Blast{}.Solve(m.t, append(cs, same), nil, Limit{Time: time.Minute})
		if status != sat.Sat {
			t.Fatalf("term %d is not its value %#x under %v: %v\n%s", i, want, model, status,
				m.t.SMT(append(cs, same)))
		}
		cs = append(cs, m.t.Negate(same))
		if status, _, _, _ := (Blast{}).Solve(m.t, cs, nil, Limit{Time: time.Minute}); status != sat.Unsat {
			t.Fatalf("term %d may be another than its value %#x under %v: %v", i, want, model, status)
		}
	}
}

// A question that takes too long is Unknown, and stays so.
func TestUnknown(t *testing.T) {
	tab := NewTable()
	x, y := tab.Var("x", 64), tab.Var("y", 64)
	// Find a factor of the product of two primes, both greater than one.
	product := tab.Op(Mul, tab.Resize(tab.Var("p", 32), 64, false), tab.Resize(tab.Var("q", 32), 64, false))
	cs := []Term{
		tab.Op(Eq, product, tab.Const(4294967291*4294967279, 64)),
		tab.Op(ULt, tab.Const(1, 32), tab.Var("p", 32)), tab.Op(ULt, tab.Const(1, 32), tab.Var("q", 32)),
		tab.Op(Eq, tab.Op(Mul, x, y), tab.Op(Add, tab.Op(Mul, y, x), tab.Const(1, 64))),
	}
	s := NewSolver(tab, Options{Limit: time.Millisecond})
	for range 2 {
		if status, model, err := s.Solve(cs, nil); status != sat.Unknown || model != nil || err != nil {
			t.Errorf("%v %v %v, want unknown", status, model, err)
		}
	}
	if s.Stats.Cached != 1 || s.Stats.Unknown != 2 {
		t.Errorf("%+v: the second answer is the first", s.Stats)
	}
}

// Conditions that share no variable with the last are left out, and their variables keep their
// values.
func TestSolveLast(t *testing.T) {
	tab := NewTable()
	a, b, c := tab.Var("a", 8), tab.Var("b", 8), tab.Var("c", 8)
	near := Model{a: 3, b: 4, c: 200}
	s := NewSolver(tab, Options{})
	status, m, err := s.SolveLast([]Term{
		tab.Op(ULt, a, b), tab.Op(ULt, tab.Const(100, 8), c), tab.Op(ULt, b, tab.Const(10, 8)),
		tab.Op(Eq, a, tab.Const(8, 8)),
	}, near)
	if status != sat.Sat || err != nil || m[a] != 8 || m[b] != 9 || m[c] != 200 {
		t.Errorf("%v %v %v, want a 8, b 9 and c as it was", status, m, err)
	}
}

func BenchmarkSolve64(b *testing.B) {
	for i := range b.N {
		tab := NewTable()
		x, y := tab.Var("x", 64), tab.Var("y", 64)
		sum := tab.Op(Add, tab.Op(Mul, x, tab.Const(31, 64)), y)
		cs := []Term{tab.Op(Eq, sum, tab.Const(uint64(i)*977+12345, 64)), tab.Op(SLt, x, tab.Const(1000, 64)),
			tab.Op(SLt, y, x)}
		if status, _, err := NewSolver(tab, Options{}).Solve(cs, nil); status == sat.Unknown || err != nil {
			b.Fatal(status, err)
		}
	}
}
