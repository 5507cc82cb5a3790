package main

import (
	"context"
	"fmt"
	"strings"

	"heddle/internal/run"
	"heddle/rt/wire"
)

const behind = "heddle/bench/programs/behind"

// behindRuns bounds the executions of a program of package behind: enough for the samples that
// follow when all groups are tested, in which draws and time vary.
const behindRuns = 100

// A hidden is what strategy branch has found of a program of package behind.
type hidden struct {
	test       string
	found      int // executions until the race was found; 0: it was not
	executions int
	affected   int // conditions that interleaving affects
	reason     string
}

// exploreBehind explores the programs of package behind by strategy branch.
func exploreBehind(ctx context.Context) (all []*hidden, err error) {
	b, err := buildPackage(ctx, behind, true)
	if err != nil {
		return nil, err
	}
	config := wire.Config{Mode: "test", Package: behind, Strategy: "branch", Flow: true, Visible: "auto",
		Race: true, Isolate: "vars", Count: 1, Runs: behindRuns}
	of := map[string]*hidden{}
	err = run.Binary(ctx, b.path, b.dir, config, nil, func(rec *wire.Record) {
		if rec.Type != "begin" && rec.Type != "finding" && rec.Type != "end" {
			return
		}
		h := of[rec.Test]
		if h == nil {
			h = &hidden{test: rec.Test}
			of[rec.Test] = h
			all = append(all, h)
		}
		switch {
		case rec.Type == "finding" && h.found == 0:
			h.found = rec.Finding.Executions
		case rec.Type == "end":
			h.executions, h.reason = rec.Executions, rec.Reason
			if rec.Groups != nil {
				h.affected = rec.Groups.Affected
			}
		}
	})
	return all, err
}

// measureBehind prints what strategy branch has found of the programs of package behind.
func measureBehind(ctx context.Context) error {
	all, err := exploreBehind(ctx)
	if err != nil {
		return err
	}
	fmt.Println("\n| program | executions to the race | conditions affected | fixed twin |\n| --- | --- | --- | --- |")
	twins := map[string]*hidden{}
	for _, h := range all {
		twins[h.test] = h
	}
	for _, h := range all {
		twin := twins[h.test+"Fixed"]
		if twin == nil {
			continue
		}
		races, says := "not found", fmt.Sprintf("nothing in %d", twin.executions)
		if h.found > 0 {
			races = fmt.Sprint(h.found)
		}
		if twin.found > 0 {
			says = fmt.Sprintf("FALSE after %d", twin.found)
		}
		fmt.Printf("| %s | %s | %d | %s |\n", strings.TrimPrefix(h.test, "Test"), races, twin.affected, says)
	}
	return nil
}
