// Command examples checks heddle's findings in examples/:
//
//	go run ./scripts/examples [-runs N] [-replays N]
//
// It builds heddle, copies examples/ to a temporary folder, explores every package there with N
// executions for each test, and compares the findings with examples/expect.txt: a package with a
// bug must show exactly its kind of finding, and its fixed twin none. Then it executes every
// printed line "heddle replay ...", and the finding must show again (exit code 1). With -replays
// it replays every clip that many times more, within one process.
//
// The exit code is 1 if a result is not the expected one.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/build"
	"heddle/clip"
	"heddle/internal/run"
	"heddle/rt/wire"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("examples: ")
	runs := flag.Int("runs", 500, "execute each test `N` times")
	replays := flag.Int("replays", 0, "replay each clip `N` times more")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q; the flags are -runs and -replays", flag.Arg(0))
	}
	a := &acceptance{ctx: context.Background()}
	ok, err := a.check(*runs, *replays)
	if a.tmp != "" {
		os.RemoveAll(a.tmp)
	}
	if err != nil {
		log.Fatal(err)
	}
	if !ok {
		os.Exit(1)
	}
}

// An acceptance is one check of the examples.
type acceptance struct {
	ctx    context.Context
	tmp    string
	heddle string // the command
	dir    string // the copy of examples/
	differ int
}

// An expectation is a line of expect.txt. kind is "" for no finding.
type expectation struct{ folder, kind string }

// A finding is a finding event.
type finding struct {
	Package, Test, Kind, Message, Clip, Cause string
	Executions                                int
}

// A found is the result for one package.
type found struct {
	findings   []finding
	executions int
	elapsed    float64
	replays    []string // the printed command lines, without "heddle"
	trouble    string   // another reason to fail
}

func (a *acceptance) check(runs, replays int) (ok bool, err error) {
	if err := a.prepare(); err != nil {
		return false, err
	}
	expected, err := readExpected(filepath.Join(a.dir, "expect.txt"))
	if err != nil {
		return false, err
	}
	all, took, err := a.explore(runs, expected)
	if err != nil {
		return false, err
	}
	for _, want := range expected {
		a.compare(want, all["heddle.examples/"+want.folder])
	}
	for p := range all {
		if !slices.ContainsFunc(expected,
			func(e expectation) bool { return "heddle.examples/"+e.folder == p }) {
			a.wrong("%s: not in expect.txt", p)
		}
	}
	fmt.Printf("%d packages explored in %.1fs, with at most %d executions a test\n", len(all), took, runs)
	if err := a.replayAll(all); err != nil {
		return false, err
	}
	if replays > 0 {
		if err := a.replayMany(all, replays); err != nil {
			return false, err
		}
	}
	if a.differ > 0 {
		fmt.Printf("FAIL: %d differences\n", a.differ)
	}
	return a.differ == 0, nil
}

// wrong reports a difference.
func (a *acceptance) wrong(format string, args ...any) {
	a.differ++
	fmt.Printf("DIFFERS  "+format+"\n", args...)
}

// prepare builds heddle and copies examples/ without old clips. The copy is like a user's module:
// outside of heddle's, with its own workspace.
func (a *acceptance) prepare() error {
	root, err := exec.CommandContext(a.ctx, "go", "list", "-f", "{{.Dir}}", "heddle").Output()
	if err != nil {
		return fmt.Errorf("go list heddle: %v (run it inside heddle's module)", err)
	}
	if a.tmp, err = os.MkdirTemp("", "heddle-examples-"); err != nil {
		return err
	}
	a.heddle = filepath.Join(a.tmp, "heddle")
	if out, err := exec.CommandContext(a.ctx, "go", "build", "-o", a.heddle,
		"heddle/cmd/heddle").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %v\n%s", err, out)
	}
	from := filepath.Join(strings.TrimSpace(string(root)), "examples")
	a.dir = filepath.Join(a.tmp, "examples")
	work := "go 1.26.0\n\n"
	err = filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "heddle" && filepath.Base(filepath.Dir(file)) == "testdata" {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(a.dir, rel), 0o777)
		}
		if d.Name() == "go.mod" {
			work += "use ./" + filepath.ToSlash(filepath.Dir(rel)) + "\n"
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(a.dir, rel), data, 0o666)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.dir, "go.work"), []byte(work), 0o666)
}

