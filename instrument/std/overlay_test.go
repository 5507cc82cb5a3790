package std

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goroot is the GOROOT whose sources are patched.
func goroot(t testing.TB) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// layOverlay writes the patched standard library, the real heddlert/hook and
// heddlert/trace, and testdata's stub of heddlert/drive into a temporary folder and
// returns the path of the overlay file. bubbles: synctest.Test runs its function
// in the calling goroutine, which the stub's scheduler of one goroutine can have under control.
func layOverlay(t testing.TB, bubbles bool) string {
	t.Helper()
	dir, root := t.TempDir(), goroot(t)
	replace := map[string]string{}
	lay := func(target string, text []byte) {
		f := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(target, root), string(filepath.Separator), "_"))
		if err := os.WriteFile(f, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[target] = f
	}
	for path, p := range of(release()) {
		for file, edits := range p.files {
			if len(edits.in(release())) == 0 {
				continue
			}
			target := filepath.Join(root, "src", filepath.FromSlash(path), file)
			src, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			text, _, err := Patch(path, file, src)
			if err != nil {
				t.Fatal(err)
			}
			if bubbles {
				text = bytes.Replace(text, []byte("\tgo tRunner(t2, f)\n"), []byte("\ttRunner(t2, f)\n"), 1)
			}
			lay(target, text)
		}
		for file, text := range Added(path) {
			lay(filepath.Join(root, "src", filepath.FromSlash(path), file), text)
		}
	}
	for from, to := range map[string]string{"../../rt/hook": "hook", "../../rt/splitmix": "splitmix", "../../trace": "trace", "testdata/drive": "drive", "testdata/sched": "sched"} {
		files, err := filepath.Glob(filepath.Join(from, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(from, "is empty", err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") || strings.HasSuffix(f, "_plain.go") {
				continue
			}
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.ReplaceAll(text, []byte("//go:build heddle_rt\n"), []byte("\n"))
			text = bytes.ReplaceAll(text, []byte(`"heddle/trace"`), []byte(`"heddlert/trace"`))
			text = bytes.ReplaceAll(text, []byte(`"heddle/rt/`), []byte(`"heddlert/`))
			lay(filepath.Join(root, "src", "heddlert", to, filepath.Base(f)), text)
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// goTool runs the go command in dir and returns what it printed.
func goTool(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// module writes a module with the files of testdata/name into a temporary folder.
func module(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.go.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("testdata", name, "is empty", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(f), ".txt")), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The standard library's own tests of the patched packages pass when nothing is under control.
func TestStandardTests(t *testing.T) {
	if os.Getenv("HEDDLE_LONG") == "" {
		t.Skip("HEDDLE_LONG is not set")
	}
	args := append([]string{"test", "-short", "-vet=off", "-overlay", layOverlay(t, false)},
		"sync", "sync/atomic", "time", "testing", "testing/synctest", "iter", "reflect", "math/rand", "math/rand/v2", "context", "internal/sync", "internal/synctest", "strconv")
	out, err := goTool(t, filepath.Join(goroot(t), "src"), args...)
	t.Log(out)
	if err != nil {
		t.Error(err)
	}
}
