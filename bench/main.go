// Command bench measures heddle on this machine and prints the figures beside the goals:
//
//	go run ./bench           costs of executions, operations and memory accesses
//	go run ./bench -memory   memory in use that grows from one execution to the next
//	go run ./bench -build    times of builds beside plain ones (a minute or two)
//	go run ./bench -cold F   cost of the first heddle test with empty caches, beside go test -race,
//	                         as a table in F (half an hour)
//	go run ./bench -growth F what an execution costs against the size of the program, as tables in F, or
//	                         printed with -; with -most N, of programs up to that size
//	go run ./bench -searches S  memory of searches by strategy S, and whether executions become slower
//	go run ./bench -counts S  executions of strategy S, reach or dpor, that cover the programs of
//	                         Lei & Carver, and Fib
//	go run ./bench -workers T  speed-up by a second process on test T of Lei & Carver's programs, by
//	                         -strategy reach or dpor; or of bench/programs/shared, by mcr, map or predict
//	go run ./bench -simulate T  the same by up to 64 processes of one machine, and by up to 1,000
//	                         workers on a network, simulated
//	go run ./bench -flow     slowdown of executions that record data flow
//	go run ./bench -predict F  predictions for programs like those of PECAN's Table 1, and how often an
//	                         active tester shows them, as tables in F
//	go run ./bench -branch F  executions of strategy branch on programs with the structure of Setiadi's
//	                         experiments, beside Table V, and on tests of other modules, which are
//	                         downloaded; a plot like Fig. 16 in F
//	go run ./bench -unfold F  strategy unfold on Table 2 of the unfolding paper, beside dpor and the
//	                         paper's baselines, as tables in F
//	go run ./bench -observe F  executions of dpor and observe on programs of which little can be
//	                         observed, beside Nidhugg's, as a table in F
//	go run ./bench -inputs F  inputs and schedules explored together, beside one input after the other,
//	                         as a table in F
//	go run ./bench -guarded F  which bugs behind an input and an order are found, and after how long,
//	                         as a table in F (half an hour)
//	go run ./bench -fuzz F   which bugs behind an input are found by versions of heddle (-heddles), also
//	                         beside go test -fuzz, as tables in F (half an hour a version)
//	go run ./bench -bugs F   executions that each strategy, and each portfolio of auto, needs to find known
//	                         bugs, as tables in F (an hour)
//	go run ./bench -std F    cost by versions of heddle (-heddles) of tests that hash, compress and
//	                         encode, as a table in F
//	go run ./bench -access F cost by versions of heddle (-heddles) of tests that access much memory,
//	                         beside go test and go test -race, as a table in F
//	go run ./bench -replay F what heddle replay says after fixes, and after changes that mend nothing,
//	                         by versions of heddle (-heddles), as a table in F (some minutes)
//	go run ./bench -gen F    heddle gen, by versions of heddle (-heddles), on types of other modules
//	                         and on types with seeded bugs, as tables in F (half an hour)
//	go run ./bench -map F    memory-access patterns: map and mcr beside others on the types of the
//	                         paper, as tables in F (half an hour)
//	go run ./bench -peers F  the same programs by heddle and by Shuttle, Loom, Lincheck, Nidhugg and
//	                         GenMC, as far as they are installed, as tables in F (ten minutes)
//
// The programs are those of bench/programs, built as heddle test builds them and run in the mode
// "bench" of rt/drive: each test for a second, after 200 executions to warm up. Only figures of
// one run are comparable. Between machines, and between runs on a busy one, compare the ratios.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	builds := flag.Bool("build", false, "measure builds instead: from nothing, after an edit, and nothing changed")
	cold := flag.String("cold", "", "measure first contact instead, with empty caches beside go test -race, and write the table to `file`; with -type, only that row")
	memory := flag.Bool("memory", false, "measure memory instead: what stays in use over 100,000 executions, and a long execution")
	counts := flag.String("counts", "", "measure searches instead: executions that cover the programs of Lei & Carver and Fib by `strategy` (reach, dpor)")
	searches := flag.String("searches", "", "measure memory and time of the larger searches by `strategy` (reach, dpor)")
	growth := flag.String("growth", "", "measure executions of programs of growing size instead, and write the tables to `file`, - to print them; with -type, only this program")
	most := flag.Int("most", 1_000_000, "with -growth: the largest `size`")
	workers := flag.String("workers", "", "explore `test` by one process and by two: of the programs of Lei & Carver (TestDPMonitorSU6), or with -strategy mcr, map or predict of bench/programs/shared (TestRounds, TestLocks)")
	simulated := flag.String("simulate", "", "record the search of `test` of the programs of Lei & Carver, and simulate processes of one machine, and workers on a network")
	huge := flag.Bool("huge", false, "with -counts: six philosophers too, 901,752 executions; with -unfold: the rows that take a second and more")
	strategy := flag.String("strategy", "", "with -bugs: only the column of this `strategy`, or the row of this program, or one table (strategies, portfolios); with -workers: by this one, reach if there is none")
	bugs := flag.String("bugs", "", "count executions to the first bug instead, and write the tables to `file`")
	predictions := flag.String("predict", "", "predict from the programs of bench/programs/pecan instead, and write the tables to `file`")
	branches := flag.String("branch", "", "measure strategy branch instead, and write a plot (SVG) to `file`")
	unfoldings := flag.String("unfold", "", "measure Table 2 of the unfolding paper instead, and the memory of a large net, and write the table to `file`")
	observes := flag.String("observe", "", "compare observe with dpor on the programs of bench/programs/observed, beside the published figures of Nidhugg, and write the table to `file`")
	inputs := flag.String("inputs", "", "compare exploring inputs and schedules together with one input after the other, and write the table to `file`")
	guarded := flag.String("guarded", "", "look for the bugs of bench/programs/guarded, each behind an input and an order, and write the table to `file`")
	parsed := flag.String("parsers", "", "have the versions of heddle that -heddles names, and go test -fuzz (name=go), fuzz public parsers, or with -type those whose names match it, and write the table to `file`")
	solvers := flag.String("solvers", "", "ask the solvers that -heddles names, commands that read SMT-LIB, what heddle's own is asked on bench/programs/ordered, and write the times to `file`")
	fuzz := flag.String("fuzz", "", "have the versions of heddle that -heddles names, and go test -fuzz (name=go), look for the bugs of bench/programs/ordered, plainfuzz and scanners, and write the tables to `file`; with -type, only of targets whose names match that; with -type known, check only that each fails with the input that is known")
	flow := flag.Bool("flow", false, "measure data flow instead: executions that record it beside those that do not")
	others := flag.String("peers", "", "compare what an execution costs with Shuttle, Loom, Lincheck, Nidhugg and GenMC, where they are installed, on the programs of bench/programs/peers, and write the tables to `file`")
	std := flag.String("std", "", "compare the versions of heddle that -heddles names on the tests of bench/programs/encodes instead, and write the table to `file`")
	access := flag.String("access", "", "compare the versions of heddle that -heddles names, with and without race detection, with go test and go test -race on the tests of bench/programs/access and of two modules instead, or with -type those whose names match it, and write the table to `file`")
	replays := flag.String("replay", "", "have the versions of heddle that -heddles names judge the fixes of bench/fixes instead, and write the table to `file`; with -type, only that pair")
	gens := flag.String("gen", "", "have the versions of heddle that -heddles names generate tests for the types of bench/gen.txt and bench/programs/seeded instead, and write the tables to `file`; with -type, only types whose names match that")
	heddles := flag.String("heddles", "", "with -std, -access, -replay, -gen, -fuzz, -parsers and -solvers: commands to compare, `name=path` with commas between")
	patterns := flag.String("map", "", "compare map, mcr, maptest, pct and random on the types of bench/programs/classes instead, and write the tables to `file`")
	only := flag.String("type", "", "with -map: only this `type`, such as V17; rules, first, generated or branches: only the tables about the six rules, of the first bug, of generated tests, or of races behind branches; with -branch: subjects, only the tests of other modules")
	budget := flag.Duration("budget", 3*time.Second, "with -map: processor `time` of a strategy for the generated tests of a type; the paper's is 10m")
	tests := flag.Int("tests", 20, "with -map: generate `n` tests of each type; the paper has 1000")
	repeats := flag.Int("repeats", 2, "with -map: execute the generated tests of each type `n` times, with other seeds; the paper 5")
	buggy := flag.Duration("buggy", time.Second/2,
		"with -map: look for buggy executions for this `time`; the paper 10s")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the executions to `file`; with -test, of that test only")
	test := flag.String("test", "", "measure only this `test` of bench/programs, and print all there is to it")
	policy := flag.String("policy", "rr", "with -test: the `policy`, or a strategy")
	race := flag.Bool("race", true, "with -test: detect data races")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q; the flags are -build, -cold, -memory, -growth, -most, -counts, -bugs, -strategy, -map, -type, -budget, -tests, -repeats, -buggy, -predict, -branch, -unfold, -observe, -inputs, -guarded, -fuzz, -peers, -std, -access, -replay, -gen, -heddles, -flow, -huge, -searches, -workers, -simulate, -test, -policy, -race and -cpuprofile", flag.Arg(0))
	}
	ctx := context.Background()
	var err error
	switch {
	case *builds:
		err = measureBuilds(ctx)
	case *cold != "":
		err = coldTable(ctx, *cold, *only)
	case *memory:
		err = measureMemory(ctx)
	case *searches != "":
		err = measureSearches(ctx, *searches)
	case *growth != "":
		err = growthTable(ctx, *growth, *most, *only, *strategy, *profile)
	case *workers != "":
		err = measureWorkers(ctx, *workers, cmp.Or(*strategy, "reach"))
	case *simulated != "":
		err = simulateWorkers(ctx, *simulated)
	case *counts != "":
		err = measureCounts(ctx, *counts, *huge)
	case *branches != "":
		err = measureBranch(ctx, *branches, *only)
	case *unfoldings != "":
		err = unfoldTable(*unfoldings, *huge)
	case *observes != "":
		err = observeTable(ctx, *observes)
	case *inputs != "":
		err = inputsTable(ctx, *inputs)
	case *guarded != "":
		err = guardedTable(ctx, *guarded)
	case *fuzz != "":
		err = fuzzTable(ctx, *fuzz, strings.Split(*heddles, ","), *only)
	case *parsed != "":
		err = parserTable(ctx, *parsed, strings.Split(*heddles, ","), *only)
	case *solvers != "":
		err = solverTable(ctx, *solvers, strings.Split(*heddles, ","))
	case *flow:
		err = measureFlow(ctx)
	case *predictions != "":
		err = measurePredictions(ctx, *predictions)
	case *others != "":
		err = peerTable(ctx, *others)
	case *std != "":
		err = stdTable(ctx, *std, strings.Split(*heddles, ","))
	case *access != "":
		err = accessTable(ctx, *access, strings.Split(*heddles, ","), *only)
	case *replays != "":
		err = replayTable(ctx, *replays, strings.Split(*heddles, ","), *only)
	case *gens != "":
		err = genTable(ctx, *gens, strings.Split(*heddles, ","), *only)
	case *patterns != "":
		err = measurePatterns(ctx, *patterns, *only, patternProtocol{*budget, *tests, *repeats, *buggy})
	case *bugs != "":
		err = measureBugs(ctx, *bugs, *strategy)
	case *test != "":
		err = measureTest(ctx, *test, *policy, *race, *profile)
	default:
		err = measureSpeed(ctx, *profile)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A table prints rows of figures beside their goals.
type table struct{}

func newTable(title string) table {
	fmt.Printf("%-76s %12s  %s\n", title, "measured", "goal")
	return table{}
}

// row prints a figure. A goal of 0 is none.
func (table) row(what string, got, goal float64, unit string) {
	line := fmt.Sprintf("  %-70s %9s %-2s", what, number(got), unit)
	if goal > 0 {
		verdict := "reached"
		if got > goal {
			verdict = fmt.Sprintf("missed: %.2f times as much", got/goal)
		}
		line += fmt.Sprintf("    %s %s  %s", number(goal), unit, verdict)
	}
	fmt.Println(strings.TrimRight(line, " "))
}

func (table) end() { fmt.Println() }

func number(f float64) string {
	if f == float64(int(f)) || f >= 1000 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.2f", f)
}
