package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/build"
	"heddle/clip"
	"heddle/cluster"
	"heddle/explore/why"
	"heddle/gen/forced"
	"heddle/internal/shard"
	"heddle/report"
	"heddle/rt/wire"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// A packageRun is the exploration of one package.
type packageRun struct {
	*exploration
	pkg        *build.Package
	report     *report.Package
	clips      *clipFolder
	finished   []string // tests that are over
	start      time.Time
	open       string // the test that runs
	began      time.Time
	executions int            // of the open test, as far as it told
	visible    []uint64       // sites that became visible while it did
	found      []wire.Finding // in it
	anew       []string       // tests to be explored each in a process in which it comes first
	moved      []moved        // tests to be executed in processes of their own
	shares     []*shared      // tests that workers explore together
	idle       *workers
	flow       *flowBuild // nil: none was begun
	binary, of string     // content hash of the binary, and of what is explored; "": not known yet
	elsewhere  *cluster.Remote
	processes  bool    // that is being done
	failures   []error // heddle's own
	// findings of tests that were postponed, from before that: by test, then by bug
	told    map[string]map[string]bool
	heir    bool          // the binary that runs has run other tests
	misfit  *misfit       // of the open test
	checked time.Duration // what replaying its clips took
	// findings of it that were told without that
	unchecked []string
	begun     time.Time               // when it, or what others do of it, began
	shown     map[*wire.Finding]bool  // those whose clips a new process has shown already
	apart     []*wire.Clip            // to be replayed under settings of their own, when their tests begin
	lost      string                  // what was seen in it and could not be shown again; "": nothing
	near      map[string][]*wire.Near // by test
	// nil, or called with the path of a clip that was made, whether it renews another one, and what
	// to say of that
	wanted   func(path string, same bool, notes []string)
	inputs   []input // to be kept when the test is over, which reads those that are there
	took     map[string]shard.Took
	allotted map[string]int64 // -total: nanoseconds by test
	ends     func()           // the process that runs, for -failfast; nil: it does so by itself
	sights   sights
	cached   []string // tests whose verdicts came from the cache
}

// An input is a file of a fuzz target's corpus.
type input struct {
	path string
	text []byte
}

// explorePackage runs a package's binary, again without the finished tests when it dies in one.
func (e *exploration) explorePackage(ctx context.Context, p *build.Package, rp *report.Package) {
	start := time.Now()
	r := &packageRun{exploration: e, pkg: p, start: start, report: rp, clips: e.clipFolder(p),
		idle: newWorkers(ctx), finished: forced.In(p.Dir)}
	r.allotted = e.beginTotal(p)
	clips := r.clips.read()
	for _, c := range clips {
		switch {
		case r.o.fits(c):
			c.Loose = c.Code == "" && r.o.selects()
		case r.o.apart(c):
			r.apart = append(r.apart, c)
		}
	}
	var err error
	if !r.answer() {
		err = r.explore(ctx, clips)
	}
	r.flow.close()
	r.keepInputs()
	r.keepTimes()
	e.endTotal(p)
	if len(r.failures) > 0 {
		err = errors.Join(append(r.failures, err)...)
	}
	rp.End(time.Since(start), err)
	if err == nil {
		r.keepVerdicts(ctx, rp.Result())
	}
	if e.o.html != "" {
		e.drawAll(ctx, p, rp.Result())
	}
	r.keepPasts(rp.Result())
	e.ranKnown(p, rp.Result(), ctx.Err() == nil && err == nil)
	if rp.Failed() {
		e.mu.Lock()
		e.fails = true
		e.broken = e.broken || len(r.failures) > 0
		e.mu.Unlock()
	}
}

// explore runs the tests: all in one process as long as it lives, then those
// that need a process for every execution. The error says how a process ended
// where that is not the end of a test.
func (r *packageRun) explore(ctx context.Context, clips []*wire.Clip) error {
	if r.o.isolate == "process" {
		if err := r.list(ctx); err != nil {
			return err
		}
	} else {
		if r.o.resume {
			if err := r.resume(); err != nil {
				return err
			}
		}
		for again := true; again; {
			var err error
			if again, err = r.once(ctx, clips); err != nil {
				return err
			}
		}
		if err := r.exploreAnew(ctx, clips); err != nil {
			return err
		}
	}
	defer r.idle.close()
	for _, sh := range r.shares {
		if ctx.Err() != nil || r.o.failFast && r.report.Failed() {
			r.take(&wire.Record{Type: "begin", Test: sh.test})
			r.endOpen(why.Bare(why.With(why.Other, "%s", notGoingOn(ctx))))
			r.settle(sh, false)
			continue
		}
		if err := r.share(ctx, sh); err != nil {
			return err
		}
	}
	for _, m := range r.moved {
		if ctx.Err() != nil || r.o.failFast && r.report.Failed() {
			r.leftOut(&m, ctx.Err() != nil)
			continue
		}
		if err := r.inProcesses(ctx, &m, clips); err != nil {
			return err
		}
	}
	return nil
}

