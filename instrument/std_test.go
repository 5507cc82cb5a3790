package instrument

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/instrument/std"
	"heddle/internal/goroot"
)

// below reports whether a package lies below package hook or is part of heddle: it is never
// rewritten.
func below(path string) bool {
	switch plainPath(path) {
	case "runtime", "unsafe", "sync", "sync/atomic", "iter", "errors", "unique", "weak", "reflect",
		"internal/reflectlite", "internal/sync":
		return true
	}
	for _, p := range []string{"runtime/", "internal/runtime/", "heddlert/", "internal/abi",
		"internal/bytealg", "internal/cpu", "internal/race", "internal/synctest", "internal/goarch",
		"internal/goos", "internal/goexperiment", "internal/chacha8rand", "internal/coverage/rtcov",
		"internal/godebugs", "internal/profilerecord", "internal/stringslite", "internal/asan",
		"internal/msan", "internal/trace/tracev2", "internal/byteorder", "internal/strconv", "internal/itoa",
		"internal/profile", "math/bits", "internal/unsafeheader"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// TestStd rewrites the standard library, patched by package std, with all modes. The output must
// type-check and compile.
func TestStd(t *testing.T) {
	if os.Getenv("HEDDLE_LONG") == "" {
		t.Skip("set HEDDLE_LONG=1")
	}
	inputs := append(laidInputs(t), load(t, ".", "std")...)
	for _, in := range inputs {
		patch(t, in)
	}
	start := time.Now()
	im := NewImporter(inputs)
	texts := map[string][]byte{}
	var again []*Input
	skipped, sites := 0, 0
	for _, in := range inputs {
		in.Mode.Memory = true
		next := *in
		next.Files = nil
		if in.ImportPath == "unsafe" {
			continue
		}
		out := &Output{}
		if !below(in.ImportPath) {
			var err error
			out, err = Rewrite(in, im)
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range out.Skipped {
			t.Log(s)
		}
		skipped += len(out.Skipped)
		sites += len(out.Sites)
		for _, f := range in.Files {
			if text, ok := out.Files[f.Path]; ok {
				f.Content = text
			}
			texts[f.Path] = f.Content
			next.Files = append(next.Files, f)
		}
		again = append(again, &next)
	}
	t.Logf("rewritten in %v, %d sites, %d skipped", time.Since(start), sites, skipped)
	im = NewImporter(again)
	bad := 0
	for _, in := range again {
		if below(in.ImportPath) {
			continue
		}
		if _, err := im.full(im.pkgs[in.ImportPath], new(types.Info)); err != nil {
			t.Errorf("%v", err)
			if bad++; bad > 20 {
				t.FailNow()
			}
		}
	}
	if bad > 0 {
		return
	}
	start = time.Now()
	run(t, ".", texts, "build", "std")
	t.Log("compiled in", time.Since(start))
}

// patch applies package std to a package. Package testing stays unpatched: its patches need the
// rest of heddle.
func patch(t testing.TB, in *Input) {
	if strings.HasPrefix(in.ImportPath, "testing") {
		return
	}
	for i, f := range in.Files {
		text, _, err := std.Patch(in.ImportPath, filepath.Base(f.Path), f.Content)
		if err != nil {
			t.Fatal(err)
		}
		in.Files[i].Content = text
	}
	for name, text := range std.Added(in.ImportPath) {
		in.Files = append(in.Files, File{filepath.Join(in.Dir, name), text})
	}
}

// laidInputs returns, as Inputs, the laid packages that the patched standard library needs.
func laidInputs(t testing.TB) []*Input {
	var inputs []*Input
	for _, dir := range []string{"rt/hook", "rt/flow", "trace"} {
		name := filepath.Base(dir)
		in := &Input{ImportPath: "heddlert/" + name, Name: name,
			Dir: filepath.Join(goroot.Real(t), "src/heddlert", name)}
		for file, text := range laidFiles(t, "../"+dir) {
			in.Files = append(in.Files, File{filepath.Join(in.Dir, filepath.Base(file)), text})
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// laidFiles returns the files of one of heddle's packages as they are laid under GOROOT.
func laidFiles(t testing.TB, dir string) map[string][]byte {
	files := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") || strings.HasSuffix(n, "_plain.go") {
			continue
		}
		src, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(src), "//go:build heddle_rt\n", "\n")
		text = strings.ReplaceAll(text, `"heddle/rt/`, `"heddlert/`)
		text = strings.ReplaceAll(text, `"heddle/`, `"heddlert/`)
		files[n] = []byte(text)
	}
	return files
}
