package predict

import (
	"testing"

	"heddle/trace"
)

// A director for r1 W1 w1 brings the reader to its second read of x, the one of the trace, then the
// other goroutine past its write, and only then allows the first write. After that it goes on for
// as many steps as it may.
func TestDirector(t *testing.T) {
	tr := traceOf(t, "1 read x; 1 lock a; 1 read x; 1 write x; 1 unlock a; 2 lock b; 2 write x; 2 unlock b")
	for i := range tr.Steps { // both reads stand at one place
		if tr.Steps[i].Op == trace.OpRead {
			tr.Steps[i].Site, tr.Events[i].Site = 1, 1
		}
	}
	g := NewGraph(tr, Locks)
	a := &Anomaly{Pattern: Builtin(Locks)[0], Nodes: nodes(3, 7, 4)}
	way := func(id trace.GID, op trace.Op, site trace.Site) trace.Way {
		return trace.Way{G: id, Op: op, Obj: 3, Site: site}
	}
	read, write := way(1, trace.OpRead, 1), way(1, trace.OpWrite, 4)
	lock, other, third := way(2, trace.OpLock, 6), way(2, trace.OpWrite, 7), way(0, trace.OpLock, 9)
	for _, exact := range []bool{true, false} {
		d := NewDirector(g, a, exact)
		d.After = 2
		choices := []struct {
			ways []trace.Way
			want trace.Way
		}{
			{[]trace.Way{third, lock, read}, read}, // the first read: with exact not the one
			{[]trace.Way{third, lock, read}, read},
			{[]trace.Way{third, write, lock}, lock},
			{[]trace.Way{third, write}, third}, // the other is blocked
			{[]trace.Way{write, other}, other},
			{[]trace.Way{third, write}, write},
		}
		if !exact {
			choices = choices[1:]
		}
		for i, c := range choices {
			if got := c.ways[d.Choose(tr, 0, c.ways)]; got != c.want {
				t.Fatalf("exact %v, choice %d: %v, want %v", exact, i, got, c.want)
			}
		}
		for i, want := range []int{0, 0, -1} {
			if got := d.Choose(tr, 0, []trace.Way{third}); got != want {
				t.Errorf("exact %v, %d steps after the last event: %d, want %d", exact, i, got, want)
			}
		}
	}
}