func readExpected(file string) ([]expectation, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []expectation
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		folder, rest, _ := strings.Cut(line, " ")
		kind, finds := strings.CutPrefix(rest, "finds ")
		if !finds && rest != "clean" {
			return nil, fmt.Errorf("%s:%d: want \"<folder> finds <kind>\" or \"<folder> clean\"", file, i+1)
		}
		if !finds {
			kind = ""
		}
		all = append(all, expectation{folder, kind})
	}
	return all, nil
}

// explore runs heddle test and returns the results by package, and the time in seconds. The
// binaries are built before, so that the time is that of the exploration.
func (a *acceptance) explore(runs int, expected []expectation) (map[string]*found, float64, error) {
	patterns := []string{"./..."}
	for _, e := range expected {
		if _, err := os.Stat(filepath.Join(a.dir, e.folder, "go.mod")); err == nil {
			patterns = append(patterns, "./"+e.folder)
		}
	}
	fmt.Println("building")
	if code, out, err := a.run(append([]string{"test", "-run", "^$"}, patterns...)); err != nil || code != 0 {
		return nil, 0, fmt.Errorf("heddle test -run ^$: exit code %d, %v\n%s", code, err, out)
	}
	start := time.Now()
	code, out, err := a.run(append([]string{"test", "-json", "-runs", fmt.Sprint(runs)}, patterns...))
	took := time.Since(start).Seconds()
	if err != nil {
		return nil, took, err
	}
	if code != 1 {
		a.wrong("heddle test: exit code %d, want 1", code)
	}
	all := map[string]*found{}
	in := bufio.NewScanner(bytes.NewReader(out))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var e struct {
			Action, Output string
			finding
			Elapsed float64
		}
		if json.Unmarshal(in.Bytes(), &e) != nil {
			fmt.Println(in.Text()) // notes
			continue
		}
		f := all[e.Package]
		if f == nil {
			f = new(found)
			all[e.Package] = f
		}
		switch e.Action {
		case "finding":
			f.findings = append(f.findings, e.finding)
		case "summary":
			f.executions += e.Executions
			f.elapsed += e.Elapsed
		case "output":
			if cmd, ok := strings.CutPrefix(strings.TrimSpace(e.Output), "replay  heddle "); ok {
				f.replays = append(f.replays, cmd)
			}
			if note, ok := strings.CutPrefix(strings.TrimSpace(e.Output), "note: "); ok &&
				!strings.HasPrefix(note, livesOn) && !strings.Contains(note, besides) {
				f.trouble = note
			}
		}
	}
	return all, took, in.Err()
}

// run runs heddle in the copy and returns its exit code and its output.
func (a *acceptance) run(args []string) (int, []byte, error) {
	cmd := exec.CommandContext(a.ctx, a.heddle, args...)
	cmd.Dir = a.dir
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), out, nil
	}
	return 0, out, err
}

// compare prints the line of a package.
func (a *acceptance) compare(want expectation, got *found) {
	if got == nil {
		a.wrong("%s: not explored", want.folder)
		return
	}
	kinds := map[string]bool{}
	first := 0
	for _, f := range got.findings {
		kinds[f.Kind] = true
		if first == 0 || f.Executions < first {
			first = f.Executions
		}
		if f.Kind != want.kind {
			a.wrong("%s %s: %s: %s", want.folder, f.Test, f.Kind, f.Message)
		}
	}
	switch {
	case want.kind != "" && !kinds[want.kind]:
		a.wrong("%s: no %s in %d executions", want.folder, want.kind, got.executions)
	case got.executions == 0:
		a.wrong("%s: nothing was executed", want.folder)
	case got.trouble != "":
		a.wrong("%s: %s", want.folder, got.trouble)
	case want.kind != "":
		fmt.Printf("ok  %-20s %-13s after %4d of %d executions (%.2fs)\n", want.folder, want.kind, first,
			got.executions, got.elapsed)
	default:
		fmt.Printf("ok  %-20s %-13s       %d executions (%.2fs)\n", want.folder, "clean", got.executions,
			got.elapsed)
	}
}

