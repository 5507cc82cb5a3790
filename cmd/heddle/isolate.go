package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"heddle/clip"
	"heddle/engine"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/trace"
)

// -isolate=process: every execution in a process of its own, which runs init
// functions and TestMain, executes one schedule and tells what it left behind.
// The exploration is the one that runs in the test binary otherwise
// (engine.Explore); it runs here, where the end of a process ends nothing else.

// A moved test is one to be executed in processes of its own.
type moved struct {
	test    string
	why     *wire.Record      // the test binary's, of type isolate; nil: the user's wish, or crash
	crash   *wire.Finding     // it ended the process
	first   []*trace.Schedule // executed first
	visible []uint64          // from the start
}

// list moves all tests.
func (r *packageRun) list(ctx context.Context) error {
	b := r.process()
	b.config.Mode = "list"
	b.record = func(rec *wire.Record) {
		r.sights.record(rec)
		if rec.Type == "test" && !slices.Contains(r.finished, rec.Test) {
			r.moved = append(r.moved, moved{test: rec.Test})
		}
	}
	res, err := b.run(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	r.report.Output(r.outside(res))
	if res.err != nil {
		return errors.New(res.why())
	}
	return nil
}

// move notes a test of which nothing is to be said yet but what was found.
func (r *packageRun) move(m moved) {
	r.postpone(m.test)
	r.moved = append(r.moved, m)
}

// postpone takes a test off the stage that is to be explored again, or gone on with, in another
// way.
func (r *packageRun) postpone(test string) {
	r.report.Postpone(test)
	for i := range r.found {
		r.tell(test, &r.found[i])
	}
}

// tell notes that a finding of a test that is not over was reported.
func (r *packageRun) tell(test string, f *wire.Finding) {
	if r.told == nil {
		r.told = make(map[string]map[string]bool)
	}
	if r.told[test] == nil {
		r.told[test] = make(map[string]bool)
	}
	r.told[test][r.bug(f)] = true
}

// known reports whether a finding was reported before its test was postponed.
func (r *packageRun) known(test string, f *wire.Finding) bool { return r.told[test][r.bug(f)] }

// bug names the bug that a finding is about: as its clip is called, and by its lines. The name
// alone does not tell lines of a function apart that cannot be found in its source.
func (r *packageRun) bug(f *wire.Finding) string {
	c := wire.Clip{Kind: f.Kind, Message: f.Message, Places: f.CorePlaces()}
	describe(r.clips.sites, &c)
	named := clip.Resolve(&c, r.clips.dir, r.clips.resolve)
	var at []string
	for _, p := range named.Places {
		at = append(at, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	slices.Sort(at)
	return clip.Name(named) + " " + strings.Join(at, " ")
}

// inProcesses explores one test.
func (r *packageRun) inProcesses(ctx context.Context, m *moved, clips []*wire.Clip) error {
	cfg := r.configOf(m.test)
	cfg.Isolate = "process"
	cfg.VisibleAt = m.visible
	cfg.Fuzz = r.o.fuzzOf(m.test)
	for _, c := range clips {
		if !r.o.fits(c) {
			continue
		}
		cfg.Clips = append(cfg.Clips, *c)
	}
	r.processes = true
	defer func() { r.processes = false }()
	for range max(1, r.o.count) {
		x := &fresh{r: r, test: m.test, sites: make(sites), noted: make(map[string]bool)}
		send := func(rec *wire.Record) {
			switch {
			case rec.Type == "end":
				r.settled(m, x)
			case rec.Type == "output" && m.why != nil:
				return // it was shown before
			}
			r.take(rec)
		}
		err := engine.Explore(ctx, &cfg, m.test, x, send, m.first...)
		if ctx.Err() != nil {
			r.endOpen(why.Bare(why.Of(why.Interrupted)))
			return nil
		}
		if err != nil {
			r.endOpen(why.Bare(why.From(err)))
			return err
		}
	}
	return nil
}

// leftOut ends a test that had begun before it was moved, and will not go on.
func (r *packageRun) leftOut(m *moved, interrupted bool) {
	text := "-failfast"
	if interrupted {
		text = "interrupted"
	}
	switch {
	case m.crash != nil:
		r.take(&wire.Record{Type: "begin", Test: m.test})
		r.finding(m.test, m.crash)
		r.endOpen(why.Bare(why.With(why.Other, "%s", text)))
	case m.why != nil:
		r.take(&wire.Record{Type: "begin", Test: m.test})
		r.endOpen(why.Bare(why.With(why.Other, "%s", text)))
	}
}

// settled adds what only shows when a test that moved is over.
func (r *packageRun) settled(m *moved, x *fresh) {
	switch {
	case m.crash != nil && !x.died:
		// It was the doing of earlier executions, or of goroutines outside control: no clip would
		// show it.
		r.report.Record(&wire.Record{Type: "note", Test: m.test,
			Text: fmt.Sprintf("a process of several executions ended in the midst of one: %s; since the same schedule does not lead there in a process of its own, it is not reported, and every execution has had a process of its own (-isolate=process)", m.crash.Message)})
	case m.why != nil:
		r.report.Record(&wire.Record{Type: "note", Test: m.test, Place: m.why.Place, Text: m.why.Text})
	case m.crash != nil:
		r.report.Record(&wire.Record{Type: "note", Test: m.test,
			Text: "the test ended its process, so every execution has a process of its own (-isolate=process)"})
	}
}

// fresh executes a test in a process of its own each time. It implements engine.Executor.
type fresh struct {
	r      *packageRun
	test   string
	n      int // executions
	length int // steps of the longest
	sites
	died  bool // a process did
	noted map[string]bool
}

// sites are the places of program counters, as executions in other processes tell them.
type sites map[trace.Site]wire.Place

func (s sites) note(r *wire.Result) { maps.Copy(s, r.Places) }

// Resolve implements engine.Executor.
func (s sites) Resolve(x trace.Site) wire.Place {
	if x = x.Loud(); x == 0 || x.PC() != 0 {
		return s[x]
	}
	return wire.Place{Site: uint64(x)}
}

// Execute implements engine.Executor.
func (x *fresh) Execute(ctx context.Context, q *wire.Request) (engine.Execution, error) {
	b := x.r.process()
	b.config.Mode, b.config.Test, b.config.Isolate = "execute", x.test, "process"
	request := *q
	request.Length = x.length
	b.config.Request = &request
	var left *wire.Result
	b.record = func(rec *wire.Record) {
		switch {
		case rec.Type == "result":
			left = rec.Outcome
		case rec.Type == "note" && !x.noted[rec.Text]:
			x.noted[rec.Text] = true // every process would say it
			x.r.report.Record(rec)
		}
	}
	start := time.Now()
	res, err := b.run(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return engine.Execution{}, err
	}
	if res.timedOut && !res.idle {
		return engine.Execution{}, errTimeout
	}
	x.n++
	if left == nil {
		return x.crashed(res, q, time.Since(start) > slowCrash)
	}
	t, err := trace.Decode(left.Encoded)
	if err != nil {
		return engine.Execution{}, fmt.Errorf("execution %d of %s: %v", x.n, x.test, err)
	}
	x.note(left)
	x.length = max(x.length, len(t.Steps))
	left.Encoded = nil
	return engine.Execution{Result: *left, Trace: t}, nil
}

// slowCrash is how long a process may take to die and yet be worth another one.
const slowCrash = time.Second

// crashed is the execution in which a process died, or that it did not come to
// an end of; slow: there is to be no other.
func (x *fresh) crashed(res *outcome, q *wire.Request, slow bool) (engine.Execution, error) {
	if !res.crash.Running {
		x.r.report.Output(res.output)
		if res.err == nil {
			return engine.Execution{}, fmt.Errorf("the test %s was not run: does TestMain always call m.Run?",
				x.test)
		}
		return engine.Execution{}, errors.New(res.why())
	}
	x.died = true
	res.crash.Execution = x.n
	var visible []uint64
	for _, s := range q.Visible {
		visible = append(visible, uint64(s))
	}
	f := x.r.crashFinding(x.test, x.r.pkg.ImportPath, res, visible)
	ex := engine.Execution{Trace: res.trace}
	if ex.Trace == nil {
		ex.Trace = &trace.Trace{Verdict: trace.Panicked}
	}
	ex.Failed, ex.Died, ex.Output = true, true, []byte(res.output)
	ex.Final = slow || res.stalled || res.timedOut || res.trace == nil
	ex.Found = []wire.Found{{Key: crashKey(f), Finding: f}}
	return ex, nil
}
