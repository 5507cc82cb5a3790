package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A version is a command heddle that is compared, by its name in the table.
type version struct{ name, command string }

// A share is what became of the tests of a module, or of all, under one version.
type share struct {
	tests, concurrent, covered, findings int
	left                                 map[string]int // tests by the reason why they are not covered
	processor                            time.Duration
	failed                               string // why the module could not be tried
}

func (s *share) add(t *share) {
	s.tests += t.tests
	s.concurrent += t.concurrent
	s.covered += t.covered
	s.findings += t.findings
	s.processor += t.processor
	for code, n := range t.left {
		s.left[code] += n
	}
}

// listed reads a list of modules: module@version, one a line.
func listed(file string) (list []module, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		path, at, ok := strings.Cut(line, "@")
		if !ok {
			return nil, fmt.Errorf("%s: %q: expected module@version", file, line)
		}
		list = append(list, module{path: path, version: at})
	}
	return list, nil
}

// versionsOf reads -heddles. Without it the version is this one.
func (c *compat) versionsOf(flag string) (list []version, err error) {
	if flag == "" {
		return []version{{cmp.Or(commit(), "heddle"), c.heddle}}, nil
	}
	for _, text := range strings.Split(flag, ",") {
		name, command, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("-heddles %q: expected name=path", text)
		}
		if command, err = filepath.Abs(command); err != nil {
			return nil, err
		}
		list = append(list, version{name, command})
	}
	return list, nil
}

// covered writes a table of the tests of a list of modules that each version covers to a file. It
// writes after each module, as the whole takes long.
func (c *compat) covered(list []module, versions []version, out string) error {
	var rows strings.Builder
	sums := make([]share, len(versions))
	for i := range sums {
		sums[i].left = map[string]int{}
	}
	for _, m := range list {
		dir, err := c.placed(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		shares := make([]share, len(versions))
		for i, v := range versions {
			shares[i] = c.shareOf(dir, v)
			sums[i].add(&shares[i])
			fmt.Printf("%s %s: %d of %d concurrent tests covered %s\n", m.path, v.name, shares[i].covered,
				shares[i].concurrent, shares[i].failed)
		}
		rows.WriteString(coveredRow(m.path, m.version, shares))
		if err := os.WriteFile(out, []byte(c.coveredText(versions, rows.String(), sums)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// placed returns the folder of a module. One that is there already is taken as it is: not every
// version is at a proxy.
func (c *compat) placed(m module) (dir string, err error) {
	dir = c.folder(m)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		if dir, err = c.fetch(m); err != nil {
			return "", fmt.Errorf("%w; expected it at a proxy, or a copy in %s", err, c.folder(m))
		}
	}
	cmd := exec.Command("go", "mod", "tidy")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go mod tidy: %v: %s", err, firstLines(string(text), 3))
	}
	return dir, nil
}

// shareOf runs one version on the module in dir.
func (c *compat) shareOf(dir string, v version) share {
	s := share{left: map[string]int{}}
	run := func(args ...string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, v.command,
			append([]string{"test", "-count=1", "-json", "-p", "1"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		group(cmd)
		cmd.WaitDelay = 5 * time.Second
		out, err := cmd.Output()
		if cmd.ProcessState != nil {
			s.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return out, err
	}
	run("-run", "^$", "./...") // builds
	args := []string{"-clips", filepath.Join(c.dir, "clips", filepath.Base(dir), v.name), "./..."}
	if c.budget > 0 {
		args = append([]string{"-budget", c.budget.String()}, args...)
	}
	out, err := run(args...)
	for line := range strings.Lines(string(out)) {
		var e struct {
			Action, Test, Code, Reason string
			Complete                   bool
			Findings                   int
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Action == "summary" {
			s.summary(e.Code, e.Reason, e.Complete, e.Findings)
		}
	}
	switch exit := new(exec.ExitError); {
	case err != nil && !errors.As(err, &exit): // the code is 1 for findings
		s.failed = err.Error()
	case s.tests == 0:
		s.failed = "no test was run"
	}
	return s
}

// summary counts a test.
func (s *share) summary(code, reason string, complete bool, findings int) {
	s.tests++
	if code == "alone" || strings.HasPrefix(reason, "no concurrency") {
		return
	}
	s.concurrent++
	if findings > 0 {
		s.findings++
	}
	if complete {
		s.covered++
		return
	}
	s.left[cmp.Or(code, "sampled")]++
}

func coveredRow(path, version string, shares []share) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | %s | %d |", path, version, shares[0].tests)
	for i := range shares {
		s := &shares[i]
		if s.failed != "" {
			fmt.Fprintf(&b, " %s | | | |", s.failed)
			continue
		}
		fmt.Fprintf(&b, " %d | %d | %d | %.0f s |", s.concurrent, s.covered, s.findings,
			s.processor.Seconds())
	}
	return b.String() + "\n"
}

// coveredText is the document.
func (c *compat) coveredText(versions []version, rows string, sums []share) string {
	var b strings.Builder
	budget := "the default budget, 10 s a test"
	if c.budget > 0 {
		budget = "-budget " + c.budget.String()
	}
	fmt.Fprintf(&b, `# What is covered of other projects' tests

Written by `+"`go run ./scripts/compat -list FILE -heddles ...`"+` at %s: `+
		"`heddle test -count=1 -json -p 1 ./...`"+`, %s.

- *Concurrent* are the tests with more than one schedule. *Covered* is said of them.
- A test that is covered may have findings.
- The time is of the processor, of the command and the tests, building not counted.

| module | version | tests |`, commit(), budget)
	for _, v := range versions {
		fmt.Fprintf(&b, " concurrent: %s | covered | with findings | time |", v.name)
	}
	line := strings.Repeat(" ---: | ---: | ---: | ---: |", len(versions))
	b.WriteString("\n| --- | --- | ---: |" + line + "\n")
	b.WriteString(rows)
	b.WriteString(coveredRow("**all**", "", sums))
	b.WriteString("\n")
	codes := map[string]bool{}
	for i, v := range versions {
		if s := &sums[i]; s.concurrent > 0 {
			fmt.Fprintf(&b, "%s: %d of %d, %.0f percent.\n", v.name, s.covered, s.concurrent,
				100*float64(s.covered)/float64(s.concurrent))
		}
		for code := range sums[i].left {
			codes[code] = true
		}
	}
	b.WriteString("\n## Why not covered\n\n| code |")
	for _, v := range versions {
		fmt.Fprintf(&b, " %s |", v.name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(versions)) + "\n")
	last := sums[len(sums)-1].left
	for _, code := range slices.SortedFunc(maps.Keys(codes), func(a, b string) int {
		return cmp.Or(last[b]-last[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(&b, "| `%s` |", code)
		for i := range sums {
			fmt.Fprintf(&b, " %d |", sums[i].left[code])
		}
		b.WriteString("\n")
	}
	return b.String()
}
