package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"time"

	"heddle/rt/wire"
)

// flowraces is the package of races behind branches.
const flowraces = "heddle/bench/programs/flowrace"

// Bounds of an exploration of one of its programs.
const (
	flowSeeds = 3
	flowRuns  = 1000
	flowTime  = time.Minute
)

// behindBranches counts the races of the programs of flowrace that strategies find.
func behindBranches(ctx context.Context, out io.Writer) error {
	plain, err := buildPackage(ctx, flowraces, false)
	if err != nil {
		return err
	}
	flow, err := buildPackage(ctx, flowraces, true)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# Races behind branches\n\nMade by `go run ./bench -map docs/results/map-branches.md -type branches` at\n%s: the programs of `bench/programs/flowrace`, %d seeds, at most %d executions and %v each.\nA race shows only where a goroutine saw one certain value of memory, a channel, a sync.Map or an\natomic. Milliseconds are processor time, of all explorations together.\n\n", commit(), flowSeeds, flowRuns, flowTime)
	fmt.Fprintf(out, "| strategy | found | executions to the race, mean | most | milliseconds | not found |\n| --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, s := range patternStrategies[1:] {
		bin := plain
		if s.flow {
			bin = flow
		}
		if err := behindBranchesBy(ctx, out, bin, s.name, s.flow); err != nil {
			return err
		}
	}
	return nil
}

// behindBranchesBy writes the row of one strategy.
func behindBranchesBy(ctx context.Context, out io.Writer, bin *binary, strategy string, flow bool) error {
	var executions []float64
	var missed []string
	all := 0
	began := childSeconds()
	for seed := range flowSeeds {
		found := map[string]bool{}
		_, err := bin.explored(ctx, flowraces, ".", strategy, flow, uint64(seed+1), func(c *wire.Config) {
			c.FailFast, c.Runs, c.Budget, c.Race = true, flowRuns, int64(flowTime), true
		}, func(rec *wire.Record) {
			switch {
			case rec.Type == "finding" && !found[rec.Test]:
				found[rec.Test] = true
				executions = append(executions, float64(rec.Finding.Executions))
			case rec.Type == "end":
				if all++; !found[rec.Test] {
					missed = append(missed, strings.TrimPrefix(rec.Test, "Test"))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	if len(executions) == 0 {
		executions = []float64{0}
	}
	slices.Sort(missed)
	fmt.Fprintf(out, "| %s | %d of %d | %.1f | %.0f | %.0f | %s |\n", strategy, all-len(missed), all,
		mean(executions), slices.Max(executions), 1000*(childSeconds()-began), strings.Join(missed, ", "))
	log.Printf("%s: %d of %d, %v", strategy, all-len(missed), all, missed)
	return nil
}
