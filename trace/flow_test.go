package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFlowReader compares with sets that grow along with random graphs.
func TestFlowReader(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		f := &Flow{Nodes: []FlowNode{{}}}
		reads, inputs, all := []map[int32]bool{{}}, []map[int32]bool{{}}, []bool{false}
		for i := 1; i < 40; i++ {
			n := FlowNode{Op: FlowOp(1 + rng.IntN(3))}
			r, in, a := map[int32]bool{}, map[int32]bool{}, false
			switch n.Op {
			case FlowRead:
				n.A = rng.Uint32N(20)
				r[int32(n.A)] = true
			case FlowInput:
				n.A = rng.Uint32N(20)
				in[int32(n.A)] = true
			case FlowUnion:
				for _, p := range []*uint32{&n.A, &n.B} {
					if rng.IntN(30) == 0 {
						*p, a = uint32(Everything), true
						continue
					}
					*p = rng.Uint32N(uint32(i))
					for x := range reads[*p] {
						r[x] = true
					}
					for x := range inputs[*p] {
						in[x] = true
					}
					a = a || all[*p]
				}
			}
			f.Nodes = append(f.Nodes, n)
			reads, inputs, all = append(reads, r), append(inputs, in), append(all, a)
		}
		rd := f.Reader()
		for l := range f.Nodes {
			got, a := rd.Reads(Label(l))
			if !slices.Equal(got, keys(reads[l])) || a != all[l] {
				t.Fatalf("reads of %d: %v %t, want %v %t", l, got, a, keys(reads[l]), all[l])
			}
			if got, a := rd.Inputs(Label(l)); !slices.Equal(got, keys(inputs[l])) || a != all[l] {
				t.Fatalf("inputs of %d: %v %t, want %v %t", l, got, a, keys(inputs[l]), all[l])
			}
		}
	}
}

func keys(m map[int32]bool) (ks []int32) {
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}
