package engine

import (
	"time"

	"heddle/explore/why"
	"heddle/rt/limit"
	"heddle/rt/splitmix"
	"heddle/rt/wire"
	"heddle/trace"
)

// A prediction is handed out in tasks. Each candidate is one; the sets of goroutines that may wait
// for one another are one, or, with -complete, stuckParts: then there is no bound on them, and to
// find them may take longest. A process that does some of the tasks records the execution and
// analyses it once: the result is the same everywhere.

// stuckParts is in how many tasks those sets are searched for.
const stuckParts = 32

// parts returns that.
func (p *prediction) parts() int {
	switch {
	case p.solver == nil:
		return 0
	case p.cfg.Complete:
		return stuckParts
	}
	return 1
}

// handOut gives the tasks from the next one on away, if it is time for that, and reports whether
// it did.
func (p *prediction) handOut(next int) bool {
	e := p.exploration
	if e.share != nil {
		return true
	}
	if !p.alone || p.from != nil || p.cfg.Measure || !e.mayShare() {
		return false
	}
	to := len(p.tasks) + p.parts()
	if next >= to || !p.worthSharing(next) {
		return false
	}
	p.tellShown(part(next, to))
	p.tellPlain(part(next, to))
	s := &wire.Predicting{Recorded: recorded(p.graph.Trace), From: next, To: to, Told: *p.told}
	for i := range p.tasks[next:] {
		s.Untried = append(s.Untried, p.newVerdict(&p.tasks[next+i].Instances[0]).told)
	}
	e.share = e.shared("")
	e.share.Predicting, e.share.Know = s, p.first
	return true
}

// part returns what part n of all tasks are.
func part(n, all int) float64 { return float64(n) / float64(max(n, all, 1)) }

// soonAgain is how long recording and analysing may take without being weighed; else timesAgain as
// long must be left. fewTries is how many tries say little about the others: the first question
// makes the solver.
const (
	soonAgain  = 50 * time.Millisecond
	timesAgain = 8
	fewTries   = 8
)

// worthSharing reports whether the tasks from the next one on take longer, as far as those before
// it tell, than others need to record and analyse the execution again; and whether there is time
// for that, and too little for one process.
func (p *prediction) worthSharing(next int) bool {
	again := seconds(p.told.Recorded + p.told.Analysis)
	tried := time.Since(p.trying)
	rest := tried / time.Duration(max(1, next)) * time.Duration(len(p.tasks)-next)
	switch {
	case again < soonAgain:
		return true
	case tried < again, next < fewTries && next < len(p.tasks),
		!p.deadline.IsZero() && time.Until(p.deadline) < timesAgain*again:
		return false
	case next >= len(p.tasks):
		return p.parts() > 1
	}
	return rest > 2*again && (p.phase.IsZero() || time.Until(p.phase) < rest)
}

// predictOn does tasks.
func (w *Worker) predictOn() {
	e, it, r := w.e, w.item.Tasks, w.worked
	r.From, r.To = it.From, it.From
	p := w.prediction
	if p == nil {
		p = &prediction{exploration: e, alone: true, told: new(wire.Predicted),
			waiting: make(map[string]bool)}
		if !p.prepare() || recorded(p.graph.Trace) != it.Recorded {
			r.Tally.Failed = why.With(why.Lost, "the execution that is predicted from is not the same when it is recorded again")
			return
		}
		w.prediction = p
	}
	p.told, p.deadline = new(wire.Predicted), e.deadline
	p.limit = limit.New(p.expired)
	p.graph.Limit = p.limit
	e.n, e.buggy, e.cuts = w.item.Before, 0, wire.Cuts{}
	for done := 0; r.To < it.To && !e.ended() && !e.hurry() && !w.enough(done); done++ {
		if k := r.To - len(p.tasks); k >= 0 {
			p.tryStuck(k, p.parts())
		} else {
			p.try(&p.tasks[r.To])
		}
		r.To++
	}
	p.tellShown(part(r.To-it.From, it.End-it.From))
	r.Predicted = p.told
	r.Tally.Executions = e.n - w.item.Before
}

// recorded returns a hash of what an execution was, without what is other in each process.
func recorded(t *trace.Trace) uint64 {
	h := uint64(0)
	put := func(v ...uint64) {
		for _, x := range v {
			h = splitmix.Mix(h^x) + 1
		}
	}
	put(uint64(t.Verdict), uint64(len(t.Goroutines)))
	for i := range t.Steps {
		s := &t.Steps[i]
		put(uint64(s.G), uint64(s.Op), uint64(s.Choice), uint64(s.Site))
	}
	for i := range t.Events {
		e := &t.Events[i]
		put(uint64(e.G), uint64(e.Op), uint64(e.Obj), uint64(e.Site))
	}
	return h
}