// exploreAnew explores the tests that failed at once, each before all others.
func (r *packageRun) exploreAnew(ctx context.Context, clips []*wire.Clip) error {
	for _, test := range r.anew {
		if ctx.Err() != nil || r.o.failFast && r.report.Failed() {
			r.take(&wire.Record{Type: "begin", Test: test})
			r.endOpen(why.Bare(why.With(why.Other, "%s", notGoingOn(ctx))))
			continue
		}
		r.finished = slices.DeleteFunc(r.finished, func(name string) bool { return name == test })
		if _, err := r.once(ctx, clips); err != nil {
			return err
		}
	}
	return nil
}

// notGoingOn says why a test is not gone on with.
func notGoingOn(ctx context.Context) string {
	if ctx.Err() != nil {
		return "interrupted"
	}
	return "-failfast"
}

// shareable reports whether there are workers to share tests with.
func (r *packageRun) shareable() bool {
	return !r.main && !r.launch.windows() && (r.o.parallel > 1 || r.bus != nil) && r.o.share > 0
}

// process prepares a run of the binary.
func (r *packageRun) process() *process {
	b := &process{path: r.pkg.Binary, dir: r.pkg.Dir, config: r.configOf(""), unlink: r.unlink,
		stall:  r.o.hang,
		launch: r.launch, looked: r.sights.looked}
	b.config.Package = r.pkg.ImportPath
	if r.main {
		b.dir, b.args = r.tool.Dir, r.o.args
		r.prints(b)
	} else {
		b.args = r.tests(r.others.skip(r.pkg.ImportPath, r.o.skip))
		b.hush = true
	}
	b.limit = max(r.o.timeout-time.Since(r.start), time.Second)
	if r.o.timeout == 0 {
		b.limit = defaultLimit
	}
	return b
}

// prints says what becomes of the output of a main package: that of the first
// schedule is the program's, as go run shows it; that of others is kept with their
// findings. With -v all is shown, and with -json nothing beside the events.
func (r *packageRun) prints(b *process) {
	b.hush = !r.o.verbose
	if !r.o.json {
		b.stdout, b.stderr = r.exploration.report.Through(r.tool.Stdout),
			r.exploration.report.Through(r.tool.Stderr)
	}
}

// once runs the binary; again says that it died in a test and others are left.
// The error says how the binary ended where that is not the end of a test.
func (r *packageRun) once(ctx context.Context, clips []*wire.Clip) (again bool, err error) {
	b := r.process()
	b.record = func(rec *wire.Record) {
		r.sights.record(rec)
		r.take(rec)
		r.heir = r.heir || r.open == "" && rec.Test != ""
	}
	b.ahead = r.showTogether
	defer func() { r.heir = false }()
	for _, c := range clips {
		if !slices.Contains(r.finished, c.Test) && r.o.fits(c) {
			b.config.Clips = append(b.config.Clips, *c)
		}
	}
	if !r.main {
		b.args = r.tests(r.skip())
	}
	if r.shareable() {
		b.config.Share = int64(r.o.share)
	}
	if r.o.timeout == 0 {
		b.extend = time.Duration(b.config.Budget)*time.Duration(max(1,
			r.o.count)) + time.Duration(b.config.Longest)
	}
	done := len(r.finished)
	r.open = ""
	running, end := context.WithCancel(ctx)
	defer end()
	if r.concerned() {
		r.ends = end
	}
	res, err := b.run(running)
	if err != nil {
		return false, err
	}
	if ctx.Err() != nil {
		r.endOpen(why.Bare(why.Of(why.Interrupted)))
		return false, nil
	}
	if running.Err() != nil {
		r.endOpen(why.Bare(why.With(why.Other, "%s", notGoingOn(ctx))))
		return false, nil
	}
	if res.done {
		r.report.Output(r.outside(res))
		if res.err != nil {
			return false, errors.New(res.why())
		}
		return false, nil
	}
	if r.open == "" {
		// It ended outside its tests: TestMain, an init function, or no tests at all.
		r.report.Output(res.output)
		if res.err != nil {
			return false, errors.New(res.why())
		}
		return false, nil
	}
	if res.timedOut && !res.idle { // it was busy: no finding, but not the whole truth either
		r.endOpen(why.Bare(why.With(why.Other, "-timeout is over")))
		return false, errTimeout
	}
	r.died(res)
	if res.timedOut {
		return false, nil
	}
	return !r.main && len(r.finished) > done && !(r.o.failFast && r.report.Failed()), nil
}

