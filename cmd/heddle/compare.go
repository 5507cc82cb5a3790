package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"heddle/build"
	"heddle/explore"
	"heddle/report"
	"heddle/report/timeline"
	"heddle/rt/wire"
)

// compare is heddle compare: the same tests by each strategy, every one in a process of its own and
// without clips, so that none profits from another.
func (t *tool) compare(ctx context.Context, args []string) int {
	o := new(options)
	o.count, o.parallel, o.predict, o.dataFlow, o.memory = 1, 1, true, true, 256<<20
	patterns, err := t.parse("compare", o, args, true, o.buildFlags, o.pickFlags, o.compareFlags)
	if err != nil {
		return t.parseError(err)
	}
	c := &comparison{tool: t, o: o}
	if len(o.strategies) == 0 {
		o.strategies = compared()
	}
	if err := c.build(ctx, patterns); err != nil {
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return t.fail(err)
	}
	for i := range c.plain.Packages {
		if err := c.comparePackage(ctx, i); err != nil {
			if ctx.Err() != nil {
				c.report.Note("interrupted")
				return exitInterrupted
			}
			return t.fail(err)
		}
	}
	code := max(c.report.Close(), c.code)
	if o.html != "" {
		if err := writeFile(t.abs(o.html), func(w io.Writer) error {
			return timeline.WriteCompared(w,
				c.drawn)
		}); err != nil {
			code = max(code, t.fail(err))
		}
	}
	return code
}

// compareFlags are those of compare: what all strategies understand.
func (o *options) compareFlags(fs *flag.FlagSet) {
	fs.BoolVar(&o.json, "json", false, "print events as JSON, one a strategy and test")
	fs.StringVar(&o.html, "html", "", "draw the comparisons as a page, in `file`")
	fs.Func("strategies", "compare only those of this `list`, separated by commas, as are the options of each (default "+strings.Join(explore.Names(func(u *explore.Unit) bool { return u.Compared }), ",")+")", func(s string) (err error) {
		o.strategies, err = explore.ParseList(s)
		return err
	})
	durationVar(fs, &o.budget, "budget", 5*time.Second, "`time` for each strategy and test")
	fs.IntVar(&o.runs, "runs", 0, "execute each test `n` times at most by each strategy; 0: until the budget ends")
	fs.Uint64Var(&o.seed, "seed", 0, "`number` that all random choices come from")
	o.memoryFlag(fs)
	choose(fs, &o.visible, "visible", visibles, "memory accesses at which the scheduler may choose")
	choose(fs, &o.time, "time", times, "when timers fire")
	fs.BoolVar(&o.race, "race", true, "look for data races")
	o.hangFlag(fs)
	o.choose(explore.Lookup("auto"), nil)
	o.isolate = "auto"
}

// compared are the strategies that are compared if the user does not say.
func compared() (list []explore.Choice) {
	for _, u := range explore.Units() {
		if u.Compared {
			list = append(list, explore.Choice{Unit: u})
		}
	}
	return list
}

// A comparison is one run of compare.
type comparison struct {
	tool   *tool
	o      *options
	report *report.Reporter
	plain  *build.Result
	// by import path, those built for strategies that ask for data flow
	flow  map[string]*build.Package
	sites [2]*exploration // for the plain build, and the other one
	drawn []timeline.Compared
	code  int
}

// build builds the packages, for data flow too where a strategy needs it.
func (c *comparison) build(ctx context.Context, patterns []string) error {
	for i, flow := range [2]bool{false, true} {
		k := slices.IndexFunc(c.o.strategies, func(s explore.Choice) bool { return c.o.flows(s.Unit) })
		if flow && k < 0 {
			continue
		}
		o := *c.o
		if flow {
			o.choose(c.o.strategies[k].Unit, nil)
		}
		e := &exploration{tool: c.tool, o: &o}
		res, err := e.build(ctx, c.tool.Dir, patterns)
		if err != nil {
			return err
		}
		c.sites[i] = e
		if !flow {
			c.plain, c.report = res, e.report
			continue
		}
		c.flow = make(map[string]*build.Package)
		for k := range res.Packages {
			c.flow[res.Packages[k].ImportPath] = &res.Packages[k]
		}
	}
	return nil
}

