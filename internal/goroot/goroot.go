// Package goroot makes folders for tests that look like a GOROOT with some files replaced. The go
// command refuses an overlay over a toolchain that it downloaded itself, so such a folder has
// links to all other files.
package goroot

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Root is such a folder.
type Root struct {
	dir, real string
}

// New returns a folder in which files replace or complete those below GOROOT/src. Their names are
// relative to GOROOT/src, with slashes. The folder is removed at the end of the test.
func New(t testing.TB, files map[string][]byte) *Root {
	t.Helper()
	r := &Root{dir: filepath.Join(t.TempDir(), "goroot"), real: Real(t)}
	r.links(t, "")
	for name, text := range files {
		path := filepath.Join("src", filepath.FromSlash(name))
		r.open(t, filepath.Dir(path))
		os.Remove(filepath.Join(r.dir, path))
		if err := os.WriteFile(filepath.Join(r.dir, path), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Real returns the folder of the toolchain that the go command in PATH uses.
func Real(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// open replaces links on the way to path by folders with links.
func (r *Root) open(t testing.TB, path string) {
	t.Helper()
	if path == "." {
		return
	}
	r.open(t, filepath.Dir(path))
	if info, err := os.Lstat(filepath.Join(r.dir, path)); err == nil && info.IsDir() {
		return
	}
	os.Remove(filepath.Join(r.dir, path))
	r.links(t, path)
}

// links makes a folder with links to the content of the toolchain's folder of the same name, if
// there is one.
func (r *Root) links(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(r.dir, path), 0o777); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(r.real, path))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(r.real, path, e.Name()),
			filepath.Join(r.dir, path, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// Go runs the toolchain's go command in dir, with the folder as GOROOT, and returns the output.
func (r *Root) Go(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(filepath.Join(r.real, "bin", "go"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOROOT="+r.dir, "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
