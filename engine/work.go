package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// A Worker explores what the command hands it, one Item at a time. It goes on from one Item to the
// next, where they belong together, with what it has in memory.
type Worker struct {
	cfg  *wire.Config
	open func(test string) Process

	here   Process      // of the test
	e      *exploration // nil: what comes next begins anew
	item   *wire.Item
	worked *wire.Worked
	part   explore.Part // of a search, with what is in memory of it
	state  *wire.State  // where e's samples are, with what is known
	know   wire.Knowledge

	prediction *prediction
	leads      explore.Leads
	turns      *turns
	chance     *chance
}

// NewWorker returns a Worker; open returns what executes a test.
func NewWorker(cfg *wire.Config, open func(test string) Process) *Worker {
	return &Worker{cfg: cfg, open: open}
}

// Do explores an Item.
func (w *Worker) Do(it *wire.Item) *wire.Worked {
	began := time.Now()
	w.worked = &wire.Worked{N: it.N, Epoch: it.Epoch}
	fresh := w.e == nil || w.item.Test != it.Test || w.item.Epoch != it.Epoch ||
		(w.item.Turn == nil) != (it.Turn == nil)
	w.item = it
	if fresh {
		w.begin()
	}
	e := w.e
	e.n, e.found, e.buggy, e.cuts, e.start, e.aborted = it.Before, 0, 0, wire.Cuts{}, began, 0
	e.deadline = time.Time{}
	if it.Budget > 0 {
		e.deadline = began.Add(time.Duration(it.Budget))
	}
	// What a result told that was lost is to be found again.
	e.seen, e.told, e.suspected = make(map[string]*wire.Finding), make(map[string]bool), nil
	for _, key := range it.Seen {
		e.seen[key], e.told[key] = new(wire.Finding), true
	}
	w.guarded()
	r := w.worked
	t := e.tally()
	t.Executions, t.Spun, t.Short, t.Failed = r.Tally.Executions, r.Tally.Spun, r.Tally.Short, r.Tally.Failed
	t.Within = r.Tally.Within
	r.Tally = t
	if e.err != nil {
		r.Tally.Failed = why.From(e.err)
	}
	if e.memory.Reached() && r.Tally.Failed.None() { // another worker would come no farther with what is left
		r.Tally.Failed = e.memoryBound()
	}
	for key := range e.seen {
		if !e.told[key] {
			r.Seen = append(r.Seen, key)
		}
	}
	slices.Sort(r.Seen)
	if e.move != "" {
		p := e.x.Resolve(e.moveAt)
		r.Isolate = &wire.Record{Type: "isolate", Test: it.Test, Place: &p, Text: e.moved()}
	}
	if r.Learnt != nil || r.Isolate != nil || !r.Tally.Failed.None() {
		w.e = nil // whatever comes next begins anew
	}
	r.Over = e.over
	r.Elapsed = time.Since(began).Seconds()
	return r
}

// guarded does the work of the Item. As in exploration.guarded, a panic of what thinks
// between executions is heddle's own: the test ends.
func (w *Worker) guarded() {
	defer func() {
		if w.here.Live() {
			return
		}
		if v := recover(); v != nil {
			w.worked.Notes = append(w.worked.Notes, *w.e.failure(v))
			w.worked.Tally.Failed = why.With(why.Lost, "heddle itself failed")
			if w.worked.State == nil {
				w.worked.State, w.worked.Know = w.item.State, w.item.Know
			}
		}
	}()
	switch {
	case w.item.RemoteExecutions != nil:
		w.remoteOn()
	case w.item.Input != nil && w.item.Input.Chance > 0:
		w.chanceOn()
	case w.item.Input != nil:
		w.inputOn()
	case w.item.Turn != nil:
		w.turnOn()
	case w.item.Tasks != nil:
		w.predictOn()
	case w.item.Piece != nil && w.e.unit.Expand != nil:
		w.expandOn()
	case w.item.Piece != nil:
		w.searchOn()
	default:
		w.sampleOn()
	}
}

// begin prepares for another test, or for another start with what was learnt.
func (w *Worker) begin() {
	cfg := *w.cfg
	w.here = w.open(w.item.Test)
	cfg.Clips = nil
	// whose memory does not count
	w.e, w.part, w.state, w.prediction, w.leads, w.turns, w.chance = nil, nil, nil, nil, nil, nil, nil
	w.e = newExploration(context.Background(), &cfg, w.item.Test, w.here, w.take)
	w.e.shown, w.e.whole = true, true // the budget is the command's
	w.e.know(w.item.Know)
	// What a process makes once (caches, what a sync.Once guards) was made in the command's before
	// it searched.
	w.e.x.Execute(w.e.ctx, &wire.Request{Schedule: trace.Schedule{Policy: "first"}})
}

// take keeps what the exploration tells.
func (w *Worker) take(rec *wire.Record) {
	switch rec.Type {
	case "finding":
		f := *rec.Finding
		w.worked.Found = append(w.worked.Found, wire.Found{Key: judge.KeyOf(&f), Finding: &f})
	case "note":
		w.worked.Notes = append(w.worked.Notes, *rec)
	}
}

