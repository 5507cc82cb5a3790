package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"heddle/build"
	"heddle/clip"
	"heddle/report"
	"heddle/rt/wire"
)

// mainTest is the name under which a main package is explored.
const mainTest = "main"

// replay is heddle replay.
func (t *tool) replay(ctx context.Context, args []string) int {
	o := new(options)
	rest, err := t.parse("replay", o, args, true, o.buildFlags, o.pickFlags, o.hangFlag, o.judgeFlags)
	if err != nil {
		return t.parseError(err)
	}
	if len(rest) != 1 {
		return t.misuse("usage: heddle replay [flags] CLIP\nCLIP is a file below testdata/heddle, as heddle test prints it, or a sequence written by hand (docs/guide/clip-format.md).")
	}
	path := t.abs(rest[0])
	file, err := clip.ReadAny(path)
	if err != nil {
		return t.fail(err)
	}
	e := &exploration{tool: t, o: o.under(&file.Clip), main: file.Test == mainTest}
	setEnvironment(&file.Clip)
	p, err := e.buildFor(ctx, path, file)
	if err != nil {
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return t.fail(err)
	}
	if p.Failed != "" {
		e.report.BuildFailed(p.ImportPath, p.Failed)
		if p.ImportPath == file.Package && strings.Contains(p.Failed, "no required module provides") {
			fmt.Fprintf(t.Stderr, "heddle: %s is a clip of the package %s, which this module does not have: run heddle replay in the module that it is of\n", t.short(path), file.Package)
		}
		return e.report.Close()
	}
	file.Clip.Path = path
	if file.Package != "" && file.Package != p.ImportPath {
		fmt.Fprintf(t.Stderr, "note: %s was recorded in the package %s, and is replayed in %s\n",
			t.short(path), file.Package, p.ImportPath)
	}
	return e.replayClip(ctx, p, &file.Clip)
}

// buildFor builds the package that a clip belongs to: the one above its
// testdata folder or, for a clip kept elsewhere, the one it names.
func (e *exploration) buildFor(ctx context.Context, path string, file *clip.File) (*build.Package, error) {
	pattern, dir := file.Package, e.tool.Dir
	if home, ok := packageDir(path); ok {
		pattern, dir = ".", home
	}
	if pattern == "" {
		return nil, fmt.Errorf("%w, or add a line \"package IMPORTPATH\" to it", homeless(path, file))
	}
	res, err := e.build(ctx, dir, []string{pattern})
	if err != nil {
		return nil, err
	}
	p := &res.Packages[0]
	if p.NoTests {
		return nil, fmt.Errorf("%s: the package %s has no tests", path, p.ImportPath)
	}
	return p, nil
}

// homeless is the error for a clip that is in no package's folder.
func homeless(path string, file *clip.File) error {
	return fmt.Errorf("%s: which package is it of? Put it into %s/%s below the package's folder", path,
		clip.Dir, file.Test)
}

// findSteps finds where the steps of a sequence stand.
func (e *exploration) findSteps(c *wire.Clip) {
	if !c.Sequence {
		return
	}
	c.StepSites = make([][]uint64, len(c.Steps))
	for i := range c.Steps {
		if p := &c.Steps[i].Where; p.Line > 0 {
			for _, site := range e.sites.At(p.File, p.Line, "") {
				c.StepSites[i] = append(c.StepSites[i], uint64(site.Plain()))
			}
		}
	}
}

