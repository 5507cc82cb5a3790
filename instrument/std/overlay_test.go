package std

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/goroot"
)

// laid returns a GOROOT with the patched standard library, the real heddlert/hook and
// heddlert/trace, and the stub of heddlert/drive from testdata. bubbles: synctest.Test runs its
// function in the calling goroutine, which the stub's scheduler of one goroutine can control.
func laid(t testing.TB, bubbles bool) *goroot.Root {
	t.Helper()
	root := goroot.Real(t)
	files := map[string][]byte{}
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
			files[path+"/"+file] = text
		}
		for file, text := range Added(path) {
			files[path+"/"+file] = text
		}
	}
	for from, to := range map[string]string{"../../rt/hook": "hook", "../../rt/splitmix": "splitmix",
		"../../rt/counters": "counters",
		"../../trace":       "trace", "testdata/drive": "drive", "testdata/sched": "sched"} {
		sources, err := filepath.Glob(filepath.Join(from, "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatal(from, "is empty", err)
		}
		for _, f := range sources {
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
			files["heddlert/"+to+"/"+filepath.Base(f)] = text
		}
	}
	return goroot.New(t, files)
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
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(f), ".txt")), text,
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The standard library's own tests of the patched packages pass if nothing is under control.
func TestStandardTests(t *testing.T) {
	if os.Getenv("HEDDLE_LONG") == "" {
		t.Skip("HEDDLE_LONG is not set")
	}
	args := append([]string{"test", "-short", "-vet=off"},
		"sync", "sync/atomic", "time", "testing", "testing/synctest", "iter", "reflect", "math/rand",
		"math/rand/v2", "context", "internal/sync", "internal/synctest", "strconv")
	out, err := laid(t, false).Go(t, filepath.Join(goroot.Real(t), "src"), args...)
	t.Log(out)
	if err != nil {
		t.Error(err)
	}
}
