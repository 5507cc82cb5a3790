package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"heddle/engine"
	"heddle/explore"
	"heddle/internal/run"
	"heddle/rt/wire"
)

// How the strategies are compared on the programs with a bug.
const (
	bugSeeds = 10  // explorations of a program by a strategy, each with its own seed
	bugRuns  = 500 // most executions of an exploration
	// longest processor time of an exploration, more or less
	bugTime = 400 * time.Millisecond
)

const sctbench = "heddle/bench/programs/sctbench"

// bugStrategies are the columns: -strategy S of each, and its head.
var bugStrategies = []struct{ head, strategy string }{
	{"pos", "pos"}, {"pct", "pct"}, {"urw", "surw,select=all"}, {"surw", "surw"}, {"rff", "rff"},
	{"map", "map"}, {"auto", "auto"},
}

// portfolios are the columns of the table that decides what is in the portfolio.
var portfolios = []struct{ head, strategy string }{
	{"all", "auto"},
	{"without surw", armed("pos", "pct", "random", "reach", "map", "rff")},
	{"without rff", armed("pos", "pct", "random", "reach", "map", "surw")},
	{"without map", armed("pos", "pct", "random", "reach", "surw", "rff")},
	{"without both surw and rff", armed("pos", "pct", "random", "reach", "map")},
}

// armed returns auto with these arms and bound.
func armed(arms ...string) string {
	return "auto,arms=" + strings.Join(append(arms, "bound"), ",arms=")
}

// A bugProgram is a row: a test with a bug, and published schedules to the first bug of the program
// of the same name.
type bugProgram struct {
	pkg, test, published string
}

// bugPrograms are the rows. Published are the medians over 20 trials in the raw data of the RFF
// paper's artifact, for RFF, POS, PCT (d=3), Q-learning and PERIOD.
var bugPrograms = []bugProgram{
	{sctbench, "Account", "1 | 1 | 6 | 4 | 10"},
	{sctbench, "Arithmetic", none},
	{sctbench, "Bluetooth", "46 | 43 | 116 | 91 | 9"},
	{sctbench, "Carter01", "1 | 2 | 5 | 1 | 5"},
	{sctbench, "CircularBuffer", "1 | 1 | 4 | 1 | 3"},
	{sctbench, "CTrace", "1 | 1 | 1 | 1 | 3"},
	{sctbench, "Deadlock01", "4 | 4 | 16 | 1 | 3"},
	{sctbench, "DinPhil2", none}, {sctbench, "DinPhil3", none}, {sctbench, "DinPhil4", none},
	{sctbench, "DinPhil5", none}, {sctbench, "DinPhil6", none}, {sctbench, "DinPhil7", none},
	{sctbench, "FSBench", none},
	{sctbench, "InterlockedWorkStealQueue", "1 | 1 | 25 (14 of 20) | never | 57"},
	{sctbench, "InterlockedWorkStealQueueWithState", "6 | 6 | 16 (1 of 20) | 14 | 155"},
	{sctbench, "Lazy01", "6 | 5 | 10 | 6 | 8"},
	{sctbench, "PBZip2", "2 (1 of 20) | never | never | never | 41 (9 of 20)"},
	{sctbench, "Phase01", none},
	{sctbench, "QsortMT", "219 | 376 | 3,005 | never | 27"},
	{sctbench, "Queue", "1 | 1 | 7 | 1 | 4"},
	{sctbench, "Reorder3", "6 | 171 | 134 | 54,135 (18 of 20) | 6"},
	{sctbench, "Reorder4", "6 | 666 | 322 | never | 9"},
	{sctbench, "Reorder5", "6 | 4,257 (17 of 20) | 973 | never | 12"},
	{sctbench, "Reorder10", "6 | never | 1,657 | never | 27"},
	{sctbench, "Reorder20", "6 | never | 1,364 | never | 39"},
	{sctbench, "Reorder50", "6 | never | 14,789 (7 of 20) | never | 129"},
	{sctbench, "Reorder100", "6 | never | 7,447 (1 of 20) | never | 297"},
	{sctbench, "SafeStack", "never | never | never | never | never"},
	{sctbench, "SafeStack3", none},
	{sctbench, "Stack", "1 | 1 | 2 | 1 | 8"},
	{sctbench, "StateWorkStealQueue", "1 | 1 | 12 (1 of 20) | never | 332"},
	{sctbench, "StringBuffer", "8 | 8 | 150 | 884 | 12"},
	{sctbench, "Sync01", none}, {sctbench, "Sync02", none},
	{sctbench, "TokenRing", "4 | 5 | 6 | 10 | 2"},
	{sctbench, "TwoStage", "6 | 10 | 7 | 178 | 4"},
	{sctbench, "TwoStage20", "18 | 165 | 148 | never | 76"},
	{sctbench, "TwoStage50", "32 | 1,696 (19 of 20) | 749 | never | 286"},
	{sctbench, "TwoStage100", "25 | never | 3,712 (6 of 20) | never | 690"},
	{sctbench, "WorkStealQueue", "9 | 10 | 8 | never | 57"},
	{sctbench, "WrongLock", "1 | 1 | 50 | 30 | 4"},
	{sctbench, "WrongLock3", "1 | 1 | 36 | 30 | 6"},
	{programs, "Bluetooth3", none},
	{programs, "BoundedBuffer", "5 | 5 | 7 | 12 | 6 (16 of 20)"},
	{programs, "Fib4", none}, {programs, "Fib5", none},
	{programs, "Philosophers4", none},
}

