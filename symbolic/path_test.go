package symbolic

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"heddle/order/sat"
	"heddle/rt/flow"
	"heddle/trace"
)

// The arithmetic of terms agrees with the values that package flow records beside expressions,
// which are Go's own, for all types and their limits.
func TestGoArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var kinds []trace.Num
	for _, w := range []int{8, 16, 32, 64} {
		kinds = append(kinds, trace.NumOf(w, false), trace.NumOf(w, true))
	}
	draw := func(k trace.Num) uint64 {
		ends := []uint64{0, 1, 2, 7, ^uint64(0), 1 << (k.Width() - 1), 1<<(k.Width()-1) - 1, rng.Uint64(),
			uint64(k.Width()), uint64(k.Width() - 1)}
		return k.Mask(ends[rng.IntN(len(ends))])
	}
	for range 200000 {
		op := trace.FlowAdd + trace.FlowOp(rng.IntN(int(trace.FlowLess-trace.FlowAdd)+1))
		k := kinds[rng.IntN(len(kinds))]
		l := k
		if op == trace.FlowShl || op == trace.FlowShr {
			l = kinds[rng.IntN(len(kinds))]
		}
		x, y := draw(k), draw(l)
		switch {
		case (op == trace.FlowQuo || op == trace.FlowRem) && y == 0:
			continue
		case op == trace.FlowShl || op == trace.FlowShr:
			if l.Signed() && int64(l.Extend(y)) < 0 {
				continue
			}
		}
		tab := NewTable()
		a, b := tab.Var("a", k.Width()), tab.Var("b", l.Width())
		got := tab.Eval(tab.Go(op, a, b, k, l), Model{a: x, b: y})
		if want := flow.Apply(op, k, l, x, y); got != want {
			t.Fatalf("%#x op %d %#x of types %#x, %#x: %#x, want %#x", x, op, y, k, l, got, want)
		}
	}
	if got := flow.Apply(trace.FlowQuo, trace.NumOf(8, true), trace.NumOf(8, true), 0x80, 0xff); got != 0x80 {
		t.Errorf("-128 / -1 is %#x", got)
	}
}

// Each branch of a path gives an input that takes the other outcome.
func TestInputs(t *testing.T) {
	tr := &trace.Trace{Flow: &trace.Flow{Nodes: []trace.FlowNode{
		{},
		{Op: trace.FlowInput, Kind: trace.NumOf(8, true), A: 0},        // in0, an int8
		{Op: trace.FlowConst, Kind: trace.NumOf(8, true), A: 100},      //
		{Op: trace.FlowAdd, Kind: trace.NumOf(8, true), A: 1, B: 2},    // in0 + 100
		{Op: trace.FlowConst, Kind: trace.NumOf(8, true), A: 0},        //
		{Op: trace.FlowLess, Kind: trace.Bool, A: 3, B: 4},             // in0 + 100 < 0
		{Op: trace.FlowLen, Kind: trace.Int, A: 1},                     // len(in1)
		{Op: trace.FlowConst, Kind: trace.Int, A: 3},                   //
		{Op: trace.FlowEq, Kind: trace.Bool, A: 6, B: 7},               // == 3
		{Op: trace.FlowByte, Kind: 8, A: 1, B: 2},                      // in1[2]
		{Op: trace.FlowConst, Kind: 8, A: 'x'},                         //
		{Op: trace.FlowEq, Kind: trace.Bool, A: 9, B: 10},              // == 'x'
		{Op: trace.FlowAnd, Kind: trace.Bool, A: 8, B: 11},             //
		{Op: trace.FlowConv, Kind: trace.NumOf(64, true), A: 1},        // int(in0)
		{Op: trace.FlowConst, Kind: trace.NumOf(64, true), A: 5, B: 0}, //
		{Op: trace.FlowLess, Kind: trace.Bool, A: 14, B: 13},           // 5 < int(in0)
		{Op: trace.FlowUnion, A: 1, B: 9},                              // no expression
	}}}
	branch := func(l trace.Label, taken int64) {
		tr.Events = append(tr.Events, trace.Event{Op: trace.OpBranch, Arg: taken})
		tr.Flow.Of = append(tr.Flow.Of, l)
	}
	branch(5, 0)
	branch(12, 0)
	branch(12, 0) // again: not another branch
	branch(16, 1)
	branch(15, 0)
	tab := NewTable()
	p := PathOf(tab, tr, 100)
	if len(p.Branches) != 3 || p.Branches[2].Event != 4 {
		t.Fatalf("%+v, want three branches", p.Branches)
	}
	old := []any{int8(1), "ab"}
	s := NewSolver(tab, Options{})
	for n, want := range []any{nil, []any{int8(1), "abx"}, []any{int8(6), "ab"}} {
		status, m, err := s.Solve(append(p.Conditions(tab, n), tab.Limits(old, MostText)...), tab.Near(old))
		if err != nil || status != sat.Sat {
			t.Fatalf("branch %d: %v %v", n, status, err)
		}
		got := tab.Values(m, old)
		if n == 0 {
			if x := got[0].(int8); x+100 >= 0 {
				t.Errorf("%v: the sum does not wrap around", got)
			}
		} else if n == 1 && !reflect.DeepEqual(got, want) {
			t.Errorf("branch %d: %v, want %v", n, got, want)
		} else if x := got[0].(int8); n == 2 && (x <= 5 || x > 27) {
			t.Errorf("branch %d: %v", n, got)
		}
	}
	if got := fmt.Sprint(Zero(int8(3)), Zero("x"), Zero([]byte("x")), Zero(2.5),
		Zero(true)); got != "0[] 0 false" {
		t.Errorf("zero values: %q", got)
	}
}
