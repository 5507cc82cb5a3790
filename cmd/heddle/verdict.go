package main

import (
	"context"
	"io"

	"heddle/build"
	"heddle/clip"
	"heddle/report"
	"heddle/rt/wire"
)

// A judgement is what the search for the bug of a clip came to, which the clip itself does not
// show any more.
type judgement struct {
	near   wire.Near
	result *report.TestResult // of the exploration; nil: the test was not run
	still  string             // the path of the renewed clip; "": the bug did not show
	other  string             // the path of the clip of another bug; "": none showed
	notes  []string           // about the renewed clip
	err    error              // how the exploration ended early
}

// judgeOptions are the options of heddle test under which the bug of a clip is searched for.
func (t *tool) judgeOptions(o *options) (*options, error) {
	s := new(options)
	// by another name, since heddle.toml may ask heddle test for less than all interleavings
	if _, err := t.parse("judge", s, nil, true, s.buildFlags, s.exploreFlags, s.testFlags); err != nil {
		return nil, err
	}
	s.goOptions, s.set, s.budget, s.hang = o.goOptions, o.set, o.budget, o.hang
	s.lose, s.count, s.failFast, s.whole = o.lose, 1, false, true
	if o.time != "" {
		s.time = o.time
	}
	return s, nil
}

// judge explores the test of a clip, near the clip first, until its bug shows.
func (e *exploration) judge(ctx context.Context, p *build.Package, c *wire.Clip) (*judgement, error) {
	o, err := e.tool.judgeOptions(e.o.under(c))
	if err != nil {
		return nil, err
	}
	if !e.main && o.run == "" {
		o.run = "^" + c.Test + "$"
	}
	if o.input = c.Input; o.input != nil {
		o.parallel = 1 // other processes would explore the corpus
	}
	looks := e.looks
	looks.Out, looks.Err, looks.Status, looks.JSON = io.Discard, io.Discard, nil, false
	silent := &tool{Stdout: io.Discard, Stderr: io.Discard, Dir: e.tool.Dir}
	sub := &exploration{tool: silent, o: o, main: e.main, looks: looks, report: report.New(looks),
		sites: e.sites, unlink: e.unlink, launch: e.launch, slots: make(chan struct{}, max(1, o.parallel))}
	sub.slots <- struct{}{}
	ctx, found := context.WithCancel(ctx)
	defer found()
	r := &packageRun{exploration: sub, pkg: p, report: sub.report.Package(p.ImportPath),
		clips: sub.clipFolder(p), idle: newWorkers(ctx)}
	j := new(judgement)
	r.wanted = func(path string, same bool, notes []string) {
		if !same {
			j.other = path
			return
		}
		j.still, j.notes = path, notes
		found()
	}
	r.clips.take(c)
	j.err = r.explore(ctx, []*wire.Clip{c})
	r.flow.close()
	r.report.End(0, j.err)
	for _, near := range r.near[c.Test] {
		j.near = *near
	}
	for _, t := range r.report.Result().Tests {
		if t.Name == c.Test {
			j.result = t
		}
	}
	return j, nil
}

// verdict searches for the bug of a clip that an attempt did not show, and says what came of it.
func (e *exploration) verdict(ctx context.Context, p *build.Package, c *wire.Clip, t *attempt) int {
	j, err := e.judge(ctx, p, c)
	switch {
	case err != nil:
		return e.tool.fail(err)
	case ctx.Err() != nil:
		return exitInterrupted
	case j.still != "":
		return e.replayOther(ctx, p, j.still, j.notes)
	}
	show := e.report.Replay(c)
	said := &report.Judgement{Result: j.result, Near: j.near, Other: j.other != "", Err: j.err}
	if j.result != nil {
		said.Fixed = judgedFixed(&j.near, j.result) != ""
		said.Other = said.Other || len(j.result.Findings) > 0 // and its clip cannot be kept
	}
	if e.unchanged(p, c) {
		show.Unchanged()
	}
	e.tell(show, p, t)
	show.Judged(said)
	code := show.End(t.endedAs())
	if j.other != "" {
		return max(code, e.replayOther(ctx, p, j.other, nil))
	}
	return code
}

// replayOther shows the replay of a clip that was made for another one.
func (e *exploration) replayOther(ctx context.Context, p *build.Package, path string, notes []string) int {
	c, err := clip.Read(path)
	if err != nil {
		return e.tool.fail(err)
	}
	t, err := e.followed(ctx, p, c)
	if err != nil {
		return e.tool.fail(err)
	}
	show := e.report.Replay(c)
	e.tell(show, p, t)
	for _, n := range notes {
		show.Record(&wire.Record{Type: "note", Text: n})
	}
	return show.End(t.endedAs())
}