// replayAll executes every printed replay line.
func (a *acceptance) replayAll(all map[string]*found) error {
	n := 0
	for _, p := range packages(all) {
		f := all[p]
		for _, line := range a.replayLines(p, f) {
			code, out, err := a.run(strings.Fields(line))
			if err != nil {
				return err
			}
			if code != 1 {
				a.wrong("heddle %s: exit code %d, want 1\n%s", line, code, out)
			}
			n++
		}
	}
	fmt.Printf("%d clips replayed from the printed lines\n", n)
	return nil
}

// replayLines returns the printed lines that replay the findings of a package. One that is told as
// a consequence of another has no line, but its clip beside the other's.
func (a *acceptance) replayLines(pkg string, f *found) []string {
	lines := slices.Clone(f.replays)
	for _, x := range f.findings {
		printed := func(line string) bool { return strings.HasSuffix(line, x.Clip) }
		switch {
		case slices.ContainsFunc(f.replays, printed):
		case x.Cause == "":
			a.wrong("%s: a finding without a replay line: %s", pkg, x.Clip)
		default:
			lines = append(lines, "replay "+x.Clip)
		}
	}
	return lines
}

// replayMany replays every clip n times in one process.
func (a *acceptance) replayMany(all map[string]*found, n int) error {
	clips := 0
	for _, p := range packages(all) {
		if len(all[p].findings) == 0 {
			continue
		}
		b, err := build.Open(a.ctx, build.Config{Dir: a.dir, Patterns: []string{"./" + path.Base(p)}})
		if err != nil {
			return err
		}
		res, err := b.Build(a.ctx)
		if err != nil {
			return err
		}
		for _, f := range all[p].findings {
			shown, err := a.replayOne(res, f, n)
			if err != nil {
				return err
			}
			if shown != n {
				a.wrong("%s: %d of %d replays show the finding", f.Clip, shown, n)
			}
			clips++
		}
	}
	fmt.Printf("%d clips replayed %d times each\n", clips, n)
	return nil
}

// replayOne explores the test n times with only the clip and two other executions. It returns how
// often the clip showed its finding.
func (a *acceptance) replayOne(res *build.Result, f finding, n int) (shown int, err error) {
	p := &res.Packages[0]
	file, err := clip.ReadFile(filepath.Join(a.dir, f.Clip))
	if err != nil {
		return 0, err
	}
	c := file.Clip
	c.Path = f.Clip
	res.Sites.FindIn(&c)
	config := wire.Config{Mode: "test", Package: p.ImportPath, Strategy: "first", Runs: 1, Count: n,
		Race: true, Visible: "auto",
		Time: "virtual", Isolate: "vars", Clips: []wire.Clip{c}}
	this := false
	err = run.Binary(a.ctx, p.Binary, p.Dir, config, []string{"-test.run=^" + c.Test + "$"},
		func(rec *wire.Record) {
			switch {
			case rec.Type == "begin":
				this = false
			case rec.Finding != nil && rec.Finding.FromClip == c.Path && rec.Finding.Kind == f.Kind && !this:
				this = true // one execution can show several findings of a kind
				shown++
			}
		})
	return shown, err
}

func packages(all map[string]*found) []string {
	var out []string
	for p := range all {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// livesOn begins the note about goroutines that timers keep alive after a test, which
// non-terminating programs have.
const livesOn = "goroutines live on when the test is over"

// besides is in the note about executions that a strategy broke off, of programs that poll.
const besides = "beside these w"
