package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"heddle/internal/run"
	"heddle/rt/wire"
)

// classes is the package of the twenty types of the paper on pattern constraint reduction.
const classes = "heddle/bench/programs/classes"

// How the strategies are compared there.
const (
	patternSeeds = 10               // explorations of a type by a strategy, as in the paper
	patternRuns  = 20_000           // most executions of an exploration
	patternTime  = 20 * time.Second // longest time of an exploration
	mapGoal      = 4.07             // goal for map: the paper's mean over all types
	mapWorst     = 11               // goal for each type
)

// A patternStrategy is a column of the first table. Strategies that need data flow have a separate
// build.
type patternStrategy struct {
	name    string
	flow    bool
	options map[string]string
}

// title is what the column is called.
func (s *patternStrategy) title() string {
	for k, v := range s.options {
		return s.name + "," + k + "=" + v
	}
	return s.name
}

// patternStrategies are the columns. As the paper has it map makes no random executions.
var patternStrategies = []patternStrategy{
	{"map", true, map[string]string{"cheap": "0"}},
	{"map", true, nil},
	{"mcr", true, nil},
	{"maptest", false, nil},
	{"pct", false, nil},
	{"random", false, nil},
}

// A patternBench compares strategies on the twenty types.
type patternBench struct {
	plain, flow *binary
	out         io.Writer
	protocol    patternProtocol
}

// A patternProtocol has the lengths of the experiments. The paper's are in brackets.
type patternProtocol struct {
	budget  time.Duration // processor time of a strategy for the generated tests of a type (10m)
	tests   int           // generated tests of a type (1000)
	repeats int           // of that (5)
	buggy   time.Duration // an exploration for Table 5 (10s)
}

// hunted has the results of the explorations of one type by one strategy.
type hunted struct {
	executions   []float64 // by seed: to the bug, or all
	milliseconds []float64 // by seed: of processor time
	found        int       // explorations that found the bug
	solved       int       // formulas
	solving      float64
	intended     int
	shown        int
	unknown      int
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(max(len(all), 1))
}

// text is the mean number of executions to the bug.
func (h *hunted) text() string {
	if h.found < patternSeeds {
		return fmt.Sprintf("%.1f, found %d of %d times", mean(h.executions), h.found, patternSeeds)
	}
	return fmt.Sprintf("%.1f", mean(h.executions))
}

// lessBy is the paper's formulas 3 and 4: by how many percent one is less than other, negative if
// other is less.
func lessBy(one, other float64) float64 {
	if most := max(one, other); most > 0 {
		return 100 * (other - one) / most
	}
	return 0
}

// speedup is formulas 5 and 6: how many times as long other takes as one, negative if one takes
// longer.
func speedup(one, other float64) float64 {
	if other >= one {
		return other / one
	}
	return -one / other
}

// measurePatterns writes the tables to file. only, if not "", selects one type, or table rules or
// generated, or the tables of the first bug; branches is a page of its own.
func measurePatterns(ctx context.Context, file, only string, protocol patternProtocol) error {
	if only == "branches" {
		out, err := os.Create(file)
		if err != nil {
			return err
		}
		defer out.Close()
		return behindBranches(ctx, out)
	}
	plain, err := buildPackage(ctx, classes, false)
	if err != nil {
		return err
	}
	flow, err := buildPackage(ctx, classes, true)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	b := &patternBench{plain, flow, out, protocol}
	rows := paperClasses
	switch only {
	case "rules":
		return b.rules(ctx, rows)
	case "generated":
		return b.generated(ctx, rows)
	case "", "first":
	default:
		rows = nil
		for _, c := range paperClasses {
			if c.name == only {
				rows = append(rows, c)
			}
		}
		if len(rows) == 0 {
			return fmt.Errorf("no type %s: want one of V1 to V20, or rules, first, generated or branches for one table alone", only)
		}
	}
	b.head()
	if err := b.described(rows); err != nil {
		return err
	}
	all, err := b.first(ctx, rows)
	if err != nil {
		return err
	}
	b.versus(rows, all)
	b.solved(rows, all)
	if only == "first" {
		return nil
	}
	if err := b.buggy(ctx, rows); err != nil {
		return err
	}
	return b.generated(ctx, rows)
}

