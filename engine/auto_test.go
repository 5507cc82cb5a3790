package engine

import (
	"testing"
	"time"

	"heddle/explore"
	"heddle/explore/succession"
	"heddle/rt/wire"
)

// share lets two arms have 1,000 executions; the first finds so many new orders in the i-th of its
// own, the second none.
func share(t *testing.T, finds func(i int) int) (first, second int) {
	e := &exploration{cfg: &wire.Config{Runs: 1000}, budget: budget{ctx: t.Context()},
		orders: &orders{set: succession.NewSet()}, send: func(*wire.Record) {}}
	p := &portfolio{e: e}
	p.arms = []*arm{
		{pull: func() bool { e.n++; first++; e.orders.fresh += finds(first); return true }},
		{pull: func() bool { e.n++; second++; return true }},
	}
	p.byCoverage("pass")
	return first, second
}

func TestBudgetGoesToWhatFindsNewOrders(t *testing.T) {
	a, b := share(t, func(int) int { return 1 })
	if a+b != 1000 || a < 5*b || b < 100 {
		t.Errorf("who always finds something has %d executions, who never does %d; want most, and a part for the other", a, b)
	}
	if c, d := share(t, func(int) int { return 1 }); a != c || b != d {
		t.Errorf("%d and %d executions, then %d and %d: chance is in it", a, b, c, d)
	}
	if a, b := share(t, func(int) int { return 0 }); a != b {
		t.Errorf("no strategy finds anything: %d and %d executions, want as many", a, b)
	}
	if a, b := share(t, func(i int) int { return map[bool]int{true: 1}[i < 20] }); a > 600 {
		t.Errorf("who found something long ago has %d executions, the other %d", a, b)
	}
}

// An arm that is over is not pulled again; when all are, that is the end.
func TestArmsEnd(t *testing.T) {
	e := &exploration{cfg: &wire.Config{Runs: 1000}, budget: budget{ctx: t.Context()},
		orders: &orders{set: succession.NewSet()}, send: func(*wire.Record) {}}
	p := &portfolio{e: e}
	for k := range 3 {
		left := 4 * (k + 1)
		p.arms = append(p.arms, &arm{pull: func() bool { e.n++; left--; return left > 0 }})
	}
	p.inTurn()
	if e.n != 10 { // three rounds, and the first arm's fourth
		t.Errorf("%d executions until one arm has nothing left, want 10", e.n)
	}
	if p.byCoverage("pass"); e.n != 24 {
		t.Errorf("%d executions in all, want 24", e.n)
	}
}

func TestWorth(t *testing.T) {
	for _, c := range []struct {
		executions int
		estimate   float64
		used, left float64
		want       bool
		why        string
	}{
		{1, 1e300, 0.01, 0.9, true, "too early to tell"},
		{100, 1e9, 0.1, 0.8, true, "too early to tell"},
		{1000, 2000, 0.2, 0.7, true, "as much again is left"},
		{1000, 10_000, 0.2, 0.7, false, "nine times as much is not"},
		{1000, 1500, 0.6, 0.4, false, "late, and more than half of what is left"},
		{1000, 1200, 0.6, 0.4, true, "late, but nearly done"},
		{2, 1e300, 0.2, 0.7, true, "executions that take long"},
		{2, 1e300, 0.3, 0.6, false, "executions that take too long"},
	} {
		if got := Worth(explore.Result{Executions: c.executions, Estimate: c.estimate}, c.used,
			c.left); got != c.want {
			t.Errorf("%s: %v (%+v)", c.why, got, c)
		}
	}
}

// Executions count where the user bounds them, and time beside them only where that is bounded too.
func TestSpent(t *testing.T) {
	e := &exploration{cfg: &wire.Config{Runs: 200}, account: account{n: 50},
		budget: budget{start: time.Now().Add(-time.Hour)}}
	if got := e.spent(); got != 0.25 {
		t.Errorf("a quarter of the executions: %v spent", got)
	}
	e.deadline = e.start.Add(2 * time.Hour)
	if got := e.spent(); got < 0.5 || got > 0.51 {
		t.Errorf("half of the time: %v spent", got)
	}
}
