package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var updateForty = flag.Bool("update-forty", false, "rewrite the golden reports of report/testdata/forty")

// The forty programs of report/testdata/forty have one bug each. Their reports are goldens: what is
// told first, without the steps and what a busy machine changes. The fixed twins show nothing.
func TestForty(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and explores eighty packages")
	}
	root := filepath.Join("..", "..", "report", "testdata", "forty")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	var patterns []string
	f, err := os.Open(filepath.Join(root, "patterns.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, _, ok := strings.Cut(lines.Text(), " "); ok && name != "#" {
			patterns = append(patterns, name)
		}
	}
	if len(patterns) != 40 {
		t.Fatalf("%d programs", len(patterns))
	}
	for _, name := range patterns {
		t.Run(name, func(t *testing.T) {
			got, code := fortyReport(t, dir, "./"+name)
			if code != 1 {
				t.Fatalf("exit code %d:\n%s", code, got)
			}
			golden := filepath.Join(root, name, "report.golden")
			if *updateForty {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil || got != string(want) {
				t.Errorf("%v; got\n%s\nwant\n%s", err, got, want)
			}
			if got, code := fortyReport(t, dir, "./fixed/"+name); code != 0 {
				t.Errorf("the fixed twin: exit code %d\n%s", code, got)
			}
		})
	}
}

// fortyReport returns the report of heddle test for a package without its figures and its tables
// of steps.
func fortyReport(t *testing.T, dir, pkg string) (string, int) {
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, "heddle", "test", "-budget", "1m", "-runs", "2000", pkg)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatal(err)
	}
	return essence(out), c.ProcessState.ExitCode()
}

var (
	inBrackets = regexp.MustCompile(`(--- FAIL: \w+) \(.*`)
	clipName   = regexp.MustCompile(`testdata/heddle/\S+`)
)

// essence keeps of each finding heading, paragraph, hint, places and stacks.
func essence(out []byte) string {
	var b bytes.Buffer
	steps := false
	for line := range strings.Lines(string(out)) {
		section := strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "     ")
		switch {
		case strings.HasPrefix(line, "    steps"):
			steps = true
		case section, strings.HasPrefix(line, "---"):
			steps = false
		}
		switch {
		case steps, strings.HasPrefix(line, "    clip "), strings.HasPrefix(line, "    replay "):
		case strings.HasPrefix(line, "--- FAIL"), strings.HasPrefix(line, "    "):
			line = inBrackets.ReplaceAllString(line, "$1")
			b.WriteString(clipName.ReplaceAllString(line, "CLIP"))
		case strings.HasPrefix(line, "FAIL"), strings.HasPrefix(line, "ok "):
			return b.String()
		}
	}
	return b.String()
}
