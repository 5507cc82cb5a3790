package instrument

import (
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// below is what lies below package hook, or is part of heddle: never rewritten.
func below(path string) bool {
	switch plainPath(path) {
	case "runtime", "unsafe", "sync", "sync/atomic", "iter", "errors", "unique", "weak", "reflect", "internal/reflectlite", "internal/sync":
		return true
	}
	for _, p := range []string{"runtime/", "internal/runtime/", "heddlert/", "vendor/", "internal/abi", "internal/bytealg", "internal/cpu", "internal/race", "internal/synctest", "internal/goarch", "internal/goos", "internal/goexperiment", "internal/chacha8rand", "internal/coverage/rtcov", "internal/godebugs", "internal/profilerecord", "internal/stringslite", "internal/asan", "internal/msan", "internal/trace/tracev2", "internal/byteorder", "internal/strconv", "internal/itoa", "internal/profile", "math/bits", "internal/unsafeheader"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// TestStd rewrites the standard library with everything on; what comes out must type-check.
func TestStd(t *testing.T) {
	if os.Getenv("HEDDLE_LONG") == "" {
		t.Skip("set HEDDLE_LONG=1")
	}
	inputs := load(t, ".", "std")
	hook := hookInputs(t)
	start := time.Now()
	im := NewImporter(inputs)
	var again []*Input
	skipped := 0
	sites := 0
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
			next.Files = append(next.Files, f)
		}
		again = append(again, &next)
	}
	t.Logf("rewritten in %v, %d sites, %d skipped", time.Since(start), sites, skipped)
	im = NewImporter(append(hook, again...))
	bad := 0
	for _, in := range again {
		if below(in.ImportPath) {
			continue
		}
		p := im.pkgs[in.ImportPath]
		if _, err := im.full(p, new(types.Info)); err != nil && !strings.Contains(err.Error(), "Heddle") {
			for _, f := range in.Files {
				if dir := os.Getenv("HEDDLE_DUMP"); dir != "" {
					os.WriteFile(filepath.Join(dir, strings.ReplaceAll(in.ImportPath, "/", "_")+"_"+filepath.Base(f.Path)), f.Content, 0o666)
				}
			}
			t.Errorf("%v", err)
			if bad++; bad > 20 {
				t.FailNow()
			}
		}
	}
}

// hookInputs returns the packages laid under heddlert as Inputs.
func hookInputs(t testing.TB) []*Input {
	in := &Input{ImportPath: "heddlert/hook", Name: "hook"}
	for name, text := range laidFiles(t, "../rt/hook") {
		in.Files = append(in.Files, File{name, text})
	}
	return []*Input{in}
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
