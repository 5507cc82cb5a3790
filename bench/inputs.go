package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"heddle/build"
	"heddle/explore/why"
	"heddle/internal/run"
	"heddle/rt/wire"
)

const inputPrograms = "heddle/bench/programs/inputs"

// inputTargets are the fuzz targets of bench/programs/inputs in the order of the table.
var inputTargets = []string{"Figure1", "Contradiction", "Pairs2", "Pairs3", "Pairs4", "Updater", "Bank",
	"Filter", "Locks", "Timeout", "Retry", "Poll"}

// inputBudget is the longest time to explore a target, in nanoseconds. The best of inputTimes
// counts.
const (
	inputBudget = 60e9
	inputTimes  = 3
)

// An inputSearch is the exploration of a target by one strategy.
type inputSearch struct {
	wire.Record
	seconds float64
}

// inputsTable writes how many executions it takes to explore inputs and schedules of fuzz targets
// together, and one input after the other.
func inputsTable(ctx context.Context, file string) error {
	_, p, err := run.Build(ctx,
		build.Config{Patterns: []string{inputPrograms}, Flow: true, Exprs: true,
			Progress: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	if err != nil {
		return err
	}
	all := map[string]map[string]inputSearch{}
	for _, strategy := range []string{"unfold", "dpor", "reach"} {
		all[strategy] = map[string]inputSearch{}
		for range inputTimes {
			config := wire.Config{Mode: "test", Package: inputPrograms, Strategy: strategy, Flow: true,
				Fuzz: ".", Solved: true,
				Budget: inputBudget, Visible: "auto", Time: "virtual", Isolate: "vars", Count: 1}
			err := run.Binary(ctx, p.Binary, p.Dir, config, []string{"-test.run=^Fuzz"},
				func(rec *wire.Record) {
					if rec.Type == "end" {
						s, known := all[strategy][rec.Test]
						if !known {
							s.seconds = math.Inf(1)
						}
						all[strategy][rec.Test] = inputSearch{*rec, min(s.seconds, rec.Elapsed)}
					}
				})
			if err != nil {
				return err
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Inputs and schedules

Made by `+"`"+`go run ./bench -inputs docs/results/inputs.md`+"`"+` at %s: executions that explore the fuzz
targets of `+"`"+`bench/programs/inputs`+"`"+`, and the time they take, the least of %d runs.

*together*: in one net (`+"`"+`-fuzz . -strategy unfold`+"`"+`), until all local states over all inputs are
covered. dpor and reach explore one input after the other, each with all its interleavings, until
every branch was tried both ways. The last column says how many inputs that takes. See
[symbolic](../design/symbolic.md).

| target | together | time | dpor | time | reach | time | inputs |
| --- | --- | --- | --- | --- | --- | --- | --- |
`, commit(), inputTimes)
	for _, name := range inputTargets {
		u, d, r := all["unfold"]["Fuzz"+name], all["dpor"]["Fuzz"+name], all["reach"]["Fuzz"+name]
		if !u.Complete {
			return fmt.Errorf("%s is not explored to the end: %s", name, u.Reason)
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %d | %s | %s |\n", name, u.Executions,
			milliseconds(u.seconds), d.Executions, milliseconds(d.seconds),
			r.Executions, milliseconds(r.seconds), inputsOf(d.Why))
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}

// milliseconds returns a time as the table shows it.
func milliseconds(s float64) string { return fmt.Sprintf("%.0f ms", math.Ceil(s*1000)) }

// inputsOf returns how many inputs a search explored, or "?" if its end does not say it.
func inputsOf(end why.End) string {
	if end.Is(why.Inputs) || end.Is(why.AllInputs) {
		n, _, _ := strings.Cut(end.Reasons[0].Detail, " ")
		return n
	}
	return "?"
}
