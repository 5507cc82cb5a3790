package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"heddle/build"
	"heddle/internal/run"
	"heddle/rt/wire"
)

// Figure 6 by the paper's protocol (RQ2): both strategies execute the same generated tests of a
// type, again and again, until a budget of processor time is used up. What counts is the number of
// patterns that all tests together have shown.

// maptestRuns is how often maptest executes a test before the next one, as in the paper.
const maptestRuns = 10

// coverShares are the columns: parts of the budget.
var coverShares = []float64{0.01, 0.03, 0.1, 0.3, 1}

// generated measures figure 6.
func (b *patternBench) generated(ctx context.Context, rows []paperClass) error {
	g := b.protocol
	tmp, err := os.MkdirTemp("", "heddle-map-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	plain, flow, err := generatedTests(ctx, tmp, rows, g.tests)
	if err != nil {
		return err
	}
	b.print("## MAP-coverage of generated tests over time (Fig. 6)\n\n%d tests of each type by `heddle gen -random`, the same for both strategies; %v of processor time for each type and strategy, %d times with other seeds (the paper: 1000, 10 minutes, 5; with `-budget 10m -tests 1000 -repeats 5`). `maptest` executes a test %d times before the next one; `map` explores it, for its share of the budget at most. Then all tests are executed again. Percent of the highest number of patterns that one of the two came to; the first column with figures is after %.0f ms.\n\n", g.tests, g.budget, g.repeats, maptestRuns, 1000*coverShares[0]*g.budget.Seconds())
	b.print("| type | strategy |")
	for _, m := range coverShares {
		b.print(" %.2f s |", m*g.budget.Seconds())
	}
	b.print(" patterns | tests executed | executions |\n| --- | --- |%s ---: | ---: | ---: |\n", strings.Repeat(" ---: |", len(coverShares)))
	strategies := []string{"map", "maptest"}
	covered := [2][][]float64{} // by strategy and column: percent by type
	for i := range covered {
		covered[i] = make([][]float64, len(coverShares))
	}
	for _, c := range rows {
		sums, tests, executions := [2][]float64{}, [2]float64{}, [2]float64{}
		for i, s := range strategies {
			bin := plain
			if s == "map" {
				bin = flow
			}
			sums[i] = make([]float64, len(coverShares))
			for k := range g.repeats {
				r, err := bin.cover(ctx, &c, s, k, g)
				if err != nil {
					return err
				}
				for j, m := range coverShares {
					sums[i][j] += float64(r.at(m*g.budget.Seconds())) / float64(g.repeats)
				}
				tests[i] += float64(r.tests) / float64(g.repeats)
				executions[i] += float64(r.executions) / float64(g.repeats)
			}
		}
		last := len(coverShares) - 1
		most := max(sums[0][last], sums[1][last], 1)
		for i, s := range strategies {
			b.print("| %s | %s |", c.name, s)
			for j := range coverShares {
				percent := 100 * sums[i][j] / most
				covered[i][j] = append(covered[i][j], percent)
				b.print(" %.0f |", percent)
			}
			b.print(" %.1f | %.1f | %.0f |\n", sums[i][last], tests[i], executions[i])
		}
		log.Printf("%s: map covers %.1f patterns, maptest %.1f", c.name, sums[0][last], sums[1][last])
	}
	for i, s := range strategies {
		b.print("| mean | %s |", s)
		for j := range coverShares {
			b.print(" %.1f |", mean(covered[i][j]))
		}
		b.print(" | | |\n")
	}
	b.print("| p over the types | |")
	var ahead tally
	for j := range coverShares {
		_, _, p := signedRank(covered[0][j], covered[1][j])
		b.print(" %s |", probability(p))
	}
	b.print(" | | |\n")
	for i, c := range rows {
		ahead.add(c.name, covered[0][len(coverShares)-1][i]-covered[1][len(coverShares)-1][i], 1)
	}
	b.print("\nAt the end `map` is ahead on %d types (%s), `maptest` on %d (%s).\n", len(ahead.better),
		strings.Join(ahead.better, ", "), len(ahead.worse), strings.Join(ahead.worse, ", "))
	return nil
}

// A coverRun is one run of a strategy on the tests of a type.
type coverRun struct {
	times      []float64 // processor time in seconds
	patterns   []int     // by that time
	tests      int       // explorations of a test
	executions int
}

// at returns the patterns at a time.
func (r *coverRun) at(seconds float64) (n int) {
	for i, t := range r.times {
		if t <= seconds {
			n = r.patterns[i]
		}
	}
	return n
}

// cover executes the tests of a type by a strategy until the budget is used up.
func (b *binary) cover(ctx context.Context, c *paperClass, strategy string, repeat int,
	g patternProtocol) (*coverRun, error) {
	r := new(coverRun)
	all := map[uint64]bool{}
	used := 0.0
	for pass := 0; used < g.budget.Seconds(); pass++ {
		type point struct {
			seconds float64
			forms   []uint64
		}
		var points []point
		began, elapsed := childSeconds(), 0.0
		seed := uint64(repeat*1_000_000 + pass + 1)
		share, err := b.explored(ctx, b.dir, "^Test"+c.tests()+"[0-9]+$", strategy, strategy == "map", seed,
			func(cfg *wire.Config) {
				cfg.Whole, cfg.MapCover, cfg.Forms = true, true, true
				if cfg.Budget = int64(g.budget) / int64(g.tests); strategy == "maptest" {
					cfg.Runs = maptestRuns
				}
			}, func(rec *wire.Record) {
				switch rec.Type {
				case "coverage":
					elapsed += rec.Coverage.Elapsed
					points = append(points, point{elapsed, rec.Coverage.Forms})
				case "end":
					r.executions += rec.Executions
				}
			})
		if err != nil {
			return nil, err
		}
		if len(points) == 0 {
			return nil, fmt.Errorf("%s, %s: no coverage was told", c.name, strategy)
		}
		r.tests += len(points)
		for _, p := range points {
			for _, f := range p.forms {
				all[f] = true
			}
			r.times = append(r.times, used+p.seconds*share)
			r.patterns = append(r.patterns, len(all))
		}
		used += childSeconds() - began
	}
	return r, nil
}

// tests is what the names of the generated tests of a type begin with after Test.
func (c *paperClass) tests() string { return c.typ + "Heddle" }

// generatedTests writes tests of the types in a module below tmp, and builds them with and without
// data flow.
func generatedTests(ctx context.Context, tmp string, rows []paperClass, n int) (plain, flow *binary,
	err error) {
	heddle, err := buildHeddle(ctx, tmp)
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(tmp, "classes")
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", classes).Output()
	if err != nil {
		return nil, nil, err
	}
	err = errors.Join(os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module classes\n\ngo 1.26\n"), 0o666),
		os.Remove(filepath.Join(dir, "classes_test.go")))
	if err != nil {
		return nil, nil, err
	}
	for _, c := range rows {
		code, out, _ := timed(ctx, heddle, dir, "gen", "-random", "-f", "-seed", "1", "-n", fmt.Sprint(n),
			"-type", c.typ, ".")
		if code != 0 {
			return nil, nil, fmt.Errorf("heddle gen -type %s: %s", c.typ, out)
		}
	}
	for _, bin := range []**binary{&plain, &flow} {
		res, p, err := run.Build(ctx, build.Config{Dir: dir, Flow: bin == &flow,
			Progress: func(text string) { fmt.Fprintln(os.Stderr, text) }})
		if err != nil {
			return nil, nil, err
		}
		*bin = &binary{path: p.Binary, dir: p.Dir, sites: res.Sites}
	}
	return plain, flow, nil
}
