package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"heddle/cluster"
	"heddle/engine"
	"heddle/explore/why"
	"heddle/report"
	"heddle/rt/wire"
	"heddle/trace"
)

// RemoteExecutions: the exploration runs here, as with -isolate=process, and workers make its
// executions, several at a time.

// remoteExecutions explores the test so. It returns what is to be explored in another way from some
// point on, nil if the test is over.
func (s *sharing) remoteExecutions(ctx context.Context, cfg *wire.Config) (*shared, error) {
	workers := s.o.parallel
	if s.bus != nil {
		workers += elsewhere
	}
	run := cluster.NewRemoteExecutions(s.test, workers, s.shared.share.Seen,
		cluster.Options{FailFast: s.failsFast(), Count: s.count})
	s.run = run.Run
	x := &crew{run: run, beside: besideEach * workers, solvers: max(1, s.o.parallel/2),
		sites: make(sites), know: s.shared.share.Know.Clone()}
	worked := make(chan struct{})
	go func() {
		s.work(ctx)
		close(worked)
	}()
	began := time.Now()
	var end *wire.Record
	err := engine.GoOn(ctx, cfg, s.test, s.shared.share, x, func(rec *wire.Record) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch rec.Type {
		case "begin", "output": // were told when it began in the test binary
		case "end", "share", "isolate":
			end = rec
		default:
			s.take(rec)
		}
	})
	run.Close()
	run.Stop() // nothing waits for what is under way
	<-worked
	out, _ := run.Finish()
	switch {
	case s.crash != nil:
		out.Tally.Executions = x.made
		return nil, s.ended(&out)
	case ctx.Err() != nil:
		s.endOpen(why.Bare(why.Of(why.Interrupted)))
		return nil, nil
	case s.why != nil:
		s.endOpen(why.Bare(why.From(s.why)))
		return nil, s.why
	case err != nil: // this test cannot go on, others can
		s.endOpen(why.Sampled(why.From(err)))
		return nil, nil
	}
	if s.o.verbose {
		s.take(&wire.Record{Type: "note", Test: s.test,
			Text: fmt.Sprintf("%s made by workers for %.2fs, which worked for %.2fs; %d of them, begun ahead, were not wanted",
				report.Plural(out.Tally.Executions, "execution"), time.Since(began).Seconds(), out.Working,
				out.Tally.Executions-x.made)})
	}
	if end.Type != "share" {
		s.take(end)
		return nil, nil
	}
	next := &shared{test: s.test, share: end.Share}
	next.share.Told = append(s.shared.share.Told[:len(s.shared.share.Told):len(s.shared.share.Told)],
		s.packageRun.found...)
	s.keepLog(next)
	return next, nil
}

const (
	// elsewhere is how many workers on other machines are reckoned with: it is not known how
	// many there will be.
	elsewhere = 8

	// besideEach is how many executions are begun ahead for each worker.
	besideEach = 6
)

// A crew is workers that make the executions of one exploration. It implements engine.Crew.
type crew struct {
	run     *cluster.RemoteExecutions
	beside  int
	solvers int
	sites
	know  *wire.Knowledge // what executions have taught
	begun []begun         // that were not asked for yet
	made  int             // that were asked for
	steps int             // of the longest
}

// A begun is a remote execution that the engine will probably ask for.
type begun struct {
	request wire.Request
	n       int
}

// Beside implements engine.Crew.
func (x *crew) Beside() int { return x.beside }

// Solvers implements engine.InputCrew.
func (x *crew) Solvers() int { return x.solvers }

// Learnt implements engine.Crew.
func (x *crew) Learnt() wire.Knowledge { return *x.know.Clone() }

