package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	stdPrograms = "bench/programs/encodes"
	stdRuns     = 100
	stdRounds   = 3
)

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// stdTable compares versions of heddle on tests that hash, compress and encode, and writes the
// table to file. heddles are name=command; the first one is the reference.
func stdTable(ctx context.Context, file string, heddles []string) error {
	text, err := os.ReadFile(filepath.Join(stdPrograms, "encodes_test.go"))
	if err != nil {
		return fmt.Errorf("expected to be called in the folder of heddle's own module: %w", err)
	}
	var names, head []string
	best := map[string]time.Duration{} // by test and version
	for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	for range stdRounds {
		for _, test := range names {
			for _, h := range heddles {
				took, err := stdRun(ctx, h, test)
				if err != nil {
					return err
				}
				if old := best[test+h]; old == 0 || took < old {
					best[test+h] = took
				}
			}
		}
	}
	rest := func(test,
		h string) float64 {
		return (best[test+h] - best["TestNothing"+h]).Seconds() * 1e6 / stdRuns
	}
	var rows strings.Builder
	sums := make([]float64, len(heddles))
	for _, test := range names {
		if test == "TestNothing" {
			continue
		}
		fmt.Fprintf(&rows, "| %s |", strings.TrimPrefix(test, "Test"))
		for i, h := range heddles {
			sums[i] += rest(test, h)
			fmt.Fprintf(&rows, " %.0f |", rest(test, h))
			if i > 0 {
				fmt.Fprintf(&rows, " %.2f |", rest(test, h)/rest(test, heddles[0]))
			}
		}
		rows.WriteString("\n")
	}
	rows.WriteString("| all |")
	for i := range heddles {
		fmt.Fprintf(&rows, " %.0f |", sums[i])
		if i > 0 {
			fmt.Fprintf(&rows, " %.2f |", sums[i]/sums[0])
		}
		name, _, _ := strings.Cut(heddles[i], "=")
		head = append(head, name)
	}
	out := fmt.Sprintf(stdHead, strings.Join(head, ","), stdRuns, stdRounds, head[0],
		head[0]+" | "+strings.Join(head[1:], " | | ")+" |", strings.Repeat(" --- |", 2*len(head)-1))
	return os.WriteFile(file, []byte(out+rows.String()+"\n"), 0o666)
}

const stdHead = `# The standard library

Made by ` + "`" + `go run ./bench -std docs/results/std-cost.md -heddles %s` + "`" + `, each a commit with its command
(` + "`" + `=path` + "`" + `): what an execution of the tests of ` + "`" + `bench/programs/encodes` + "`" + ` costs, in microseconds of user
processor time. Each test was executed %d times by strategy random, the least of %d such runs in
turns, less what a run costs of a test that does nothing. Beside it stands the ratio to %s.

| test | %s |
| --- |%s
`

// stdRun returns the user CPU time of a run of a test, with its child processes.
func stdRun(ctx context.Context, heddle, test string) (time.Duration, error) {
	_, command, err := nameAndCommand(heddle)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, command, "test", "-runs", fmt.Sprint(stdRuns), "-budget", "5m", "-p", "1",
		"-strategy", "random", "-seed", "1", "-run", "^"+test+"$", "./"+stdPrograms)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return cmd.ProcessState.UserTime(), nil
}
