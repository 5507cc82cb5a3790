package main

import (
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
	buggyTime    = 10 * time.Second // of Table 5
	buggySeeds   = 2                // explorations of that length: 20 types by 2 strategies
	mapGoal      = 4.07             // goal for map: the paper's mean over all types
	mapWorst     = 11               // goal for each type
)

// A paperClass is a row of the paper's Tables 4 to 6, as published.
type paperClass struct {
	name, class, bug             string
	pcr, maptest                 float64 // Table 4: schedules to the first bug
	intended                     float64 // share of runs in which MAPTest covered the intended pattern
	pcrBugs, maptestBugs         float64 // Table 5
	mcr, pcrSolved, mcrSolved    float64 // Table 6: schedules, constraints
	pcrMilliseconds, mcrMillisec float64
}

var paperClasses = []paperClass{
	{"V1", "PerUserPoolDataSource", "data race", 5.0, 15.2, 0.68, 4.0, 2.3, 3.0, 15.2, 5.0, 482.5, 758.0},
	{"V2", "SharedPoolDataSource", "atomicity", 6.4, 411.6, 1.00, 5.0, 0.5, 3.0, 29.9, 8.0, 684.0, 126.0},
	{"V3", "InputBuffer", "data race", 5.0, 35.1, 0, 3.0, 1.4, 11.6, 16.1, 70.5, 1543.8, 2321.5},
	{"V4", "Request", "data race", 9.5, 10, 0, 13.0, 20.1, 4.3, 20, 14.5, 3607.8, 854.1},
	{"V5", "BufferedInputStream", "atomicity", 2.0, 4.8, 0, 6.6, 4.4, 5.0, 5.2, 12.9, 325.7, 705.2},
	{"V6", "ConcurrentHashMap", "atomicity", 2.8, 1.0, 0, 2.6, 11.5, 6.8, 36.9, 24.8, 5953.3, 3863.7},
	{"V7", "Hashtable", "data race", 2.0, 31.4, 0, 11.6, 5.8, 21.3, 50.5, 192.1, 1174.0, 3967.3},
	{"V8", "Logger", "atomicity", 5.0, 9.0, 0, 4.2, 1.4, 4.7, 24.0, 39.6, 3744.6, 2078.8},
	{"V9", "StringBuffer", "atomicity", 1.0, 6.3, 0, 34.4, 2.1, 1.0, 1.0, 1.1, 168.5, 528.8},
	{"V10", "Vector 1.1.7", "atomicity", 2.0, 14.0, 0, 4.0, 1.3, 3.0, 3.0, 14.0, 241.2, 398.7},
	{"V11", "Vector 1.4.2", "atomicity", 3.0, 44.9, 0, 5.0, 0.4, 4.0, 9.1, 5.0, 1421.7, 559.6},
	{"V12", "NumberAxis", "atomicity", 11.0, 149.0, 0, 3.0, 0.5, 7, 41.9, 12, 1060.4, 520.3},
	{"V13", "PeriodAxis", "data race", 6.8, 22.0, 0.26, 1.6, 0.0, 5.8, 26.0, 23.0, 2583.7, 269.8},
	{"V14", "TimeSeries", "data race", 2.0, 1.0, 0, 3.0, 2.0, 2.0, 2.0, 2.0, 267.8, 682.3},
	{"V15", "XYPlot", "data race", 3.0, 24.6, 0.50, 7.0, 2.9, 3.0, 8.2, 17.9, 776.1, 196.0},
	{"V16", "XYSeries", "data race", 4.9, 17.0, 0, 2.0, 1.7, 3.1, 14.3, 5.1, 344.7, 239.7},
	{"V17", "AppenderAttachableImpl", "data race", 2.0, 86.2, 0, 20.7, 0.0, 8.2, 9.0, 176.0, 1235.2, 2634.5},
	{"V18", "FileAppender", "atomicity", 3.0, 21.7, 0.72, 11.0, 3.3, 2.8, 8.0, 19.4, 418.5, 523},
	{"V19", "NullAppender", "atomicity", 2.0, 20.4, 0, 4.8, 2.0, 3.3, 5.5, 6.4, 211.1, 257.1},
	{"V20", "XStream", "atomicity", 3.0, 670.3, 0, 1.0, 0.1, 3.0, 8.0, 11.0, 5981.5, 5018.8},
}

