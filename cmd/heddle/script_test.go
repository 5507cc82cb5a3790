package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"heddle/build"
	"heddle/internal/sarifcheck"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"heddle": main, "natsserver": natsServer})
}

// TestScripts runs the whole command on small modules: testdata/script/*.txt.
// The scripts share one cache, so that the standard library is made ready once.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	cache, err := build.DefaultCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	goCache := os.Getenv("GOCACHE")
	if goCache == "" {
		goCache = filepath.Join(user, "go-build")
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"replays":   replays,
			"pastes":    pastes,
			"jsonlines": jsonLines,
			"sarif":     validSARIF,
			"tmpfs":     tmpfs,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "long":
				return os.Getenv("HEDDLE_LONG") != "", nil
			case "mount":
				return canMount(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HEDDLE_CACHE", cache)
			env.Setenv("GOCACHE", goCache)
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
	})
}

// canMount reports whether the script may make file systems of its own.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "heddle-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
})

// tmpfs makes an empty file system ("tmpfs 64k dir"): under [mount] only.
func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size="+args[0], "tmpfs", dir).Run())
	ts.Defer(func() { exec.Command("umount", "-l", dir).Run() })
}

// replays runs every "heddle replay" line that a command printed ("replays
// stdout"), as a user would paste it: each must show its finding again.
func replays(ts *testscript.TestScript, neg bool, args []string) {
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		_, cmd, ok := strings.Cut(line, "replay  heddle ")
		if !ok {
			continue
		}
		n++
		err := ts.Exec("heddle", strings.Fields("replay "+strings.TrimPrefix(strings.TrimSpace(cmd),
			"replay "))...)
		if code := exitCode(err); code != exitFindings {
			ts.Fatalf("heddle %s: exit code %d, want %d", strings.TrimSpace(cmd), code, exitFindings)
		}
	}
	if n == 0 {
		ts.Fatalf("no line to replay")
	}
}

// pastes gives the "heddle replay" lines of a file to a shell, quotes and all.
func pastes(ts *testscript.TestScript, neg bool, args []string) {
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if _, cmd, ok := strings.Cut(line, "replay  heddle "); ok {
			n++
			if code := exitCode(ts.Exec("sh", "-c", "exec heddle "+cmd)); code != exitFindings {
				ts.Fatalf("heddle %s: exit code %d, want %d", strings.TrimSpace(cmd), code, exitFindings)
			}
		}
	}
	if n == 0 {
		ts.Fatalf("no line to replay")
	}
}

func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// jsonLines checks the shape of a stream of events ("jsonlines stdout"): one
// object a line, the first of action start, every other with an action and a package.
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	first := true
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e struct{ Action, Package, ImportPath string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			ts.Fatalf("%v: %s", err, line)
		}
		if e.Action == "" || e.Package+e.ImportPath == "" || first && e.Action != "start" {
			ts.Fatalf("unexpected event: %s", line)
		}
		first = false
	}
	if first {
		ts.Fatalf("no events")
	}
}

// validSARIF checks a file by the schema of the standard ("sarif FILE").
func validSARIF(ts *testscript.TestScript, neg bool, args []string) {
	err := sarifcheck.Valid([]byte(ts.ReadFile(args[0])))
	if errors.Is(err, sarifcheck.ErrNoSchema) {
		ts.Logf("%v", err)
		return
	}
	ts.Check(err)
}