// Bounds of an exploration that measures the rules.
const (
	ruleRuns = 100
	ruleTime = 3 * time.Second
)

// rules measures what each of the six rules omits.
func (b *patternBench) rules(ctx context.Context, rows []paperClass) error {
	b.print("# The six rules\n\nMade by `go run ./bench -map docs/results/map-rules.md -type rules` at %s, on the types of [memory-access patterns](map.md).\n\nWhat `map` asks for with all rules, and without each, over all types together: one exploration of each with at most %d executions and %v. An exploration that ends by itself needs less. Without rule 2 it does not go on as `mcr`.\n\n", commit(), ruleRuns, ruleTime)
	b.print("| rules | candidates | formulas solved | skipped by cores | schedules that lead nowhere new | executions | types with the bug found |\n| --- |%s\n", strings.Repeat(" ---: |", 6))
	for _, rules := range []string{"123456", "23456", "13456", "12456", "12356", "12346", "12345"} {
		var sum wire.Formulas
		executions, found := 0, 0
		for _, c := range rows {
			bug := false
			_, err := b.explore(ctx, c.name, "map", true, 1, func(cfg *wire.Config) {
				cfg.Options, cfg.Runs, cfg.Budget, cfg.Whole = map[string]string{"rules": rules}, ruleRuns,
					int64(ruleTime), true
			}, func(rec *wire.Record) {
				bug = bug || rec.Type == "finding"
				if rec.Type == "coverage" {
					f := rec.Coverage.Formulas
					executions += rec.Executions
					sum.Candidates, sum.Solved, sum.Skipped, sum.Duplicates = sum.Candidates+f.Candidates,
						sum.Solved+f.Solved, sum.Skipped+f.Skipped, sum.Duplicates+f.Duplicates
				}
			})
			if err != nil {
				return err
			}
			if bug {
				found++
			}
		}
		b.print("| %s | %d | %d | %d | %d | %d | %d of %d |\n", rules, sum.Candidates, sum.Solved,
			sum.Skipped, sum.Duplicates, executions, found, len(rows))
		log.Printf("rules %s: %d candidates, %d formulas, %d executions, found in %d", rules, sum.Candidates,
			sum.Solved, executions, found)
	}
	return nil
}

func (b *patternBench) print(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }

func (b *patternBench) head() {
	b.print(`# Memory-access patterns: tables 3 to 6, and figure 6

Made by `+"`"+`go run ./bench -map docs/results/map.md`+"`"+` at %s. [The six rules](map-rules.md).

The types are those of `+"`"+`bench/programs/classes`+"`"+`: the mechanism of the bug of each of the paper's
classes, in Go and much smaller. For tables 4 to 6 the tests are a prefix and two suffixes, written
by hand. Figures in brackets are the paper's, for the Java classes and generated tests: beside ours
they tell an order of magnitude. `+"`"+`map`+"`"+` (PCR) and `+"`"+`mcr`+"`"+` use data flow. Race detection is off: what
counts is a panic or a failed check. All memory accesses are scheduling points, for every strategy.
Means over %d seeds, each with at most %d executions and %v.

Milliseconds are processor time: the time of an exploration, times the share of a processor that its
process got. *Reduction* is by how many percent the first strategy needs less, *speed-up* how many
times as long the second takes; below zero the second is better. p is that of the Wilcoxon
signed-rank test over the seeds, exact and two-sided; with ten seeds the least is 0.002.

`, commit(), patternSeeds, patternRuns, patternTime)
}