// patternStrategies are the columns of the first table. Strategies that need data flow have a
// separate build.
var patternStrategies = []struct {
	name string
	flow bool
}{{"map", true}, {"mcr", true}, {"maptest", false}, {"pct", false}, {"random", false}}

// A patternBench compares strategies on the twenty types.
type patternBench struct {
	plain, flow *binary
	out         io.Writer
}

// hunted has the results of the explorations of one type by one strategy.
type hunted struct {
	executions      []int // to the bug, of explorations that found it
	seconds         float64
	solved          int // formulas
	solving         float64
	intended, shown int
	unknown, missed int
}

// mean returns the mean of executions, without explorations that did not find the bug.
func (h *hunted) mean() float64 {
	sum := 0
	for _, n := range h.executions {
		sum += n
	}
	return float64(sum) / float64(max(len(h.executions), 1))
}

func (h *hunted) text() string {
	switch n := len(h.executions); n {
	case 0:
		return "not found"
	case patternSeeds:
		return fmt.Sprintf("%.1f", h.mean())
	default:
		return fmt.Sprintf("%.1f (%d of %d)", h.mean(), n, patternSeeds)
	}
}

// measurePatterns writes the tables to file. only, if not "", selects one type.
func measurePatterns(ctx context.Context, file, only string) error {
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
	b := &patternBench{plain, flow, out}
	rows := paperClasses
	if only == "rules" {
		return b.rules(ctx, rows)
	}
	if only != "" {
		rows = nil
		for _, c := range paperClasses {
			if c.name == only {
				rows = append(rows, c)
			}
		}
		if len(rows) == 0 {
			return fmt.Errorf("no type %s: want one of V1 to V20, or rules for the table about the six rules alone", only)
		}
	}
	b.head()
	all, err := b.first(ctx, rows)
	if err != nil {
		return err
	}
	b.solved(rows, all)
	if err := b.buggy(ctx, rows); err != nil {
		return err
	}
	if err := b.coverage(ctx, rows); err != nil {
		return err
	}
	return b.rules(ctx, rows)
}

// Bounds of an exploration that measures the rules.
const (
	ruleRuns = 100
	ruleTime = 3 * time.Second
)

