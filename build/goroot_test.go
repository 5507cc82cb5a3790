package build

import (
	"os"
	"path/filepath"
	"testing"
)

// Without links to folders, a copy has everything below the folder.
func TestCopyAll(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	for name, text := range map[string]string{"a.go": "package a", "b/c/d.go": "package d"} {
		file := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyAll(from, to); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.go": "package a", "b/c/d.go": "package d"} {
		if got, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(name))); err != nil ||
			string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "a.go")
	if err := copyAll(filepath.Join(from, "a.go"), file); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "package a" {
		t.Errorf("a file: %q", got)
	}
}

// The folder of a module is found by its name in the cache, whichever version of heddle made it,
// also after the module cache has moved.
func TestModuleLink(t *testing.T) {
	one, two, at := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "mod", "example.com", "m@v1.0.0")
	for _, to := range []string{one, one, two} {
		if err := symlink(to, at); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(at)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := os.Stat(to); !os.SameFile(info, want) {
			t.Errorf("%s does not lead to %s", at, to)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(at), ".tmp-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
