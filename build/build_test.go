package build

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// module writes files ("name", "text", ...) to a new folder and returns it.
func module(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func build(t *testing.T, c Config) *Result {
	t.Helper()
	b, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

const counter = `package m

import "sync"

var mu sync.Mutex
var n int

func Inc() { mu.Lock(); n++; mu.Unlock() }
`

const counterTest = `package m

import "testing"

func TestInc(t *testing.T) { go Inc(); Inc() }
`

// TestBuild follows a cache entry: made, found, made again after an edit, found after the edit is
// undone, and damaged.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	c := Config{Dir: module(t, "go.mod", "module m\ngo 1.26\n", "m.go", counter, "m_test.go", counterTest),
		CacheDir: t.TempDir()}
	first := build(t, c).Packages[0]
	if first.Binary == "" || first.ImportPath != "m" {
		t.Fatalf("got %+v", first)
	}
	stat := func(p Package) os.FileInfo {
		info, err := os.Stat(p.Binary)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	was := stat(first)
	second := build(t, c).Packages[0]
	if second.Binary != first.Binary || !os.SameFile(stat(second), was) {
		t.Error("nothing changed, and another binary was made")
	}
	src := filepath.Join(c.Dir, "m.go")
	if err := os.WriteFile(src, []byte(strings.Replace(counter, "n++", "n += 2", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if edited := build(t, c).Packages[0]; edited.Binary == "" || edited.Binary == first.Binary {
		t.Errorf("after an edit: %+v", edited)
	}
	if err := os.WriteFile(src, []byte(counter), 0o666); err != nil {
		t.Fatal(err)
	}
	res := build(t, c)
	if res.Packages[0].Binary != first.Binary {
		t.Error("the edit was undone, and another binary was made")
	}
	if got := res.Sites.Object(src, 8, "lock"); got != "mu" {
		t.Errorf("the lock in line 8 is called %q", got)
	}

	t.Run("heddle's fault", func(t *testing.T) { leftAlone(t, c, first) })
	t.Run("at once", func(t *testing.T) { atOnce(t, c, first) })
}

// leftAlone damages the rewritten text of the package: the package is left alone, and the result
// says so.
func leftAlone(t *testing.T, c Config, p Package) {
	texts, err := filepath.Glob(filepath.Join(c.CacheDir, cacheFormat, "unit", "*", "*", "0-m.go"))
	if err != nil || len(texts) == 0 {
		t.Fatal(texts, err)
	}
	for _, f := range texts {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, bytes.Replace(data, []byte("func Inc"), []byte("func Inc oops"), 1),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Dir(p.Binary)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // compiled, then from the cache
		res := build(t, c)
		if res.Packages[0].Binary == "" || len(res.Left) == 0 ||
			!strings.Contains(res.Left[0], "heddle's fault") {
			t.Errorf("got %+v, left alone %q", res.Packages[0], res.Left)
		}
	}
}

// atOnce runs several builds of one package on an empty cache at the same time.
func atOnce(t *testing.T, c Config, p Package) {
	c.CacheDir = t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if res := build(t, c); res.Packages[0].Binary == "" || len(res.Left) > 0 {
				t.Errorf("got %+v, left alone %q", res.Packages[0], res.Left)
			}
		})
	}
	wg.Wait()
}

// TestPhases prints the time of each phase; for development.
func TestPhases(t *testing.T) {
	dir := os.Getenv("HEDDLE_PHASES")
	if dir == "" {
		t.Skip("HEDDLE_PHASES is not set to a folder with a package")
	}
	start := time.Now()
	step := func(s string) { fmt.Printf("%6.3fs %s\n", time.Since(start).Seconds(), s) }
	ctx := context.Background()
	b, err := Open(ctx, Config{Dir: dir, Progress: step})
	if err != nil {
		t.Fatal(err)
	}
	step("open")
	pkgs, err := b.list(ctx)
	if err != nil {
		t.Fatal(err)
	}
	step("list")
	if b.graph, err = newGraph(b, pkgs); err != nil {
		t.Fatal(err)
	}
	step(fmt.Sprint("graph ", len(pkgs), len(b.graph.units)))
	roots, err := b.roots()
	if err != nil {
		t.Fatal(err)
	}
	roots = slices.DeleteFunc(roots, func(r *root) bool { return r.main == nil })
	if err := b.rewriteAll(ctx, roots); err != nil {
		t.Fatal(err)
	}
	step("rewritten")
	if err := b.compileAll(ctx, roots); err != nil {
		t.Fatal(err)
	}
	step("compiled")
}
