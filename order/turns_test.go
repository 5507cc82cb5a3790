package order

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"heddle/trace"
)

// Several goroutines send over a channel to one that receives: what is added for the room of the
// channel excludes no order that brute force finds.
func TestManySenders(t *testing.T) {
	asked := map[bool]int{}
	for seed := range *scripts / 5 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := &script{values: []bool{false, false, r.Intn(4) == 0}, objects: []trace.Object{{},
			{Kind: trace.ObjChan, Addr: 64, Cap: int32(1 + r.Intn(2))}, {Kind: trace.ObjMemory, Addr: 128}}}
		senders, sends := 2+r.Intn(2), 0
		s.ops = make([][]scriptOp, 1+senders)
		for g := 1; g <= senders; g++ {
			s.ops[0] = append(s.ops[0], scriptOp{op: trace.OpGo, arg: g})
			for range 1 + r.Intn(2) {
				s.ops[g] = append(s.ops[g], scriptOp{op: trace.OpSend, obj: 1})
				sends++
			}
			at := r.Intn(len(s.ops[g]) + 1)
			s.ops[g] = slices.Insert(s.ops[g], at, scriptOp{op: trace.OpWrite, obj: 2})
			s.ops[g] = append(s.ops[g], scriptOp{op: trace.OpEnd})
		}
		for range sends - r.Intn(2) {
			s.ops[0] = append(s.ops[0], scriptOp{op: trace.OpRecv, obj: 1})
		}
		s.ops[0] = append(s.ops[0], scriptOp{op: trace.OpWrite, obj: 2}, scriptOp{op: trace.OpEnd})
		tr := s.execute(r)
		w := newTwin(s, tr)
		p := New(tr, Options{})
		for _, g := range goals(r, w) {
			want := w.search(g, func(st *state) bool { return w.shows(st, g) })
			a := p.Solve(context.Background(), g)
			asked[want]++
			if (a.Verdict == Found) != want || a.Verdict == Unknown {
				t.Fatalf("script %d: %+v: %v %v %v, brute force says %v\n%s", seed, g, a.Verdict, a.Order,
					a.Core, want, listing(tr))
			}
			if want {
				checkOrder(t, seed, w, g, a.Order)
			}
		}
	}
	if asked[true] < *scripts/5 || asked[false] < *scripts/5 {
		t.Errorf("asked %v times only", asked)
	}
}