var errTimeout = errors.New("-timeout is over, and not every test was explored: allow more, or lower -budget or -runs")

// endOpen ends the test that runs, if any, with what is known of it.
func (r *packageRun) endOpen(end why.End) {
	if r.open != "" {
		r.take(&wire.Record{Type: "end", Test: r.open, Executions: r.executions,
			Elapsed:  time.Since(r.began).Seconds(),
			Strategy: r.o.config().Strategy, Reason: end.String(), Why: end})
	}
}

// outside is what to show of a binary's output that belongs to no test.
func (r *packageRun) outside(res *outcome) string {
	switch {
	case r.main && !r.o.json: // it was shown when it came
		return ""
	case r.o.verbose || r.main || res.err != nil:
		return res.output
	}
	return ""
}

// skip is the pattern of tests to leave out: the user's and those that are finished.
func (r *packageRun) skip() string {
	return skipNames(r.others.skip(r.pkg.ImportPath, r.o.skip), r.finished)
}

// take handles one record of the binary.
func (r *packageRun) take(rec *wire.Record) {
	switch rec.Type {
	case "begin":
		r.open, r.began, r.visible, r.found, r.misfit = rec.Test, time.Now(), nil, nil, nil
		r.checked, r.begun, r.unchecked = 0, r.began, nil
		r.report.Record(rec)
		r.replayApart(rec.Test)
		return
	case "progress":
		r.executions = rec.Executions
	case "end":
		if r.misfit != nil {
			r.refit()
			return
		}
		r.notLost(rec)
		r.tellUnchecked(rec.Test)
		if rec.Complete && len(r.pkg.Left) > 0 {
			left := strings.ReplaceAll(r.pkg.Left[0], r.pkg.Dir+string(filepath.Separator), "")
			rec.Complete, rec.Why = false, why.Sampled(why.With(why.Unseen, "%s",
				strings.Replace(left, " is left alone: ",
					" is left alone, so nothing is seen of what it does: ", 1)))
			rec.Reason = rec.Why.String()
		}
		r.settleClips(rec)
		r.sights.ended(rec.Test)
		r.keepTime(rec.Test, rec.Elapsed)
		r.open, r.executions = "", 0
		r.finished = append(r.finished, rec.Test)
		delete(r.told, rec.Test) // with -count it comes again
		r.keepInputs()
	case "share":
		r.open, r.executions = "", 0
		r.finished = append(r.finished, rec.Test)
		r.postpone(rec.Test)
		sh := &shared{test: rec.Test, share: rec.Share}
		sh.share.Told = r.found
		if !sh.share.RemoteExecutions { // its executions are made again from the first on
			r.keepLog(sh)
		}
		r.shares = append(r.shares, sh)
		r.forFlow(r.idle.ctx, sh.test, sh.share)
		return
	case "isolate":
		r.open, r.executions = "", 0
		r.finished = append(r.finished, rec.Test)
		r.move(moved{test: rec.Test, why: rec})
		return
	case "anew":
		r.open, r.executions = "", 0
		r.exploreFirst(rec.Test)
		return
	case "near":
		if r.near == nil {
			r.near = make(map[string][]*wire.Near)
		}
		r.near[rec.Test] = append(r.near[rec.Test], rec.Near)
		return
	case "failure":
		r.failures = append(r.failures, errors.New(rec.Text))
		return
	case "finding":
		if rec.Finding != nil {
			r.visible = append(r.visible, rec.Finding.Clip.Visible...)
			if r.finding(rec.Test, rec.Finding) {
				r.found = append(r.found, *rec.Finding)
			}
		}
		return
	}
	r.highest(rec)
	r.report.Record(rec)
}

// exploreFirst has a test explored in a process in which it comes first.
func (r *packageRun) exploreFirst(test string) {
	r.postpone(test)
	r.finished = append(r.finished, test)
	if !slices.Contains(r.anew, test) { // -count
		r.anew = append(r.anew, test)
	}
}

