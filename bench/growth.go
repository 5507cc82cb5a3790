package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"heddle/internal/run"
	"heddle/rt/wire"
)

const growthPrograms = "heddle/bench/programs/growth"

// A growing is a program of package growth, and what its size is.
type growing struct {
	test, size string
	most       int // the largest size
}

var growths = []growing{
	{"Crowd", "goroutines at one mutex", 10_000},
	{"Apart", "goroutines, a mutex each", 10_000},
	{"Lines", "events, two mutexes", 1_000_000},
	{"Turns", "events, one mutex", 1_000_000},
	{"Pipe", "events, a channel", 1_000_000},
	{"Market", "events, a channel of four", 1_000_000},
}

var growthStrategies = []string{"random", "pos", "pct", "dpor", "reach", "observe", "unfold"}

// growthBudget is how long executions of one size are made; growthLimit how long they may take.
const (
	growthBudget = 300 * time.Millisecond
	growthLimit  = 10 * time.Second
)

// growthTable writes what an execution costs against the size of the program to a file, or prints
// it if file is "-". most bounds the sizes; only and by, if not "", are the program and the
// strategy. A profile, if not "", is of the last size that is measured.
func growthTable(ctx context.Context, file string, most int, only, by, profile string) error {
	b, err := buildPackage(ctx, growthPrograms, false)
	if err != nil {
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, `# Growth

Made by %[1]sgo run ./bench -growth docs/results/growth.md%[1]s at %[2]s: processor time of an
execution, with race detection, against the size of the program (%[1]sbench/programs/growth%[1]s), and
the memory that it allocates. Of a search these are the first executions, with what the search does
after them. The exponent is that between the last two sizes: 1 grows with the program, 2 with its
square. "gives up": the search ends, and says so, since the execution is too long for it. A dash:
the size before gave up, or took too long.
`, "`", commit())
	for _, g := range growths {
		if only != "" && only != g.test {
			continue
		}
		fmt.Fprintf(&out, "\n%s (%s):\n\n| strategy |", g.test, g.size)
		var sizes []int
		for n := 10; n <= min(most, g.most); n *= 10 {
			if g.most > 100_000 && n == 10 {
				continue
			}
			sizes = append(sizes, n)
			fmt.Fprintf(&out, " %s |", grouped(n))
		}
		fmt.Fprintf(&out, " exponent | memory of the last |\n|%s\n", strings.Repeat(" --- |", len(sizes)+3))
		for _, strategy := range growthStrategies {
			if by != "" && by != strategy {
				continue
			}
			row := b.growth(ctx, g, strategy, sizes, profile)
			fmt.Fprintf(os.Stderr, "%s %s\n", g.test, row)
			fmt.Fprintln(&out, row)
		}
	}
	if file == "-" {
		fmt.Print(out.String())
		return nil
	}
	return os.WriteFile(file, []byte(out.String()), 0o666)
}

// growth returns a row: what an execution of g by strategy costs at each size.
func (b *binary) growth(ctx context.Context, g growing, strategy string, sizes []int,
	profile string) string {
	row := "| " + strategy + " |"
	var times []float64
	last := 0.0
	for i, n := range sizes {
		if len(times) < i {
			row += " - |"
			continue
		}
		r, err := b.grown(ctx, g.test, strategy, n, profile)
		switch {
		case err != nil:
			row += fmt.Sprintf(" more than %v |", growthLimit)
		case r.Reason != "":
			row += " gives up |"
		default:
			t := cmp.Or(r.Processor, r.Nanoseconds)
			times, last = append(times, t), r.Bytes
			row += " " + duration(t) + " |"
		}
	}
	if k := len(times); k > 1 {
		row += fmt.Sprintf(" %.1f |", math.Log10(times[k-1]/times[k-2]))
	} else {
		row += " |"
	}
	return row + fmt.Sprintf(" %.1f MB |", last/1e6)
}

// grown measures executions of one size.
func (b *binary) grown(ctx context.Context, test, strategy string, n int,
	profile string) (*wire.Bench, error) {
	ctx, cancel := context.WithTimeout(ctx, growthLimit)
	defer cancel()
	var found *wire.Bench
	config := wire.Config{Mode: "bench", Package: growthPrograms, Strategy: strategy, Race: true,
		Visible: "auto", Isolate: "vars", Budget: int64(growthBudget), Begun: true}
	tellApart(&config)
	args := []string{"-test.run=^Test" + test + "$", fmt.Sprintf("-size=%d", n)}
	if profile != "" {
		args = append(args, "-test.cpuprofile="+profile)
	}
	err := run.Binary(ctx, b.path, b.dir, config, args, func(rec *wire.Record) {
		if rec.Type == "bench" {
			found = rec.Bench
		}
	})
	if err == nil && found == nil {
		err = fmt.Errorf("%s was not measured", test)
	}
	return found, err
}

// duration prints nanoseconds in three digits.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}} {
		if ns >= u.ns {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g µs", ns/1e3)
}

// grouped prints a number with commas.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