// rules measures what each of the six rules omits.
func (b *patternBench) rules(ctx context.Context, rows []paperClass) error {
	b.print("\n## The six rules\n\nWhat `map` asks for with all rules, and without each, over all types together: one exploration of each with at most %d executions and %v. An exploration that ends by itself needs less. Without rule 2 it does not go on as `mcr`.\n\n", ruleRuns, ruleTime)
	b.print("| rules | candidates | formulas solved | skipped by cores | schedules that lead nowhere new | executions | types with the bug found |\n| --- |%s\n", strings.Repeat(" ---: |", 6))
	for _, rules := range []string{"123456", "23456", "13456", "12456", "12356", "12346", "12345"} {
		var sum wire.Formulas
		executions, found := 0, 0
		for _, c := range rows {
			bug := false
			err := b.explore(ctx, c.name, "map", true, 1, func(cfg *wire.Config) {
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
	b.print(`# Memory-access patterns: tables 4, 5 and 6, and figure 6

Made by `+"`"+`go run ./bench -map docs/results/map.md`+"`"+` at %s.

The types are those of `+"`"+`bench/programs/classes`+"`"+`: the mechanism of the bug of each of the paper's
classes, in Go and much smaller. The tests are a prefix and two suffixes, written by hand. The
paper's figures (in brackets) are for the Java classes and generated tests: beside ours they tell an
order of magnitude. `+"`"+`map`+"`"+` and `+"`"+`mcr`+"`"+` use data flow. Race detection is off: what counts is a panic or
a failed check. All memory accesses are scheduling points, for every strategy. Means over %d seeds,
each with at most %d executions and %v.

`, commit(), patternSeeds, patternRuns, patternTime)
}

// first measures Table 4.
func (b *patternBench) first(ctx context.Context, rows []paperClass) (map[string]map[string]*hunted, error) {
	b.print("## Executions to the first bug (Table 4)\n\n| type | bug |")
	for _, s := range patternStrategies {
		b.print(" %s |", s.name)
	}
	b.print(" intended pattern covered |\n| --- | --- |%s ---: |\n",
		strings.Repeat(" ---: |", len(patternStrategies)))
	all := map[string]map[string]*hunted{}
	sums := make([]float64, len(patternStrategies))
	worst, missing := 0.0, make([]int, len(patternStrategies))
	for _, c := range rows {
		all[c.name] = map[string]*hunted{}
		b.print("| %s %s | %s |", c.name, c.class, c.bug)
		for i, s := range patternStrategies {
			h, err := b.hunt(ctx, c.name, s.name, s.flow)
			if err != nil {
				return nil, err
			}
			all[c.name][s.name] = h
			sums[i] += h.mean()
			missing[i] += patternSeeds - len(h.executions)
			b.print(" %s%s |", h.text(), published4(&c, s.name))
			if s.name == "map" {
				worst = max(worst, h.mean())
			}
			log.Printf("%s, %s: %s, %d formulas, %d unknown", c.name, s.name, h.text(), h.solved, h.unknown)
		}
		m := all[c.name]["maptest"]
		b.print(" %.2f (%.2f) |\n", float64(m.shown)/float64(max(m.intended, 1)), c.intended)
	}
	b.print("| mean | |")
	for i := range patternStrategies {
		mark := ""
		if missing[i] > 0 {
			mark = fmt.Sprintf(", %d not found", missing[i])
		}
		b.print(" %.2f%s |", sums[i]/float64(len(rows)), mark)
	}
	b.print(" |\n\nThe goal for `map` is a mean of at most %.2f, and none above %d: the mean is %.2f, the greatest %.1f.\n\n", mapGoal, mapWorst, sums[0]/float64(len(rows)), worst)
	return all, nil
}

// published4 returns the paper's figure for a cell of the first table.
func published4(c *paperClass, strategy string) string {
	switch strategy {
	case "map":
		return fmt.Sprintf(" (%.1f)", c.pcr)
	case "mcr":
		return fmt.Sprintf(" (%.1f)", c.mcr)
	case "maptest":
		return fmt.Sprintf(" (%.1f)", c.maptest)
	}
	return ""
}

// solved writes Table 6.
func (b *patternBench) solved(rows []paperClass, all map[string]map[string]*hunted) {
	b.print("## Formulas solved until the first bug, and time (Table 6)\n\n")
	b.print("| type | map formulas | mcr formulas | map ms | of which solving | mcr ms | of which solving |\n| --- |%s\n", strings.Repeat(" ---: |", 6))
	n := float64(patternSeeds)
	for _, c := range rows {
		p, m := all[c.name]["map"], all[c.name]["mcr"]
		b.print("| %s | %.1f (%.1f) | %.1f (%.1f) | %.1f (%.1f) | %.1f | %.1f (%.1f) | %.1f |\n", c.name, float64(p.solved)/n, c.pcrSolved, float64(m.solved)/n, c.mcrSolved,
			1000*p.seconds/n, c.pcrMilliseconds, 1000*p.solving/n, 1000*m.seconds/n, c.mcrMillisec,
			1000*m.solving/n)
	}
	b.print("\n")
}

// hunt explores one type by one strategy, once for each seed, until a finding.
func (b *patternBench) hunt(ctx context.Context, name, strategy string, flow bool) (*hunted, error) {
	h := new(hunted)
	for seed := range patternSeeds {
		found := 0
		err := b.explore(ctx, name, strategy, flow, uint64(seed+1), func(c *wire.Config) {
			c.FailFast, c.Runs, c.Budget = true, patternRuns, int64(patternTime)
		}, func(rec *wire.Record) {
			switch {
			case rec.Type == "finding" && found == 0:
				found = rec.Finding.Executions
				h.executions = append(h.executions, found)
				h.seconds += rec.Elapsed
			case rec.Type == "coverage":
				h.intended, h.shown = h.intended+rec.Coverage.Intended, h.shown+rec.Coverage.Shown
				if f := rec.Coverage.Formulas; f != nil {
					h.solved, h.solving = h.solved+f.Solved, h.solving+f.Solving
					h.unknown, h.missed = h.unknown+f.Undecided, h.missed+f.Missed
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// explore runs the test of one type.
func (b *patternBench) explore(ctx context.Context, name, strategy string, flow bool, seed uint64,
	set func(*wire.Config), record func(*wire.Record)) error {
	bin := b.plain
	if flow {
		bin = b.flow
	}
	config := wire.Config{
		Mode: "test", Package: classes, Strategy: strategy, Seed: seed, Steps: 1_000_000, Visible: "all",
		Isolate: "vars", Count: 1, Flow: flow,
		FlowMemory: 256 << 20,
	}
	set(&config)
	ended := false
	err := run.Binary(ctx, bin.path, bin.dir, config, []string{"-test.run=^Test" + name + "$"},
		func(rec *wire.Record) {
			ended = ended || rec.Type == "end"
			record(rec)
		})
	if err != nil && err != io.EOF {
		return err
	}
	if !ended {
		return fmt.Errorf("test Test%s of %s did not end", name, classes)
	}
	return nil
}

// buggy measures Table 5.
func (b *patternBench) buggy(ctx context.Context, rows []paperClass) error {
	b.print("## Buggy executions in %v (Table 5)\n\nWith `map`, an exploration that ends before has executed all that it knows to ask for.\n\n| type | map | of executions | maptest | of executions |\n| --- |%s\n", buggyTime, strings.Repeat(" ---: |", 4))
	for _, c := range rows {
		b.print("| %s |", c.name)
		for _, s := range []struct {
			name      string
			flow      bool
			published float64
		}{{"map", true, c.pcrBugs}, {"maptest", false, c.maptestBugs}} {
			buggy, all := 0, 0
			for seed := range buggySeeds {
				err := b.explore(ctx, c.name, s.name, s.flow, uint64(seed+1), func(cfg *wire.Config) {
					cfg.Budget, cfg.Whole = int64(buggyTime), true
				}, func(rec *wire.Record) {
					if rec.Type == "end" {
						buggy, all = buggy+rec.Buggy, all+rec.Executions
					}
				})
				if err != nil {
					return err
				}
			}
			b.print(" %.1f (%.1f) | %.1f |", float64(buggy)/buggySeeds, s.published, float64(all)/buggySeeds)
			log.Printf("%s, %s: %d buggy of %d executions", c.name, s.name, buggy, all)
		}
		b.print("\n")
	}
	b.print("\n")
	return nil
}

// coverMarks are the times of the columns of the last table, in seconds.
var coverMarks = []float64{0.01, 0.03, 0.1, 0.3, 1, 3}

// coverage measures Fig. 6: MAP-coverage over time, as a share of the highest number of patterns
// that either strategy reached.
func (b *patternBench) coverage(ctx context.Context, rows []paperClass) error {
	b.print("## MAP-coverage over time (Fig. 6)\n\nPatterns covered after so many seconds, in percent of the highest number that one of the strategies came to within %v s.\n\n| type | strategy |", coverMarks[len(coverMarks)-1])
	for _, m := range coverMarks {
		b.print(" %v s |", m)
	}
	b.print(" patterns |\n| --- | --- |%s ---: |\n", strings.Repeat(" ---: |", len(coverMarks)))
	for _, c := range rows {
		covers := map[string]*wire.Coverage{}
		most := 1
		for _, s := range []struct {
			name string
			flow bool
		}{{"map", true}, {"maptest", false}} {
			err := b.explore(ctx, c.name, s.name, s.flow, 1, func(cfg *wire.Config) {
				cfg.Budget, cfg.Whole, cfg.MapCover = int64(coverMarks[len(coverMarks)-1]*1e9), true, true
			}, func(rec *wire.Record) {
				if rec.Type == "coverage" {
					covers[s.name] = rec.Coverage
				}
			})
			if err != nil {
				return err
			}
			if covers[s.name] == nil {
				return fmt.Errorf("%s, %s: no coverage was told", c.name, s.name)
			}
			most = max(most, covers[s.name].Covered)
		}
		for _, name := range []string{"map", "maptest"} {
			b.print("| %s | %s |", c.name, name)
			for _, m := range coverMarks {
				b.print(" %.0f |", 100*float64(coveredBy(covers[name], m))/float64(most))
			}
			b.print(" %d |\n", covers[name].Covered)
		}
		log.Printf("%s: map covers %d patterns, maptest %d", c.name, covers["map"].Covered,
			covers["maptest"].Covered)
	}
	return nil
}

// coveredBy returns the number of covered patterns at a time.
func coveredBy(c *wire.Coverage, seconds float64) (n int) {
	for _, p := range c.Points {
		if p.Elapsed <= seconds {
			n = p.Covered
		}
	}
	return n
}
