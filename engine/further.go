package engine

import (
	"time"

	"heddle/explore/why"
	"heddle/rt/wire"
)

// One execution leaves out what the program does in other orders alone, and no order of its
// operations shows that. So heddle predict goes on with a few executions in other orders, and
// predicts from those that reach new places (foreteller). How many does not depend on how long the
// prediction took before, nor on whether others go on with it: what is found is the same with one
// process and with several, unless the time is over.

const (
	furtherMost  = 200                    // executions
	furtherShare = 5                      // of the budget: what they may take together
	furtherLeast = 100 * time.Millisecond // that they may take in any case
)

// further makes these executions, and returns from how many was predicted, the first with them.
func (p *prediction) further() int {
	e := p.exploration
	if p.graph == nil || p.cfg.Complete || p.cfg.Measure || p.cfg.Regions != "" && p.cfg.Regions != "auto" {
		return 1 // what is asked for is what one execution lets expect
	}
	f := newForeteller()
	f.into = p
	f.learn(p.graph.Trace)
	f.untried(p.tasks)
	p.free()
	e.foretold = f
	defer func() { e.foretold = nil }()
	until := time.Now().Add(max(furtherLeast, e.total/furtherShare))
	e.clipUntil, e.asSeenFrom = until, until // one execution may show dozens
	defer func() { e.clipUntil, e.asSeenFrom = time.Time{}, time.Time{} }()
	over := func() bool {
		return e.ended() || e.real || e.nondet || e.late() || e.stop(e.n) || !time.Now().Before(until)
	}
	for i := 2; i < furtherMost+2 && !over(); i++ {
		e.run(e.schedule(i, ""))
	}
	return 1 + f.made
}

// furtherBefore makes them before others go on with the prediction from the first execution.
func (p *prediction) furtherBefore(s *wire.Share) {
	e, n := p.exploration, p.n
	e.share = nil
	s.Predicting.Told.From = p.further()
	s.Tally.Executions += e.n - n
	e.share = s
}

// free lets go of what was needed to predict from the first execution.
func (p *prediction) free() { p.graph, p.tasks, p.solver, p.loose = nil, nil, nil, nil }

// PredictedFrom is the end of a prediction from so many executions of those that were made.
func PredictedFrom(n, made int) why.End {
	if n <= 1 {
		return Predicted()
	}
	return why.Bare(why.With(why.Predicted, "%d of %d executions", n, made))
}