// replayClip runs the binary on one clip and shows what happens. Where the clip does not show its
// finding, what it is about is searched for.
func (e *exploration) replayClip(ctx context.Context, p *build.Package, c *wire.Clip) int {
	t, err := e.followed(ctx, p, c)
	if err != nil {
		return e.tool.fail(err)
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if !c.Sequence && t.ended == nil && !t.unusable() && !e.showsBug(p, c, t) {
		return e.verdict(ctx, p, c, t)
	}
	show := e.report.Replay(c)
	e.tell(show, p, t)
	if t.ended != nil {
		fmt.Fprintln(e.tool.Stderr, lastLines(t.ended.output, 40))
	}
	return show.End(t.endedAs())
}

// An earlyEnd says that a test binary ended before its replay was over.
type earlyEnd struct{ why, output string }

func (e *earlyEnd) Error() string { return e.why }

// follow runs the binary on one clip; show gets what happens, a process that dies included. ended
// is not nil where the binary ended for another reason before the replay was over.
func (e *exploration) follow(ctx context.Context, p *build.Package, c *wire.Clip,
	show *report.Replay) (ended *earlyEnd, err error) {
	t, err := e.followed(ctx, p, c)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	if e.unchanged(p, c) && !t.shows() {
		show.Unchanged()
	}
	e.tell(show, p, t)
	return t.ended, nil
}

// followed runs the binary on one clip.
func (e *exploration) followed(ctx context.Context, p *build.Package, c *wire.Clip) (*attempt, error) {
	e.sites.FindIn(c)
	e.findSteps(c)
	if err := e.findAsked(c, p.Dir); err != nil {
		return nil, err
	}
	return e.attempts(ctx, p, c, e.o, e.unchanged(p, c), false)
}

// unchanged reports whether the code is the one that a clip was recorded on.
func (e *exploration) unchanged(p *build.Package, c *wire.Clip) bool {
	return c.Code != "" && c.Code == p.Code
}

// tell passes on what an attempt has shown.
func (e *exploration) tell(show *report.Replay, p *build.Package, t *attempt) {
	for _, rec := range t.records {
		if rec.Finding != nil {
			inFolder(rec.Finding, p.Dir)
		}
		show.Record(rec)
	}
}

// showsBug reports whether an attempt shows the bug of a clip; on the code that it was recorded on,
// a finding of its kind is it.
func (e *exploration) showsBug(p *build.Package, c *wire.Clip, t *attempt) bool {
	if c.Kind == "" || e.unchanged(p, c) {
		return t.shows()
	}
	if !t.showsKind(c.Kind) {
		return false
	}
	now := wire.Clip{Test: c.Test, Kind: c.Kind, Message: t.last.Finding.Message,
		Places: t.last.Finding.CorePlaces()}
	describe(e.sites, &now)
	return sameBug(c, &now)
}

// An attempt is one replay of a clip.
type attempt struct {
	way      way
	records  []*wire.Record
	last     *wire.Record // that says how it went; nil: it did not come to that
	ended    *earlyEnd    // the binary ended before it was over
	died     bool         // the binary did in the execution: its events are the steps of the schedule
	timedOut bool
}

// shows reports whether it shows a finding.
func (t *attempt) shows() bool { return t.last != nil && t.last.Result == "finding" }

// diverged reports whether the clip does not fit.
func (t *attempt) diverged() bool { return t.last != nil && t.last.Result == "diverged" }

// unusable reports whether the clip cannot be replayed on any code, or the test was not run.
func (t *attempt) unusable() bool { return t.last == nil || t.last.Result == "unusable" }

// endedAs returns how the binary ended before the replay was over, nil if it did not.
func (t *attempt) endedAs() error {
	if t.ended == nil {
		return nil
	}
	return t.ended
}

// showsKind reports whether it shows one of that kind.
func (t *attempt) showsKind(kind string) bool {
	return t.shows() && t.last.Finding != nil && (kind == "" || t.last.Finding.Kind == kind)
}

// A way is one way to replay a clip. What is made once and for all, such as caches of other
// modules, was there when most clips were recorded, so a settled replay comes after an execution of
// the test without the clip. One that rejoins goes on where the clip does not fit.
type way struct{ settled, rejoins bool }

// The ways to replay a clip, one after the other until it shows its finding; more of them where it
// must, since the code is the one that it was recorded on.
var (
	ways     = []way{{}, {settled: true}}
	moreWays = append(ways[:2:2], way{}, way{rejoins: true}, way{settled: true, rejoins: true}, way{})
)

// attempts replays a clip, each time in a new process. It returns the first attempt that shows its
// finding, else the first one that shows any, else the first one that the clip fits, else the first
// one. brief: only how it went is asked for.
func (e *exploration) attempts(ctx context.Context, p *build.Package, c *wire.Clip, o *options,
	same, brief bool) (*attempt, error) {
	all := ways
	switch {
	case c.Sequence:
		all = ways[:1]
	case same:
		all = moreWays
	}
	var first, some *attempt
	for _, w := range all {
		if w.settled && c.Isolate == "process" {
			continue
		}
		t, err := e.attempt(ctx, p, c, o, w, brief)
		if first == nil || first.diverged() && !t.diverged() && t.last != nil {
			first = t
		}
		if err != nil || ctx.Err() != nil {
			return first, err
		}
		if t.showsKind(c.Kind) {
			return t, nil
		}
		if some == nil && t.shows() {
			some = t
		}
		if t.last == nil || t.timedOut || t.last.Result == "unusable" {
			break
		}
	}
	return cmp.Or(some, first), nil
}

// attempt replays a clip in a new process.
func (e *exploration) attempt(ctx context.Context, p *build.Package, c *wire.Clip, o *options, w way,
	brief bool) (*attempt, error) {
	t := &attempt{way: w}
	b := e.replaying(p, c, o)
	b.config.Settled, b.config.Rejoin, b.config.Brief = w.settled, w.rejoins, brief
	b.record = func(rec *wire.Record) {
		if rec.Type == "replayed" {
			t.last = rec
		}
		t.records = append(t.records, rec)
	}
	res, err := b.run(ctx)
	if err != nil || ctx.Err() != nil {
		return t, err
	}
	t.timedOut = res.timedOut
	switch {
	case t.last != nil:
	case !res.done && res.crash.Running:
		t.dead(e.crashFinding(c.Test, p.ImportPath, res, c.Visible))
	case res.err != nil:
		t.ended = &earlyEnd{res.why(), res.output}
	}
	return t, nil
}

// dead notes that the binary died in the execution. What it had to say of its events is lost; the
// steps of the schedule are not.
func (t *attempt) dead(f *wire.Finding) {
	t.died = true
	for i, st := range f.Clip.Steps {
		t.records = append(t.records, &wire.Record{Type: "event", Test: f.Clip.Test,
			Event: &wire.Event{Index: i, Step: i, G: st.G, Op: st.Op, Where: st.Where, Call: st.Call,
				Switch: st.Switch, Partner: -1}})
	}
	t.last = &wire.Record{Type: "replayed", Test: f.Clip.Test, Result: "finding", Finding: f}
	t.records = append(t.records, t.last)
}

// longestReplay bounds the execution of a replay, which records all: an execution that shows a
// finding has taken a minute at most, unless -longest or -budget said more.
const longestReplay = defaultLimit / 2

// replaying prepares a run of the binary on one clip, as the options say.
func (e *exploration) replaying(p *build.Package, c *wire.Clip, o *options) *process {
	o = o.under(c)
	b := &process{path: p.Binary, dir: p.Dir, limit: defaultLimit, stall: o.hang, unlink: e.unlink,
		launch: e.launch}
	b.config = wire.Config{
		Mode: "replay", Longest: int64(longestReplay), Package: p.ImportPath, Race: true, Visible: "auto",
		Isolate: c.Isolate, Lose: o.lose, Symbolic: o.symbolic, Clips: []wire.Clip{*c}, VisibleAt: c.Visible,
	}
	if c.Early() {
		b.config.Time = "free"
	}
	if e.main {
		b.dir, b.args, b.hush = e.tool.Dir, o.args, true // as heddle run
		return b
	}
	pick := *o
	if _, sub, ok := strings.Cut(pick.run, "/"); ok {
		pick.run = "^" + c.Test + "$/" + sub
	} else {
		pick.run = "^" + c.Test + "$"
	}
	b.args = pick.testArgs(pick.skip)
	return b
}