// Prepare implements engine.Crew.
func (x *crew) Prepare(q *wire.Request) {
	if slices.ContainsFunc(x.begun, func(b begun) bool { return same(&b.request, q) }) {
		return
	}
	if len(x.begun) > x.beside { // an exploration that has begun anew asks for none of them
		x.drop(1)
	}
	kept := *q
	kept.Schedule.Steps = slices.Clone(q.Schedule.Steps)
	x.begun = append(x.begun, begun{kept, x.run.Ask(q, x.know)})
}

// drop forgets the first n that were begun.
func (x *crew) drop(n int) {
	for _, b := range x.begun[:n] {
		x.run.Drop(b.n)
	}
	x.begun = x.begun[n:]
}

// Execute implements engine.Executor.
func (x *crew) Execute(ctx context.Context, q *wire.Request) (engine.Execution, error) {
	if p := q.Schedule.Policy; p != "first" && p != "" { // which is first too
		q.Length = x.steps
	}
	w, failed := x.run.Answer(x.ask(q))
	switch {
	case ctx.Err() != nil:
		return engine.Execution{}, ctx.Err()
	case w == nil || w.Outcome == nil:
		return engine.Execution{}, errors.New(cmp.Or(failed, noWorker))
	}
	t, err := trace.Decode(w.Outcome.Encoded)
	if err != nil {
		return engine.Execution{}, err
	}
	x.made++
	x.steps = max(x.steps, len(t.Steps))
	x.note(w.Outcome)
	if k := x.know.Clone(); w.Learnt != nil && k.Join(w.Learnt) {
		x.know = k
		x.drop(len(x.begun)) // begun without that knowledge
	}
	x.tell(w.Outcome.Found, q.Known)
	w.Outcome.Encoded = nil
	return engine.Execution{Result: *w.Outcome, Trace: t, Bereft: w.Bereft}, nil
}

// Begin implements engine.InputCrew.
func (x *crew) Begin(in *wire.Input, deadline time.Time) int {
	return x.run.AskInput(in, x.know, deadline)
}

// Come implements engine.InputCrew.
func (x *crew) Come(n int) bool { return x.run.Come(n) }

// Explored implements engine.InputCrew.
func (x *crew) Explored(n int) (*wire.Worked, error) {
	w, failed := x.run.Explored(n)
	if w == nil || w.Explored == nil {
		return nil, errors.New(cmp.Or(failed, noWorker))
	}
	maps.Copy(x.sites, w.Explored.Places)
	x.made += w.Tally.Executions
	return w, nil
}

// Forget implements engine.InputCrew.
func (x *crew) Forget(n int) { x.run.Drop(n) }

// Hungry implements engine.InputCrew.
func (x *crew) Hungry() bool { return x.run.Hungry() }

// Learn implements engine.InputCrew.
func (x *crew) Learn(k *wire.Knowledge, seen []string) {
	x.know = k.Clone()
	x.run.Tell(seen)
}

// noWorker is why a remote execution is not done.
const noWorker = "there is no worker any more"

// ask returns the number of the remote execution that a request is.
func (x *crew) ask(q *wire.Request) int {
	for i := range x.begun {
		if b := &x.begun[i]; same(&b.request, q) {
			x.drop(i)
			x.begun = x.begun[1:]
			return b.n
		}
	}
	return x.run.Ask(q, x.know)
}

// same reports whether two requests ask for the same execution. An execution that was begun without
// an end serves where one is set.
func same(begun, asked *wire.Request) bool {
	if !slices.Equal(begun.Schedule.Steps, asked.Schedule.Steps) {
		return false
	}
	p, q := *begun, *asked
	if p.Until.IsZero() {
		q.Until = p.Until
	}
	p.Schedule.Steps, q.Schedule.Steps, p.Known, q.Known = nil, nil, nil, nil
	return reflect.DeepEqual(p, q)
}

// tell lets workers know which findings were told.
func (x *crew) tell(found []wire.Found, known func(string) bool) {
	var keys []string
	for _, f := range found {
		if known != nil && known(f.Key) {
			keys = append(keys, f.Key)
		}
	}
	x.run.Tell(keys)
}
