package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Goals of builds: ratios to the go command's time, and seconds.
const (
	goalCold      = 2
	goalEdit      = 2
	goalUnchanged = 1
)

// buildHeddle builds the command into a folder and returns its path.
func buildHeddle(ctx context.Context, dir string) (string, error) {
	file := filepath.Join(dir, "heddle")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", file,
		"heddle/cmd/heddle").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %v\n%s", err, out)
	}
	return file, nil
}

// measureBuilds prints heddle's time up to the first execution of a package beside go test -c of
// the package, each with its own caches in a temporary folder: from empty caches, after an edit,
// and without a change.
//
// The package is a copy of bench/programs in a separate module, with a test that uses net/http, so
// that there is something to compile.
func measureBuilds(ctx context.Context) error {
	tmp, err := os.MkdirTemp("", "heddle-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	heddle, err := buildHeddle(ctx, tmp)
	if err != nil {
		return err
	}
	for _, p := range []struct{ what, test string }{
		{"a small package (sync, fmt, testing)", ""},
		{"the same with net/http", "package programs\n\nimport _ \"net/http\"\n"},
	} {
		m := &module{ctx: ctx, dir: filepath.Join(tmp, "programs"), heddle: heddle,
			caches: filepath.Join(tmp, "caches")}
		if err := m.write(p.test); err != nil {
			return err
		}
		if err := m.measure(p.what); err != nil {
			return err
		}
		if err := errors.Join(os.RemoveAll(m.dir), os.RemoveAll(m.caches)); err != nil {
			return err
		}
	}
	return nil
}

// A module is the module to build.
type module struct {
	ctx    context.Context
	dir    string
	heddle string
	caches string
	edits  int
}

// write copies bench/programs and adds a test file.
func (m *module) write(test string) error {
	out, err := exec.CommandContext(m.ctx, "go", "list", "-f", "{{.Dir}}", programs).Output()
	if err != nil {
		return fmt.Errorf("go list %s: %v", programs, err)
	}
	if err := os.CopyFS(m.dir, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		return err
	}
	if test != "" {
		if err := os.WriteFile(filepath.Join(m.dir, "more_test.go"), []byte(test), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(m.dir, "go.mod"), []byte("module programs\n\ngo 1.26\n"), 0o666)
}

// edit changes the package.
func (m *module) edit() error {
	m.edits++
	text := fmt.Sprintf("package programs\n\n// Edited is new.\nfunc Edited() int { return %d }\n", m.edits)
	return os.WriteFile(filepath.Join(m.dir, "edited.go"), []byte(text), 0o666)
}

func (m *module) measure(what string) error {
	plain := func() (float64, error) {
		return m.time("go", "test", "-c", "-o", filepath.Join(m.dir, "plain.test"), ".")
	}
	// No test matches: the time ends when the binary has started and reported that.
	heddle := func() (float64, error) { return m.time(m.heddle, "test", "-run", "^$", ".") }
	var figures [5]float64
	for i, f := range []func() (float64, error){plain, heddle, plain, heddle, heddle} {
		if i == 2 || i == 3 {
			if err := m.edit(); err != nil {
				return err
			}
		}
		var err error
		if figures[i], err = f(); err != nil {
			return err
		}
	}
	t := newTable("builds: " + what)
	t.row("plain go test -c, from nothing", figures[0], 0, "s")
	t.row("heddle test, from nothing", figures[1], 0, "s")
	t.row("ratio", figures[1]/figures[0], goalCold, "x")
	t.row("plain go test -c, after an edit", figures[2], 0, "s")
	t.row("heddle test, after an edit", figures[3], 0, "s")
	t.row("ratio", figures[3]/figures[2], goalEdit, "x")
	t.row("heddle test, nothing changed", figures[4], goalUnchanged, "s")
	t.end()
	return nil
}

// time runs a command in the module with its own caches and returns the seconds it took.
func (m *module) time(name string, args ...string) (float64, error) {
	cmd := exec.CommandContext(m.ctx, name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=",
		"GOCACHE="+filepath.Join(m.caches, filepath.Base(name), "go"),
		"HEDDLE_CACHE="+filepath.Join(m.caches, "heddle", "own"))
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return time.Since(start).Seconds(), nil
}
