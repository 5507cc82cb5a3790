package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"heddle/bench/programs/seeded"
)

// genSubjects lists types of other modules.
//
//go:embed gen.txt
var genSubjects string

// A genSubject is a type that heddle gen is run on.
type genSubject struct {
	module, version string // "": of bench/programs/seeded
	pkg, typ        string
}

// A generated is what became of a subject.
type generated struct {
	failed string  // what gen says, if it wrote no tests
	tests  int     // tests in the file
	by     int     // of them, those that gen says fail
	kinds  string  // of these failures
	runs   bool    // the file compiles, and its tests end, under go test
	used   float64 // seconds of processor time of heddle gen
}

// genSearch is what heddle gen has for its search, which ends by itself: on a busy machine it may
// take that long.
const genSearch = "15s"

// genJudged says what the failures of types of other modules are, and what Lincheck does.
//
//go:embed gen-judged.md
var genJudged string

// genTable runs versions of heddle on the types of gen.txt and of bench/programs/seeded, and writes
// the tables to file. heddles are name=command. Types whose names do not match only, a regular
// expression, are left out.
func genTable(ctx context.Context, file string, heddles []string, only string) error {
	tmp, err := os.MkdirTemp("", "heddle-gen-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var head, line strings.Builder
	for _, h := range heddles {
		name, _, err := nameAndCommand(h)
		if err != nil {
			return err
		}
		fmt.Fprintf(&head, " %s: tests | run | failures told | processor time |", name)
		line.WriteString(" ---: | --- | --- | ---: |")
	}
	var text strings.Builder
	fmt.Fprintf(&text, genHead, commit())
	subjects, err := moduleSubjects()
	if err != nil {
		return err
	}
	sum := make([]string, len(heddles))
	for _, part := range []struct {
		title, what string
		subjects    []genSubject
	}{
		{"Types of other modules", "modules", subjects},
		{"Types with a seeded bug", "seeded", seededSubjects("")},
		{"Their fixed twins", "twins", seededSubjects("Fixed")},
	} {
		fmt.Fprintf(&text, "\n## %s\n\n| type |%s\n| --- |%s\n", part.title, head.String(), line.String())
		totals := make([]struct{ wrote, ran, found int }, len(heddles))
		n := 0
		for _, s := range part.subjects {
			if match, err := regexp.MatchString(only, s.name()); err != nil {
				return err
			} else if !match {
				continue
			}
			n++
			fmt.Fprintf(&text, "| %s |", s.name())
			for i, h := range heddles {
				_, command, _ := strings.Cut(h, "=")
				g, err := s.generate(ctx, command, tmp)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", s.name(), h, err)
				}
				text.WriteString(g.cells())
				t := &totals[i]
				t.wrote, t.ran, t.found = t.wrote+min(1, g.tests), t.ran+ifTrue(g.runs), t.found+min(1, g.by)
			}
			text.WriteString("\n")
		}
		for i, t := range totals {
			sum[i] += fmt.Sprintf(" %d, %d, %d of %d |", t.wrote, t.ran, t.found, n)
		}
	}
	if only == "" {
		fmt.Fprintf(&text, "\n%s", genJudged)
	}
	out := text.String()
	rows := ""
	for i, h := range heddles {
		name, _, _ := strings.Cut(h, "=")
		rows += fmt.Sprintf("| %s |%s\n", name, sum[i])
	}
	return os.WriteFile(file, []byte(strings.Replace(out, "SUMS\n", rows, 1)), 0o666)
}

func ifTrue(b bool) int {
	if b {
		return 1
	}
	return 0
}

const genHead = `# Generated tests

Made by ` + "`go run ./bench -gen docs/results/gen.md -heddles now=heddle`" + ` at %s. The types were
chosen, and those with seeded bugs were written, before heddle gen came to what it is. For each type
heddle gen writes ten tests, at most (` + "`-seed 1 -budget " + genSearch + "`" + `, a bound for busy machines: the search
ends by itself), which ` + "`go test`" + ` runs once. A type of another module is in a copy of it in a
temporary folder, without the module's own tests. Processor time has builds and all processes.

Each column has three numbers: types for which tests were written; whose tests compile and end under
go test; of which a failure is told.

| version | types of other modules | seeded bugs | fixed twins |
| --- | --- | --- | --- |
SUMS
`

// moduleSubjects reads gen.txt.
func moduleSubjects() (all []genSubject, err error) {
	rows, err := rowsOf("gen.txt", genSubjects, "module, version, package and type", 4)
	for _, f := range rows {
		all = append(all, genSubject{f[0], f[1], f[2], f[3]})
	}
	return all, err
}

// rowsOf returns the words of each line of a list that has n, but of comments.
func rowsOf(name, text, expected string, n int) (rows [][]string, err error) {
	for _, l := range strings.Split(text, "\n") {
		if l == "" || l[0] == '#' {
			continue
		}
		f := strings.Fields(l)
		if len(f) != n {
			return nil, fmt.Errorf("%s: expected %s, found %q", name, expected, l)
		}
		rows = append(rows, f)
	}
	return rows, nil
}

