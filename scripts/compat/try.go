package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A result is the result for one module.
type result struct {
	module
	failed string // why it could not be tried
	pkgs   map[string]*pkgResult
}

type pkgResult struct {
	path       string
	plain      string // "ok", "FAIL", "no tests", "timeout"
	plainTime  float64
	time       float64
	tests      int
	concurrent int // more than two executions
	executions int
	findings   []finding
	notes      []string
	broken     string // why heddle could not run it
	plainTests int    // number of tests that go test ran
	plainFails map[string]bool
	plainly    map[string]string // by test without subtests: pass, fail, skip
	controlled map[string]string // the same under heddle
}

type finding struct {
	pkg, test, kind, message, place string
	plainly                         bool // the test fails under go test too
}

// uncontrolled is the kind of finding that reports what heddle does not control (real sockets). It
// is no defect.
const uncontrolled = "uncontrolled"

// ours counts the findings that are not explained.
func (r *result) ours() int {
	n := 0
	if r.failed != "" {
		n++
	}
	for _, p := range r.pkgs {
		if p.broken != "" {
			n++
		}
		for i := range p.findings {
			if f := &p.findings[i]; f.explained() == "" && !f.plainly && f.kind != uncontrolled {
				n++
			}
		}
	}
	return n
}

func (r *result) sorted() []*pkgResult {
	var ps []*pkgResult
	for _, p := range r.pkgs {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b *pkgResult) int { return strings.Compare(a.path, b.path) })
	return ps
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "== %s %s\n", r.path, r.version)
	if r.failed != "" {
		fmt.Fprintf(w, "   FAILED %s\n", r.failed)
	}
	for _, p := range r.sorted() {
		fmt.Fprintf(w, "   %s: go test %s %.1fs; heddle %d tests, %d concurrent, %d executions, %d findings, %.1fs\n",
			p.path, p.plain, p.plainTime, p.tests, p.concurrent, p.executions, len(p.findings), p.time)
		if p.broken != "" {
			fmt.Fprintf(w, "      BROKEN %s\n", p.broken)
		}
		for i := range p.findings {
			f := &p.findings[i]
			word := "OURS?"
			if f.explained() != "" {
				word = "theirs"
			} else if f.plainly {
				word = "fails under go test too"
			} else if f.kind == uncontrolled {
				word = "not under control"
			}
			fmt.Fprintf(w, "      %s %s in %s at %s: %s\n", word, f.kind, f.test, f.place,
				strings.TrimSpace(f.message))
		}
		for _, n := range p.notes {
			fmt.Fprintf(w, "      note %s\n", n)
		}
	}
}

func (c *compat) try(m module) *result {
	r := &result{module: m, pkgs: map[string]*pkgResult{}}
	dir, err := c.fetch(m)
	if err != nil {
		r.failed = err.Error()
		return r
	}
	c.plain(r, dir)
	c.build(r, dir)
	c.controlled(r, dir)
	for path, p := range r.pkgs {
		if p.plain == "no tests" {
			delete(r.pkgs, path)
		}
	}
	return r
}

// folder returns where a module is in the scratch folder.
func (c *compat) folder(m module) string {
	return filepath.Join(c.dir, strings.ReplaceAll(m.path, "/", "_"))
}

// fetch copies a module to the scratch folder and makes it writable.
func (c *compat) fetch(m module) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	json.Unmarshal(out, &info)
	if info.Dir == "" {
		return "", fmt.Errorf("cannot be fetched: %v %s", err, info.Error)
	}
	dir := c.folder(m)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	err = filepath.WalkDir(info.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(info.Dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), data, 0o666)
	})
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+m.path+"\n"),
			0o666); err != nil {
			return "", err
		}
	}
	return dir, c.outOfTree(dir)
}

