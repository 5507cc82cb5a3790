// Package flowcheck builds programs for data flow, executes their tests, and compares the recorded
// flow with comments in the programs:
//
//	y := in.a + in.b
//	if y > 3 { // from a b
//
// in is a package-level struct. Its fields are the only visible memory, so that labels must carry
// everything else.
package flowcheck

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heddle/build"
	"heddle/internal/run"
	"heddle/rt/wire"
	"heddle/trace"
)

// A Program is a package with tests, built for data flow.
type Program struct {
	res *build.Result
	pkg *build.Package
}

// Build builds the package in dir, with data flow or without.
func Build(ctx context.Context, dir string, flow bool) (*Program, error) {
	res, p, err := run.Build(ctx, build.Config{Dir: dir, Flow: flow})
	if err != nil {
		return nil, err
	}
	return &Program{res, p}, nil
}

// Left returns the notes about packages that could not be rewritten.
func (p *Program) Left() []string { return p.res.Left }

// Binary returns the path of the test binary, and the folder it runs in.
func (p *Program) Binary() (path, dir string) { return p.pkg.Binary, p.pkg.Dir }

// Tests returns the names of the tests.
func (p *Program) Tests(ctx context.Context) ([]string, error) {
	var names []string
	err := p.run(ctx, wire.Config{Mode: "list"}, func(r *wire.Record) {
		if r.Type == "test" {
			names = append(names, r.Test)
		}
	})
	return names, err
}

func (p *Program) run(ctx context.Context, c wire.Config, record func(*wire.Record)) error {
	c.Package = p.pkg.ImportPath
	return run.Binary(ctx, p.pkg.Binary, p.pkg.Dir, c, []string{"-test.run=."}, record)
}

// Execute executes a test once.
func (p *Program) Execute(ctx context.Context, test string, q wire.Request,
	visible string) (*wire.Result, *trace.Trace, error) {
	var out *wire.Result
	err := p.run(ctx, wire.Config{Mode: "execute", Test: test, Request: &q, Race: true, Visible: visible},
		func(r *wire.Record) {
			if r.Type == "result" {
				out = r.Outcome
			}
		})
	if err != nil {
		return nil, nil, err
	}
	if out == nil {
		return nil, nil, fmt.Errorf("%s: no result", test)
	}
	t, err := trace.Decode(out.Encoded)
	return out, t, err
}

// Inputs executes a test with all memory visible and returns the sites that access fields of in.
func (p *Program) Inputs(ctx context.Context, test string, s trace.Schedule) ([]trace.Site, error) {
	_, t, err := p.Execute(ctx, test, wire.Request{Schedule: s}, "all")
	if err != nil {
		return nil, err
	}
	var sites []trace.Site
	for i := range t.Events {
		s := t.Events[i].Site
		if row, ok := p.res.Sites.Lookup(s); ok && strings.HasPrefix(row.Text, "in.") &&
			!slices.Contains(sites, s) {
			sites = append(sites, s)
		}
	}
	return sites, nil
}

// Found returns the recorded flow by line of the program. For each line with a branch or a visible
// write that depends on something, it has the sorted names of the sources: fields of in, or
// operations.
func (p *Program) Found(t *trace.Trace) map[string][]string {
	found := map[string][]string{}
	if t.Flow == nil {
		return found
	}
	r := t.Flow.Reader()
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op != trace.OpBranch && e.Op != trace.OpWrite && e.Op != trace.OpSend ||
			e.Op == trace.OpBranch && e.Arg == trace.Checked {
			continue
		}
		row, ok := p.res.Sites.Lookup(e.Site)
		if !ok {
			continue
		}
		line := fmt.Sprintf("%s:%d", filepath.Base(row.File), row.Line)
		deps, all := r.Deps(i)
		if all {
			found[line] = add(found[line], "everything")
		}
		for _, d := range deps {
			found[line] = add(found[line], p.name(&t.Events[d]))
		}
	}
	return found
}

func (p *Program) name(e *trace.Event) string {
	row, ok := p.res.Sites.Lookup(e.Site)
	if ok && e.Op == trace.OpRead {
		return strings.TrimPrefix(row.Text, "in.")
	}
	return e.Op.String()
}

func add(list []string, s string) []string {
	if i, ok := slices.BinarySearch(list, s); !ok {
		list = slices.Insert(list, i, s)
	}
	return list
}

// Wanted returns by line what the comments of the files in dir say: "// from a b", "// from
// nothing".
func Wanted(dir string) (map[string][]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	want := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(data), "\n") {
			_, after, ok := strings.Cut(line, "// from ")
			if !ok {
				continue
			}
			key := fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			want[key] = []string{}
			for _, name := range strings.Fields(after) {
				if name != "nothing" {
					want[key] = add(want[key], name)
				}
			}
		}
	}
	return want, nil
}
