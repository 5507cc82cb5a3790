package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"heddle/build"
	"heddle/internal/run"
	"heddle/rt/wire"
)

const guardedPrograms = "heddle/bench/programs/guarded"

// guardedBudget is the time to explore a target, in nanoseconds.
const guardedBudget = 30e9

// guardedTable writes which bugs of bench/programs/guarded each strategy finds. Nothing may be
// found in the variants without the bug.
func guardedTable(ctx context.Context, file string) error {
	_, p, err := run.Build(ctx,
		build.Config{Patterns: []string{guardedPrograms}, Flow: true, Exprs: true,
			Progress: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	if err != nil {
		return err
	}
	strategies := []string{"unfold", "dpor", "auto"}
	var names []string
	cells := map[string]string{}
	for _, strategy := range strategies {
		after := map[string]float64{}
		var wrong error
		config := wire.Config{Mode: "test", Package: p.ImportPath, Strategy: strategy, Flow: true, Fuzz: ".",
			Budget: guardedBudget, Visible: "auto", Time: "virtual", Isolate: "vars", Count: 1, Race: true}
		err := run.Binary(ctx, p.Binary, p.Dir, config, []string{"-test.run=^Fuzz"}, func(rec *wire.Record) {
			bug, fixed := strings.CutSuffix(rec.Test, "Fixed")
			switch _, found := after[rec.Test]; {
			case rec.Type == "finding" && fixed:
				wrong = fmt.Errorf("%s by %s: %s", rec.Test, strategy, rec.Finding.Message)
			case rec.Type == "finding" && !found:
				after[rec.Test] = rec.Elapsed
			case rec.Type == "end" && !fixed:
				cell := fmt.Sprintf("not in %d", rec.Executions)
				if found {
					cell = fmt.Sprintf("%.1f s", after[rec.Test])
				} else if rec.Elapsed*1e9 < guardedBudget/2 {
					cell = "not looked for"
				}
				cells[bug+strategy] = cell
				if strategy == strategies[0] {
					names = append(names, bug)
				}
			}
		})
		if err = cmp.Or(err, wrong); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Bugs behind inputs

By `+"`go run ./bench -guarded %s`"+`: fuzz targets as one writes them (`+"`bench/programs/guarded`"+`), each with a bug that needs an input and an order of goroutines, and after how long it is found
within %d s each. *not in N*: that many executions were made; *not looked for*: the search had ended, since the input goes where it is not followed, and said so. Nothing is found in their twins without a bug.

| target | unfold | dpor | auto |
| --- | --- | --- | --- |
`, file, int(guardedBudget/1e9))
	for _, n := range names {
		fmt.Fprintf(&b, "| %s |", strings.TrimPrefix(n, "Fuzz"))
		for _, s := range strategies {
			fmt.Fprintf(&b, " %s |", cells[n+s])
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}
