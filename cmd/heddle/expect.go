package main

import (
	"regexp"
	"slices"
	"strings"

	"heddle/build"
	"heddle/internal/shard"
)

// expect tells the report which tests there are, for its status line.
func (e *exploration) expect(res *build.Result) {
	if e.main {
		return
	}
	times := shard.Times{}
	if dir, err := build.DefaultCacheDir(); err == nil {
		times, _ = shard.Kept(dir)
	}
	all := map[string]float64{}
	for _, p := range res.Packages {
		for _, test := range e.chosen(&p) {
			all[p.ImportPath+" "+test] = times[p.ImportPath][test].Seconds
		}
	}
	e.report.Expect(all, e.o.parallel)
}

// toExplore are the tests of those that are chosen that the cache has no verdict of.
func (e *exploration) toExplore(p *build.Package) []string {
	tests := e.chosen(p)
	if e.verdicts == nil {
		return tests
	}
	return slices.DeleteFunc(tests, func(test string) bool {
		return slices.ContainsFunc(e.verdicts.found[p.ImportPath],
			func(v verdict) bool { return v.Test == test })
	})
}

// chosen are the tests of a package that -run, -skip and -shard leave, as far as their names say.
func (e *exploration) chosen(p *build.Package) (tests []string) {
	if p.Binary == "" {
		return nil
	}
	run, _, _ := strings.Cut(e.o.run, "/")
	for _, test := range p.Tests {
		if ok, err := regexp.MatchString(run, test); err == nil && !ok && !strings.Contains(e.o.run, "/") {
			continue
		}
		if e.o.skip != "" && !strings.ContainsAny(e.o.skip, "/") {
			if ok, err := regexp.MatchString(e.o.skip, test); err == nil && ok {
				continue
			}
		}
		if !slices.Contains(e.others[p.ImportPath], test) {
			tests = append(tests, test)
		}
	}
	return tests
}