// seededSubjects returns the types of bench/programs/seeded whose names begin so.
func seededSubjects(prefix string) (all []genSubject) {
	for _, t := range seeded.All {
		all = append(all, genSubject{pkg: "./" + t.Package, typ: prefix + t.Type})
	}
	return all
}

// name is how tables call the subject.
func (s *genSubject) name() string {
	m := strings.TrimPrefix(s.module, "github.com/")
	return strings.TrimPrefix(strings.TrimSuffix(m+strings.TrimPrefix(s.pkg, "."), "/")+"."+s.typ, "/")
}

// generate writes and runs tests of the subject, in a module of its own below tmp.
func (s *genSubject) generate(ctx context.Context, heddle, tmp string) (g generated, err error) {
	dir, err := os.MkdirTemp(tmp, "module-")
	if err != nil {
		return g, err
	}
	defer os.RemoveAll(dir)
	if err := s.copyTo(ctx, dir); err != nil {
		return g, err
	}
	fmt.Printf("== %s\n", s.name())
	code, out, used := timed(ctx, heddle, dir, "gen", "-type", s.typ, "-seed", "1", "-budget", genSearch,
		s.pkg)
	fmt.Println(strings.TrimSpace(out))
	var kinds []string
	for _, m := range genFails.FindAllStringSubmatch(out, -1) {
		if g.by++; !slices.Contains(kinds, m[1]) {
			kinds = append(kinds, m[1])
		}
	}
	slices.Sort(kinds)
	g.used, g.kinds = used, strings.Join(kinds, ", ")
	if code > 1 {
		g.failed, _, _ = strings.Cut(strings.TrimSpace(out), "\n")
		return g, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, s.pkg, strings.ToLower(s.typ)+"_heddle_test.go"))
	if err != nil || len(files) != 1 {
		return g, errors.Join(err, fmt.Errorf("gen wrote %d files", len(files)))
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return g, err
	}
	g.tests = bytes.Count(text, []byte("\nfunc Test"))
	run := "^Test" + s.typ + "Heddle"
	// The module's own tests are for other releases of Go, maybe.
	if s.module != "" {
		own, err := filepath.Glob(filepath.Join(dir, s.pkg, "*_test.go"))
		if err != nil {
			return g, err
		}
		for _, f := range own {
			if f != files[0] {
				err = errors.Join(err, os.Remove(f))
			}
		}
		if err != nil {
			return g, err
		}
	}
	code, out, _ = timed(ctx, "go", dir, "test", "-vet=off", "-count=1", "-timeout=60s", "-v", "-run",
		run, s.pkg)
	// a test that fails has run too
	g.runs = code == 0 || strings.Contains(out, "\n--- FAIL: ") && !strings.Contains(out, "[build failed]")
	if !g.runs {
		fmt.Println(out)
	}
	return g, nil
}

var genFails = regexp.MustCompile(` fails: ([a-z ]+):`)

// copyTo makes dir the module of the subject.
func (s *genSubject) copyTo(ctx context.Context, dir string) error {
	if s.module == "" {
		return seeded.WriteModule(dir)
	}
	code, out, _ := timed(ctx, "go", dir, "mod", "download", "-json", s.module+"@"+s.version)
	var m struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &m); code != 0 || err != nil {
		return fmt.Errorf("%s cannot be downloaded: %s", s.module, out)
	}
	err := filepath.WalkDir(m.Dir, func(path string, d fs.DirEntry, err error) error {
		rel, err2 := filepath.Rel(m.Dir, path)
		if err = errors.Join(err, err2); err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
	mod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(mod, []byte("module "+s.module+"\n\ngo 1.21\n"), 0o666)
	}
	return err
}

// cells are the columns of a version.
func (g *generated) cells() string {
	if g.failed != "" {
		return fmt.Sprintf(" none: %s | | | %.1f s |", strings.ReplaceAll(g.failed, "|", "\\|"), g.used)
	}
	told, runs := "none", "yes"
	if !g.runs {
		runs = "no"
	}
	if g.by > 0 {
		told = fmt.Sprint(g.by, " ", g.kinds)
	}
	return fmt.Sprintf(" %d | %s | %s | %.1f s |", g.tests, runs, told, g.used)
}

// nameAndCommand returns the parts of an item of -heddles.
func nameAndCommand(heddle string) (name, command string, err error) {
	name, command, ok := strings.Cut(heddle, "=")
	if !ok {
		err = fmt.Errorf("-heddles: expected name=command, found %q", heddle)
	}
	return name, command, err
}

// timed runs a command in dir and returns its exit code, what it prints and its processor time in
// seconds, with that of its children.
func timed(ctx context.Context, command, dir string, args ...string) (int, string, float64) {
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, command, args...)
	c.Dir, c.WaitDelay = dir, time.Second
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		return 127, err.Error(), 0
	}
	used := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return c.ProcessState.ExitCode(), string(out), used.Seconds()
}