// outOfTree replaces the modules beside it that a module has in its repository.
func (c *compat) outOfTree(dir string) error {
	edit := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", append([]string{"mod", "edit"}, args...)...)
		cmd.Dir = dir
		return cmd.Output()
	}
	out, err := edit("-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct{ Old, New struct{ Path string } }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return err
	}
	for _, r := range mod.Replace {
		if _, err := os.Stat(filepath.Join(dir, r.New.Path, "go.mod")); strings.HasPrefix(r.New.Path, ".") &&
			errors.Is(err, fs.ErrNotExist) {
			if _, err := edit("-dropreplace=" + r.Old.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs a command that prints JSON events, one on a line, and calls each with them. late: it
// had to be killed.
func (c *compat) run(dir string, limit time.Duration, each func(*event),
	args ...string) (rest string, late bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	group(cmd)
	cmd.WaitDelay = 5 * time.Second
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", false, err
	}
	if err := cmd.Start(); err != nil {
		return "", false, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Action != "" {
			each(&e)
		}
	}
	err = cmd.Wait()
	return errors.String(), ctx.Err() != nil, err
}

// An event is an event of go test -json or one of heddle's two additional ones.
type event struct {
	Action, Package, Test, Output, Kind, Message string
	Elapsed                                      float64
	Executions, Findings                         int
	Places                                       []struct {
		File string
		Line int
	}
}

func (r *result) pkg(path string) *pkgResult {
	if r.pkgs[path] == nil {
		r.pkgs[path] = &pkgResult{path: path, plainFails: map[string]bool{}, plainly: map[string]string{},
			controlled: map[string]string{}}
	}
	return r.pkgs[path]
}

func (c *compat) args(m module, args ...string) []string {
	if m.skip != "" {
		args = append(args, "-skip", m.skip)
	}
	if c.xprog != "" {
		args = append(args, "-exec", c.xprog)
	}
	return append(args, m.patterns()...)
}

// outcome records the result of a test from an event.
func outcome(of map[string]string, e *event) {
	if e.Test == "" || strings.Contains(e.Test, "/") {
		return
	}
	switch e.Action {
	case "pass", "fail", "skip":
		of[e.Test] = e.Action
	}
}

// patterns returns the packages to try.
func (m module) patterns() []string {
	if m.only == "" {
		return []string{"./..."}
	}
	return strings.Fields(m.only)
}

func (c *compat) plain(r *result, dir string) {
	_, late, _ := c.run(dir, c.limit, func(e *event) {
		if e.Package == "" {
			return
		}
		p := r.pkg(e.Package)
		if e.Action == "run" && !strings.Contains(e.Test, "/") {
			p.plainTests++
		}
		outcome(p.plainly, e)
		switch {
		case e.Test != "" && e.Action == "fail":
			p.plainFails[e.Test] = true
		case e.Test == "" && e.Action == "pass":
			p.plain, p.plainTime = "ok", e.Elapsed
		case e.Test == "" && e.Action == "fail":
			p.plain, p.plainTime = "FAIL", e.Elapsed
		case e.Test == "" && e.Action == "skip":
			p.plain = "no tests"
		}
	}, c.args(r.module, "go", "test", "-json", "-vet=off", "-count=1", "-timeout", "5m")...)
	for _, p := range r.pkgs {
		if late && p.plain == "" {
			p.plain = "timeout"
		}
	}
}

// build builds the binaries for controlled, so that the time limit does not include the build.
func (c *compat) build(r *result, dir string) {
	c.run(dir, buildLimit, func(*event) {}, c.args(r.module, c.heddle, "test", "-json", "-run", "^$")...)
}

// buildLimit bounds the time for building a module.
const buildLimit = 20 * time.Minute

func (c *compat) controlled(r *result, dir string) {
	ended := map[string]bool{}
	clips := filepath.Join(c.dir, "clips", filepath.Base(dir)) // not in testdata, which some tests walk
	os.RemoveAll(clips)                                        // of an earlier run
	rest, late, err := c.run(dir, c.allowed(r), func(e *event) {
		if e.Package == "" {
			return
		}
		p := r.pkg(e.Package)
		outcome(p.controlled, e)
		switch {
		case e.Action == "summary":
			p.tests++
			p.executions += e.Executions
			if e.Executions > 2 {
				p.concurrent++
			}
			p.time += e.Elapsed
		case e.Action == "finding":
			f := finding{pkg: e.Package, test: e.Test, kind: e.Kind, message: e.Message,
				plainly: p.plainFails[e.Test]}
			if len(e.Places) > 0 {
				f.place = fmt.Sprintf("%s:%d", e.Places[0].File, e.Places[0].Line)
			}
			p.findings = append(p.findings, f)
		case e.Action == "output" && strings.HasPrefix(e.Output, "    note: "):
			p.note(e.Test, strings.TrimSpace(strings.TrimPrefix(e.Output, "    note: ")))
		case e.Action == "output" && strings.Contains(e.Output, "step bound reached"):
			p.note(e.Test, "step bound reached")
		case e.Action == "output" && strings.Contains(e.Output, "time bound reached"):
			p.note(e.Test, "time bound reached")
		case e.Action == "output" && strings.Contains(e.Output, "memory bound reached"):
			p.note(e.Test, "memory bound reached")
		case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			ended[e.Package] = true
			if e.Action == "fail" && len(p.findings) == 0 {
				p.broken = "heddle test fails without a finding"
			}
		}
	}, c.args(r.module, c.heddle, "test", "-json", "-runs", fmt.Sprint(c.runs), "-budget", c.budget.String(),
		"-p", "1",
		"-clips", clips)...)
	for path, p := range r.pkgs {
		switch {
		case p.plain == "no tests" || ended[path]:
		case late:
			p.broken = "did not end in time"
		default:
			p.broken = fmt.Sprintf("heddle did not run it: %v: %s", err, firstLines(rest, 6))
		}
	}
}

// allowed returns the time limit for exploring a module: -limit, the module's own, or enough for
// each of its tests to use its budget, twice.
func (c *compat) allowed(r *result) time.Duration {
	tests := 0
	for _, p := range r.pkgs {
		tests += p.plainTests
	}
	return max(c.limit, r.limit, 2*time.Duration(tests)*c.budget)
}

func (p *pkgResult) note(test, text string) {
	p.notes = append(p.notes, test+": "+text)
}

func firstLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > n {
		lines = lines[:n]
	}
	return strings.Join(lines, " | ")
}
