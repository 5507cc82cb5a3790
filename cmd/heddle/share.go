package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"heddle/cluster"
	"heddle/engine"
	"heddle/explore/why"
	"heddle/report"
	"heddle/rt/wire"
)

// Tests that workers explore together: the test binary gave away what was left of
// them (-p, -nats).

// A shared test is one of these.
type shared struct {
	test    string
	share   *wire.Share
	log     *cluster.Log
	path    string         // of the log
	results []*wire.Worked // that it holds
	resumed bool
	until   time.Time // when it ends since something was found; zero: nothing was
}

// quantum is how long a worker works on an Item before it gives back what is left,
// remoteQuantum where that goes over a network.
const (
	quantum       = 200 * time.Millisecond
	remoteQuantum = time.Second
)

// A sharing is the exploration of a shared test.
type sharing struct {
	*packageRun
	*shared
	ctx  context.Context
	run  *cluster.Run
	over context.CancelFunc // no other worker is wanted

	mu      sync.Mutex // of the report, and what follows
	found   int
	isolate *wire.Record
	died    map[int]int // how many processes have died in an Item
	crash   *outcome    // the program under test has ended its process
	alive   int         // workers

	labelled bool  // one of them was of the build for data flow
	why      error // the run cannot go on

	deadline time.Time // of the budget; zero: none
}

// share explores one test.
func (r *packageRun) share(ctx context.Context, sh *shared) (err error) {
	r.take(&wire.Record{Type: "begin", Test: sh.test})
	for sh != nil && err == nil {
		sh, err = r.shareOn(ctx, sh)
	}
	return err
}

