package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"heddle/build"
	"heddle/internal/shard"
)

// -shard 2/5: one machine of five, none of which knows of the others, explores its part of the
// tests. All compute the same plan, from the names of the tests in the source and from a file of
// times, which must be the same on all. So the times that a machine finds in its own cache are no
// base for a plan: another machine has others, and a test would be in no part.

// shardFlags are those of test.
func (o *options) shardFlags(fs *flag.FlagSet) {
	fs.Var(&o.shard, "shard", "explore only a part of the tests: `n/of`, such as 2/5, on one of several machines, which need not know of each other")
	fs.StringVar(&o.times, "times", "", "with -shard: `file` of what tests took, as heddle times prints it, or a folder of such files, to make the parts alike; the same on every machine")
}

func (o *options) checkShard() error {
	if o.times != "" && o.shard.Of == 0 {
		return errors.New("flag -times is for parts: use it with -shard")
	}
	return nil
}

// others are the tests of packages that other machines explore.
type others map[string][]string

// skip returns a pattern of the tests of a package that are left out: the user's, and those of
// other machines.
func (o others) skip(pkg, user string) string { return skipNames(user, o[pkg]) }

// skipNames adds tests to a pattern for -test.skip.
func skipNames(pattern string, names []string) string {
	if len(names) == 0 {
		return pattern
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	skip := "^(" + strings.Join(quoted, "|") + ")$"
	if pattern != "" {
		skip = pattern + "|" + skip
	}
	return skip
}

// chooser returns what chooses packages for build.Config; nil without -shard.
func (e *exploration) chooser() (func([]build.Tests) ([]bool, error), error) {
	s := e.o.shard
	if s.Of == 0 {
		return nil, nil
	}
	times := shard.Times{}
	if e.o.times != "" {
		var err error
		if times, err = shard.Read(e.o.times); err != nil {
			return nil, fmt.Errorf("-times: %w; 'heddle times' prints one, of {} every test counts the same",
				err)
		}
	}
	return func(pkgs []build.Tests) ([]bool, error) {
		all := make([]shard.Package, len(pkgs))
		for i, p := range pkgs {
			all[i] = shard.Package{Path: p.ImportPath, Tests: p.Names}
		}
		plan := shard.New(s.Of, all, times)
		e.others = others{}
		want := make([]bool, len(pkgs))
		mine, tests, in := 0, 0, 0
		for i, p := range pkgs {
			if len(p.Names) == 0 {
				want[i] = plan.Shard(p.ImportPath, "") == s.N
				continue
			}
			for _, name := range p.Names {
				tests++
				if plan.Shard(p.ImportPath, name) == s.N {
					want[i] = true
					mine++
				} else {
					e.others[p.ImportPath] = append(e.others[p.ImportPath], name)
				}
			}
			if want[i] {
				in++
			}
		}
		by := "no times"
		if plan.Timed > 0 {
			by = fmt.Sprintf("times of %d", plan.Timed)
		}
		e.report.Note(fmt.Sprintf("shard %v: %d of %d tests, in %d of %d packages (plan %s, by %s; all machines must print the same)", s, mine, tests, in, len(pkgs), plan.Digest, by))
		return want, nil
	}, nil
}

// keepTime notes what a test took, for heddle times.
func (r *packageRun) keepTime(test string, seconds float64) {
	if r.main || test == "" || strings.Contains(test, "/") {
		return
	}
	if r.took == nil {
		r.took = map[string]shard.Took{}
	}
	r.took[test] = shard.Took{Seconds: float64(int(seconds*1000)) / 1000, At: time.Now().Unix()}
}

// keepTimes writes them to the cache. Where that cannot be written, so be it.
func (r *packageRun) keepTimes() {
	if dir, err := build.DefaultCacheDir(); err == nil && len(r.took) > 0 {
		shard.Keep(dir, r.pkg.ImportPath, r.took)
	}
}

// printTimes is heddle times.
func (t *tool) printTimes(_ context.Context, args []string) int {
	files, err := t.parse("times", new(options), args, true)
	if err != nil {
		return t.parseError(err)
	}
	all := shard.Times{}
	if len(files) == 0 {
		dir, err := build.DefaultCacheDir()
		if err == nil {
			all, err = shard.Kept(dir)
		}
		if err != nil {
			return t.fail(err)
		}
	}
	for _, file := range files {
		times, err := shard.Read(file)
		if err != nil {
			if os.IsNotExist(err) {
				return t.misuse("heddle times: %v", err)
			}
			return t.fail(err)
		}
		all.Merge(times)
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return t.fail(err)
	}
	fmt.Fprintf(t.Stdout, "%s\n", data)
	return exitFine
}
