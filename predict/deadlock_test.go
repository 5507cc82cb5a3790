package predict

import (
	"slices"
	"testing"
)

func cyclesOf(t *testing.T, text string) []string {
	t.Helper()
	g := graphOf(t, text)
	var out []string
	for _, c := range g.Deadlocks() {
		out = append(out, show(c.Instances[0].Nodes))
		orders, why := Moves{}.Orders(g, c.Instances[0].Goal())
		switch {
		case why != nil && len(orders) == 0:
			out = append(out, why.Explain(func(n int32) string { return show([]int32{n}) }, nil))
		default:
			out = append(out, "schedule "+show(orders[0]))
		}
	}
	return out
}

func TestDeadlocks(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"two locks", "1 lock a; 1 lock b; 1 unlock b; 1 unlock a; 2 lock b; 2 lock a; 2 unlock a; 2 unlock b", []string{"2,6", "schedule 1,5"}},
		{"one order", "1 lock a; 1 lock b; 1 unlock b; 1 unlock a; 2 lock a; 2 lock b; 2 unlock b; 2 unlock a", nil},
		{"a guard", "1 lock g; 1 lock a; 1 lock b; 1 unlock b; 1 unlock a; 1 unlock g; 2 lock g; 2 lock b; 2 lock a; 2 unlock a; 2 unlock b; 2 unlock g", nil},
		{"one goroutine", "1 lock a; 1 lock b; 1 unlock b; 1 unlock a; 1 lock b; 1 lock a; 1 unlock a; 1 unlock b", nil},
		{"ordered by a channel", "1 lock a; 1 lock b; 1 unlock b; 1 unlock a; 1 send c; 2 recv c; 2 lock b; 2 lock a; 2 unlock a; 2 unlock b", nil},
		{"three", "1 lock a; 1 lock b; 1 unlock b; 1 unlock a; 2 lock b; 2 lock c; 2 unlock c; 2 unlock b; 3 lock c; 3 lock a; 3 unlock a; 3 unlock c", []string{"2,6,10", "schedule 1,5,9"}},
		{"a read lock again, and a writer that waits",
			"1 rlock r; 1 rlock r; 1 runlock r; 1 runlock r; 2 arrive r; 2 wlock r; 2 wunlock r",
			[]string{"2,6", "schedule 1,5"}},
		{"readers that held a lock", "1 arrive r; 1 wlock r; 1 lock b; 1 unlock b; 1 wunlock r; 2 lock b; 2 rlock r; 2 runlock r; 2 unlock b", []string{"3,7", "schedule 1,2,6"}},
		{"a Once and a lock", "1 once o; 1 lock m; 1 unlock m; 1 once-done o; 2 lock m; 2 once-wait o; 2 unlock m", []string{"2,6", "schedule 1,5"}},
		{"a Once before the lock", "1 once o; 1 lock m; 1 unlock m; 1 once-done o; 2 once-wait o; 2 lock m; 2 unlock m", nil},
		{"a Once that is done", "1 once o; 1 lock m; 1 unlock m; 1 once-done o; 1 send c; 2 recv c; 2 lock m; 2 once-wait o; 2 unlock m", nil},
		{"read locks", "1 rlock r; 1 lock b; 1 unlock b; 1 runlock r; 2 lock b; 2 rlock r; 2 runlock r; 2 unlock b", nil},
	} {
		if got := cyclesOf(t, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMisuses(t *testing.T) {
	g := graphOf(t, "1 send c; 2 atomic-store d; 2 close c")
	cs := g.Misuses()
	if got := candidates(cs); !slices.Equal(got, []string{"send on closed channel 3,1"}) {
		t.Fatalf("got %v", got)
	}
	if orders, _ := (Moves{}).Orders(g, cs[0].Instances[0].Goal()); len(orders) == 0 ||
		show(orders[0]) != "2,3,1" {
		t.Errorf("orders %v, want 2,3,1", orders)
	}
	if cs := graphOf(t, "1 send c; 1 send d; 2 recv d; 2 close c").Misuses(); len(cs) > 0 {
		t.Errorf("%v of a close that comes after the send", candidates(cs))
	}
}
