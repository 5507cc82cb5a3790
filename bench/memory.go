package main

import (
	"context"
	"fmt"
)

// executionsForMemory is the number of executions over which growth is measured.
const executionsForMemory = 100_000

// goalGrowth is the goal for the growth of the memory in use by an execution, in bytes: nothing
// that accumulates. Tables that grow once are spread over all executions.
const goalGrowth = 8

// measureMemory prints the growth of the memory in use, and the cost of a long execution.
func measureMemory(ctx context.Context) error {
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	res, err := b.runs(ctx, "^Test(Ring|Locks|LeftBehind|Contexts)$", "random", true, "", executionsForMemory)
	if err != nil {
		return err
	}
	t := newTable(fmt.Sprintf("bytes in use that an execution leaves, over %d executions or more",
		executionsForMemory))
	for _, name := range []string{"TestRing", "TestLocks", "TestLeftBehind", "TestContexts"} {
		r := res[name]
		t.row(fmt.Sprintf("%s (%d executions, %.1f MB in use)", name, r.Executions, float64(r.After)/1e6),
			(float64(r.After)-float64(r.Before))/float64(r.Executions), goalGrowth, "B")
	}
	t.end()
	if res, err = b.run(ctx, "^TestLong$", "random", true, ""); err != nil {
		return err
	}
	r := res["TestLong"]
	t = newTable("an execution of 1,000 goroutines with 1,000,000 operations")
	t.row("time", r.Nanoseconds/1e9, 0, "s")
	t.row("steps", float64(r.Steps), 0, "")
	t.row("in use afterwards", float64(r.After)/1e6, 0, "MB")
	t.end()
	return nil
}
