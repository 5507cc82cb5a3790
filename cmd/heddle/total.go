package main

import (
	"flag"
	"slices"
	"sync"
	"time"

	"heddle/build"
	"heddle/internal/total"
	"heddle/report"
	"heddle/rt/wire"
)

// -total 10m: one budget for the tests of a run. When a package begins, what is left is divided
// among its tests and those of the packages that have not begun (package total).

func (o *options) totalFlags(fs *flag.FlagSet) {
	durationVar(fs, &o.total, "total", 0,
		"`time` for all tests together, first for those that are new, have changed or had findings; -budget is then what one test may take at most (default: -budget for each test)")
}

// totals is the state of such a run.
type totals struct {
	mu       sync.Mutex
	until    time.Time
	waiting  map[string][]string // packages that have not begun: their tests
	running  map[string]reserved
	pasts    map[string]map[string]total.Past
	code     map[string]string // by package
	parallel int
}

// A reserved is what a package that runs was given.
type reserved struct {
	began   time.Time
	seconds float64
}

// divide begins the time of the run.
func (e *exploration) divide(res *build.Result) {
	if e.o.total == 0 || e.main {
		return
	}
	t := &totals{until: time.Now().Add(e.o.total), waiting: map[string][]string{}, code: map[string]string{},
		running: map[string]reserved{}, pasts: map[string]map[string]total.Past{}, parallel: max(1,
			e.o.parallel)}
	dir, err := build.DefaultCacheDir()
	for _, p := range res.Packages {
		if p.Binary == "" {
			continue
		}
		t.waiting[p.ImportPath], t.code[p.ImportPath] = e.toExplore(&p), p.Code
		if err == nil {
			t.pasts[p.ImportPath] = total.Kept(dir, p.ImportPath)
		}
	}
	e.total = t
}

// want is what is known of a test.
func (t *totals) want(pkg, test string) total.Want {
	past, ok := t.pasts[pkg][test]
	if !ok {
		return total.Want{Class: total.New}
	}
	w := total.Want{Class: total.ClassOf(&past, t.code[pkg]), Past: past}
	if w.Class == total.Changed {
		w.Past = total.Past{} // it may be another test now
	}
	return w
}

// inOrder returns the packages in the order in which they begin: with -total, those with tests that
// come first before the others.
func (e *exploration) inOrder(pkgs []build.Package) []build.Package {
	if e.total == nil {
		return pkgs
	}
	rank := func(p build.Package) int {
		least := total.Open
		for _, test := range e.total.waiting[p.ImportPath] {
			least = min(least, e.total.want(p.ImportPath, test).Class)
		}
		return int(least)
	}
	pkgs = slices.Clone(pkgs)
	slices.SortStableFunc(pkgs, func(a, b build.Package) int { return rank(a) - rank(b) })
	return pkgs
}

// beginTotal returns what the tests of a package get, in nanoseconds; nil without -total.
func (e *exploration) beginTotal(p *build.Package) map[string]int64 {
	t := e.total
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.begin(p.ImportPath, time.Now(), e.most())
}

// most is what one test may take, in seconds; 0: there is no such bound.
func (e *exploration) most() float64 {
	if e.o.set["budget"] {
		return e.o.budget.Seconds()
	}
	return 0
}

func (t *totals) begin(pkg string, now time.Time, most float64) map[string]int64 {
	left := max(0, t.until.Sub(now).Seconds())
	// packages run beside each other, and the tests of one after each other
	there := left * float64(min(t.parallel, len(t.waiting)+len(t.running)))
	for _, r := range t.running {
		there -= min(left, max(0, r.seconds-now.Sub(r.began).Seconds()))
	}
	var wants []total.Want
	mine := t.waiting[pkg]
	for _, test := range mine {
		wants = append(wants, t.want(pkg, test))
	}
	for other, tests := range t.waiting {
		if other != pkg {
			for _, test := range tests {
				wants = append(wants, t.want(other, test))
			}
		}
	}
	given := total.Allocate(max(0, there), most, wants)[:len(mine)]
	sum := 0.0
	for _, s := range given {
		sum += s
	}
	if sum > left { // one after the other they have no more than that
		given = total.Allocate(left, most, wants[:len(mine)])
		sum = left
	}
	delete(t.waiting, pkg)
	t.running[pkg] = reserved{now, sum}
	out := map[string]int64{}
	for i, test := range mine {
		out[test] = int64(given[i] * 1e9)
	}
	return out
}

// endTotal gives back what a package did not need.
func (e *exploration) endTotal(p *build.Package) {
	if t := e.total; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.running, p.ImportPath)
	}
}

// configOf is what to tell a binary that explores one test, or all of the package (test "").
func (r *packageRun) configOf(test string) wire.Config {
	c := r.o.config()
	c.Constants, c.FuzzCache, c.LeftAlone = r.pkg.Constants, r.pkg.FuzzCache, len(r.pkg.Left) > 0
	c.Properties = r.pkg.Properties
	if r.concerned() { // a finding that is known must not keep new ones from showing
		c.Whole, c.FailFast = true, false
	}
	if r.allotted == nil {
		return c
	}
	left := time.Until(r.total.until).Nanoseconds()
	c.Most, c.Until = int64(r.most()*1e9), r.total.until.UnixNano()
	if test == "" {
		c.Budgets = r.allotted
		for _, d := range r.allotted {
			c.Budget = max(c.Budget, d)
		}
		return c
	}
	// what has begun is gone on with: it takes an execution at least
	c.Budget = max(int64(time.Millisecond), min(r.allotted[test], left))
	return c
}

// keepPasts notes how far the tests came, for the next run with -total.
func (r *packageRun) keepPasts(res *report.Result) {
	if r.main {
		return
	}
	pasts := map[string]total.Past{}
	for _, t := range res.Tests {
		if t.Executions == 0 || t.Result == "skip" || t.Cached {
			continue
		}
		p := total.Past{Code: r.pkg.Code, Covered: t.Complete, Findings: len(t.Findings) + len(t.Known),
			Seconds: t.Elapsed}
		if !t.Complete && t.Estimate > float64(t.Executions) {
			p.Need = t.Elapsed * t.Estimate / float64(t.Executions)
		}
		pasts[t.Name] = p
	}
	if dir, err := build.DefaultCacheDir(); err == nil && len(pasts) > 0 {
		total.Keep(dir, r.pkg.ImportPath, pasts) // without it the next run takes the tests for new
	}
}
