package build

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestTry(t *testing.T) {
	for i := range 2 {
		start := time.Now()
		step := func(s string) { fmt.Printf("%d %6.3fs %s\n", i, time.Since(start).Seconds(), s) }
		b := &Builder{Config: Config{Dir: "/tmp/c1", Patterns: []string{"./..."}, Progress: step, CacheDir: "/tmp/c1cache"}, left: map[string]string{}}
		ctx := context.Background()
		if err := b.open(ctx); err != nil {
			t.Fatal(err)
		}
		step("open")
		pkgs, err := b.list(ctx)
		if err != nil {
			t.Fatal(err)
		}
		step("list")
		b.graph, err = newGraph(b, pkgs)
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
		for p, l := range b.left {
			fmt.Println("left", p, l)
		}
	}
}
