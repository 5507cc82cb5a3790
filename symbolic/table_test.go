package symbolic

import (
	"math/rand/v2"
	"testing"

	"heddle/trace"
)

// TestTable compares what an element of a table is, and which indices are those of a value, with
// the table, for every index: tables of chance, of few values, of ranges, and sums of rows as in
// checksums.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	linears := 0
	for i := range 400 {
		kind := trace.Num([]int{8, 16, 32, 64}[r.IntN(4)])
		es := make([]uint64, 1+r.IntN(300))
		if i%4 == 3 {
			es = make([]uint64, 1<<r.IntN(9))
		}
		for k := range es {
			switch low := k & -k; i % 4 {
			case 0:
				es[k] = r.Uint64()
			case 1:
				es[k] = uint64(r.IntN(3))
			case 2:
				es[k] = uint64(k / 20 % 3)
			case 3:
				if es[k] = r.Uint64(); k != low {
					es[k] = es[k^low] ^ es[low] ^ es[0]
				}
			}
			es[k] = kind.Mask(es[k])
		}
		if linear(es) {
			linears++
		}
		tab := NewTable()
		x := tab.Var("x", 64)
		n := &trace.FlowNode{Op: trace.FlowTable, Kind: kind, B: 1}
		rd := &reader{t: tab, terms: []Term{x}, tables: map[trace.FlowNode][]uint64{*n: es}}
		element, v := rd.row(n), es[r.IntN(len(es))]
		is, isNot := rd.rowIs(n, v), rd.rowIs(n, kind.Mask(v+1))
		for k, want := range es {
			m := Model{x: uint64(k)}
			if got := tab.Eval(element, m); got != want {
				t.Fatalf("table %d: element %d is %#x, want %#x", i, k, got, want)
			}
			if got := tab.Eval(is, m) != 0; got != (want == v) {
				t.Fatalf("table %d: element %d, %#x, is %#x: %v", i, k, want, v, got)
			}
			if got := tab.Eval(isNot, m) != 0; got != (want == kind.Mask(v+1)) {
				t.Fatalf("table %d: element %d, %#x, is %#x: %v", i, k, want, kind.Mask(v+1), got)
			}
		}
	}
	if linears < 50 {
		t.Errorf("%d tables are sums of rows: hardly any", linears)
	}
}
