package symbolic

import (
	"math"
	"math/rand/v2"
	"testing"

	"heddle/order/sat"
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
		for range *formulas / 5 {
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
