package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestForced makes Go tests of the clips of testdata/forced, programs with a bug and its fix. Each
// fails under plain go test, in an order that channels force, and passes after the fix.
func TestForced(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	files, err := filepath.Glob("testdata/forced/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for i, file := range files {
		if i%5 != 1 && os.Getenv("HEDDLE_LONG") == "" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bug, fix := map[string]string{}, map[string]string{}
			for _, f := range a.Files {
				if name, ok := strings.CutPrefix(f.Name, "fixed/"); ok {
					fix[name] = string(f.Data)
				} else {
					bug[f.Name] = string(f.Data)
				}
			}
			forcedPair(t, bug, fix)
		})
	}
}

func forcedPair(t *testing.T, bug, fix map[string]string) {
	tool, _ := clipOf(t, bug, "", "")
	clips, err := filepath.Glob(filepath.Join(tool.Dir, "testdata/heddle/*/*"))
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, c := range clips { // a clip of a misuse that this execution does not show has no test
		code, out := runIn(tool.Dir, "clips", "go", c)
		if said = said + out; code == exitFine {
			break
		}
	}
	if !strings.Contains(said, "which it forces by channels (3 of 3 runs failed)") {
		t.Fatalf("heddle clips go: %s", said)
	}
	test := func() (string, error) {
		cmd := exec.Command("go", "test", "-count=1", "-run=_[0-9a-f]{8}$", ".")
		cmd.Dir = tool.Dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := test(); err == nil {
		t.Errorf("the test passes with the bug:\n%s", out)
	}
	for name, text := range fix {
		if err := os.WriteFile(filepath.Join(tool.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := test(); err != nil {
		t.Errorf("the test fails after the fix:\n%s", out)
	}
}
