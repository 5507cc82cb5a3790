package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"heddle/explore"
	"heddle/predict"
)

// predict is heddle predict: heddle test with the strategy that executes a test
// once, and beside that only what it expects to show something.
func (t *tool) predict(ctx context.Context, args []string) int {
	o := new(options)
	patterns, err := t.parse("predict", o, args, true, o.buildFlags, o.exploreFlags, o.pickFlags, o.testFlags,
		o.natsFlags, o.outputFlags, o.predictFlags)
	if err != nil {
		return t.parseError(err)
	}
	if o.set["strategy"] {
		return t.misuse("heddle predict: it has no -strategy; heddle test does")
	}
	o.choose(explore.Lookup("predict"), nil)
	return t.explore(ctx, &exploration{tool: t, o: o}, patterns)
}

// predictFlags are those of a prediction alone.
func (o *options) predictFlags(fs *flag.FlagSet) {
	o.regionFlag(fs)
	fs.BoolVar(&o.complete, "complete", false,
		"predict every data race and deadlock that some correct order of the recorded operations has, and no other (slower)")
	durationVar(fs, &o.solve, "solve", 0, "`time` for one question about the order of operations, after which the answer is unknown; 0: heddle's own")
	files := make(map[string]string) // by pattern: its file
	fs.Func("patterns", "look for the patterns in `file` too; may be given several times",
		func(name string) error {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			ps, err := predict.Parse(filepath.Base(name), string(text))
			if err != nil {
				return err
			}
			if len(ps) == 0 {
				return fmt.Errorf("%s:1: the file is empty: want \"pattern\" and its name, then rows T, SV, AR and AT", filepath.Base(name))
			}
			for _, p := range ps {
				if other := files[p.Name]; other != "" {
					return fmt.Errorf("%s:%d: there is a pattern %q in %s already: give one of them another name",
						filepath.Base(name), lineOf(string(text), p.Name), p.Name, other)
				}
				files[p.Name] = filepath.Base(name)
			}
			o.patterns += string(text) + "\n"
			return nil
		})
}

// lineOf returns the line of a pattern file at which a pattern begins.
func lineOf(text, pattern string) int {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 1 && f[0] == "pattern" && strings.Join(f[1:], " ") == pattern {
			return i + 1
		}
	}
	return 1
}

func (o *options) regionFlag(fs *flag.FlagSet) {
	choose(fs, &o.regions, "regions", []string{"auto", predict.Locks.String(), predict.Goroutines.String()},
		fmt.Sprintf("what is to be atomic, critical sections (%s) or all between two waits (%s); auto: critical sections, and where they show nothing what all between two waits leads to",
			predict.Locks, predict.Goroutines))
}
