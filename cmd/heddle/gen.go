package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/build"
	"heddle/explore"
	"heddle/gen"
	"heddle/rt/wire"
)

// gen is heddle gen: it writes tests for a type.
func (t *tool) gen(ctx context.Context, args []string) int {
	o := new(options)
	g := &generation{tool: t}
	docs := true
	flags := func(fs *flag.FlagSet) {
		fs.StringVar(&g.typ, "type", "", "write tests for the `type` of that name")
		fs.IntVar(&g.opt.Tests, "n", 10, "write `n` tests")
		fs.IntVar(&g.opt.Goroutines, "goroutines", 0, "call methods from `n` goroutines, 2 or 3; 0: either")
		fs.IntVar(&g.opt.Calls, "calls", 2, "calls of one goroutine at most")
		fs.Uint64Var(&g.opt.Seed, "seed", 0, "`number` that all random choices come from")
		fs.StringVar(&g.out, "o", "",
			"write to `file` (default TYPE_heddle_test.go in the package; -: standard output)")
		fs.BoolVar(&g.force, "f", false, "write over a file that is there")
		durationVar(fs, &o.budget, "budget", 10*time.Second,
			"`time` at most to look for tests that fail, and for tests that show new patterns")
		fs.BoolVar(&g.random, "random", false, "write random tests, without looking for those that fail")
		choose(fs, &g.opt.Order, "order", gen.Orders, "sequential orders that explain results")
		fs.StringVar(&g.opt.Spec, "spec", "",
			"compare results with those of this `type` of the package or its tests, which has the same methods and is used by one goroutine")
		fs.StringVar(&g.opt.Validate, "validate", "",
			"call this `function`, func(object) error, of the package or its tests, when all calls have returned")
		fs.Func("once", "call each of these `methods`, with commas between, once a test at most",
			func(text string) (err error) {
				g.opt.Once, err = names(text)
				return err
			})
		fs.Func("new", "make objects by these exported `functions` only, with commas between (default: all but those whose documentation says that their objects are for one goroutine)",
			func(text string) (err error) {
				g.opt.New, err = names(text)
				return err
			})
		fs.BoolVar(&docs, "docs", true,
			"keep to what doc comments say about several goroutines: which calls may not come together, and which results are vague")
		fs.Func("serial",
			"call these `methods`, with commas between, from one goroutine of a test only; the flag can be repeated",
			func(text string) error {
				group, err := names(text)
				g.opt.Serial = append(g.opt.Serial, group)
				return err
			})
	}
	g.opt.Order = gen.Orders[0]
	patterns, err := t.parse("gen", o, args, true, flags)
	if err != nil {
		return t.parseError(err)
	}
	switch {
	case g.typ == "" || len(patterns) > 1:
		return t.misuse("usage: heddle gen -type T [flags] [package]")
	case g.opt.Tests < 1 || g.opt.Tests > 1000:
		return t.misuse("heddle gen: invalid value %d for flag -n: want 1 to 1000", g.opt.Tests)
	case g.opt.Goroutines != 0 && g.opt.Goroutines != 2 && g.opt.Goroutines != 3:
		return t.misuse("heddle gen: invalid value %d for flag -goroutines: want 2 or 3", g.opt.Goroutines)
	case g.opt.Calls < 1 || g.opt.Calls > 3: // the orders of 3 times 3 calls are 1,680 already
		return t.misuse("heddle gen: invalid value %d for flag -calls: want 1 to 3", g.opt.Calls)
	}
	g.budget, g.opt.NoDocs = o.budget, !docs
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	return g.write(ctx, patterns[0])
}

// names reads names with commas between them.
func names(text string) ([]string, error) {
	all := strings.Split(text, ",")
	for i, n := range all {
		if all[i] = strings.TrimSpace(n); all[i] == "" {
			return nil, errors.New("want names with commas between")
		}
	}
	return all, nil
}

// A generation is one run of heddle gen.
type generation struct {
	tool     *tool
	opt      gen.Options
	typ, out string
	force    bool
	random   bool
	budget   time.Duration
}

// write writes the test file.
func (g *generation) write(ctx context.Context, pattern string) int {
	t := g.tool
	p, err := gen.Load(ctx, t.Dir, pattern, g.opt.Spec != "" || g.opt.Validate != "")
	if err != nil {
		return t.fail(err)
	}
	s, err := p.Suite(g.typ, g.opt)
	if err != nil {
		return t.fail(err)
	}
	file := filepath.Join(p.Dir, s.FileName())
	if g.out != "" && g.out != "-" {
		file = t.abs(g.out)
	}
	shown := file
	if rel, err := filepath.Rel(t.abs("."), file); err == nil && filepath.IsLocal(rel) {
		shown = rel
	}
	if _, err := os.Stat(file); err == nil && g.out != "-" && !g.force {
		return t.fail(fmt.Errorf("%s is there already: -f writes over it, -o names another file", shown))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.fail(err)
	}
	defer s.Close()
	if err := g.find(ctx, p, s); err != nil {
		if ctx.Err() != nil {
			t.fail(fmt.Errorf("interrupted, so that nothing is written; %s", s.Tried()))
			return exitInterrupted
		}
		return t.fail(err)
	}
	text, err := s.File()
	if err != nil {
		return t.fail(err)
	}
	if g.out == "-" {
		_, err = t.Stdout.Write(text)
	} else {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		return t.fail(err)
	}
	for _, n := range s.Notes() {
		fmt.Fprintf(t.Stderr, "heddle: %s\n", n)
	}
	code := exitFine
	if len(s.Failures()) > 0 {
		code = exitFindings
	}
	if g.out == "-" {
		fmt.Fprintf(t.Stderr, "heddle: %d tests, of which %d fail; %s\n", s.Tests(), len(s.Failures()),
			s.Tried())
		return code
	}
	for i, f := range s.Failures() {
		fmt.Fprintf(t.Stdout, "%s%d fails: %s: %s\n\t%s\n", s.TestName(), i+1, f.Kind, f.Message,
			s.Shown(i))
	}
	fmt.Fprintf(t.Stdout, "%s: %d tests; run them with\n\theddle test -run '%s' %s\n", shown,
		s.Tests(), s.TestName(), p.Path)
	fmt.Fprintf(t.Stdout, "%s\n", s.Tried())
	return code
}