// shareOn explores what was given away of a test. It returns what is to be explored instead of what
// it gave up.
func (r *packageRun) shareOn(ctx context.Context, sh *shared) (*shared, error) {
	began := time.Now()
	r.began = began.Add(-seconds(sh.share.Elapsed))
	// what was told is known, unless another process told it, or an earlier turn of -count
	for i := range sh.share.Told {
		r.finding(sh.test, &sh.share.Told[i])
	}
	s := &sharing{packageRun: r, shared: sh, found: sh.share.Found, died: make(map[int]int)}
	var deadline time.Time
	cfg := r.configOf(sh.test)
	cfg.Fuzz = r.o.fuzzOf(sh.test)
	if cfg.Budget > 0 {
		deadline = began.Add(time.Duration(cfg.Budget))
		if !sh.resumed { // else it has a budget of its own
			deadline = deadline.Add(-seconds(sh.share.Elapsed))
		}
	}
	s.deadline = deadline
	if left := sh.share.Left; left > 0 && !sh.resumed {
		sh.until = began.Add(seconds(left))
	}
	if !sh.until.IsZero() && sh.until.Before(deadline) {
		deadline = sh.until
	}
	o := cluster.Options{Runs: r.o.runs, Quantum: quantum, Deadline: deadline, Log: sh.log,
		FailFast: r.failsFast(), Count: s.count}
	if r.bus != nil {
		o.Quantum = remoteQuantum
	}
	if (!sh.share.Search || sh.tries()) && sh.share.Predicting == nil && sh.share.Found == 0 &&
		cfg.Budget > 0 && !cfg.Whole {
		o.Hasten = func() time.Duration {
			d := engine.After(time.Since(began)+seconds(sh.share.Elapsed), time.Duration(cfg.Budget), false)
			if sh.until = time.Now().Add(d); sh.until.After(s.deadline) {
				sh.until = s.deadline
			}
			return d
		}
	}
	s.ctx, s.over = context.WithCancel(ctx)
	defer s.over()
	if sh.share.RemoteExecutions {
		return s.remoteExecutions(ctx, &cfg)
	}
	var err error
	if s.run, err = cluster.ResumeRun(sh.test, sh.share, sh.results, o); err != nil {
		r.endOpen(why.Bare(why.From(err)))
		return nil, err
	}
	if sh.resumed {
		so, _ := s.run.Look()
		r.exploration.report.Note(fmt.Sprintf("%s is gone on with after %s", sh.test,
			report.Plural(so.Tally.Executions, "execution")))
	}
	s.work(ctx)
	doubt := s.audit(ctx)
	out, err := s.run.Finish()
	if doubt != nil {
		out.Complete, out.Tally.Failed = false, why.From(doubt)
	}
	r.settle(sh, ctx.Err() == nil && (out.Complete || !sh.share.Search && !sh.share.Closure || sh.tries() ||
		s.crash != nil || s.isolate != nil))
	switch {
	case err != nil:
		r.endOpen(why.Bare(why.From(err)))
		return nil, fmt.Errorf("what was found out cannot be kept: %v", err)
	case s.crash != nil:
		return nil, s.ended(&out)
	case s.isolate != nil:
		r.take(s.isolate)
	case s.why != nil:
		r.endOpen(why.Bare(why.From(s.why)))
		return nil, s.why
	case ctx.Err() == nil && s.givenUp(&cfg, &out):
		s.tellWork(&out, time.Since(began))
		return s.instead(&cfg, &out), nil
	default:
		s.tellWork(&out, time.Since(began))
		s.end(ctx, &cfg, &out, time.Since(began))
	}
	return nil, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// work lets workers work until nothing is left: one always, others where there are slots.
func (s *sharing) work(ctx context.Context) {
	var wg sync.WaitGroup
	if s.o.parallel > 0 {
		wg.Go(func() { s.worker(false) })
	}
	if s.bus != nil {
		wg.Go(func() { s.remote(context.WithoutCancel(ctx)) })
	}
	for i := range s.o.parallel - 1 {
		wg.Go(func() {
			select {
			case s.slots <- struct{}{}:
				defer func() { <-s.slots }()
				s.worker(i == 0 && s.shared.share.Portfolio)
			case <-s.ctx.Done():
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				s.run.Stop()
				ctx = context.WithoutCancel(ctx) // once
			case <-tick.C:
				s.progress()
			}
		}
	}()
	wg.Wait()
	close(ended)
}

// progress tells how far the run is.
func (s *sharing) progress() {
	if s.shared.share.RemoteExecutions { // the engine says how far that is
		return
	}
	out, estimate := s.run.Look()
	s.judge(&out, estimate)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.take(&wire.Record{Type: "progress", Test: s.test, Executions: out.Tally.Executions,
		Elapsed: time.Since(s.began).Seconds(), Estimate: estimate})
}

// mostFails is how many processes may end one after the other before they did anything.
const mostFails = 3

// worker does Items in processes of this machine until nothing is left; flow: of the build for data
// flow as soon as there is one.
func (s *sharing) worker(flow bool) {
	s.mu.Lock()
	s.alive++
	s.mu.Unlock()
	pool := s.idle
	p := pool.get()
	for fails := 0; ; {
		h := new(cluster.Hurry)
		it := s.run.Next(h.Now)
		if it == nil {
			break
		}
		if own := s.flow.ready(); flow && own != nil && own != pool {
			if p != nil {
				pool.put(p)
			}
			pool, p, s.labelled = own, own.get(), true
		}
		if p == nil {
			b := s.process()
			if s.o.timeout == 0 {
				b.limit = 0
			}
			p = pool.start(b)
		}
		w, err := p.do(it, h)
		if err == nil {
			s.run.Take(it, w)
			fails = 0
			continue
		}
		s.run.Back(it)
		if p.err == nil && !p.res.crash.Running {
			fails++
		}
		if fails == mostFails && flow {
			flow, fails, pool, p = false, 0, s.idle, nil
			continue
		}
		if fails == mostFails || s.isOver(it, p) {
			s.leave(p)
			return
		}
		p = nil
	}
	s.over()
	if p != nil {
		pool.put(p)
	}
}

// isOver is called when a process has died in an Item, and reports whether that is the end of the
// run.
func (s *sharing) isOver(it *wire.Item, p *workProcess) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch res := p.res; {
	case p.err != nil:
		s.why = p.err
	case res.timedOut:
		s.why = errTimeout
	case res.crash.Running:
		if s.died[it.N]++; !res.killed() || s.died[it.N] > 1 {
			s.crash = res
		}
	}
	return s.why != nil || s.crash != nil
}

// leave ends a worker; p is its last process. Others may go on, unless it was the last or the run
// is over.
func (s *sharing) leave(p *workProcess) {
	s.mu.Lock()
	s.alive--
	over := s.why != nil || s.crash != nil
	if !over {
		s.exploration.report.Note("a worker could not be started: " + p.res.why() + "\n" +
			lastLines(p.res.output, crashLines/3))
		if s.alive == 0 {
			s.why, over = errors.New(p.res.why()), true
		}
	}
	s.mu.Unlock()
	if over {
		s.over()
		s.run.Stop()
	}
}

// count reports what is new in a result.
func (s *sharing) count(w *wire.Worked, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range w.Found {
		s.found++
		s.take(&wire.Record{Type: "finding", Test: s.test, Finding: w.Found[i].Finding})
	}
	for i := range w.Notes {
		s.take(&w.Notes[i])
	}
	if w.Isolate != nil {
		s.isolate = w.Isolate
	}
}

// ended is died, for a test that was shared.
func (s *sharing) ended(out *cluster.Outcome) error {
	s.crash.crash.Execution = out.Tally.Executions + 1
	for _, v := range out.Know.Visible {
		s.visible = append(s.visible, uint64(v))
	}
	s.packageRun.died(s.crash)
	return nil
}

// tellWork says what the workers did.
func (s *sharing) tellWork(out *cluster.Outcome, took time.Duration) {
	if !s.o.verbose {
		return
	}
	what := ""
	switch {
	case s.tries():
		what = ", to cover every interleaving"
	case s.shared.share.Portfolio && s.labelled:
		what = ", by a portfolio of strategies each, one of them with data flow"
	case s.shared.share.Portfolio:
		what = ", by a portfolio of strategies each"
	}
	s.take(&wire.Record{Type: "note", Test: s.test,
		Text: fmt.Sprintf("explored by workers for %.2fs, which worked for %.2fs on %s; %s made again, to go on from%s",
			took.Seconds(), out.Working, report.Plural(out.Items, "piece"),
			report.Plural(out.Again, "execution"), what)})
	if text := engine.AbortedNote(out.Tally.Aborted); text != "" {
		s.take(&wire.Record{Type: "note", Test: s.test, Text: text})
	}
}

// end ends the test with what was found out.
func (s *sharing) end(ctx context.Context, cfg *wire.Config, out *cluster.Outcome, took time.Duration) {
	t := &out.Tally
	rec := &wire.Record{Type: "end", Test: s.test, Result: s.shared.share.Result, Strategy: cfg.Strategy,
		Executions: t.Executions, Buggy: t.Buggy,
		Elapsed: took.Seconds() + s.shared.share.Elapsed}
	if p := out.Predicted; p != nil {
		if rec.Why = engine.PredictedFrom(p.From, t.Executions); !t.Failed.None() {
			rec.Why = why.Bare(t.Failed)
		}
		p.Cut = p.Cut && cfg.Complete
		s.take(&wire.Record{Type: "predicted", Test: s.test, Predicted: p})
	} else if f := out.Formulas; f != nil {
		rec.Why = engine.Asked(t, out.Complete)
		s.take(&wire.Record{Type: "coverage", Test: s.test, Executions: t.Executions,
			Coverage: &wire.Coverage{Shared: true, Formulas: f}})
	} else if s.shared.share.Search {
		rec.Complete, rec.Why = engine.Covered(cfg, t, resultOf(out), !out.Complete)
		if s.tries() {
			rec.Covering = t.Executions
		}
		if !out.Complete || s.tries() {
			rec.Executions += s.shared.share.Others
		}
		if !out.Complete {
			_, rec.Estimate = s.run.Look()
		}
	} else if !t.Failed.None() {
		rec.Why = why.Bare(t.Failed)
	} else if rec.Why = engine.Sampled(t); rec.Why.Open() {
		rec.Why, rec.Estimate = s.shared.share.Why, s.shared.share.Estimate
		rec.Why.Within = t.Within
	}
	if s.found > 0 {
		rec.Result = "fail"
	}
	if ctx.Err() != nil && !rec.Complete {
		rec.Complete, rec.Why = false, why.Bare(why.Of(why.Interrupted))
	}
	rec.Reason = rec.Why.Text(rec.Complete)
	s.take(rec)
}
