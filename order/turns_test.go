package order

import (
	"context"
	"math/rand"
	"slices"
	"testing"
	"time"

	"heddle/trace"
)

// Several goroutines send over a channel to one that receives: what is added for the room of the
// channel, and what is counted, excludes no order that brute force finds.
func TestManySenders(t *testing.T) {
	asked := map[bool]int{}
	for seed := range *scripts / 5 {
		r := rand.New(rand.NewSource(int64(seed)))
		s := &script{values: []bool{false, false, r.Intn(4) == 0}, objects: []trace.Object{{},
			{Kind: trace.ObjChan, Addr: 64, Cap: int32(r.Intn(3))}, {Kind: trace.ObjMemory, Addr: 128}}}
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

// A sender cannot be left over where the receiver has as many values as there are sends, in any of
// the n! ways to pair them, of which only some are tried.
func TestLeftOver(t *testing.T) {
	for _, room := range []int32{0, 1, 5} {
		const n = 500
		tr := &trace.Trace{Objects: []trace.Object{{}, {Kind: trace.ObjChan, Cap: room}}}
		add := func(e trace.Event) {
			e.Step = int32(len(tr.Steps))
			tr.Steps = append(tr.Steps, trace.Step{G: e.G, Op: e.Op})
			tr.Events = append(tr.Events, e)
		}
		tr.Goroutines = make([]trace.Goroutine, n+1)
		for i := range trace.GID(n) {
			add(trace.Event{G: 0, Op: trace.OpGo, Arg: int64(i + 1), Partner: -1})
		}
		var sends []int
		for i := range trace.GID(n) {
			k := int32(len(tr.Events))
			sends = append(sends, int(k))
			add(trace.Event{G: i + 1, Op: trace.OpSend, Obj: 1, Partner: k + 1})
			add(trace.Event{G: 0, Op: trace.OpRecv, Obj: 1, Arg: 1, Partner: k})
		}
		p := New(tr, Options{})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if a := p.Solve(ctx, Deadlock(sends[n/2])); a.Verdict != Impossible || len(a.Core) == 0 {
			t.Errorf("room for %d: %v %s, core %v; want impossible", room, a.Verdict, a.Reason, a.Core)
		}
	}
}
