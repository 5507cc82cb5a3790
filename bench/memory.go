package main

import (
	"context"
	"fmt"
)

// executionsForMemory is over how many executions growth is looked for.
const executionsForMemory = 100_000

// goalGrowth is what may stay in use of an execution when it is over, in
// bytes: nothing that adds up; tables that grow once are spread over all.
const goalGrowth = 8

// measureMemory prints what stays in use from one execution to the next, and
// what a long execution costs.
func measureMemory(ctx context.Context) error {
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	res, err := b.runs(ctx, "^Test(Ring|Locks|LeftBehind|Contexts)$", "random", true, "", executionsForMemory)
	if err != nil {
		return err
	}
	t := newTable(fmt.Sprintf("bytes in use that an execution leaves, over %d executions or more", executionsForMemory))
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
