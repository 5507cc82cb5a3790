package predict

import (
	"testing"

	"heddle/trace"
)

// rounds is a trace of goroutines that main starts, three at a time. Each receives from main and
// sends to it, or does only one of the two; then its clock is not part of main's when the next
// three are started.
func rounds(n int) *trace.Trace {
	t := &trace.Trace{Objects: []trace.Object{{}, {Kind: trace.ObjChan, Cap: 100},
		{Kind: trace.ObjChan, Cap: 100}}}
	t.Goroutines = append(t.Goroutines, trace.Goroutine{Parent: trace.NoG})
	do := func(g trace.GID, op trace.Op, o trace.ObjID, arg, partner int) int {
		t.Steps = append(t.Steps, trace.Step{G: g, Op: op, Site: 1})
		t.Events = append(t.Events, trace.Event{G: g, Op: op, Obj: o, Arg: int64(arg),
			Partner: int32(partner), Site: 1, Step: int32(len(t.Steps) - 1)})
		if partner >= 0 {
			t.Events[partner].Partner = int32(len(t.Events) - 1)
		}
		return len(t.Events) - 1
	}
	note := func(g trace.GID, op trace.Op, arg int) {
		t.Events = append(t.Events, trace.Event{G: g, Op: op, Arg: int64(arg), Partner: -1,
			Step: int32(len(t.Steps) - 1)})
	}
	for range n {
		for k := range 3 {
			g := trace.GID(len(t.Goroutines))
			t.Goroutines = append(t.Goroutines, trace.Goroutine{Site: 1})
			sent := do(0, trace.OpSend, 1, 1, -1)
			note(0, trace.OpGo, int(g))
			do(g, trace.OpRecv, 1, 1, sent)
			if k < 2 {
				back := do(g, trace.OpSend, 2, 1, -1)
				note(g, trace.OpEnd, 0)
				do(0, trace.OpRecv, 2, 1, back)
			} else {
				note(g, trace.OpEnd, 0)
			}
		}
	}
	return t
}

// The order is the same whether goroutines share chains or not.
func TestChains(t *testing.T) {
	defer trace.ShareChains(true)
	tr := rounds(12)
	trace.ShareChains(false)
	own := NewGraph(tr, Locks)
	trace.ShareChains(true)
	shared := NewGraph(tr, Locks)
	if a, b := len(own.chains), len(shared.chains); a != len(tr.Goroutines) || b >= a {
		t.Fatalf("%d chains of %d goroutines, %d where each has its own", b, len(tr.Goroutines), a)
	}
	ordered := 0
	for a := range own.Nodes {
		for b := range own.Nodes {
			want := own.Before(int32(a), int32(b))
			if got := shared.Before(int32(a), int32(b)); got != want {
				t.Fatalf("node %d before %d: %v, want %v", a, b, got, want)
			}
			if want {
				ordered++
			}
		}
	}
	if all := len(own.Nodes); ordered == 0 || ordered >= all*(all-1)/2 {
		t.Errorf("%d of %d pairs are in order", ordered, all*(all-1)/2)
	}
}
