package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"heddle/build"
	"heddle/explore"
	"heddle/internal/run"
	"heddle/rt/wire"
)

// Goals, in nanoseconds.
const (
	goalExecution = 10_000 // 4 goroutines with 12 operations each, every step a switch
	goalOperation = 60     // a visible operation that does not switch
	goalAccess    = 25     // an instrumented memory access that is not visible
)

const programs = "heddle/bench/programs"

// measureSpeed prints the costs of executions.
func measureSpeed(ctx context.Context, profile string) error {
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	with, err := b.run(ctx, "^Test(Ring|Yielders)$", "rr", true, profile)
	if err != nil {
		return err
	}
	without, err := b.run(ctx, "^Test(Ring|Yielders)$", "rr", false, "")
	if err != nil {
		return err
	}
	first, err := b.run(ctx, "^Test(Nothing|Locks|Atomics|Buffered|Accesses1|Accesses2)$", "first", true, "")
	if err != nil {
		return err
	}

	ring, plain := with["TestRing"], without["TestRing"]
	bare := ring.BareSwitch * float64(ring.Switches)
	t := newTable("an execution: a token round a ring, 4 goroutines with 12 operations each")
	t.row("race detection on", ring.Nanoseconds/1000, goalExecution/1000, "µs")
	t.row("race detection off", plain.Nanoseconds/1000, 0, "µs")
	t.row(fmt.Sprintf("its %d switches, bare (%.0f ns each)", ring.Switches, ring.BareSwitch), bare/1000, 0,
		"µs")
	t.row("ratio to the bare switches, on", ring.Nanoseconds/bare, 0, "x")
	t.row("ratio to the bare switches, off", plain.Nanoseconds/bare, 0, "x")
	t.row("steps", float64(ring.Steps), 0, "")
	t.row("executions a second, on", 1e9/ring.Nanoseconds, 0, "")
	t.row("allocations, on", ring.Allocs, 0, "")
	if y := with["TestYielders"]; y != nil {
		t.row("4 goroutines that call Gosched 12 times, on", y.Nanoseconds/1000, 0, "µs")
	}
	t.row("an execution that does nothing", first["TestNothing"].Nanoseconds/1000, 0, "µs")
	t.end()

	nothing := first["TestNothing"]
	step := func(name string) float64 {
		b := first[name]
		return (b.Nanoseconds - nothing.Nanoseconds) / float64(b.Steps-nothing.Steps)
	}
	t = newTable("a visible operation that does not switch, race detection on")
	t.row("Lock or Unlock of a free mutex", step("TestLocks"), goalOperation, "ns")
	t.row("atomic Add", step("TestAtomics"), goalOperation, "ns")
	t.row("send to or receive from a buffered channel", step("TestBuffered"), goalOperation, "ns")
	t.end()

	t = newTable("an instrumented memory access that is not visible, race detection on")
	one, two := first["TestAccesses1"], first["TestAccesses2"]
	t.row("1,000 accesses to 100 variables", (one.Nanoseconds-nothing.Nanoseconds)/1000, goalAccess, "ns")
	t.row("the same by two goroutines in turn", (two.Nanoseconds-nothing.Nanoseconds)/2000, 0, "ns")
	t.end()
	return nil
}

// measureTest prints all figures of one test.
func measureTest(ctx context.Context, test, policy string, race bool, profile string) error {
	b, err := buildPrograms(ctx)
	if err != nil {
		return err
	}
	res, err := b.run(ctx, "^"+test+"$", policy, race, profile)
	if err != nil {
		return err
	}
	r := res[test]
	if r == nil {
		return fmt.Errorf("no test %s in %s", test, programs)
	}
	if r.Processor > 0 {
		fmt.Printf("%s by %s, race detection %v: %d executions, %.1f µs of processor time each\n", test, policy,
			race, r.Executions, r.Processor/1000)
		return nil
	}
	bare := r.BareSwitch * float64(r.Switches)
	fmt.Printf("%s, policy %s, race detection %v: %.0f ns an execution, %d steps (%.1f ns each), %d switches, bare %.0f ns, %.1f allocations of %.0f bytes in all\n",
		test, policy, race, r.Nanoseconds, r.Steps, r.Nanoseconds/float64(max(1, r.Steps)), r.Switches, bare,
		r.Allocs, r.Bytes)
	return nil
}

// A binary is a test binary.
type binary struct {
	path, dir string
	sites     *build.Sites
}

func buildPrograms(ctx context.Context) (*binary, error) { return buildPackage(ctx, programs, false) }

// buildPackage builds a package, with data flow or not.
func buildPackage(ctx context.Context, path string, flow bool) (*binary, error) {
	if err := os.Setenv("HEDDLE_BENCH", "1"); err != nil { // includes tests that may deadlock
		return nil, err
	}
	res, p, err := run.Build(ctx,
		build.Config{Patterns: []string{path}, Flow: flow,
			Progress: func(text string) { fmt.Fprintln(os.Stderr, text) }})
	if err != nil {
		return nil, err
	}
	return &binary{p.Binary, p.Dir, res.Sites}, nil
}

// run measures the tests that match pattern and returns their costs by name.
func (b *binary) run(ctx context.Context, pattern, policy string, race bool,
	profile string) (map[string]*wire.Bench, error) {
	return b.runs(ctx, pattern, policy, race, profile, 0)
}

// runs is run with at least n executions of each test.
func (b *binary) runs(ctx context.Context, pattern, policy string, race bool, profile string,
	n int) (map[string]*wire.Bench, error) {
	return b.benched(ctx, pattern, profile,
		wire.Config{Runs: n, Package: programs, Strategy: policy, Race: race})
}

// benched is run with a configuration of which the rest is as always.
func (b *binary) benched(ctx context.Context, pattern, profile string,
	config wire.Config) (map[string]*wire.Bench, error) {
	if strings.Contains(config.Strategy, ",") {
		u, values, err := explore.Parse(config.Strategy)
		if err != nil {
			return nil, err
		}
		config.Strategy, config.Options = u.Name, values
	}
	config.Mode, config.Visible, config.Isolate = "bench", "auto", "vars"
	tellApart(&config)
	args := []string{"-test.run=" + pattern}
	if profile != "" {
		file, err := filepath.Abs(profile)
		if err != nil {
			return nil, err
		}
		args = append(args, "-test.cpuprofile="+file)
	}
	found := map[string]*wire.Bench{}
	err := run.Binary(ctx, b.path, b.dir, config, args, func(rec *wire.Record) {
		if rec.Type == "bench" {
			found[rec.Test] = rec.Bench
		}
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing was measured: no test of %s matches %s", config.Package, pattern)
	}
	return found, nil
}