// first measures Table 4.
func (b *patternBench) first(ctx context.Context, rows []paperClass) (map[string]map[string]*hunted, error) {
	b.print("## Executions to the first bug\n\n| type |")
	for _, s := range patternStrategies {
		b.print(" %s |", s.title())
	}
	b.print(" maptest covered the intended pattern |\n| --- |%s ---: |\n",
		strings.Repeat(" ---: |", len(patternStrategies)))
	all := map[string]map[string]*hunted{}
	sums := make([]float64, len(patternStrategies))
	worst := 0.0
	for _, c := range rows {
		all[c.name] = map[string]*hunted{}
		b.print("| %s |", c.name)
		for i, s := range patternStrategies {
			h, err := b.hunt(ctx, c.name, &s)
			if err != nil {
				return nil, err
			}
			all[c.name][s.title()] = h
			sums[i] += mean(h.executions)
			b.print(" %s%s |", h.text(), published4(&c, s.title()))
			if i == 0 {
				worst = max(worst, mean(h.executions))
			}
			log.Printf("%s, %s: %s, %.1f ms, %d formulas, %d unknown", c.name, s.title(), h.text(),
				mean(h.milliseconds), h.solved, h.unknown)
		}
		m := all[c.name]["maptest"]
		b.print(" %.2f (%.2f) |\n", float64(m.shown)/float64(max(m.intended, 1)), c.intended)
	}
	b.print("| mean |")
	for i := range patternStrategies {
		b.print(" %.2f |", sums[i]/float64(len(rows)))
	}
	b.print(" |\n\nBy default `map` makes four random executions for each that it examines; the paper's does not, which is option `cheap=0`. The goal for that is a mean of at most %.2f, and none above %d: the mean is %.2f, the greatest %.1f.\n\n", mapGoal, mapWorst, sums[0]/float64(len(rows)), worst)
	return all, nil
}

// published4 returns the paper's figure for a cell of the first table.
func published4(c *paperClass, strategy string) string {
	switch strategy {
	case "map,cheap=0":
		return fmt.Sprintf(" (%.1f)", c.pcr)
	case "mcr":
		return fmt.Sprintf(" (%.1f)", c.mcr)
	case "maptest":
		return fmt.Sprintf(" (%.1f)", c.maptest)
	}
	return ""
}

// versus writes Table 4.
func (b *patternBench) versus(rows []paperClass, all map[string]map[string]*hunted) {
	b.print("## map beside maptest, to the first bug (Table 4)\n\n")
	b.print("| type | map ms | maptest ms | reduction of executions %% | p | speed-up | p | success |\n| --- |%s\n",
		strings.Repeat(" ---: |", 7))
	var fewer, faster tally
	for _, c := range rows {
		m, t := all[c.name]["map"], all[c.name]["maptest"]
		x, y, ms, mt := mean(m.executions), mean(t.executions), mean(m.milliseconds), mean(t.milliseconds)
		_, _, p := signedRank(m.executions, t.executions)
		_, _, pt := signedRank(m.milliseconds, t.milliseconds)
		fewer.add(c.name, y-x, p)
		faster.add(c.name, mt-ms, pt)
		b.print("| %s | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %s | %.1f (%.1f) | %s | %d%%, %d%% |\n", c.name, ms, c.pcrTime,
			mt, c.maptestTime, lessBy(x, y), lessBy(c.pcr, c.maptest), probability(p), speedup(ms, mt),
			speedup(c.pcrTime, c.maptestTime), probability(pt), 100*m.found/patternSeeds,
			100*t.found/patternSeeds)
	}
	b.print("\nOf the executions `map` needs %s.\n\nOf the time it needs %s.\n\n", &fewer, &faster)
	b.times(rows, all)
}