const none = " |  |  |  | "

// measureBugs writes two tables to file: the executions that each strategy, and each portfolio,
// needs to find the bug of each program. only, if not "", selects one table (strategies,
// portfolios), one column, or one program.
func measureBugs(ctx context.Context, file, only string) error {
	rows := bugPrograms
	if i := slices.IndexFunc(rows, func(p bugProgram) bool { return p.test == only }); i >= 0 {
		rows, only = rows[i:i+1], ""
	}
	binaries := map[string]*binary{}
	for _, pkg := range []string{sctbench, programs} {
		b, err := buildPackage(ctx, pkg, false)
		if err != nil {
			return err
		}
		binaries[pkg] = b
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	if only != "portfolios" {
		fmt.Fprintf(out, bugsHead, commit(), bugSeeds, bugSeeds, bugRuns, bugTime)
		column := only
		if only == "strategies" {
			column = ""
		}
		if err := bugTable(ctx, out, binaries, rows, bugStrategies, column, true); err != nil {
			return err
		}
	}
	if only != "" && only != "portfolios" {
		return nil
	}
	fmt.Fprintf(out, portfolioHead, strings.Join(engine.ArmNames(), ", "), commit())
	return bugTable(ctx, out, binaries, rows, portfolios, "", false)
}

const bugsHead = `# Executions to the first bug

Made by ` + "`" + `go run ./bench -bugs docs/results/bugs.md` + "`" + ` at %s.

The programs are those of SCTBench, written anew in Go after descriptions, in the sizes of the
originals (` + "`" + `bench/programs/sctbench` + "`" + `), and five others (` + "`" + `bench/programs` + "`" + `). A checker is a
goroutine that is started last where the original's is a thread that is started last. A cell is the
number of executions until the first finding, the median over %d seeds. "(k of %d)" says how many
seeds found the bug where not all did, each in at most %d executions and about %v of
processor time.

Race detection is off: what counts is the wrong result or the deadlock. ` + "`" + `urw` + "`" + ` is ` + "`" + `surw` + "`" + ` with
option ` + "`" + `select=all` + "`" + `, the uniform random walk. Searches and ` + "`" + `auto` + "`" + ` execute the first schedule twice, and
count both. In every interleaving Arithmetic, FSBench and Phase01 fail.

The five columns on the right are published: medians over those of 20 trials of five minutes that
found the bug, computed from the raw data in the artifact of Wolff et al. ("Greybox Fuzzing for
Concurrency Testing", ASPLOS 2024; github.com/dylanjwolff/RFF at b717e06, scripts/data-analysis).
They are for the original C programs, of which each load and store is a step, under other tools.
They tell an order of magnitude. An empty cell: the artifact has no such program. Of CTrace, PBZip2,
QsortMT and the work-stealing queues only the structure of the bug is the original's.

`

const portfolioHead = `
## Which strategies

What takes turns in ` + "`" + `auto` + "`" + ` (%s) is decided by this table, made by the same command at %s. Each
column leaves strategies out (` + "`" + `-strategy auto,arms=A,arms=B` + "`" + `). An exploration has the same bounds.

`

// bugTable writes one table.
func bugTable(ctx context.Context, out io.Writer, binaries map[string]*binary, rows []bugProgram,
	columns []struct{ head, strategy string }, only string, published bool) error {
	if only != "" {
		columns = slices.DeleteFunc(slices.Clone(columns),
			func(c struct{ head, strategy string }) bool { return c.head != only })
	}
	fmt.Fprint(out, "| program |")
	for _, c := range columns {
		fmt.Fprintf(out, " %s |", c.head)
	}
	n := len(columns)
	if published {
		fmt.Fprint(out, " RFF | POS | PCT | Q-learning | PERIOD |")
		n += 5
	}
	fmt.Fprintf(out, "\n| --- |%s\n", strings.Repeat(" ---: |", n))
	sums := make([]hunt, len(columns))
	for _, p := range rows {
		fmt.Fprintf(out, "| %s |", p.test)
		for i, c := range columns {
			h, err := binaries[p.pkg].hunt(ctx, p, c.strategy)
			if err != nil {
				return err
			}
			log.Printf("%s, %s: %s, %.1f s", p.test, c.head, h.text(), h.seconds)
			fmt.Fprintf(out, " %s |", h.text())
			sums[i].add(h)
		}
		if published {
			fmt.Fprintf(out, " %s |", p.published)
		}
		fmt.Fprintln(out)
	}
	row := func(what string, cell func(h *hunt) string) {
		fmt.Fprintf(out, "| **%s** |", what)
		for i := range sums {
			fmt.Fprintf(out, " %s |", cell(&sums[i]))
		}
		if published {
			fmt.Fprintf(out, " %s |", none)
		}
		fmt.Fprintln(out)
	}
	row(fmt.Sprintf("found, of %d", len(rows)*bugSeeds),
		func(h *hunt) string { return fmt.Sprint(len(h.found)) })
	row("programs with all seeds", func(h *hunt) string { return fmt.Sprint(h.whole) })
	row("executions, all", func(h *hunt) string { return fmt.Sprint(h.executions) })
	row("processor time, all (s)", func(h *hunt) string { return fmt.Sprintf("%.0f", h.seconds) })
	return nil
}

// A hunt is what became of the explorations of a program by a strategy, or of several.
type hunt struct {
	found      []int // executions to the bug, of explorations that found it
	whole      int   // programs of which every exploration found it
	executions int   // of all explorations
	last       int   // of the last one
	complete   bool  // it covered everything
	seconds    float64
}

func (h *hunt) add(o *hunt) {
	h.found = append(h.found, o.found...)
	h.whole += o.whole
	h.executions += o.executions
	h.seconds += o.seconds
}

// text returns the table's cell.
func (h *hunt) text() string {
	slices.Sort(h.found)
	switch n := len(h.found); {
	case n == bugSeeds:
		return fmt.Sprint(h.found[n/2])
	case n > 0:
		return fmt.Sprintf("%d (%d of %d)", h.found[n/2], n, bugSeeds)
	case h.complete:
		return fmt.Sprintf("none left, %d", h.last)
	}
	return fmt.Sprintf("not in %d", h.last)
}

// busy is how much longer explorations lately took than their processor time: other processes run
// beside them, and what bounds an exploration is a clock.
var busy = 1.0

// hunt explores one program by one strategy, once for each seed, until a finding.
func (b *binary) hunt(ctx context.Context, p bugProgram, strategy string) (*hunt, error) {
	u, given, err := explore.Parse(strategy)
	if err != nil {
		return nil, err
	}
	h := new(hunt)
	began, before := time.Now(), childSeconds()
	for seed := range bugSeeds {
		n, end, err := b.first(ctx, p, u.Name, given, uint64(seed+1), time.Duration(float64(bugTime)*busy))
		if err != nil {
			return nil, err
		}
		if used := childSeconds() - before; used > 0 {
			busy = min(max(1, time.Since(began).Seconds()/used), 50)
		}
		if n > 0 {
			h.found = append(h.found, n)
		}
		h.executions += end.Executions
		h.last, h.complete = end.Executions, end.Complete
	}
	h.seconds = childSeconds() - before
	if len(h.found) == bugSeeds {
		h.whole = 1
	}
	return h, nil
}

// first returns the number of executions up to the first finding, or 0, and the Record that ended
// the test.
func (b *binary) first(ctx context.Context, p bugProgram, strategy string, given explore.Values,
	seed uint64, budget time.Duration) (int, *wire.Record, error) {
	config := wire.Config{
		Mode: "test", Package: p.pkg, Strategy: strategy, Options: given, Seed: seed, Runs: bugRuns,
		Budget: int64(budget),
		Steps:  1_000_000, Visible: "auto", Isolate: "vars", FailFast: true, Count: 1,
	}
	n, end := 0, (*wire.Record)(nil)
	err := run.Binary(ctx, b.path, b.dir, config, []string{"-test.run=^Test" + p.test + "$"},
		func(rec *wire.Record) {
			switch {
			case rec.Type == "finding" && n == 0:
				n = rec.Finding.Executions
			case rec.Type == "end":
				end = rec
			}
		})
	if err != nil && err != io.EOF {
		return 0, nil, err
	}
	if end == nil {
		return 0, nil, fmt.Errorf("no test Test%s in %s", p.test, p.pkg)
	}
	return n, end, nil
}
