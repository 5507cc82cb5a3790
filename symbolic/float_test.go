package symbolic

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"heddle/order/sat"
	"heddle/trace"
)

// floats returns random bits of floats, special values among them.
func randomFloat(r *rand.Rand, w int) uint64 {
	p := formatOf(w).p
	exp := func(e int) uint64 { return uint64(e)<<(p-1) | r.Uint64()>>(65-p) }
	v := uint64(0)
	switch bias := formatOf(w).bias(); r.IntN(12) {
	case 0:
		v = 0
	case 1:
		v = exp(2*bias + 1) // NaN
	case 2:
		v = uint64(2*bias+1) << (p - 1) // infinity
	case 3:
		v = r.Uint64() >> (65 - p) >> r.IntN(p-1) // subnormal
	case 4:
		v = exp(2*bias - r.IntN(3))
	case 5:
		v = exp(r.IntN(p + 4))
	case 6:
		v = bitsOf(float64(r.IntN(2000))/4, w)
	case 7:
		v = exp(bias+r.IntN(70)) &^ (r.Uint64() >> (64 - min(p-1, 1+r.IntN(p))))
	case 8:
		v = exp(bias+r.IntN(5)-2) | (1<<(p-1) - 1)
	case 9:
		v = r.Uint64()
	default:
		v = exp(bias + r.IntN(2*p+4) - p - 2)
	}
	return (v ^ r.Uint64N(2)<<(w-1)) & mask(w)
}

// Circuits of floats give the bits that this machine gives.
func TestFloatCircuits(t *testing.T) {
	for _, w := range []int{32, 64} {
		r := rand.New(rand.NewPCG(uint64(w), 1))
		tab := NewTable()
		b := newBlaster(tab, sat.New(sat.Options{}), tab.spansOf(nil))
		value := func(ls []sat.Lit) (v uint64) {
			for i, l := range ls {
				switch l {
				case b.one:
					v |= 1 << i
				case b.one.Not():
				default:
					t.Fatal("a circuit of constants is none")
				}
			}
			return v
		}
		check := func(op Op, w, to int, x, y uint64) {
			want := apply(op, w, to, x, y, 0)
			if got := value(b.float(op, to, b.constant(x, w), b.constant(y, w))); got != want {
				t.Fatalf("operator %d of %d bits: %#x, %#x (%v, %v): got %#x (%v), want %#x (%v)", op, w, x, y,
					floatOf(x, w), floatOf(y, w), got, floatOf(got, to), want, floatOf(want, to))
			}
		}
		for range *formulas / 20 {
			x, y := randomFloat(r, w), randomFloat(r, w)
			if r.IntN(3) == 0 { // near each other
				y = (x + r.Uint64N(5) - 2) ^ r.Uint64N(2)<<(w-1)
				y &= mask(w)
			}
			for _, op := range []Op{FAdd, FMul, FDiv, FSqrt, FFloor, FCeil, FTrunc, FRound, FEven} {
				check(op, w, w, x, y)
			}
			for _, op := range []Op{FEq, FLt, FLe} {
				check(op, w, 1, x, y)
			}
			check(FConv, w, 96-w, x, 0)
			for _, to := range []int{8, 16, 32, 64} {
				check(FToInt, w, to, x, 0)
				n := r.Uint64() >> r.IntN(64)
				check(FOfS, to, w, n&mask(to), 0)
				check(FOfU, to, w, n&mask(to), 0)
			}
		}
	}
}

// What applyFloat computes for single operators is what Go computes for expressions of them.
func TestApplyFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	same := func(got uint64, w int, want float64, what string) {
		t.Helper()
		x := floatOf(got, w)
		if x != want && (x == x || want == want) || x == 0 && math.Signbit(x) != math.Signbit(want) {
			t.Fatalf("%s: got %v, want %v", what, x, want)
		}
	}
	for range *formulas {
		x, y := randomFloat(r, 32), randomFloat(r, 32)
		f, g := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		same(apply(FAdd, 32, 32, x, y, 0), 32, float64(f+g), "float32 +")
		same(apply(FMul, 32, 32, x, y, 0), 32, float64(f*g), "float32 *")
		same(apply(FDiv, 32, 32, x, y, 0), 32, float64(f/g), "float32 /")
		same(apply(FSqrt, 32, 32, x, 0, 0), 32, float64(float32(math.Sqrt(float64(f)))), "float32 sqrt")
		n := int64(r.Uint64() >> r.IntN(64))
		same(apply(FOfS, 64, 32, uint64(n), 0, 0), 32, float64(float32(n)), "float32 of int64")
		x = randomFloat(r, 64)
		if z := math.Float64frombits(x); math.Abs(z) < 1<<62 {
			if got := apply(FToInt, 64, 64, x, 0, 0); int64(got) != int64(z) {
				t.Fatalf("int64(%v): got %d", z, int64(got))
			}
			if got := apply(FToInt, 64, 8, x, 0, 0); int8(got) != int8(int64(z)) && math.Abs(z) < 128 {
				t.Fatalf("int8(%v): got %d", z, int8(got))
			}
		}
		z := math.Float64frombits(x)
		same(apply(FConv, 64, 32, x, 0, 0), 32, float64(float32(z)), "float32 of float64")
	}
}

// A floatMaker makes random terms that are floats of w bits.
type floatMaker struct {
	*maker
	w    int
	vars []Term // floats, or integers that become floats
}