// times writes the milliseconds of map and of those that do not think.
func (b *patternBench) times(rows []paperClass, all map[string]map[string]*hunted) {
	names := []string{"map", "map,cheap=0", "maptest", "pct", "random"}
	b.print("## Milliseconds to the first bug\n\n| type | %s |\n| --- |%s\n", strings.Join(names, " | "),
		strings.Repeat(" ---: |", len(names)))
	sums := make([]float64, len(names))
	row := func(title string, of func(i int) float64) {
		b.print("| %s |", title)
		for i := range names {
			b.print(" %.1f |", of(i))
		}
		b.print("\n")
	}
	for _, c := range rows {
		row(c.name, func(i int) float64 {
			ms := mean(all[c.name][names[i]].milliseconds)
			sums[i] += ms
			return ms
		})
	}
	row("mean", func(i int) float64 { return sums[i] / float64(len(rows)) })
	b.print("\n")
}

// A tally counts where one strategy is better, and with a probability below 0.05.
type tally struct{ better, worse, clearly, clearlyNot []string }

func (t *tally) add(name string, by, p float64) {
	switch {
	case by > 0:
		if t.better = append(t.better, name); p < 0.05 {
			t.clearly = append(t.clearly, name)
		}
	case by < 0:
		if t.worse = append(t.worse, name); p < 0.05 {
			t.clearlyNot = append(t.clearlyNot, name)
		}
	}
}

func (t *tally) String() string {
	list := func(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }
	return fmt.Sprintf("less on %d types (p < 0.05 on %d), and more on %d: %s (p < 0.05: %s)", len(t.better),
		len(t.clearly), len(t.worse), list(t.worse), list(t.clearlyNot))
}

// solved writes Table 6.
func (b *patternBench) solved(rows []paperClass, all map[string]map[string]*hunted) {
	b.print("## map beside mcr, to the first bug (Table 6)\n\n`map` is that with `cheap=0` here, as in the paper. Formulas are the constraints that were given to the solver.\n\n")
	b.print("| type | map formulas | map ms | solving | mcr formulas | mcr ms | solving | reduction of executions %% | of formulas %% | speed-up | p |\n| --- |%s\n", strings.Repeat(" ---: |", 10))
	n := float64(patternSeeds)
	var faster tally
	for _, c := range rows {
		p, m := all[c.name]["map,cheap=0"], all[c.name]["mcr"]
		ms, mm := mean(p.milliseconds), mean(m.milliseconds)
		f, g := float64(p.solved)/n, float64(m.solved)/n
		_, _, prob := signedRank(p.milliseconds, m.milliseconds)
		faster.add(c.name, mm-ms, prob)
		b.print("| %s | %.1f (%.1f) | %.1f (%.1f) | %.1f | %.1f (%.1f) | %.1f (%.1f) | %.1f | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %s |\n", c.name,
			f, c.pcrSolved, ms, c.pcrMilliseconds, 1000*p.solving/n,
			g, c.mcrSolved, mm, c.mcrMillisec, 1000*m.solving/n,
			lessBy(mean(p.executions), mean(m.executions)), lessBy(c.pcr, c.mcr), lessBy(f, g),
			lessBy(c.pcrSolved, c.mcrSolved), speedup(ms, mm), speedup(c.pcrMilliseconds, c.mcrMillisec),
			probability(prob))
	}
	b.print("\nOf the time `map` needs %s.\n\n", &faster)
}

// hunt explores one type by one strategy, once for each seed, until a finding.
func (b *patternBench) hunt(ctx context.Context, name string, by *patternStrategy) (*hunted, error) {
	h := new(hunted)
	for seed := range patternSeeds {
		found, all, elapsed, solving := 0, 0, 0.0, 0.0
		share, err := b.explore(ctx, name, by.name, by.flow, uint64(seed+1), func(c *wire.Config) {
			c.FailFast, c.Runs, c.Budget, c.Options = true, patternRuns, int64(patternTime), by.options
		}, func(rec *wire.Record) {
			switch {
			case rec.Type == "finding" && found == 0:
				found, elapsed = rec.Finding.Executions, rec.Elapsed
				h.found++
			case rec.Type == "end" && found == 0:
				all, elapsed = rec.Executions, rec.Elapsed
			case rec.Type == "coverage":
				h.intended, h.shown = h.intended+rec.Coverage.Intended, h.shown+rec.Coverage.Shown
				if f := rec.Coverage.Formulas; f != nil {
					h.solved, solving = h.solved+f.Solved, f.Solving
					h.unknown += f.Undecided
				}
			}
		})
		if err != nil {
			return nil, err
		}
		h.executions = append(h.executions, float64(max(found, all)))
		h.milliseconds = append(h.milliseconds, 1000*elapsed*share)
		h.solving += solving * share
	}
	return h, nil
}

