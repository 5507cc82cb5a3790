package cluster

import (
	"reflect"
	"slices"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

// turn returns the result of a worker's turn.
func turn(it *wire.Item, executions int, orders ...uint64) *wire.Worked {
	return &wire.Worked{N: it.N, Tally: wire.Tally{Executions: executions},
		Know: &wire.Knowledge{Visible: []trace.Site{trace.Site(executions)}}, Orders: orders}
}

func TestPortfolioCountsOnce(t *testing.T) {
	share := &wire.Share{Portfolio: true, State: &wire.State{Next: 5}, Tally: wire.Tally{Executions: 100}}
	p := newPortfolio("T", share)
	a, b := p.next(), p.next()
	if a.N == b.N || a.Turn.State.Next != 5 {
		t.Fatalf("turns %+v and %+v", a, b)
	}
	p.back(a) // its worker has died
	if again := p.next(); again.N != a.N {
		t.Fatalf("turn %d came back, and %d is next", a.N, again.N)
	}
	var log []*wire.Worked
	log = append(log, p.take(turn(a, 10, 1, 2))...)
	log = append(log, p.take(turn(b, 20, 3))...)
	if lost := p.take(turn(a, 10)); lost != nil {
		t.Errorf("counted twice: %+v", lost)
	}
	late := turn(a, 10)
	late.Found = []wire.Found{{Key: "k"}}
	if got := p.take(late); len(got) != 1 || got[0].Tally.Executions != 0 || len(got[0].Found) != 1 {
		t.Errorf("what it found is to be told, and nothing to count: %+v", got)
	}
	c := p.next()
	if !slices.Equal(c.Turn.Orders, []uint64{1, 2, 3}) ||
		!slices.Equal(c.Know.Visible, []trace.Site{10, 20}) || c.Before != 130 {
		t.Errorf("the next turn is told %+v, after %d executions", c.Turn, c.Before)
	}
	gone := newPortfolio("T", share)
	for _, w := range log {
		gone.replay(w)
	}
	if !reflect.DeepEqual(gone.outcome(), p.outcome()) {
		t.Errorf("from its log it is %+v, was %+v", gone.outcome(), p.outcome())
	}
	if n := gone.next().N; n <= b.N {
		t.Errorf("turn %d again: the same seeds", n)
	}
	if p.done() || p.take(&wire.Worked{N: c.N, Over: true, Know: new(wire.Knowledge)}) == nil || !p.done() {
		t.Error("it is over when a worker says so, not before")
	}
}

// The list of orders that workers are told is bounded.
func TestPortfolioTellsTheLast(t *testing.T) {
	p := newPortfolio("T", &wire.Share{State: new(wire.State)})
	for i := range uint64(3) {
		orders := make([]uint64, wire.MostOrders)
		orders[len(orders)-1] = i + 1
		p.take(turn(p.next(), 1, orders...))
	}
	if got := p.next().Turn.Orders; len(got) != wire.MostOrders || got[len(got)-1] != 3 {
		t.Errorf("%d orders are told, the last is %d", len(got), got[len(got)-1])
	}
}
