package predict

import (
	"testing"

	"heddle/trace"
)

// A tester for r1 W1 w1 makes the writer of another goroutine wait for the read, and the read's own
// write wait for that write.
func TestTesterPostpones(t *testing.T) {
	g := graphOf(t, "1 lock a; 1 read x; 1 write x; 1 unlock a; 2 lock b; 2 write x; 2 unlock b")
	stale := Builtin(Locks)[0]
	way := func(id trace.GID, op trace.Op, site trace.Site) trace.Way {
		return trace.Way{G: id, Op: op, Obj: 7, Site: site}
	}
	read, write, other := way(1, trace.OpRead, 2), way(1, trace.OpWrite, 3), way(2, trace.OpWrite, 6)
	for seed := range uint64(50) {
		s := NewTester(g, &Anomaly{Pattern: stale, Nodes: nodes(2, 6, 3)}, seed)
		for _, c := range []struct {
			ways []trace.Way
			want int
		}{{[]trace.Way{other, read}, 1}, {[]trace.Way{write, other}, 1}, {[]trace.Way{write}, 0}} {
			if got := s.Choose(nil, 0, c.ways); got != c.want {
				t.Fatalf("seed %d: chose %d of %v", seed, got, c.ways)
			}
		}
	}
	// If all goroutines are postponed, one of them continues.
	if got := NewTester(g, &Anomaly{Pattern: stale, Nodes: nodes(2, 6, 3)}, 1).Choose(nil, 0,
		[]trace.Way{other}); got != 0 {
		t.Errorf("chose %d", got)
	}
}

// A tester for a race brings both goroutines to their accesses and then performs them adjacently.
func TestTesterMeets(t *testing.T) {
	g := graphOf(t, "1 write x; 2 read x")
	first := map[int]bool{}
	for seed := range uint64(50) {
		s := NewTester(g, &Anomaly{Pattern: Race, Nodes: nodes(1, 2)}, seed)
		write := trace.Way{G: 1, Op: trace.OpWrite, Obj: 3, Site: 1}
		read := trace.Way{G: 2, Op: trace.OpRead, Obj: 3, Site: 2}
		free := trace.Way{G: 2, Op: trace.OpLock, Obj: 4, Site: 9}
		if got := s.Choose(nil, 0, []trace.Way{write, free}); got != 1 {
			t.Fatalf("seed %d: the write was not postponed", seed)
		}
		got := s.Choose(nil, 0, []trace.Way{write, read, {G: 3, Op: trace.OpLock, Obj: 5, Site: 8}})
		if got > 1 {
			t.Fatalf("seed %d: chose %d", seed, got)
		}
		first[got] = true
		left := []trace.Way{{G: 3, Op: trace.OpLock, Obj: 5, Site: 8},
			{G: trace.GID(2 - got), Op: trace.OpRead, Site: 1}}
		if s.Choose(nil, 0, left) != 1 {
			t.Fatalf("seed %d: something came between the two", seed)
		}
	}
	if len(first) != 2 {
		t.Error("always the same one comes first")
	}
}
