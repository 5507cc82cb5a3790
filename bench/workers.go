package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/cluster"
	"heddle/internal/run"
	"heddle/rt/wire"
)

// simulateWorkers makes a search, and simulates it with more workers than this machine has.
func simulateWorkers(ctx context.Context, test string) error {
	tree, err := recordTree(ctx, test)
	if err != nil {
		return err
	}
	fmt.Printf("simulated, %d executions: utilisation in percent (and time)\n", len(tree.depths))
	for _, p := range simulatedPlaces {
		fmt.Printf("%-34s", p.what)
		for _, n := range p.workers {
			fmt.Printf(" %18d", n)
		}
		fmt.Println()
		for _, execution := range []time.Duration{tree.execution, time.Millisecond, 10 * time.Millisecond} {
			for _, delay := range p.delays {
				if err := p.simulate(tree, execution, delay); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// simulate prints a line: an execution takes that long, and so does a message.
func (p *simulatedPlace) simulate(tree *recorded, execution, delay time.Duration) error {
	fmt.Printf("%-34s",
		fmt.Sprintf("%v an execution, %v a message", execution.Round(time.Microsecond), delay))
	for _, n := range p.workers {
		out := cluster.Simulation{Tree: tree.depths, Workers: n, Execution: execution, Delay: delay,
			Item: itemCost, Quantum: p.quantum, Seed: 1}.Run()
		if out.Executions != len(tree.depths) {
			return fmt.Errorf("%d workers made %d executions of %d", n, out.Executions, len(tree.depths))
		}
		fmt.Printf(" %18s",
			fmt.Sprintf("%.1f (%v)", 100*out.Utilisation, out.Took.Round(10*time.Millisecond)))
	}
	fmt.Println()
	return nil
}

// A simulatedPlace is where simulated workers are: how many, how long a message takes, and how long
// they explore an Item.
type simulatedPlace struct {
	what    string
	workers []int
	delays  []time.Duration
	quantum time.Duration
}

// The quanta are those of heddle test, the times of messages assumptions.
var simulatedPlaces = []simulatedPlace{
	{"processes of one machine", []int{1, 2, 4, 16, 64}, []time.Duration{time.Millisecond / 10},
		time.Second / 5},
	{"workers on a network", []int{1, 10, 100, 1000},
		[]time.Duration{time.Millisecond, 50 * time.Millisecond}, time.Second},
}

// itemCost is the coordinator's time to hand out an Item, and again to take its result. Over NATS
// BenchmarkQueue of package cluster shows 0.5 ms for both, two thirds of which are the 50 ms that a
// Run needs to begin; with processes it was 0.4 ms (docs/results/workers.md).
const itemCost = 250 * time.Microsecond

var (
	worked = regexp.MustCompile(`explored by workers for ([0-9.]+)s, which worked for ([0-9.]+)s on ([0-9,]+) pieces?; ([0-9,]+) executions? made again`)
	made   = regexp.MustCompile(`(?:covered by |: Test\w+ \()([0-9,]+) executions?(?: \(|, )`)
)

// sharedPrograms are the programs for strategies that solve formulas.
const sharedPrograms = "heddle/bench/programs/shared"

// explorer returns the arguments with which heddle explores a program by a strategy to the end.
func explorer(strategy string) []string {
	switch strategy {
	case "predict":
		return []string{"predict", "-complete", "-budget", "1h", "-timeout", "0", sharedPrograms}
	case "map", "mcr":
		return []string{"test", "-count=1", "-strategy", strategy, "-race=false", "-budget", "0",
			"-timeout", "0", sharedPrograms}
	case "reach", "dpor": // all goroutines told apart, as the papers do
		strategy += ",symmetry=false"
	}
	return []string{"test", "-count=1", "-strategy", strategy, "-budget", "0", "-timeout", "0", richtest}
}

// measureWorkers runs heddle on a program with one process and with two.
func measureWorkers(ctx context.Context, test, strategy string) error {
	dir, err := os.MkdirTemp("", "heddle-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	heddle, err := buildHeddle(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("%-24s %8s %12s %10s %10s %12s %10s %10s %14s\n", strings.TrimPrefix(test, "Test"), "workers",
		"executions", "seconds", "processor", "utilisation", "speed-up", "pieces", "made again")
	alone := 0.0
	for _, n := range []int{1, 2} {
		args := explorer(strategy)
		args = slices.Insert(args, 1, "-p", strconv.Itoa(n), "-v", "-run", "^"+test+"$")
		cmd := exec.CommandContext(ctx, heddle, args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		begun := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%v\n%s", err, out.String())
		}
		took := time.Since(begun).Seconds()
		used := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		count := made.FindStringSubmatch(out.String())
		if count == nil {
			return fmt.Errorf("it did not come to an end:\n%s", out.String())
		}
		if n == 1 {
			alone = took
			fmt.Printf("%-24s %8d %12s %10.2f %10.2f\n", "", n, count[1], took, used)
			continue
		}
		w := worked.FindStringSubmatch(out.String())
		if w == nil {
			return fmt.Errorf("it was over before others took part:\n%s", out.String())
		}
		wall, _ := strconv.ParseFloat(w[1], 64)
		busy, _ := strconv.ParseFloat(w[2], 64)
		fmt.Printf("%-24s %8d %12s %10.2f %10.2f %11.1f%% %10.2f %10s %14s\n", "", n, count[1], took, used,
			100*busy/(float64(n)*wall), alone/took, w[3], w[4])
	}
	return nil
}

// A recorded is a search as a tree, and the time of an execution.
type recorded struct {
	depths    cluster.Tree
	execution time.Duration
}

func recordTree(ctx context.Context, test string) (*recorded, error) {
	b, err := buildRichTest(ctx)
	if err != nil {
		return nil, err
	}
	r := new(recorded)
	config := wire.Config{Mode: "bench", Depths: true, Package: richtest, Strategy: "reach", Visible: "auto",
		Isolate: "vars"}
	tellApart(&config)
	err = run.Binary(ctx, b.path, b.dir, config, []string{"-test.run=^" + test + "$"},
		func(rec *wire.Record) {
			if rec.Type == "bench" {
				for _, d := range rec.Bench.Depths {
					r.depths = append(r.depths, int(d))
				}
				r.execution = time.Duration(rec.Bench.Processor)
			}
		})
	if err == nil && len(r.depths) == 0 {
		err = fmt.Errorf("there is no %s", test)
	}
	return r, err
}
