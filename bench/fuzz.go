package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	fuzzFigures = "bench/fuzz.txt"
	twinBudget  = 3 // of a variant without a bug, in seconds
)

// A fuzzSet is a package of targets below bench/programs.
type fuzzSet struct {
	name   string
	budget int    // of a target, in seconds
	native bool   // go test -fuzz can find its bugs
	twins  bool   // they are run too
	head   string // what the page says of it; %d: the budget, and of what runs twins theirs

	targets []fuzzTarget
}

// A fuzzTarget is a line of targets.txt.
type fuzzTarget struct {
	name, level, needs string
	input              []string // the arguments with which it fails, as in a corpus of Go
}

// A fuzzFigure is what a version of heddle, or go test -fuzz, said about a target.
type fuzzFigure struct {
	version, set, target, cell string
}

// fuzzTable lets each version of heddle (name=command, the command "go" for go test -fuzz) look
// for the bugs of the targets, or only for those with names that match only. It puts what they
// found into bench/fuzz.txt beside what is there of others, and a table of all into file. If only
// is "known" each target is only run on its input in targets.txt, and must fail; its twin must not.
func fuzzTable(ctx context.Context, file string, heddles []string, only string) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	sets := []fuzzSet{
		{name: "ordered", budget: 20, twins: true, head: orderedHead},
		{name: "plainfuzz", budget: 10, native: true, head: plainHead},
		{name: "scanners", budget: 10, native: true, twins: true, head: scannersHead},
	}
	for i := range sets {
		if sets[i].targets, err = fuzzTargets(sets[i].name); err != nil {
			return err
		}
	}
	figures, err := readFigures()
	if err != nil {
		return err
	}
	for _, h := range heddles {
		if h == "" {
			continue
		}
		version, command, err := nameAndCommand(h)
		if err != nil {
			return err
		}
		for _, set := range sets {
			if only == "known" {
				if err := fuzzKnown(ctx, command, &set); err != nil {
					return err
				}
				continue
			}
			if command == "go" && !set.native {
				continue
			}
			got, err := set.run(ctx, version, command, match)
			if err != nil {
				return err
			}
			figures = slices.DeleteFunc(figures, func(f fuzzFigure) bool {
				return slices.ContainsFunc(got, func(g fuzzFigure) bool {
					return g.version == f.version && g.set == f.set && g.target == f.target
				})
			})
			figures = append(figures, got...)
			if err := writeFigures(figures); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(file, []byte(fuzzPage(sets, figures)), 0o666)
}

// fuzzTargets reads the file targets.txt of a package below bench/programs.
func fuzzTargets(set string) ([]fuzzTarget, error) {
	data, err := os.ReadFile(filepath.Join("bench/programs", set, "targets.txt"))
	if err != nil {
		return nil, fmt.Errorf("expected to be called in the folder of heddle's own module: %w", err)
	}
	var targets []fuzzTarget
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) > 3 {
			targets = append(targets, fuzzTarget{f[0], f[1], f[2], f[3:]})
		}
	}
	return targets, nil
}

// fuzzCopy returns a copy of a package below bench/programs, as a module with a name of its own:
// nothing is known about it from other runs.
func fuzzCopy(set string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "heddle-fuzz-"); err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("bench/programs", set))); err != nil {
		return "", err
	}
	mod := fmt.Sprintf("module fuzz%d/%s\n\ngo 1.26\n", time.Now().UnixNano(), set)
	return dir, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
}

