package flowcheck

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"heddle/rt/wire"
	"heddle/trace"
)

// TestPrograms executes the programs in testdata: the recorded flow must be exactly that of their
// comments.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dirs, err := filepath.Glob("testdata/*/go.mod")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no programs", err)
	}
	t.Setenv("GOWORK", "off")
	ctx := context.Background()
	for _, mod := range dirs {
		dir, _ := filepath.Abs(filepath.Dir(mod))
		p, err := Build(ctx, dir, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range p.Left() {
			t.Error(note)
		}
		want, err := Wanted(dir)
		if err != nil {
			t.Fatal(err)
		}
		tests, err := p.Tests(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for _, test := range tests {
			for line, deps := range p.Found(execute(t, p, test)) {
				for _, d := range deps {
					got[line] = add(got[line], d)
				}
			}
		}
		for line, w := range want {
			if !slices.Equal(w, append([]string{}, got[line]...)) {
				t.Errorf("%s depends on %v, want %v", line, got[line], w)
			}
		}
		for line, g := range got {
			if want[line] == nil {
				t.Errorf("%s depends on %v, which the program does not say", line, g)
			}
		}
	}
}

// execute executes a passing test once with its inputs visible.
func execute(t *testing.T, p *Program, test string) *trace.Trace {
	t.Helper()
	ctx, s := context.Background(), trace.Schedule{Policy: "first"}
	visible, err := p.Inputs(ctx, test, s)
	if err != nil {
		t.Fatal(err)
	}
	out, tr, err := p.Execute(ctx, test, wire.Request{Schedule: s, Visible: visible, Only: true, Flow: true},
		"auto")
	if err != nil {
		t.Fatal(err)
	}
	if out.Failed || tr.Verdict != trace.Finished {
		t.Fatalf("%s: %v: %s", test, tr.Verdict, out.Output)
	}
	return tr
}
