package main

import (
	"context"
	"testing"

	"heddle/rt/wire"
)

// TestObserved explores the programs of the literature by dpor, whose numbers of executions are
// published, and those with a known number of observations by observe.
func TestObserved(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	b, err := buildPackage(context.Background(), observed, false)
	if err != nil {
		t.Fatal(err)
	}
	var published, observations []string
	for _, r := range literatureRows {
		if r.dpor > 0 {
			published = append(published, r.test)
		}
		if r.rf > 0 {
			observations = append(observations, r.test)
		}
	}
	set := func(c *wire.Config) { c.Package = observed }
	dpor, err := b.explore(context.Background(), "dpor", published, set)
	if err != nil {
		t.Fatal(err)
	}
	observe, err := b.explore(context.Background(), "observe", observations, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range literatureRows {
		if r.dpor > 0 {
			count{r.test, r.dpor}.check(t, "dpor", dpor[r.test])
		}
		if s := observe[r.test]; r.rf > 0 && (s == nil || !s.complete || s.executions > r.dpor) {
			t.Errorf("%s by observe: %+v; want at most %d executions that cover it", r.test, s, r.dpor)
		}
	}
}
