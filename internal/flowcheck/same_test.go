package flowcheck

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

var sameIn = flag.String("same", "", "folders of packages to execute in both builds, separated by commas")

// TestSameSteps executes programs in both builds with all memory visible. The steps must be the
// same, so that a schedule of one build fits the other.
func TestSameSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	folders := []string{"bench/programs", "bench/programs/classes", "examples/ctxleak", "examples/errgroup",
		"examples/mapwrite", "examples/pipeline", "examples/wgadd"}
	for i := range folders {
		folders[i] = "../../" + folders[i]
	}
	if *sameIn != "" {
		folders = strings.Split(*sameIn, ",")
		t.Setenv("GOWORK", "off")
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			if filepath.Base(folder) == "classes" {
				t.Setenv("HEDDLE_BENCH", "1")
			}
			dir, err := filepath.Abs(folder)
			if err != nil {
				t.Fatal(err)
			}
			plain, flow := random(t, dir, false), random(t, dir, true)
			for name, p := range plain {
				if at, a, b := differ(p, flow[name]); at >= 0 {
					t.Errorf("%s, step %d: %s, in the build for data flow %s", name, at, a, b)
				}
			}
		})
	}
}

// An executed is an execution of a program.
type executed struct {
	*Program
	*trace.Trace
}

// random executes every test of the package in dir with a few random schedules. The result is by
// test and seed.
func random(t *testing.T, dir string, flow bool) map[string]executed {
	t.Helper()
	ctx := context.Background()
	p, err := Build(ctx, dir, flow)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := p.Tests(ctx)
	if err != nil || len(tests) == 0 {
		t.Fatal(tests, err)
	}
	found := map[string]executed{}
	for _, test := range tests {
		for seed := range uint64(3) {
			q := wire.Request{Schedule: trace.Schedule{Policy: "random", Seed: seed}, Flow: flow,
				Steps: 20_000}
			_, tr, err := p.Execute(ctx, test, q, "all")
			if err != nil {
				t.Fatal(test, err)
			}
			found[fmt.Sprint(test, " seed ", seed)] = executed{p, tr}
		}
	}
	return found
}

// differ returns the first step that differs in b, or -1, and its text in both.
func differ(a, b executed) (at int, inA, inB string) {
	for i := range max(len(a.Steps), len(b.Steps)) {
		x, y := a.step(i), b.step(i)
		if x != y {
			return i, x, y
		}
	}
	return -1, "", ""
}

// step returns goroutine, operation and position of a step.
func (x executed) step(i int) string {
	if i >= len(x.Steps) {
		return "the end"
	}
	s := x.Steps[i]
	row, _ := x.res.Sites.Lookup(s.Site)
	return fmt.Sprintf("goroutine %d: %v %s %s:%d", s.G, s.Op, row.Text, filepath.Base(row.File), row.Line)
}
