package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testdata/quiet holds what heddle once took for a bug: nothing may be reported.
func TestQuiet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "quiet"), os.DirFS("testdata/quiet")); err != nil {
		t.Fatal(err)
	}
	heddle := filepath.Join(dir, "heddle.exe")
	if out, err := exec.Command("go", "build", "-o", heddle, "heddle/cmd/heddle").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(heddle, "test", "-runs", "300", "-budget", "20s", ".")
	cmd.Dir = filepath.Join(dir, "quiet")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "not deterministic") || !strings.Contains(string(out), "ok   TestTickerServes") {
		t.Errorf("%v\n%s", err, out)
	}
}
