package succession

import (
	"testing"

	"heddle/trace"
)

// run makes a trace of two goroutines beside main that use one mutex, made by main, in the given
// order.
func run(addr uintptr, order ...trace.GID) *trace.Trace {
	t := &trace.Trace{
		Goroutines: []trace.Goroutine{{Parent: trace.NoG}, {Parent: trace.NoG, N: 1}, {Parent: 0, N: 1},
			{Parent: 0, N: 2}},
		Objects: []trace.Object{{}, {Kind: trace.ObjMutex, Addr: addr, G: 0, N: 1}},
	}
	for _, g := range order {
		t.Events = append(t.Events, trace.Event{G: g, Op: trace.OpLock, Obj: 1, Site: 7},
			trace.Event{G: g, Op: trace.OpUnlock, Obj: 1, Site: 8})
	}
	return t
}

func TestPairs(t *testing.T) {
	s := NewSet()
	for i, c := range []struct {
		t    *trace.Trace
		want int
	}{
		{run(0x10, 2, 3), 2},    // 2 is the first, 3 follows 2
		{run(0x99, 2, 3), 0},    // the same elsewhere in memory
		{run(0x10, 3, 2), 2},    // the other way round
		{run(0x10, 2, 3, 2), 0}, // both were there
		{run(0x10, 2, 2), 0},    // one goroutine alone
	} {
		if got := s.Add(c.t); got != c.want {
			t.Errorf("trace %d has %d new pairs, want %d", i, got, c.want)
		}
	}
	if s.Len() != 4 {
		t.Errorf("%d pairs, want 4", s.Len())
	}
}

// Events that only some strategies see, or that no schedule can choose, make no execution new.
func TestOnlyWhatAllStrategiesSee(t *testing.T) {
	s := NewSet()
	tr := run(0x10, 2, 3)
	s.Add(tr)
	tr.Objects = append(tr.Objects, trace.Object{Kind: trace.ObjMemory, N: 2})
	more := []trace.Event{
		{G: 2, Op: trace.OpArrive, Obj: 1, Site: 9},
		{G: 3, Op: trace.OpLock, Obj: 1, Site: 9, Quiet: true},
		{G: 2, Op: trace.OpWrite, Obj: 2, Site: 10},
		{G: 3, Op: trace.OpRead, Obj: 2, Site: 11},
	}
	tr.Events = append(more, tr.Events...)
	if n := s.Add(tr); n != 0 {
		t.Errorf("%d new pairs, want none", n)
	}
	s.Memory = func(x trace.Site) bool { return x == 10 || x == 11 }
	if n := s.Add(tr); n != 2 {
		t.Errorf("with memory %d new pairs, want 2", n)
	}
}

// A set knows the pairs that Know gave it, and its own Recent does not return them.
func TestKnow(t *testing.T) {
	a, b := NewSet(), NewSet()
	a.Keep, b.Keep = true, true
	a.Add(run(0x10, 2, 3))
	fresh := a.Recent(10)
	if len(fresh) != 2 || len(a.Recent(10)) != 0 {
		t.Errorf("%d pairs are new, want 2, and none of them twice", len(fresh))
	}
	b.Know(fresh)
	if n := b.Add(run(0x99, 2, 3)); n != 0 || len(b.Recent(10)) != 0 {
		t.Errorf("%d new pairs in an execution that another set has seen", n)
	}
	if b.Add(run(0x99, 3, 2)); len(b.Recent(1)) != 1 || len(b.Recent(1)) != 0 {
		t.Error("of two new pairs not one is told")
	}
}
