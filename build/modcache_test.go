package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The user's directives about a linked module are replaced. All others keep their meaning as seen
// from the folder of the copy.
func TestLinksInGoMod(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "go.mod")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", `module ex.com/m

go 1.20

require (
	ex.com/a v1.0.0
	ex.com/b v1.0.0
	ex.com/c v1.0.0
)

replace (
	ex.com/a => ex.com/fork v1.2.0
	ex.com/b v1.0.0 => ../b
	ex.com/c => /abs/c
	ex.com/d v1.0.0 => ex.com/e v1.1.0
)
`)
	write("go.sum", "sums\n")
	l := &links{}
	if err := l.mod(file, tmp, linksTo("ex.com/a", "ex.com/x")); err != nil {
		t.Fatal(err)
	}
	if want := "-modfile=" + filepath.Join(tmp, "go.mod"); len(l.flags) != 1 || l.flags[0] != want {
		t.Errorf("flags %q, want %s", l.flags, want)
	}
	want := map[string]string{
		"ex.com/a": "/links/ex.com/a", "ex.com/x": "/links/ex.com/x",
		"ex.com/b v1.0.0": filepath.Join(filepath.Dir(dir), "b"), "ex.com/c": "/abs/c",
		"ex.com/d v1.0.0": "ex.com/e v1.1.0",
	}
	compareReplaces(t, filepath.Join(tmp, "go.mod"), want)
	if sum, err := os.ReadFile(filepath.Join(tmp, "go.sum")); err != nil || string(sum) != "sums\n" {
		t.Errorf("go.sum: %q, %v", sum, err)
	}
}

func TestLinksInGoWork(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	file := filepath.Join(dir, "go.work")
	text := "go 1.21\n\nuse (\n\t.\n\t./tools\n)\n\nreplace ex.com/a v1.0.0 => ./a\n\nreplace ex.com/b => ./b\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	l := &links{}
	if err := l.work(file, tmp, linksTo("ex.com/a")); err != nil {
		t.Fatal(err)
	}
	alt := filepath.Join(tmp, "go.work")
	if want := "GOWORK=" + alt; len(l.env) != 1 || l.env[0] != want {
		t.Errorf("environment %q, want %s", l.env, want)
	}
	compareReplaces(t, alt,
		map[string]string{"ex.com/a": "/links/ex.com/a", "ex.com/b": filepath.Join(dir, "b")})
	data, err := os.ReadFile(alt)
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range []string{dir, filepath.Join(dir, "tools")} {
		if !strings.Contains(string(data), "\t"+use+"\n") {
			t.Errorf("no use of %s in\n%s", use, data)
		}
	}
}

// linksTo iterates over links to modules, as link does.
func linksTo(paths ...string) func(func(path, dir string) error) error {
	return func(add func(path, dir string) error) error {
		for _, p := range paths {
			if err := add(p, "/links/"+p); err != nil {
				return err
			}
		}
		return nil
	}
}

// compareReplaces compares the replace directives of a file, "old => new", in blocks or not.
func compareReplaces(t *testing.T, file string, want map[string]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if old, to, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "replace "), " => "); ok {
			got[old] = to
		}
	}
	for old, to := range want {
		if got[old] != to {
			t.Errorf("%s leads to %q, want %q", old, got[old], to)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d directives, want %d:\n%s", len(got), len(want), data)
	}
}
