package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"heddle/bench/fixes"
)

// heddle replay calls every fix of bench/fixes fixed, and no change that mends nothing.
func TestFixes(t *testing.T) {
	module := t.TempDir()
	t.Setenv("GOWORK", "off")
	if err := fixes.WriteModule(module); err != nil {
		t.Fatal(err)
	}
	for i, p := range fixes.All() {
		every := 3
		if testing.Short() {
			every = 11
		}
		if i%every != 0 && os.Getenv("HEDDLE_LONG") == "" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) { judgePair(t, filepath.Join(module, p.Name), &p) })
	}
}

func judgePair(t *testing.T, dir string, p *fixes.Pair) {
	write := func(files map[string]string) {
		if err := fixes.Write(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	write(p.Bug)
	if code, out := runIn(dir, "test", "-budget", "2s"); code != exitFindings {
		t.Fatalf("heddle test: exit code %d, want %d\n%s", code, exitFindings, out)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "testdata", "heddle", "*", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no clips: %v", err)
	}
	clips := map[string][]byte{}
	for _, path := range paths {
		if clips[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	change := func(files map[string]string, what string, want int) {
		write(files)
		for path, text := range clips {
			// each as if it were the only one
			os.RemoveAll(filepath.Dir(path))
			os.MkdirAll(filepath.Dir(path), 0o777)
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			if code, out := runIn(dir, "replay", "-budget", "2s", path); code != want {
				t.Errorf("%s, %s: exit code %d, want %d\n%s", what, path, code, want, out)
			}
		}
	}
	change(p.Fix, "after the fix", exitFine)
	if p.Non != nil {
		change(p.Non, "after a change that mends nothing", exitFindings)
	}
}

// runIn runs heddle in a folder, and returns its exit code and what it printed.
func runIn(dir string, args ...string) (code int, output string) {
	var out bytes.Buffer
	tool := &tool{Stdout: &out, Stderr: &out, Dir: dir}
	code = tool.run(context.Background(), args)
	tool.close()
	return code, out.String()
}
