package main

import (
	"context"
	"strings"
	"testing"
)

// TestBehind: strategy branch finds every race that is behind a branch which is no if statement,
// and nothing in the fixed twins.
func TestBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	all, err := exploreBehind(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 48 {
		t.Errorf("%d tests, want 24 programs and their twins at least", len(all))
	}
	for _, h := range all {
		switch fixed := strings.HasSuffix(h.test, "Fixed"); {
		case fixed && h.found > 0:
			t.Errorf("%s: a finding after %d executions: %s", h.test, h.found, h.reason)
		case !fixed && h.found == 0:
			t.Errorf("%s: no finding in %d executions: %s", h.test, h.executions, h.reason)
		}
	}
}

// TestTableV: programs with the structure of the five experiments have as many branches affected
// by interleaving as the originals, and as many test cases.
func TestTableV(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	var tests []string
	for _, e := range experiments {
		tests = append(tests, e.test)
	}
	found, err := exploreGroups(context.Background(), tests, []string{"branch"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		x := found[e.test]
		if x.Affected != e.affected || x.Groups.Groups != e.groups {
			t.Errorf("%s: %d branches are affected, with %d groups; want %d, %d", e.name, x.Affected,
				x.Groups.Groups, e.affected, e.groups)
		}
		if x.Settled == 0 {
			t.Errorf("%s: not all groups were tested", e.name)
		}
		if e.groups == 0 && x.Settled > 1 {
			t.Errorf("%s: %d executions, want no further test", e.name, x.Settled)
		}
	}
}
