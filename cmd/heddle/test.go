package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"heddle/build"
	"heddle/cluster"
	"heddle/report"
	"heddle/trace"
)

// test is heddle test.
func (t *tool) test(ctx context.Context, args []string) int {
	o := new(options)
	patterns, err := t.parse("test", o, args, true, o.buildFlags, o.exploreFlags, o.pickFlags, o.testFlags,
		o.fuzzFlags, o.natsFlags, o.shardFlags, o.outputFlags, o.knownFlags, o.totalFlags)
	if err != nil {
		return t.parseError(err)
	}
	return t.explore(ctx, &exploration{tool: t, o: o, wantsVerdicts: true}, patterns)
}

// runMain is heddle run.
func (t *tool) runMain(ctx context.Context, args []string) int {
	o := new(options)
	rest, err := t.parse("run", o, args, false, o.buildFlags, o.exploreFlags, o.symbolicFlags, o.outputFlags)
	if err != nil {
		return t.parseError(err)
	}
	o.parallel, o.count = 1, 1
	n := min(1, len(rest))
	for n < len(rest) && strings.HasSuffix(rest[n], ".go") && strings.HasSuffix(rest[0], ".go") {
		n++
	}
	patterns := rest[:n]
	o.args = rest[n:]
	if n == 0 {
		patterns = []string{"."}
	}
	return t.explore(ctx, &exploration{tool: t, o: o, main: true}, patterns)
}

func (t *tool) parseError(err error) int {
	if errors.Is(err, errHelp) {
		return exitFine
	}
	return t.misuse("%v", err)
}

// explore builds the packages and runs their binaries.
func (t *tool) explore(ctx context.Context, e *exploration, patterns []string) int {
	o := e.o
	out, err := t.openOutputs(o)
	if err != nil {
		return t.fail(err)
	}
	res, err := e.buildKnown(ctx, patterns)
	if err != nil {
		closeOutputs(out)
		if ctx.Err() != nil {
			return exitInterrupted
		}
		if errors.Is(err, build.ErrNames) {
			return t.misuse("heddle: %v", err)
		}
		return t.fail(err)
	}
	if err := e.connect(ctx); err != nil {
		closeOutputs(out)
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return t.fail(err)
	}
	if e.bus != nil {
		defer e.bus.Close()
	}
	if e.searchesNothing(res) {
		e.report.Note("-fuzz " + o.fuzz + ": no fuzz target and no test of properties has such a name")
	}
	e.expect(res)
	e.recall(res)
	e.divide(res)
	slots := make(chan struct{}, max(1, o.parallel))
	e.slots = slots
	var wg sync.WaitGroup
	for _, p := range e.inOrder(res.Packages) {
		switch {
		case p.NoTests:
			e.report.NoTests(p.ImportPath)
		case p.Failed != "":
			e.report.BuildFailed(p.ImportPath, p.Failed)
		default:
			slots <- struct{}{}
			if ctx.Err() != nil || o.failFast && e.failed() {
				<-slots
				continue
			}
			rp := e.report.Package(p.ImportPath)
			wg.Go(func() {
				defer func() { <-slots }()
				e.explorePackage(ctx, &p, rp)
			})
		}
	}
	wg.Wait()
	if ctx.Err() == nil {
		e.forget()
	}
	knownErr := e.endKnown(ctx)
	code := e.report.Close()
	if knownErr != nil {
		code = max(code, t.fail(knownErr))
	}
	if e.broken {
		code = exitUsage
	}
	if o.html != "" {
		if err := e.writeIndex(ctx); err != nil {
			code = max(code, t.fail(err))
		}
	}
	if err := writeOutputs(out, e.report.Results()); err != nil {
		return max(code, t.fail(err))
	}
	if ctx.Err() != nil {
		e.report.Note("interrupted")
		if code == exitFine {
			return exitInterrupted
		}
	}
	return code
}

// An exploration is one run of test or run.
type exploration struct {
	tool   *tool
	o      *options
	main   bool
	looks  report.Options
	report *report.Reporter
	sites  *build.Sites
	unlink func(text []byte) []byte // see process
	launch launch                   // how its binaries are started
	built  time.Duration            // how long the build took
	left   []string                 // what it left alone
	slots  chan struct{}            // one for every test binary that runs
	bus    *cluster.Bus             // -nats; nil: no workers elsewhere
	key    ed25519.PrivateKey       // that what they run is signed with
	others others                   // -shard: what other machines explore
	knows  knownFindings
	total  *totals // -total; nil: every test has its budget

	wantsVerdicts bool      // the command has those that are kept
	verdicts      *verdicts // nil: none are kept, and none used
	goVersion     string    // release of Go of the binaries

	mu     sync.Mutex
	fails  bool
	broken bool     // heddle itself failed
	done   []string // logs of tests that are over
}

