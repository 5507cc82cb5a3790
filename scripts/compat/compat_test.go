package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testdata/quiet has programs in which heddle once found bugs that are none.
func TestQuiet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "quiet"), os.DirFS("testdata/quiet")); err != nil {
		t.Fatal(err)
	}
	heddle := filepath.Join(dir, "heddle.exe")
	if out, err := exec.Command("go", "build", "-o", heddle,
		"heddle/cmd/heddle").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(heddle, "test", "-runs", "300", "-budget", "20s", ".")
	cmd.Dir = filepath.Join(dir, "quiet")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "not deterministic") ||
		!strings.Contains(string(out), "ok   TestTickerServes") {
		t.Errorf("%v\n%s", err, out)
	}
}

// The rows of modules that are not tried again stay.
func TestDocumentKeepsRows(t *testing.T) {
	first, second := modules[0], modules[1]
	doc := func(old, heddle string, ms ...module) string {
		var rs []*result
		for _, m := range ms {
			rs = append(rs,
				&result{module: m,
					pkgs: map[string]*pkgResult{m.path: {path: m.path, plain: "ok", tests: len(heddle)}}})
		}
		return document(rs, old, 1, time.Second, time.Second, heddle)
	}
	both := doc("", "abc", first, second)
	if again := doc(both, "abc"); again != both {
		t.Errorf("without trying anything:\n%s\nwas\n%s", again, both)
	}
	one := doc(both, "defgh", second)
	rows := rowsOf(one)
	if rows[first.path] != rowsOf(both)[first.path] || !strings.Contains(rows[second.path], "| 5 |") ||
		strings.Contains(rows[second.path], "| 3 |") {
		t.Errorf("the second tried again:\n%s", one)
	}
}

// The time for a suite with many tests includes the budgets of all.
func TestAllowed(t *testing.T) {
	c := &compat{budget: time.Second, limit: time.Minute}
	for _, tests := range []int{0, 20, 300} {
		r := &result{pkgs: map[string]*pkgResult{"p": {plainTests: tests / 2},
			"q": {plainTests: tests - tests/2}}}
		if got, want := c.allowed(r),
			map[int]time.Duration{0: time.Minute, 20: time.Minute,
				300: 10 * time.Minute}[tests]; got != want {
			t.Errorf("%d tests: %v, want %v", tests, got, want)
		}
	}
}