// fuzzKnown reports an error unless each target of a package fails in some order with its input in
// targets.txt, and its twin does not.
func fuzzKnown(ctx context.Context, command string, set *fuzzSet) error {
	dir, err := fuzzCopy(set.name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, t := range set.targets {
		for _, name := range []string{"Fuzz" + t.name, "Fuzz" + t.name + "Fixed"} {
			corpus := filepath.Join(dir, "testdata/fuzz", name)
			if err := os.MkdirAll(corpus, 0o777); err != nil {
				return err
			}
			text := "go test fuzz v1\n" + strings.Join(t.input, "\n") + "\n"
			if err := os.WriteFile(filepath.Join(corpus, "known"), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	cmd := exec.CommandContext(ctx, command, "test", "-json", "-run", "^Fuzz", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return err
	}
	found := map[string]bool{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Test string }
		if json.Unmarshal(line, &e) == nil && e.Action == "finding" {
			name, _, _ := strings.Cut(e.Test, "/")
			found[name] = true
		}
	}
	for _, t := range set.targets {
		if !found["Fuzz"+t.name] {
			return fmt.Errorf("target %s does not fail with %s", t.name, strings.Join(t.input, ", "))
		}
		if found["Fuzz"+t.name+"Fixed"] {
			return fmt.Errorf("the twin of target %s fails with %s", t.name, strings.Join(t.input, ", "))
		}
	}
	fmt.Fprintf(os.Stderr, "%s: each of %d fails with its known input\n", set.name, len(set.targets))
	return nil
}

// run runs the targets in a copy of the package.
func (set *fuzzSet) run(ctx context.Context, version, command string,
	match *regexp.Regexp) ([]fuzzFigure, error) {
	dir, err := fuzzCopy(set.name)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	run := heddleFuzz
	if command == "go" {
		run = nativeFuzz
	}
	if _, err := run(ctx, command, dir, "FuzzNone", 1); err != nil { // builds
		return nil, err
	}
	var figures []fuzzFigure
	for _, t := range set.targets {
		if !match.MatchString(t.name) {
			continue
		}
		f, err := run(ctx, command, dir, "Fuzz"+t.name, set.budget)
		if err != nil {
			return nil, fmt.Errorf("%s by %s: %w", t.name, version, err)
		}
		cell := f.String()
		if set.twins {
			f, err := run(ctx, command, dir, "Fuzz"+t.name+"Fixed", twinBudget)
			if err != nil {
				return nil, fmt.Errorf("%sFixed by %s: %w", t.name, version, err)
			}
			if f.found {
				cell += "; FALSE: " + f.what
			}
		}
		fmt.Fprintf(os.Stderr, "%s %s: %s\n", version, t.name, cell)
		figures = append(figures, fuzzFigure{version, set.name, t.name, cell})
	}
	return figures, nil
}

// A fuzzRun is the search for the bug of a target. The seconds are processor time, of all
// processes, of a target that is compiled already.
type fuzzRun struct {
	found      bool
	seconds    float64
	executions int
	what       string
}

// String returns what the table says of it.
func (r fuzzRun) String() string {
	if r.found {
		return fmt.Sprintf("%.1f s, %d", r.seconds, r.executions)
	}
	return strings.TrimSuffix(fmt.Sprintf("not in %.0f s, %d: %s", r.seconds, r.executions, r.what), ": ")
}

// heddleFuzz lets heddle look for the bug of a target for some seconds.
func heddleFuzz(ctx context.Context, command, dir, target string, budget int) (r fuzzRun, err error) {
	cmd := exec.CommandContext(ctx, command, "test", "-json", "-failfast", "-p", "1", "-fuzz", "^"+target+"$",
		"-run", "^"+target+"$", "-budget", fmt.Sprint(budget, "s"), ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return r, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	r.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	for line := range bytes.Lines(out) {
		var e struct {
			Action, Kind, Message, Reason, Output string
			Executions                            int
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Action {
		case "build-output", "build-fail":
			return r, fmt.Errorf("%s", out)
		case "finding":
			first, _, _ := strings.Cut(e.Message, "\n")
			r.found, r.what = true, e.Kind+": "+first
		case "summary":
			r.executions = e.Executions
			if !r.found {
				r.what = e.Reason
			}
		}
	}
	return r, nil
}

var nativeExecs = regexp.MustCompile(`execs: (\d+)`)

// nativeFuzz lets go test -fuzz look for the bug of a target for some seconds, by one worker.
func nativeFuzz(ctx context.Context, command, dir, target string, budget int) (r fuzzRun, err error) {
	binary := filepath.Join(dir, "native.test")
	if _, err := os.Stat(binary); err != nil {
		cmd := exec.CommandContext(ctx, command, "test", "-c", "-fuzz", "^"+target+"$", "-o", binary, ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return r, fmt.Errorf("%w\n%s", err, out)
		}
		return r, nil
	}
	cmd := exec.CommandContext(ctx, binary, "-test.fuzz=^"+target+"$", "-test.run=^"+target+"$",
		"-test.fuzztime="+fmt.Sprint(budget, "s"), "-test.parallel=1", "-test.fuzzminimizetime=0",
		"-test.fuzzcachedir="+filepath.Join(dir, "cache"))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	r.seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	over := ranOut(string(out))
	r.found = bytes.Contains(out, []byte("--- FAIL: "+target)) && !over
	if err != nil && !r.found && !over {
		return r, fmt.Errorf("%w\n%s", err, out)
	}
	for _, m := range nativeExecs.FindAllSubmatch(out, -1) {
		fmt.Sscan(string(m[1]), &r.executions)
	}
	return r, nil
}

// ranOut reports whether go test -fuzz fails only as its time is over, without an input, as it does
// at times.
func ranOut(out string) bool {
	return strings.Contains(out, "context deadline exceeded") && !strings.Contains(out, "Failing input")
}

func readFigures() ([]fuzzFigure, error) {
	file, err := os.Open(fuzzFigures)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var figures []fuzzFigure
	s := bufio.NewScanner(file)
	for s.Scan() {
		if f := strings.Split(s.Text(), "\t"); len(f) == 4 {
			figures = append(figures, fuzzFigure{f[0], f[1], f[2], f[3]})
		}
	}
	return figures, s.Err()
}

func writeFigures(figures []fuzzFigure) error {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", f.version, f.set, f.target, f.cell)
	}
	return os.WriteFile(fuzzFigures, []byte(b.String()), 0o666)
}

// fuzzPage returns the page with the tables of all sets.
func fuzzPage(sets []fuzzSet, figures []fuzzFigure) string {
	b := new(strings.Builder)
	b.WriteString(fuzzHead)
	for _, set := range sets {
		fmt.Fprintf(b, set.head, set.budget)
		if set.twins {
			fmt.Fprintf(b, twinsHead, twinBudget)
		}
		b.WriteByte('\n')
		fuzzRows(b, &set, figures)
	}
	return b.String()
}

const fuzzHead = `# Fuzz targets

Made by ` + "`" + `go run ./bench -fuzz docs/results/fuzz.md -heddles NAME=COMMAND,...` + "`" + `. Each column
is a version of heddle. *go test* is ` + "`" + `go test -fuzz` + "`" + `, by ` + "`" + `NAME=go` + "`" + `. Figures of earlier runs
are kept in ` + "`" + `bench/fuzz.txt` + "`" + `.
`

const orderedHead = `
## An input and an order

The targets of ` + "`" + `bench/programs/ordered` + "`" + ` have a bug that needs an input and an order of
goroutines. They were written without knowledge of how heddle looks for inputs. A cell has the
processor time of ` + "`" + `heddle test -fuzz T -failfast -p 1` + "`" + `, compiled before, until the bug was found,
and the executions; or what heddle said after %d s.
`

const twinsHead = `Their twins without a bug ran %d s each: what was found there is marked FALSE.
`

const plainHead = `
## An input

The targets of ` + "`" + `bench/programs/plainfuzz` + "`" + ` have no goroutines. Each was run for %d s, with one
process.
`

const scannersHead = `
## Loops over text

The targets of ` + "`" + `bench/programs/scanners` + "`" + ` go over a text by hand, or by functions of the standard
library that are given a function. They were written before anything was done for such loops. Each
was run for %d s, with one process.
`

// fuzzRows writes the table of a package: a row for each target, a column for each version.
func fuzzRows(b *strings.Builder, set *fuzzSet, figures []fuzzFigure) {
	var versions []string
	cells := map[string]string{}
	for _, f := range figures {
		if f.set == set.name {
			if !slices.Contains(versions, f.version) {
				versions = append(versions, f.version)
			}
			cells[f.version+"\t"+f.target] = f.cell
		}
	}
	fmt.Fprintf(b, "| target | | it needs | %s |\n|%s\n", strings.Join(versions, " | "),
		strings.Repeat(" --- |", len(versions)+3))
	found := make([]int, len(versions))
	for _, t := range set.targets {
		fmt.Fprintf(b, "| %s | %s | %s |", t.name, t.level, strings.ReplaceAll(t.needs, "|", "\\|"))
		for i, v := range versions {
			cell := cells[v+"\t"+t.name]
			if cell != "" && !strings.HasPrefix(cell, "not ") {
				found[i]++
			}
			fmt.Fprintf(b, " %s |", cmp.Or(cell, "–"))
		}
		b.WriteByte('\n')
	}
	b.WriteString("| found | | |")
	for _, n := range found {
		fmt.Fprintf(b, " %d of %d |", n, len(set.targets))
	}
	b.WriteByte('\n')
}
