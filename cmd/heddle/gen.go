package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"heddle/gen"
)

// gen is heddle gen: it writes tests for a type.
func (t *tool) gen(ctx context.Context, args []string) int {
	o := new(options)
	var opt gen.Options
	var name, out string
	var force bool
	flags := func(fs *flag.FlagSet) {
		fs.StringVar(&name, "type", "", "write tests for the `type` of that name")
		fs.IntVar(&opt.Tests, "n", 10, "write `n` tests")
		fs.IntVar(&opt.Goroutines, "goroutines", 0, "call methods from `n` goroutines, 2 or 3; 0: either")
		fs.IntVar(&opt.Calls, "calls", 2, "calls of one goroutine at most")
		fs.Uint64Var(&opt.Seed, "seed", 0, "`number` that all random choices come from")
		fs.StringVar(&out, "o", "", "write to `file` (default TYPE_heddle_test.go in the package; -: standard output)")
		fs.BoolVar(&force, "f", false, "write over a file that is there")
	}
	patterns, err := t.parse("gen", o, args, true, flags)
	if err != nil {
		return t.parseError(err)
	}
	switch {
	case name == "" || len(patterns) > 1:
		return t.misuse("usage: heddle gen -type T [flags] [package]")
	case opt.Tests < 1 || opt.Tests > 1000:
		return t.misuse("heddle gen: invalid value %d for flag -n: want 1 to 1000", opt.Tests)
	case opt.Goroutines != 0 && opt.Goroutines != 2 && opt.Goroutines != 3:
		return t.misuse("heddle gen: invalid value %d for flag -goroutines: want 2 or 3", opt.Goroutines)
	case opt.Calls < 1 || opt.Calls > 3: // the orders of 3 times 3 calls are 1,680 already
		return t.misuse("heddle gen: invalid value %d for flag -calls: want 1 to 3", opt.Calls)
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	return t.writeTests(ctx, patterns[0], name, out, force, opt)
}

// writeTests writes the test file of a type.
func (t *tool) writeTests(ctx context.Context, pattern, name, out string, force bool, opt gen.Options) int {
	p, err := gen.Load(ctx, t.Dir, pattern)
	if err != nil {
		return t.fail(err)
	}
	s, err := p.Suite(name, opt)
	if err != nil {
		return t.fail(err)
	}
	file := filepath.Join(p.Dir, s.FileName())
	if out != "" && out != "-" {
		file = t.abs(out)
	}
	shown := file
	if rel, err := filepath.Rel(t.abs("."), file); err == nil && filepath.IsLocal(rel) {
		shown = rel
	}
	if _, err := os.Stat(file); err == nil && out != "-" && !force {
		return t.fail(fmt.Errorf("%s is there already: -f writes over it, -o names another file", shown))
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.fail(err)
	}
	if err := s.Check(ctx); err != nil {
		return t.fail(err)
	}
	text, err := s.File()
	if err != nil {
		return t.fail(err)
	}
	if out == "-" {
		_, err := t.Stdout.Write(text)
		if err != nil {
			return t.fail(err)
		}
		return exitFine
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return t.fail(err)
	}
	fmt.Fprintf(t.Stdout, "%s: %d tests; run them with\n\theddle test -run 'Test%sHeddle' %s\n", shown,
		s.Tests(), name, p.Path)
	return exitFine
}
