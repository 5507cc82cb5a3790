package build

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// TestPhases prints where the time goes; for development.
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