// explore runs the test of one type. It returns the share of a processor that the process got.
func (b *patternBench) explore(ctx context.Context, name, strategy string, flow bool, seed uint64,
	set func(*wire.Config), record func(*wire.Record)) (share float64, err error) {
	bin := b.plain
	if flow {
		bin = b.flow
	}
	ended := false
	pattern := "^Test" + name + "$"
	share, err = bin.explored(ctx, classes, pattern, strategy, flow, seed, set, func(rec *wire.Record) {
		ended = ended || rec.Type == "end"
		record(rec)
	})
	if err == nil && !ended {
		err = fmt.Errorf("test Test%s of %s did not end", name, classes)
	}
	return share, err
}

// explored explores the tests that match pattern. It returns the share of a processor that the
// process got.
func (b *binary) explored(ctx context.Context, pkg, pattern, strategy string, flow bool, seed uint64,
	set func(*wire.Config), record func(*wire.Record)) (share float64, err error) {
	config := wire.Config{
		Mode: "test", Package: pkg, Strategy: strategy, Seed: seed, Steps: 1_000_000, Visible: "all",
		Isolate: "vars", Count: 1, ForFlow: flow, FlowMemory: 256 << 20,
	}
	set(&config)
	began, used := time.Now(), childSeconds()
	err = run.Binary(ctx, b.path, b.dir, config, []string{"-test.run=" + pattern}, record)
	if err == io.EOF {
		err = nil
	}
	return (childSeconds() - used) / time.Since(began).Seconds(), err
}

// buggy measures Table 5.
func (b *patternBench) buggy(ctx context.Context, rows []paperClass) error {
	b.print("## Buggy executions in %v (Table 5)\n\nMeans of %d explorations of that time (the paper: 10 s), which a busy machine shortens for both. With `map`, an exploration that ends before has executed all that it knows to ask for.\n\n", b.protocol.buggy, patternSeeds)
	b.print("| type | map | of executions | maptest | of executions | difference | p |\n| --- |%s\n",
		strings.Repeat(" ---: |", 6))
	var more tally
	for _, c := range rows {
		names := []string{"map", "maptest"}
		buggy, all := make([][]float64, 2), make([][]float64, 2)
		for seed := range patternSeeds {
			for i, name := range names {
				_, err := b.explore(ctx, c.name, name, name == "map", uint64(seed+1), func(cfg *wire.Config) {
					cfg.Budget, cfg.Whole = int64(b.protocol.buggy), true
				}, func(rec *wire.Record) {
					if rec.Type == "end" {
						buggy[i] = append(buggy[i], float64(rec.Buggy))
						all[i] = append(all[i], float64(rec.Executions))
					}
				})
				if err != nil {
					return err
				}
			}
		}
		x, y := mean(buggy[0]), mean(buggy[1])
		_, _, p := signedRank(buggy[0], buggy[1])
		more.add(c.name, x-y, p)
		b.print("| %s | %.1f (%.1f) | %.1f | %.1f (%.1f) | %.1f | %.1f (%.1f) | %s |\n", c.name, x, c.pcrBugs,
			mean(all[0]), y, c.maptestBugs, mean(all[1]), x-y, c.pcrBugs-c.maptestBugs, probability(p))
		log.Printf("%s: %.1f buggy of %.1f, maptest %.1f of %.1f", c.name, x, mean(all[0]), y, mean(all[1]))
	}
	b.print("\n`map` shows more on %d types (p < 0.05 on %d).\n\n", len(more.better), len(more.clearly))
	return nil
}
