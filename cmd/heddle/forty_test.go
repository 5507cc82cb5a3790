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
	"slices"
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
	if len(patterns) != 50 {
		t.Fatalf("%d programs", len(patterns))
	}
	for _, name := range patterns {
		t.Run(name, func(t *testing.T) {
			got, whole, code := fortyReport(t, dir, "./"+name)
			for _, p := range unshown(whole) {
				if notSteps[p] == "" {
					t.Errorf("the paragraph names %s, and the table of steps does not have it:\n%s", p, whole)
				}
			}
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
			if got, _, code := fortyReport(t, dir, "./fixed/"+name); code != 0 {
				t.Errorf("the fixed twin: exit code %d\n%s", code, got)
			}
		})
	}
}

// notSteps are the places in paragraphs at which nothing happened in the execution that the table
// is of, with the reason.
var notSteps = map[string]string{
	"gatekeeper.go:19": "the receive is not reached",
	"crawler.go:13":    "Add comes after the failure",
	"inventory.go:26":  "the Unlock is not reached",
	"plugins.go:22":    "the Unlock is not reached",
	"report.go:13":     "the make is not reached",
	"resizer.go:32":    "the close is not reached",
	"lastjob.go:27":    "the table has the line of the case",
	"stopper.go:10":    "the table has the line of the default",
	"wakeup.go:19":     "the table has the line of the default",
}

// unshown returns the places in the paragraphs of reports that their tables of steps do not have.
func unshown(reports string) (missing []string) {
	var named []string
	steps, paragraph := "", true
	end := func() {
		for _, p := range named {
			if steps != "" && !strings.Contains(steps, p+" ") && !strings.Contains(steps, p+"\n") {
				missing = append(missing, p)
			}
		}
	}
	for line := range strings.Lines(reports) {
		section := strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "     ")
		switch {
		case section && kindHeading.MatchString(line):
			end()
			named, steps, paragraph = nil, "", true
		case strings.HasPrefix(line, "    steps"):
			steps, paragraph = "\n", false
		case section || placeRow.MatchString(line):
			paragraph = false
			if section && steps != "" {
				steps += "\n\n" // what follows is no table
			}
		case paragraph:
			named = append(named, inText.FindAllString(line, -1)...)
		case steps != "" && !strings.HasSuffix(steps, "\n\n\n"):
			steps += line
		}
	}
	end()
	return missing
}

var (
	kindHeading = regexp.MustCompile(`^    [A-Z]{2}`)
	placeRow    = regexp.MustCompile(`^      (goroutine|\w+( \S+)?  +\S+\.go:\d+)`)
	inText      = regexp.MustCompile(`\b\w+\.go:\d+\b`)
)

// fortyReport returns the report of heddle test for a package without its figures and its tables
// of steps, and the whole of it.
func fortyReport(t *testing.T, dir, pkg string) (told, whole string, code int) {
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, "heddle", "test", "-budget", "1m", "-runs", "2000", pkg)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatal(err)
	}
	return essence(out), string(out), c.ProcessState.ExitCode()
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

// The table of a report has each place that its paragraph names.
func TestUnshown(t *testing.T) {
	const report = `--- FAIL: TestX (0.1s)
    DEADLOCK on mu
      main/1 locked mu at a.go:3 and waits at a.go:7, where
      main called it at b.go:12.
    hint    look at a.go:9
      goroutine main waits
        p.f  c.go:1  f()
    steps   all 2 steps
             main
        1    lock mu  dir/a.go:3  mu.Lock()
      >      wait     dir/a.go:77
    clip    testdata/b.go:12
`
	if got := unshown(report); !slices.Equal(got, []string{"a.go:7", "b.go:12"}) {
		t.Errorf("missing: %q", got)
	}
}
