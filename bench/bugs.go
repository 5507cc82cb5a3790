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

	_ "heddle/engine" // registers its strategies
	"heddle/explore"
	"heddle/internal/run"
	"heddle/rt/wire"
)

// How the strategies are compared on the programs with a bug.
const (
	bugSeeds = 5                // explorations of a program by a strategy, each with its own seed
	bugRuns  = 20_000           // most executions of an exploration
	bugTime  = 20 * time.Second // longest time of an exploration
)

type bugStrategy struct {
	name       string
	exhaustive bool
}

// bugStrategies returns the columns of the table: the strategies of heddle compare, without those
// that have a page of their own in docs. An exhaustive strategy uses no seed and is executed once.
func bugStrategies() (columns []bugStrategy) {
	for _, u := range explore.Units() {
		if u.Compared && u.Command == "" && !u.Needs.Accesses && !u.Heavy {
			columns = append(columns, bugStrategy{u.Name, u.Ends})
		}
		if u.Needs.Flow == explore.FlowBeside {
			columns = append(columns, bugStrategy{autoFlow, false})
		}
	}
	return columns
}

// autoFlow is auto in a build for data flow, where branch is one of its arms.
const autoFlow = "auto with branch"

// published are published executions to the first bug for the program of the same name in SCTBench
// (C, pthreads), as far as there is a source.
var published = map[string]string{
	"Reorder100": "5 best fuzzer, 7,447 PCT, never POS",
}

// bugPrograms are the rows: tests of bench/programs with a bug.
var bugPrograms = []string{
	"Account", "Lazy", "Deadlock01", "Carter", "TokenRing", "CircularBuffer", "Queue", "Stack",
	"BoundedBuffer", "WorkStealing",
	"Bluetooth", "Bluetooth3", "WrongLock", "WrongLock3", "TwoStage", "TwoStage20", "TwoStage100",
	"Reorder3", "Reorder4", "Reorder5", "Reorder10", "Reorder20", "Reorder50", "Reorder100",
	"Fib4", "Fib5", "Philosophers3", "Philosophers4",
}

// measureBugs writes a table to file: the executions that each strategy needs to find the bug of
// each program. only, if not "", selects one program.
func measureBugs(ctx context.Context, file, only string) error {
	strategies := bugStrategies()
	if only != "" {
		strategies = slices.DeleteFunc(strategies, func(s bugStrategy) bool { return s.name != only })
	}
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	flow, err := buildPackage(ctx, programs, true)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	fmt.Fprintf(out, `# Executions to the first bug

Made by `+"`"+`go run ./bench -bugs docs/results/bugs.md`+"`"+` at %s.

The programs are those of SCTBench whose structure is public knowledge, rebuilt in Go
(`+"`"+`bench/programs`+"`"+`). A number at the end of a name is the number of threads in the original. A cell
is the number of executions until the first finding, the median over %d seeds. "(k of %d)" says how
many seeds found the bug where not all did, each in at most %d executions and %v. An exhaustive
strategy has no seed; "none left" would mean that it covered all interleavings without a finding.

Race detection is off: what counts is the wrong result or the deadlock. Published figures are for
the original C programs under other tools, and tell an order of magnitude. "auto with branch" is
auto in a build for data flow, which it uses with several processes. `+"`"+`surw`+"`"+` and `+"`"+`rff`+"`"+`
([strategies](../guide/strategies.md)) count the first schedule, which is executed twice, like the
searches.

`, commit(), bugSeeds, bugSeeds, bugRuns, bugTime)
	fmt.Fprint(out, "| program |")
	for _, s := range strategies {
		fmt.Fprintf(out, " %s |", s.name)
	}
	fmt.Fprintf(out, " published |\n| --- |%s --- |\n", strings.Repeat(" ---: |", len(strategies)))
	for _, p := range bugPrograms {
		fmt.Fprintf(out, "| %s |", p)
		for _, s := range strategies {
			seeds := bugSeeds
			if s.exhaustive {
				seeds = 1
			}
			from := b
			if s.name == autoFlow {
				from = flow
			}
			cell, err := from.hunt(ctx, p, s.name, seeds)
			if err != nil {
				return err
			}
			log.Printf("%s, %s: %s", p, s.name, cell)
			fmt.Fprintf(out, " %s |", cell)
		}
		fmt.Fprintf(out, " %s |\n", published[p])
	}
	return nil
}

// hunt explores one program by one strategy, once for each seed, until a finding, and returns the
// table's cell.
func (b *binary) hunt(ctx context.Context, program, strategy string, seeds int) (string, error) {
	var found []int
	var last *wire.Record
	for seed := range seeds {
		n, end, err := b.first(ctx, program, strategy, uint64(seed+1))
		if err != nil {
			return "", err
		}
		if n > 0 {
			found = append(found, n)
		}
		last = end
	}
	switch slices.Sort(found); {
	case len(found) == seeds:
		return fmt.Sprint(found[seeds/2]), nil
	case len(found) > 0:
		return fmt.Sprintf("%d (%d of %d)", found[len(found)/2], len(found), seeds), nil
	case last.Complete:
		return fmt.Sprintf("none left, %d", last.Executions), nil
	}
	return fmt.Sprintf("not in %d", last.Executions), nil
}

// first returns the number of executions up to the first finding, or 0, and the Record that ended
// the test.
func (b *binary) first(ctx context.Context, program, strategy string,
	seed uint64) (int, *wire.Record, error) {
	flow := strategy == autoFlow
	if flow {
		strategy = "auto"
	}
	config := wire.Config{
		ForFlow: flow, FlowMemory: 256 << 20,
		Mode: "test", Package: programs, Strategy: strategy, Seed: seed, Runs: bugRuns,
		Budget: int64(bugTime),
		Steps:  1_000_000, Visible: "auto", Isolate: "vars", FailFast: true, Count: 1,
	}
	n, end := 0, (*wire.Record)(nil)
	err := run.Binary(ctx, b.path, b.dir, config, []string{"-test.run=^Test" + program + "$"},
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
		return 0, nil, fmt.Errorf("no test Test%s in %s", program, programs)
	}
	return n, end, nil
}