// find finds the tests.
func (g *generation) find(ctx context.Context, p *gen.Package, s *gen.Suite) error {
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	if g.random {
		return s.Draw(ctx)
	}
	text, err := s.PoolFile()
	if err != nil {
		return err
	}
	run, err := g.runner(ctx, p, text)
	if err != nil {
		return err
	}
	return s.Search(ctx, run, g.budget)
}

// genHang is how long a scenario may do nothing.
const genHang = 3 * time.Second

// A poolRunner executes scenarios in the test binary of the pool.
type poolRunner struct {
	e   *exploration
	pkg *build.Package
}

// runner builds the package with the file of the pool, which is there for that time only.
func (g *generation) runner(ctx context.Context, p *gen.Package, text []byte) (*poolRunner, error) {
	file := filepath.Join(p.Dir, gen.PoolName)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return nil, fmt.Errorf("%w: heddle gen writes into the folder of the package", err)
	}
	defer os.Remove(file)
	o := &options{set: map[string]bool{}}
	o.race, o.visible, o.isolate, o.time, o.hang, o.count = true, "auto", "auto", "auto", genHang, 1
	o.choose(explore.Lookup("sample"), nil)
	e := &exploration{tool: g.tool, o: o}
	res, err := e.build(ctx, g.tool.Dir, []string{p.Path})
	if err != nil {
		return nil, err
	}
	if len(res.Packages) != 1 || res.Packages[0].Binary == "" {
		return nil, fmt.Errorf("%s does not compile with tests: %s", p.Path, res.Packages[0].Failed)
	}
	return &poolRunner{e, &res.Packages[0]}, nil
}

// Run implements gen.Runner.
func (r *poolRunner) Run(ctx context.Context, args []string, n, runs int, seed uint64,
	how gen.How) ([]gen.Ran, error) {
	o := *r.e.o
	o.runs, o.seed, o.args = runs, seed, args
	patterns := how == gen.ForPatterns
	if patterns {
		o.visible = "all"
	}
	o.run = "^TestHeddleGen[0-9]+$"
	e := &exploration{tool: r.e.tool, o: &o, sites: r.e.sites, unlink: r.e.unlink, launch: r.e.launch}
	rans := make([]gen.Ran, n)
	b := (&packageRun{exploration: e, pkg: r.pkg, start: time.Now()}).process()
	b.config.Compare, b.config.FailFast = true, how != gen.Throughout
	b.config.Forms, b.config.MapCover = patterns, patterns
	b.extend = time.Duration(b.config.Longest)
	open := -1
	b.record = func(rec *wire.Record) {
		var i int
		if _, err := fmt.Sscanf(rec.Test, "TestHeddleGen%d", &i); err != nil || i >= n {
			return
		}
		switch rec.Type {
		case "begin":
			open = i
		case "end":
			rans[i].Executions, open = rec.Executions, -1
		case "coverage":
			rans[i].Forms = rec.Coverage.Forms
		case "finding":
			rans[i].Waits = rans[i].Waits || rec.Finding.Kind == "deadlock"
			if f := rec.Finding; rans[i].Failure == nil && !slices.Contains(notOfCalls, f.Kind) {
				rans[i].Failure = e.failure(f)
			} else if f.Kind == "leak" {
				rans[i].Leaks = true
			}
		}
	}
	res, err := b.run(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if !res.done && open >= 0 && rans[open].Failure == nil {
		rans[open].Failure = &gen.Failure{Kind: "crash", Message: "the process ended: " + res.why(),
			Executions: res.crash.Execution, Output: res.output[:min(len(res.output), 2000)]}
	}
	return rans, nil
}

// notOfCalls are kinds of findings that every test of a type may show: its objects go on in the
// background.
var notOfCalls = []string{"leak", "uncontrolled", "divergence"}

// failure says what a finding shows.
func (e *exploration) failure(f *wire.Finding) *gen.Failure {
	x := &gen.Failure{Kind: f.Kind, Message: f.Message, Executions: f.Executions, Output: f.Output}
	if x.Message == "" {
		var at []string
		for _, p := range f.CorePlaces() {
			if pos, ok := e.lookup(p.Site); ok {
				at = append(at, fmt.Sprintf("%s at %s:%d", p.Op, filepath.Base(pos.File), pos.Line))
			}
		}
		x.Message = strings.Join(at, ", ")
	}
	return x
}