// A piece is worked on for a while at least, for so long and so many executions, unless the
// quantum is over: to give it to others costs time, and an execution to go on from. Few
// executions, where they take long: many workers wait while the first pieces are made.
const (
	leastWork       = 2 * time.Millisecond
	leastExecutions = 3
)

// enough reports whether a piece is to be given back, of which n executions were made.
func (w *Worker) enough(n int) bool {
	d := time.Since(w.e.start)
	return n > 0 && w.item.Quantum > 0 && d > time.Duration(w.item.Quantum) ||
		n >= leastExecutions && d > max(leastWork, time.Duration(w.item.Least)) && w.e.hurry()
}

// far reports whether a piece of a search was explored as far as it is to be; n executions of it
// were made.
func (w *Worker) far(n int) bool {
	same, rounds := w.item.Same, w.worked.Extent.Rounds
	switch {
	case same == nil:
		return w.enough(n)
	case same.End: // what was said to be the end is seen by asking for one more
		return rounds > same.Rounds
	}
	return rounds == same.Rounds
}

// searchOn goes on with a piece of a search.
func (w *Worker) searchOn() {
	e, it, r := w.e, w.item, w.worked
	if w.part == nil {
		w.part = e.newPart(it.Know.Ordered)
	}
	s := w.part
	if err := s.Take(it.Piece.Data); err != nil {
		r.Tally.Failed = why.From(err)
		return
	}
	before, needs := s.Result(), e.needs(e.splitting())
	visible, polled := len(e.visible), len(e.polled)
	r.Extent = &wire.Extent{Parts: 1}
	// What a worker has in memory it does not execute again. So the extent of a piece is counted in
	// new executions, and ends with one.
	for n, again := 0, false; !e.ended(); {
		if !again && w.far(n) || e.late() {
			break
		}
		next := s.Next()
		if next == nil {
			r.Extent.End = true
			break
		}
		again = s.Again()
		ex := e.perform(next, needs)
		if e.err != nil {
			return
		}
		if e.expired(&ex, next) {
			r.Tally.Failed = why.Ended(ex.Trace.Verdict)
			break
		}
		if ex.Diverged != nil {
			if len(e.polled) > polled { // what it showed may be why
				w.learn(s)
				return
			}
			r.Tally.Failed = e.strayed(&ex, next, needs)
			break
		}
		if !ex.Learnt {
			s.Done(ex.Trace)
		}
		doubt := e.suspects(&ex, next)
		if again {
			r.Again++
			e.n--
		} else {
			n++
			r.Extent.Rounds++
			r.Tally.Spun = r.Tally.Spun || ex.Trace.Spun
			e.look(ex, next, "")
			if doubt != nil && len(e.visible) == visible {
				e.look(e.perform(doubt, needs), doubt, "")
				e.n--
			}
		}
		if ex.Learnt || e.loosen(s, false) || s.Outdated() || len(e.visible) > visible ||
			len(e.polled) > polled {
			w.learn(s)
			return
		}
	}
	if e.loosen(s, true) {
		w.learn(s)
		return
	}
	res := s.Result()
	r.Tally.Executions, e.aborted = res.Executions-before.Executions, res.Aborted-before.Aborted
	if s.Broken() {
		r.Tally.Failed = res.Reason
		return
	}
	r.Tally.Short = res.Reason
	if hidden := e.hides(); !hidden.None() {
		r.Tally.Short = hidden
	}
	switch {
	case it.Same != nil:
		r.Extent.Parts = it.Same.Parts
	case w.e.hurry():
		r.Extent.Parts = max(2, it.Parts)
	}
	if r.Left = piecesOf(s.Split(r.Extent.Parts)); s.Table().Unnamed() {
		r.Tally.Failed = why.Of(why.Elsewhere)
	}
}

// learn gives back what is known instead of what is left: the search has to begin again with it.
func (w *Worker) learn(s explore.Part) {
	k := w.e.knowledge()
	if k.Ordered = s.Table().Known(); s.Table().Unnamed() {
		w.worked.Tally.Failed = why.Of(why.Elsewhere)
		return
	}
	w.worked.Learnt, w.e = &k, nil
}

// sampleOn makes a range of samples.
func (w *Worker) sampleOn() {
	e, it, r := w.e, w.item, w.worked
	if w.state == nil || !reflect.DeepEqual(w.state, it.State) || !reflect.DeepEqual(&w.know, it.Know) {
		e.know(it.Know)
		e.resume(it.State)
	}
	fixed := e.unit.Policy
	i, before := it.State.Next, e.n
	for ; i < it.To && !e.ended() && !e.late() && !e.hurry(); i++ {
		e.run(e.schedule(i, fixed))
	}
	r.Tally.Executions = e.n - before
	r.State = e.state(i)
	k := e.knowledge()
	r.Know = &k
	w.state, w.know = r.State, k
}
