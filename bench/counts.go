package main

import (
	"context"
	"fmt"
	"strings"

	"heddle/internal/run"
	"heddle/rt/wire"
)

const richtest = "heddle/bench/programs/richtest"

// A count is the number of executions that cover every interleaving of a test. It is a property of
// the program and must be exact.
type count struct {
	test string
	want int
}

// Numbers of sequences. Most are in Table 4 of Lei & Carver. DP-monitorSU with six philosophers
// and DME with replies in one order are in their section 8, the philosophers with a deadlock in
// Fig. 13. The small instances were enumerated, as were those of Szymanski, whose loops are
// limited; binary semaphores are combinatorics (package richtest).
var (
	bbMonitorSC = count{"TestBBMonitorSC", 12096}
	smallCounts = []count{
		{"TestBBSelect11", 1}, {"TestBBSelect21", 4}, {"TestBBSelect22", 8},
		{"TestBBSemaphore11", 1}, {"TestBBSemaphore21", 4}, {"TestBBSemaphore22", 12},
		{"TestBBMonitorSU11", 2}, {"TestBBMonitorSU21", 24}, {"TestBBMonitorSU22", 24},
		{"TestBBMonitorSC11", 2}, {"TestBBMonitorSC21", 80}, {"TestBBMonitorSC22", 60},
		{"TestRWSemaphore11", 4}, {"TestRWMonitorSU11", 4}, {"TestRWMonitorSC11", 4},
		{"TestBBSelect", 144}, {"TestBBSemaphore", 324}, {"TestBBMonitorSU", 720},
		bbMonitorSC,
		{"TestRWSelect", 768}, {"TestDPMonitorSU3", 30}, {"TestDPMonitorSU4", 624},
		{"TestDME", 4032}, {"TestDMEInOrder", 504},
		{"TestDPDeadlock3", 7}, {"TestDPDeadlock4", 15}, {"TestDPDeadlock5", 31}, {"TestDPDeadlock6", 63},
		{"TestBinaryPairs2", 2}, {"TestBinaryPairs4", 24}, {"TestBinaryOpen2", 4}, {"TestBinaryOpen3", 36},
		{"TestBinaryClosed3", 36}, {"TestSzymanski1", 9120},
		{"TestDPDeadlock7", 127}, {"TestDPDeadlock8", 255}, {"TestDPDeadlock9", 511},
	}
	largeCounts = []count{
		{"TestRWSemaphore", 21744}, {"TestRWMonitorSU", 13320},
		{"TestRWMonitorSC", 61716}, {"TestDPMonitorSU5", 19330}, {"TestSzymanski2", 30120},
	}
	hugeCounts = []count{{"TestDPMonitorSU6", 901752}}

	// Traces of Fib 1 and Fib 2 (Kähkönen, Saarikivi, Heljanko, Table 1), of package programs.
	fibCounts = []count{{"TestFib4", 19605}, {"TestFib5", 218243}}
)

// A reduction is a search with options of strategy reach, with the least and the greatest valid
// number of executions.
type reduction struct {
	test        string
	set         func(*wire.Config)
	least, most int
}

// reductions returns the searches of Table 4 with the reductions of sections 7 and 8. The effect
// of the P/V reduction depends on the free parts of the executions.
func reductions(replies []uint64) []reduction {
	pv := func(c *wire.Config) { c.Options = map[string]string{"pv": "true"} }
	symmetry := func(c *wire.Config) { c.Options = map[string]string{"vouched": "true"} }
	both := func(c *wire.Config) { c.Options = map[string]string{"pv": "true", "vouched": "true"} }
	return []reduction{
		{"TestBBMonitorSU", symmetry, 20, 20},
		{"TestBBMonitorSC", symmetry, 132, 132},
		{"TestBBSemaphore", pv, 36, 324},
		{"TestBBSemaphore", both, 1, 3},
		{"TestBBSemaphore5", both, 1, 3},
		{"TestDME", pv, 4032, 4032},
		{"TestDME", func(c *wire.Config) {
			c.Options = map[string]string{"one-order": strings.Trim(strings.ReplaceAll(fmt.Sprint(replies),
				" ", ","), "[]")}
		}, 504, 504},
	}
}

// largeReductions are searches that are large even with the reduction.
var largeReductions = []reduction{{"TestRWSemaphore",
	func(c *wire.Config) { c.Options = map[string]string{"pv": "true"} }, 21744, 21744}}

// A search is the end of the exploration of a test.
type search struct {
	executions int
	complete   bool
	reason     string
	seconds    float64
	findings   []*wire.Finding
}

// search explores the tests of counts to the end.
func (b *binary) search(ctx context.Context, strategy string, counts []count) (map[string]*search, error) {
	var names []string
	for _, c := range counts {
		names = append(names, c.test)
	}
	return b.explore(ctx, strategy, names, func(*wire.Config) {})
}

func (b *binary) explore(ctx context.Context, strategy string, names []string,
	set func(*wire.Config)) (map[string]*search, error) {
	config := wire.Config{Mode: "test", Package: richtest, Strategy: strategy, Visible: "auto",
		Time: "virtual", Isolate: "vars", Count: 1}
	set(&config)
	tellApart(&config)
	found := map[string]*search{}
	of := func(test string) *search {
		if found[test] == nil {
			found[test] = new(search)
		}
		return found[test]
	}
	err := run.Binary(ctx, b.path, b.dir, config, []string{"-test.run=^(" + strings.Join(names, "|") + ")$"},
		func(rec *wire.Record) {
			switch rec.Type {
			case "finding":
				s := of(rec.Test)
				s.findings = append(s.findings, rec.Finding)
			case "end":
				s := of(rec.Test)
				s.executions, s.complete, s.reason, s.seconds = rec.Executions, rec.Complete, rec.Reason,
					rec.Elapsed
			}
		})
	return found, err
}

