package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"heddle/bench/fixes"
)

// replayBudget is what the search for a bug has, and each replay that searches.
const replayBudget = "5s"

// replayTable lets versions of heddle judge the fixes of bench/fixes, and the changes that mend
// nothing, and writes the table to file. heddles are name=command.
func replayTable(ctx context.Context, file string, heddles []string, only string) error {
	var rows strings.Builder
	var head []string
	sums := make([]judged, len(heddles))
	for _, p := range fixes.All() {
		if only != "" && p.Name != only {
			continue
		}
		fmt.Fprintf(&rows, "| %s |", p.Name)
		for i, h := range heddles {
			j, err := judgePair(ctx, h, &p)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.Name, h, err)
			}
			fmt.Fprintf(&rows, " %d | %s | %s | %s |", len(j.fix), codes(j.fix), codes(j.non), tests(&j))
			sums[i].fix, sums[i].non = append(sums[i].fix, j.fix...), append(sums[i].non, j.non...)
			sums[i].tests, sums[i].pass = sums[i].tests+j.tests, sums[i].pass+j.pass
			sums[i].caught, sums[i].races = sums[i].caught+j.caught, sums[i].races+j.races
			sums[i].pairs += min(1, j.pass)
		}
		rows.WriteString("\n")
		fmt.Print(".")
	}
	fmt.Println()
	var totals strings.Builder
	for i, h := range heddles {
		name, _, _ := strings.Cut(h, "=")
		head = append(head, name)
		fmt.Fprintf(&totals, "| %s | %s | %s |", name, tallied(sums[i].fix), tallied(sums[i].non))
		if sums[i].tests == 0 {
			totals.WriteString(" |\n")
			continue
		}
		fmt.Fprintf(&totals, " %d of %d clips (%d are of data races), %d pass after the fix, of %d pairs; %d still fail after the non-fix |\n",
			sums[i].tests, len(sums[i].fix), sums[i].races, sums[i].pass, sums[i].pairs, sums[i].caught)
	}
	columns, line := "", ""
	for _, name := range head {
		columns += fmt.Sprintf(" %s: clips | fix | non-fix | Go tests |", name)
		line += " --- | --- | --- | --- |"
	}
	out := fmt.Sprintf(replayHead, strings.Join(head, ","), replayBudget, replayBudget,
		totals.String(), columns, line)
	return os.WriteFile(file, []byte(out+rows.String()), 0o666)
}

const replayHead = `# Replay judges fixes

Made by ` + "`" + `go run ./bench -replay docs/results/replay.md -heddles %s` + "`" + `, each a
version with its command (` + "`" + `=path` + "`" + `). ` + "`" + `bench/fixes` + "`" + ` has bugs, each with a fix of the kind that people
make, and some with a change that leaves the bug (a non-fix). They were written before heddle was
run on them. heddle explores each bug (` + "`" + `-budget %s` + "`" + `), and after each change it replays every clip
that it kept (` + "`" + `-budget %s` + "`" + `).

The columns have exit codes of ` + "`" + `heddle replay` + "`" + `: 0 fixed, 1 still there or another bug, 2 cannot
tell. After a fix 0 is right, after a non-fix 1. The last column has the tests that
` + "`" + `heddle clips go` + "`" + ` makes. It keeps only those that fail under plain ` + "`" + `go test` + "`" + ` on the bug; how many
of them pass after the fix is behind the stroke. After a non-fix such a test may pass, where it has
rewritten the statements at which the goroutines stop: ` + "`" + `heddle replay` + "`" + ` is what judges.

| version | clips after a fix: exit 0, 1, 2 | clips after a non-fix: exit 0, 1, 2 | Go tests |
| --- | --- | --- | --- |
%s
| pair |%s
| --- |%s
`

// A judged has the exit codes of the replays of a pair's clips, after the fix and after what is
// none, and what became of Go tests made of them.
type judged struct {
	fix, non []int

	races  int // clips of data races
	tests  int // Go tests that were made, each of which fails on the bug
	pass   int // of them, those that pass after the fix
	caught int // and those that fail after what is none
	pairs  int // in a sum: with a test that passes after the fix
}

// tests writes how many Go tests were made and pass after the fix.
func tests(j *judged) string {
	if j.tests == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d", j.tests, j.pass)
}