// comparePackage compares the tests of a package.
func (c *comparison) comparePackage(ctx context.Context, i int) error {
	p := &c.plain.Packages[i]
	switch {
	case p.NoTests:
		c.report.NoTests(p.ImportPath)
		return nil
	case p.Failed != "":
		c.report.BuildFailed(p.ImportPath, p.Failed)
		return nil
	}
	tests, err := c.tests(ctx, p)
	if err != nil {
		return err
	}
	for _, test := range tests {
		var all []report.Comparison
		for _, s := range c.o.strategies {
			c.report.Doing(fmt.Sprintf("%s by %s", test, s.Unit.Name))
			x, err := c.explore(ctx, p, test, s)
			if err != nil {
				return err
			}
			all = append(all, x)
			if x.Alone() {
				break
			}
		}
		c.report.Doing("")
		c.report.Compare(p.ImportPath, test, all)
		c.drawn = append(c.drawn, report.Compared(p.ImportPath, test, all))
	}
	return nil
}

// tests lists the tests of a package.
func (c *comparison) tests(ctx context.Context, p *build.Package) (tests []string, err error) {
	b := (&packageRun{exploration: c.sites[0], pkg: p, start: time.Now()}).process()
	b.config.Mode = "list"
	b.record = func(rec *wire.Record) {
		if rec.Type == "test" {
			tests = append(tests, rec.Test)
		}
	}
	res, err := b.run(ctx)
	if err == nil && res.err != nil {
		err = fmt.Errorf("%s: %s", p.ImportPath, res.why())
	}
	return tests, err
}

// explore explores one test by one strategy.
func (c *comparison) explore(ctx context.Context, p *build.Package, test string,
	strategy explore.Choice) (report.Comparison, error) {
	x := report.Comparison{Strategy: strategy.Unit.Name}
	o := *c.o
	o.choose(strategy.Unit, strategy.Values)
	o.run = only(test, o.run)
	from := c.sites[0]
	if o.flow() {
		from, p = c.sites[1], c.flow[p.ImportPath]
		if p == nil || p.Binary == "" {
			x.Error = "could not be built for data flow"
			return x, nil
		}
	}
	e := &exploration{tool: c.tool, o: &o, sites: from.sites, unlink: from.unlink}
	b := (&packageRun{exploration: e, pkg: p, start: time.Now()}).process()
	b.config.Compare, b.config.Whole = true, true
	b.extend = time.Duration(b.config.Budget + b.config.Longest)
	seen := make(map[string]bool)
	b.record = func(rec *wire.Record) {
		if rec.Type == "finding" {
			if bug := e.bug(rec.Finding); seen[bug] {
				return
			} else {
				seen[bug] = true
			}
		}
		x.Take(rec)
	}
	res, err := b.run(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return x, err
	}
	if !res.done {
		x.Error = "the test binary ended in the middle: " + res.why()
		x.Findings++
		if x.First == 0 {
			x.First = max(res.crash.Execution, 1)
		}
		x.Executions = max(x.Executions, res.crash.Execution)
	}
	if x.Findings > 0 {
		c.code = exitFindings
	}
	return x, nil
}

// only is the pattern of one test, with the user's choice of its subtests.
func only(test, run string) string {
	pattern := "^" + regexp.QuoteMeta(test) + "$"
	if _, sub, ok := strings.Cut(run, "/"); ok {
		pattern += "/" + sub
	}
	return pattern
}

// bug names what a finding is about by its kind and the lines where it shows: two accesses of a
// statement are one bug.
func (e *exploration) bug(f *wire.Finding) string {
	var at []string
	for _, p := range f.CorePlaces() {
		if pos, ok := e.lookup(p.Site); ok {
			p.File, p.Line = pos.File, pos.Line
		}
		at = append(at, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	slices.Sort(at)
	return f.Kind + " " + strings.Join(at, " ")
}