// tellApart makes the strategies of papers tell all goroutines apart, as the papers do.
func tellApart(config *wire.Config) {
	if config.Strategy != "reach" && config.Strategy != "dpor" {
		return
	}
	if config.Options == nil {
		config.Options = map[string]string{}
	}
	config.Options["symmetry"] = "false"
}

// buildRichTest builds the programs, including those that may deadlock.
func buildRichTest(ctx context.Context) (*binary, error) {
	return buildPackage(ctx, richtest, false)
}

// measureCounts prints the counts. huge: also those of the largest programs.
func measureCounts(ctx context.Context, strategy string, huge bool) error {
	b, err := buildRichTest(ctx)
	if err != nil {
		return err
	}
	counts := append(smallCounts[:len(smallCounts):len(smallCounts)], largeCounts...)
	if huge {
		counts = append(counts, hugeCounts...)
	}
	found, err := b.search(ctx, strategy, counts)
	if err != nil {
		return err
	}
	fmt.Printf("%-24s %12s %12s %10s %12s\n", strategy, "executions", "sequences", "seconds", "per second")
	for _, c := range counts {
		s := found[c.test]
		if s == nil {
			return fmt.Errorf("%s: nothing was found out", c.test)
		}
		note := ""
		if !s.complete {
			note = "  " + s.reason
		}
		printCount(c, s.executions, s.seconds, note)
	}
	return measureFib(ctx, strategy)
}

func printCount(c count, executions int, seconds float64, note string) {
	if note == "" && executions != c.want {
		note = "  DIFFERS"
	}
	fmt.Printf("%-24s %12d %12d %10.2f %12.0f%s\n", strings.TrimPrefix(c.test, "Test"), executions, c.want,
		seconds, float64(executions)/seconds, note)
}

// measureFib prints the counts of Fib. Its last executions find a bug, so they are made in the
// mode that does not stop at a finding.
func measureFib(ctx context.Context, strategy string) error {
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	for _, c := range fibCounts {
		found, err := b.runs(ctx, "^"+c.test+"$", strategy, false, "", 0)
		if err != nil {
			return err
		}
		r := found[c.test]
		printCount(c, r.Executions, r.Processor*float64(r.Executions)/1e9, "")
	}
	return nil
}

// Goals of a search: the memory of Lei & Carver's tool without a history in MB, and a time for one
// program in seconds.
var goalMemory = map[string]float64{"TestBBMonitorSC": 1, "TestRWSemaphore": 4.7, "TestRWMonitorSU": 4.7,
	"TestRWMonitorSC": 4.7}

const goalBBMonitorSC = 0.5

// Goals for an execution of Fib with N = 5 in microseconds: 50,000 a second without race
// detection, 25,000 with it.
const goalFib, goalFibRace = 20, 40

// measureSearches prints the costs of the larger searches. Each is made twice: once for the time
// and once for the memory.
func measureSearches(ctx context.Context, strategy string) error {
	b, err := buildRichTest(ctx)
	if err != nil {
		return err
	}
	for _, c := range append([]count{bbMonitorSC}, largeCounts...) {
		found, err := b.runs(ctx, "^"+c.test+"$", strategy, false, "", 0)
		if err != nil {
			return err
		}
		r := found[c.test]
		t := newTable(fmt.Sprintf("%s by %s: %d executions", strings.TrimPrefix(c.test, "Test"), strategy,
			r.Executions))
		seconds := 0.0
		if c == bbMonitorSC {
			seconds = goalBBMonitorSC
		}
		t.row("processor time", r.Processor*float64(r.Executions)/1e9, seconds, "s")
		t.row("an execution of the first tenth", r.Early/1000, 0, "µs")
		t.row("an execution of the last tenth", r.Late/1000, 0, "µs")
		t.row("held in memory at most", float64(int64(r.After-r.Before))/1e6, goalMemory[c.test], "MB")
		t.row("executions that are equivalent to no other", float64(r.Distinct), 0, "")
		t.end()
	}
	return measureFibSpeed(ctx, strategy)
}

// measureFibSpeed prints the cost of an execution in a long search.
func measureFibSpeed(ctx context.Context, strategy string) error {
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	const test = "TestFib5"
	t := newTable("Fib, N = 5, by " + strategy)
	for _, x := range []struct {
		race bool
		what string
		goal float64
	}{{false, "race detection off", goalFib}, {true, "race detection on", goalFibRace}} {
		found, err := b.runs(ctx, "^"+test+"$", strategy, x.race, "", 0)
		if err != nil {
			return err
		}
		r := found[test]
		t.row("executions", float64(r.Executions), 0, "")
		t.row("an execution, "+x.what, r.Processor/1000, x.goal, "µs")
		t.row("executions a second of processor time, "+x.what, 1e9/r.Processor, 0, "")
		t.row("an execution of the first tenth", r.Early/1000, 0, "µs")
		t.row("an execution of the last tenth", r.Late/1000, 0, "µs")
		t.row("held in memory at most", float64(int64(r.After-r.Before))/1e6, 0, "MB")
	}
	t.end()
	return nil
}