// judgePair has a version of heddle find the bug of a pair and judge the changes.
func judgePair(ctx context.Context, heddle string, p *fixes.Pair) (j judged, err error) {
	_, command, err := nameAndCommand(heddle)
	if err != nil {
		return j, err
	}
	module, err := os.MkdirTemp("", "heddle-fixes-")
	if err != nil {
		return j, err
	}
	defer os.RemoveAll(module)
	dir := filepath.Join(module, p.Name)
	if err := errors.Join(fixes.WriteModule(module), fixes.Write(dir, p.Bug)); err != nil {
		return j, err
	}
	if code, out := runHeddle(ctx, command, dir, "test", "-budget", replayBudget, "-seed", "1"); code != 1 {
		return j, fmt.Errorf("heddle test: exit code %d, expected a finding\n%s", code, out)
	}
	clips, err := readClips(dir)
	if err != nil {
		return j, err
	}
	if err := j.tryTests(ctx, command, dir, p, clips); err != nil {
		return j, err
	}
	if j.fix, err = judgeChange(ctx, command, dir, p.Fix, clips); err != nil || p.Non == nil {
		return j, err
	}
	j.non, err = judgeChange(ctx, command, dir, p.Non, clips)
	return j, err
}

// tryTests makes Go tests of clips, where heddle has the command for it, and runs them after the
// changes.
func (j *judged) tryTests(ctx context.Context, command, dir string, p *fixes.Pair,
	clips map[string]string) error {
	if code, _ := runHeddle(ctx, command, dir, "clips", "-h"); code != 0 {
		return nil
	}
	for path, text := range clips {
		if strings.Contains(text, "\nkind       data race\n") {
			j.races++
		}
		if err := fixes.Write(dir, p.Bug); err != nil {
			return err
		}
		if code, _ := runHeddle(ctx, command, dir, "clips", "go", "-o", "made_test.go", path); code != 0 {
			continue
		}
		j.tests++
		if err := fixes.Write(dir, p.Fix); err != nil {
			return err
		}
		run := []string{"test", "-count=1", "-run=_[0-9a-f]{8}$", "."}
		if code, _ := runHeddle(ctx, "go", dir, run...); code == 0 {
			j.pass++
		}
		if p.Non != nil {
			if err := fixes.Write(dir, p.Non); err != nil {
				return err
			}
			if code, _ := runHeddle(ctx, "go", dir, run...); code != 0 {
				j.caught++
			}
		}
		if err := os.Remove(filepath.Join(dir, "made_test.go")); err != nil {
			return err
		}
	}
	return nil
}

// readClips returns the clips of the package in dir, by their paths from there.
func readClips(dir string) (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "testdata", "heddle", "*", "*"))
	clips := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		clips[rel] = string(text)
	}
	return clips, err
}

// judgeChange returns the exit codes of the replays of clips after a change, each as if it were
// the only one.
func judgeChange(ctx context.Context, command, dir string, files, clips map[string]string) (all []int,
	err error) {
	if err := fixes.Write(dir, files); err != nil {
		return nil, err
	}
	for path, text := range clips {
		at := filepath.Join(dir, path)
		err := errors.Join(os.RemoveAll(filepath.Join(dir, "testdata")),
			os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(text), 0o666))
		if err != nil {
			return nil, err
		}
		args := []string{"replay", path}
		if takesBudget(ctx, command) {
			args = []string{"replay", "-budget", replayBudget, path}
		}
		code, _ := runHeddle(ctx, command, dir, args...)
		all = append(all, code)
	}
	slices.Sort(all)
	return all, nil
}

// takesBudget reports whether heddle replay of a version has flag -budget.
func takesBudget(ctx context.Context, command string) bool {
	_, out := runHeddle(ctx, command, ".", "replay", "-h")
	return strings.Contains(out, "-budget")
}

// runHeddle runs a command in a folder, and returns its exit code and what it printed.
func runHeddle(ctx context.Context, command, dir string, args ...string) (code int, out string) {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode(), string(b)
	case err != nil:
		return -1, err.Error()
	}
	return 0, string(b)
}

// codes writes exit codes for the table.
func codes(list []int) string {
	return strings.Trim(fmt.Sprint(list), "[]")
}

// tallied counts the exit codes 0, 1 and 2.
func tallied(list []int) string {
	var n [3]int
	for _, code := range list {
		if code >= 0 && code < len(n) {
			n[code]++
		}
	}
	return fmt.Sprintf("%d, %d, %d of %d", n[0], n[1], n[2], len(list))
}
