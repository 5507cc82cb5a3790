package main

import (
	"testing"
	"time"
)

// A test counts as the same only if both have the same result. Other tests are named unless they
// are explained.
func TestTally(t *testing.T) {
	conc := &result{module: module{path: "github.com/sourcegraph/conc"},
		pkgs: map[string]*pkgResult{"github.com/sourcegraph/conc/pool": {
			path: "github.com/sourcegraph/conc/pool",
			plainly: map[string]string{"TestA": "pass", "TestB": "pass", "TestC": "skip", "TestD": "pass",
				"TestE": "fail", "TestF": "pass", "TestG": "pass"},
			controlled: map[string]string{"TestA": "pass", "TestB": "fail", "TestC": "skip", "TestD": "fail",
				"TestE": "pass", "TestG": "fail"},
			findings: []finding{
				{pkg: "github.com/sourcegraph/conc/pool", test: "TestB", kind: "leak"},
				{pkg: "github.com/sourcegraph/conc/pool", test: "TestD", kind: "data race"},
			},
		}}}
	gone := &result{module: module{path: "go.uber.org/goleak/v2"}, failed: "cannot be fetched"}
	got := tally([]*result{conc, gone}, 90*time.Second)
	const want = "sourcegraph/conc, go.uber.org/goleak: 2 of 7 tests as with go test; 1 with a bug of their own ([found](found.md)); " +
		"1 unexplained data race: TestD; 1 fail under go test, pass under heddle: TestE; 1 not run by heddle: TestF; 1 fails under heddle alone: TestG; " +
		"1 modules that cannot be tried; in 1.5 min"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