func (m *floatMaker) float(depth int) Term {
	t := m.t
	if depth == 0 || m.IntN(6) == 0 {
		v := m.vars[m.IntN(len(m.vars))]
		switch {
		case m.IntN(3) == 0:
			return t.Const(randomFloat(m.Rand, m.w), m.w)
		case t.Width(v) == m.w:
			return v
		}
		return t.to([]Op{FOfS, FOfU}[m.IntN(2)], v, m.w)
	}
	x := m.float(depth - 1)
	switch m.IntN(9) {
	case 0:
		return t.Op(FSqrt+Op(m.IntN(6)), x)
	case 1:
		return t.Op(And, x, t.Const(mask(m.w-1), m.w))
	case 2:
		return t.Op(Xor, x, t.Const(1<<(m.w-1), m.w))
	case 3:
		return t.to(FConv, t.to(FConv, x, 96-m.w), m.w)
	case 4:
		return t.to(FOfS, t.to(FToInt, x, []int{8, 16, 32, 64}[m.IntN(4)]), m.w)
	case 5:
		return t.If(m.compare(0), x, m.float(depth-1))
	}
	return t.Op([]Op{FAdd, FMul, FDiv}[m.IntN(3)], x, m.float(depth-1))
}

func (m *floatMaker) compare(depth int) Term {
	c := m.t.Op([]Op{FEq, FLt, FLe}[m.IntN(3)], m.float(depth), m.float(depth))
	if m.IntN(3) == 0 {
		c = m.t.Negate(c)
	}
	return c
}

// As TestRandomFormulas, with floats made of few values.
func TestRandomFloats(t *testing.T) {
	counts := map[Status]int{}
	for i := range *formulas / 40 {
		m := &floatMaker{maker: newMaker(uint64(i), 1+i%5, 1+i/5%5), w: 32 << (i % 2)}
		m.vars = m.maker.vars
		cs := []Term{m.compare(1 + i%3), m.compare(i % 2)}
		want := m.brute(cs)
		near := Model{m.vars[0]: m.Uint64() & mask(1+i%5)}
		guess, g, core := m.t.guess(cs, near)
		if guess == sat.Sat && !m.t.Holds(cs, g) || guess == sat.Unsat && (want || m.brute(core)) {
			t.Fatalf("formula %d: guessed %v, model %v, core %v\n%s", i, guess, g, core, m.t.SMT(cs))
		}
		if status, g := m.t.enumerate(cs, near); status != sat.Unknown && (want != (status == sat.Sat) ||
			want && !m.t.Holds(cs, g)) {
			t.Fatalf("formula %d: tried all: %v, model %v, want %v\n%s", i, status, g, want, m.t.SMT(cs))
		}
		status, g, core := translated(m.t, cs, near, Limit{Time: 50 * time.Millisecond})
		if status != sat.Unknown && want != (status == sat.Sat) ||
			status == sat.Sat && !m.t.Holds(cs, over(near, g)) || status == sat.Unsat && m.brute(core) {
			t.Fatalf("formula %d: %v, model %v, core %v, want %v\n%s", i, status, g, core, want, m.t.SMT(cs))
		}
		counts[status]++
	}
	if counts[sat.Sat] < *formulas/400 || counts[sat.Unsat] < *formulas/400 {
		t.Errorf("one-sided formulas: %v", counts)
	}
}

// What is not satisfiable has no model among random floats, and models satisfy the conditions
// (Solver.Solve panics if not).
func TestRandomWideFloats(t *testing.T) {
	counts := map[Status]int{}
	for i := range *formulas / 50 {
		w := 32 << (i % 2)
		m := &floatMaker{maker: newMaker(uint64(i), w, w), w: w}
		m.vars = m.maker.vars
		cs := []Term{m.compare(1 + i%3), m.compare(i % 2)}
		status, _, err := NewSolver(m.t, Options{Limit: 50 * time.Millisecond}).Solve(cs, nil)
		if err != nil {
			t.Fatal(err)
		}
		counts[status]++
		for range 200 {
			model := Model{m.vars[0]: randomFloat(m.Rand, w), m.vars[1]: randomFloat(m.Rand, w)}
			if status == sat.Unsat && m.t.Holds(cs, model) {
				t.Fatalf("formula %d: unsatisfiable, but %v satisfies\n%s", i, model, m.t.SMT(cs))
			}
		}
	}
	t.Logf("%v", counts)
	if counts[sat.Sat] < *formulas/200 || counts[sat.Unsat] < *formulas/1000 {
		t.Errorf("one-sided formulas: %v", counts)
	}
}

// A function that is known by guess alone shows nothing to be impossible, but what holds for all of
// its values.
func TestOpaque(t *testing.T) {
	tab := NewTable()
	x := tab.Var("x", 64)
	is := func(f float64) Term { return tab.Const(math.Float64bits(f), 64) }
	y := tab.opaque(funcPow, x, is(2))
	for _, c := range []struct {
		cs   []Term
		want Status
	}{
		{[]Term{tab.Op(FLt, is(99), y), tab.Op(FLt, y, is(100))}, sat.Sat},
		{[]Term{tab.Op(FLt, y, is(-1))}, sat.Unknown},
		{[]Term{tab.Op(FLt, y, is(-1)), tab.Op(FLt, is(1), y)}, sat.Unsat},
	} {
		if got, _, err := NewSolver(tab, Options{}).Solve(c.cs, nil); got != c.want || err != nil {
			t.Errorf("%s%v %v, want %v", tab.SMT(c.cs), got, err, c.want)
		}
	}
	n := tab.Var("n", 8) // all values are tried
	z := tab.opaque(uint64(trace.MathExp), tab.to(FOfU, n, 64), tab.to(FOfU, n, 64))
	if got, _, _ := NewSolver(tab, Options{}).Solve([]Term{tab.Op(FLt, z, is(-1))}, nil); got != sat.Unknown {
		t.Errorf("%v, want unknown", got)
	}
}
