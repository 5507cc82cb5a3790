package engine

import (
	"time"

	"heddle/rt/wire"
)

// turns are a worker's portfolio, and when it has begun.
type turns struct {
	*portfolio
	began time.Time
}

// turnOn lets the worker's portfolio go on for a while.
func (w *Worker) turnOn() {
	e, it, r := w.e, w.item, w.worked
	turn := it.Turn
	now := e.start
	if w.turns == nil {
		e.countOrders()
		e.orders.set.Keep = true
		e.resume(&turn.State)
		w.turns = &turns{newPortfolio(e, it.N-1, max(turn.State.Next, len(samplePolicies))), now}
		if turn.Free {
			w.turns.freeTime()
		} else if it.N == 1 {
			w.turns.addBounds()
		}
	}
	e.start = w.turns.began // of what an arm has used
	e.orders.set.Know(turn.Orders)
	if k := e.knowledge(); k.Join(it.Know) {
		e.know(&k)
		e.learnt++ // searches begin anew
	}
	before := e.n
	for w.turns.goesOn() && w.turns.best() {
		if e.hurry() || it.Quantum > 0 && time.Since(now) > time.Duration(it.Quantum) {
			break
		}
	}
	r.Tally.Executions = e.n - before
	k := e.knowledge()
	r.Tally.Within = w.turns.within()
	r.Know, r.Orders = &k, e.orders.set.Recent(wire.MostOrders)
}