// finding keeps the clip of a finding and reports it. told: it does so now, or did before.
func (r *packageRun) finding(test string, f *wire.Finding) (told bool) {
	if r.report.Known(test, f) {
		return true
	}
	inFolder(f, r.pkg.Dir)
	if readsClips(f) {
		f.Message += clipsInTheWay
		r.report.Finding(test, f, "") // another clip would be in the way too
		return true
	}
	if r.known(test, f) {
		return true
	}
	if f.Kind == "uncontrolled" && r.o.searching() && r.o.hang > 0 && r.endsUnfollowed(test, f) {
		return r.unconfirmed(test, f, "it comes to its end where values are not followed, as in go test")
	}
	if !r.replays(test, f) {
		return false
	}
	r.nameInput(test, f)
	r.report.Finding(test, f, r.keepClip(test, f))
	if r.ends != nil && r.o.failFast && r.report.Failed() {
		r.executions = max(r.executions, f.Executions)
		r.ends()
	}
	return true
}

// keepClip keeps the clip of a finding and returns its path.
func (r *packageRun) keepClip(test string, f *wire.Finding) string {
	if f.FromClip != "" {
		r.back(test, f.FromClip)
		if r.wanted != nil {
			r.wanted(f.FromClip, true, nil)
		}
		return f.FromClip
	}
	path, same, notes, err := r.clips.write(test, f)
	if err != nil {
		r.exploration.report.Note(fmt.Sprintf("cannot keep the clip: %v", err))
		return path
	}
	for _, text := range notes {
		r.report.Record(&wire.Record{Type: "note", Test: test, Text: text})
	}
	if r.wanted != nil {
		r.wanted(path, same, notes)
	}
	return path
}

// nameInput says where the input that a fuzz target fails with is kept: in its corpus, where go
// test finds it.
func (r *packageRun) nameInput(test string, f *wire.Finding) {
	if f.Clip.Input == nil || !strings.HasPrefix(test, "Fuzz") {
		return
	}
	values, err := corpus.Values(f.Clip.Input)
	if err != nil {
		return
	}
	text := corpus.Format(values)
	f.InputFile = filepath.Join(r.pkg.Dir, filepath.FromSlash(corpus.Dir), test, corpus.Name(text))
	r.inputs = append(r.inputs, input{f.InputFile, text})
}

// keepInputs writes the inputs of the findings of a test that is over.
func (r *packageRun) keepInputs() {
	for _, in := range r.inputs {
		err := os.MkdirAll(filepath.Dir(in.path), 0o777)
		if err == nil {
			err = os.WriteFile(in.path, in.text, 0o666)
		}
		if err != nil {
			r.exploration.report.Note(fmt.Sprintf("cannot keep the input: %v", err))
		}
	}
	r.inputs = nil
}

// clipsInTheWay follows the message of a test that takes clips for test data.
const clipsInTheWay = "; it reads the clips that heddle keeps in testdata/heddle as if they were its own: let it leave them out, or keep them elsewhere (-clips)"

// readsClips reports whether a test fails over heddle's clips: suites that
// walk testdata do.
func readsClips(f *wire.Finding) bool {
	return f.Kind == "test failure" && (strings.Contains(f.Output, clip.Dir+"/") ||
		strings.Contains(f.Output, "heddle clip v"))
}

// inFolder completes the names of files: the log of a test gives them without their folder.
func inFolder(f *wire.Finding, dir string) {
	for i := range f.Places {
		if p := &f.Places[i]; p.File != "" && !filepath.IsAbs(p.File) {
			p.File = filepath.Join(dir, p.File)
		}
	}
}

// died is called when the binary ended in the middle of a test. Where that was
// its own doing, the test goes on in processes of its own, which shows it again;
// else it is over.
func (r *packageRun) died(res *outcome) {
	test := r.open
	f := r.crashFinding(test, r.pkg.ImportPath, res, r.visible)
	if r.o.isolate == "auto" && !res.stalled && !res.timedOut && res.crash.Running && res.crash.Test == test {
		r.finished = append(r.finished, test)
		r.move(moved{test: test, crash: f, first: []*trace.Schedule{res.schedule()}, visible: r.visible})
		return
	}
	r.finding(test, f)
	end := why.Bare(why.With(why.Lost, "the test binary ended in the middle of this test"))
	r.take(&wire.Record{Type: "end", Test: test, Result: "fail", Executions: f.Executions,
		Strategy: r.o.config().Strategy,
		Elapsed:  time.Since(r.began).Seconds(), Reason: end.String(), Why: end})
}
