package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// RemoteExecutions: where a strategy thinks about all executions together, in one net or one table,
// it stays in one process, the command's, and the executions that it asks for are made by others,
// several at a time.

// A Crew is an Executor that makes several executions at a time.
type Crew interface {
	Executor
	// Beside is how many are worth being begun beside the one that is asked for next.
	Beside() int
	// Prepare begins the execution of a request that Execute will probably be asked for, if
	// nothing has been learnt until then.
	Prepare(q *wire.Request)
	// Learnt is what executions have taught the scheduler, as knowledge tells it.
	Learnt() wire.Knowledge
}

// To send an execution and get it back takes remoteTime, and remoteByte for every byte of its
// trace. It is worth it where the execution takes remoteWorth times as long.
const (
	remoteTime  = 300 * time.Microsecond
	remoteByte  = 25 * time.Nanosecond
	remoteWorth = 2
)

// pays reports whether executions that take so long, and have traces of so many bytes, are to be
// made by others.
func pays(execution time.Duration, bytes int) bool {
	return execution >= remoteWorth*(remoteTime+remoteByte*time.Duration(bytes))
}

// shareRemote gives a test away whose executions take long, and reports whether it did.
func (e *exploration) shareRemote(x *search, result string) bool {
	s, last := x.s, x.last
	if _, ok := s.(explore.Foresighted); !ok || e.cfg.Runs > 0 || e.seedWith() != nil || e.inHand() ||
		e.found > 0 && !e.whole || !e.mayShare() {
		return false
	}
	if y, ok := s.(explore.Yielding); ok && y.Successor() != nil {
		return false
	}
	if e.timed < timedFirst-1 {
		return false
	}
	if !e.nameable(last) || !pays(e.shortest, len(last.Append(nil))) {
		e.short = true // it will be that at other times too
		return false
	}
	if e.together != nil {
		e.share = e.anewElsewhere(result)
		return true
	}
	e.share = e.shared(result)
	e.share.RemoteExecutions = true
	return true
}

// anewElsewhere gives a search for inputs away: it begins as if it had not begun.
func (e *exploration) anewElsewhere(result string) *wire.Share {
	return &wire.Share{RemoteExecutions: true, Result: result, Elapsed: time.Since(e.start).Seconds()}
}

// inHand reports whether executions are remote executions already, or are known to be too short for
// that.
func (e *exploration) inHand() bool {
	_, crew := e.x.(Crew)
	return crew || e.short
}

// prepare lets others begin the execution that a strategy asks for now, and, while it goes on,
// what it will probably ask for after it.
func (e *exploration) prepare(x *search, next *trace.Schedule) {
	crew, ok := e.x.(Crew)
	if !ok || e.real {
		return
	}
	f, ok := x.s.(explore.Foresighted)
	if !ok {
		return
	}
	begin := func(s *trace.Schedule, input []string) {
		q := wire.Request{Schedule: *s, Known: e.isKnown}
		e.complete(&q, e.visible, x.needs)
		q.Input = input
		crew.Prepare(&q)
	}
	begin(next, e.input)
	later := f.Foresee(crew.Beside())
	in, _ := x.s.(explore.InputSearch)
	for i, s := range later {
		input := e.input
		if e.together != nil {
			input = corpus.Texts(in.ForeseenInputs()[i])
		}
		begin(s, input)
	}
}

// GoOn explores a test that was given away (wire.Share, RemoteExecutions) by x: from its beginning,
// with what is known by now. What was told is not told again, and of the executions that were made
// only their time counts. The error is x's.
func GoOn(ctx context.Context, cfg *wire.Config, test string, s *wire.Share, x Crew,
	send func(*wire.Record)) error {
	e := newExploration(ctx, cfg, test, x, send)
	spent := seconds(s.Elapsed)
	e.start = e.start.Add(-spent)
	if !e.deadline.IsZero() {
		e.deadline = e.deadline.Add(-spent)
	}
	e.shown, e.found = true, s.Found
	k := &s.Know
	e.visible, e.polled, e.loose, e.oneWay, e.unseen = k.Visible, k.Polled, k.Loose, k.OneWay, k.Unseen
	for _, key := range s.Seen {
		e.seen[key] = new(wire.Finding)
	}
	told := make(map[string]*wire.Finding)
	for i := range s.Told {
		told[judge.KeyOf(&s.Told[i])] = &s.Told[i]
	}
	if cfg.Fuzz == "" {
		maps.Copy(e.seen, told)
		return e.toEnd(nil)
	}
	// of inputs what was found is found again, after as many executions
	e.send = func(rec *wire.Record) {
		if rec.Type != "finding" || told[judge.KeyOf(rec.Finding)] == nil {
			send(rec)
		}
	}
	return e.toEnd(nil)
}

// remoteOn makes the executions that the command asks for.
func (w *Worker) remoteOn() {
	e, r := w.e, w.worked
	for i := range w.item.RemoteExecutions {
		x := &w.item.RemoteExecutions[i]
		q := &x.Request
		steps, err := trace.DecodeSteps(x.Steps)
		if err != nil {
			r.Tally.Failed = why.From(err)
			return
		}
		e.know(w.item.Know)
		q.Schedule.Steps, q.Known = steps, e.isKnown
		if x.Left > 0 {
			q.Until = time.Now().Add(time.Duration(x.Left))
		}
		ex, err := e.x.Execute(e.ctx, q)
		if err != nil {
			e.err = err
			return
		}
		m := wire.Made{N: x.N, Bereft: ex.Bereft}
		if ex.Learnt {
			k := e.knowledge()
			m.Learnt = &k
		}
		// others have no names at all
		if named := q.Schedule.Exhaustive || q.Record; named && !e.nameable(ex.Trace) {
			r.Tally.Failed = why.Of(why.Elsewhere)
			return
		}
		e.nameOld(ex.Trace)
		m.Outcome = Whole(&ex, e.x.Resolve)
		r.Made = append(r.Made, m)
	}
}

// nameable reports whether all objects of a trace that are older than the test have names that
// other processes know, but for those of operations that are no steps.
func (e *exploration) nameable(t *trace.Trace) bool {
	at := e.places()
	named := func(id trace.ObjID) bool {
		o := &t.Objects[id]
		_, ok := at.Name(o.Addr)
		return ok || o.G != trace.NoG || o.Addr == 0
	}
	return !slices.ContainsFunc(t.Events, func(ev trace.Event) bool { return !ev.Quiet && !named(ev.Obj) }) &&
		!slices.ContainsFunc(t.Offers, func(o trace.Offer) bool { return !named(o.Obj) }) &&
		!slices.ContainsFunc(t.Left, func(l trace.Left) bool { return !named(l.Obj) })
}

// nameOld gives the objects of a trace that are older than the test, which are at other addresses
// in every process, the names that they go by.
func (e *exploration) nameOld(t *trace.Trace) {
	at := e.places()
	name := func(o *trace.Object) {
		if n, ok := at.Name(o.Addr); ok && o.G == trace.NoG && o.Addr != 0 {
			o.Addr = uintptr(n)
		}
	}
	for i := range t.Objects {
		name(&t.Objects[i])
	}
	for i := range t.Plain {
		name(&t.Plain[i].Mem)
	}
}