func (e *exploration) failed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fails
}

// build builds packages and opens the report, which speaks of what is being done.
func (e *exploration) build(ctx context.Context, dir string, patterns []string) (*build.Result, error) {
	progress := func(text string) { e.report.Note(text) }
	choose, err := e.chooser()
	if err != nil {
		return nil, err
	}
	b, err := build.Open(ctx, build.Config{Symbolic: e.namesOf, Names: e.o.namesAsked(),
		Dir: dir, Patterns: patterns, Tags: e.o.tags, Main: e.main,
		Choose: choose, Lean: e.o.lean(), Flow: e.o.flow() || e.o.flowSeeds() || e.o.searching(),
		Exprs: e.o.searching(), Debug: e.o.debug, Progress: progress})
	if err != nil {
		return nil, err
	}
	e.tool.atEnd(b.Close)
	goos, goarch := b.Platform()
	if e.launch, err = launcher(e.o.exec, goos, goarch); err != nil {
		return nil, err
	}
	if e.o.nats.URL != "" && (e.launch.foreign() || e.launch.prefix != nil) {
		return nil,
			errors.New("-nats: workers elsewhere execute binaries of this platform, as they are; leave out -nats, or -exec, GOOS and GOARCH")
	}
	e.looks = report.Options{
		Out: e.tool.Stdout, Err: e.tool.Stderr, JSON: e.o.json, Verbose: e.o.verbose, Colour: e.tool.Colour,
		Width: e.tool.Width,
		Dir:   e.tool.Dir, GOROOT: b.GOROOT(), Runs: e.o.runs, Lookup: e.lookup, Object: e.object,
		MapCover: e.o.mapCover, Editor: e.o.editor,
	}
	e.looks.Asks, e.looks.Markdown = e.o.question != nil, e.o.md != ""
	if e.knows.set != nil {
		e.looks.Known = e.knownBy
	}
	e.looks.ReplayArgs = e.o.replayArgs()
	if e.tool.Terminal && !e.o.json {
		e.looks.Status = e.tool.Stderr
	}
	e.report = report.New(e.looks)
	stop := e.showBuilding()
	begun := time.Now()
	res, err := b.Build(ctx)
	stop()
	if err != nil {
		return nil, err
	}
	e.sites, e.unlink, e.built, e.left = res.Sites, b.Unlink, time.Since(begun), res.Left
	e.goVersion = b.Go()
	if err := e.findPlaces(); err != nil {
		return nil, err
	}
	if err := e.findQuestion(res); err != nil {
		return nil, err
	}
	for _, note := range res.Left {
		e.report.Note(note)
	}
	for _, note := range res.Named {
		if e.o.picks(note.Func) {
			e.report.Note(e.tool.short(note.Text))
		}
	}
	return res, nil
}

// findPlaces puts the sites of places in the source into the place of these, in the options of the
// strategy.
func (e *exploration) findPlaces() error {
	for i := range e.o.unit.Options {
		opt := &e.o.unit.Options[i]
		text, given := e.o.values[opt.Name]
		if !opt.Place || !given {
			continue
		}
		var numbers []string
		for _, at := range strings.Split(text, ",") {
			colon := strings.LastIndexByte(at, ':')
			line, _ := strconv.Atoi(at[colon+1:])
			sites := e.sites.At(at[:colon], line, "alloc")
			if len(sites) == 0 {
				return fmt.Errorf("-strategy %s,%s=%s: nothing is made there", e.o.unit.Name, opt.Name, at)
			}
			for _, s := range sites {
				numbers = append(numbers, fmt.Sprint(uint64(s.Plain())))
			}
		}
		e.o.values[opt.Name] = strings.Join(numbers, ",")
	}
	return nil
}

// showBuilding keeps the status line alive until the returned function is called.
func (e *exploration) showBuilding() (stop func()) {
	e.report.Doing("building")
	if e.looks.Status == nil {
		return func() { e.report.Doing("") }
	}
	ticker, done := time.NewTicker(200*time.Millisecond), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				e.report.Tick()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		e.report.Doing("")
	}
}

func (e *exploration) lookup(site uint64) (report.SitePos, bool) {
	p, ok := e.sites.Lookup(trace.Site(site))
	return report.SitePos(p), ok
}

func (e *exploration) object(file string, line int, op string) string {
	return e.sites.Object(file, line, op)
}

// defaultLimit is how long a binary may take beside its tests' budgets where -timeout does not say.
const defaultLimit = 10 * time.Minute
