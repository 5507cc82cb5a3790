package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

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
	fs.Func("patterns", "look for the patterns in `file` too; may be given several times",
		func(name string) error {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if _, err := predict.Parse(filepath.Base(name), string(text)); err != nil {
				return err
			}
			o.patterns += string(text) + "\n"
			_, err = predict.Parse(filepath.Base(name), o.patterns)
			return err
		})
}

func (o *options) regionFlag(fs *flag.FlagSet) {
	choose(fs, &o.regions, "regions", []string{predict.Locks.String(), predict.Goroutines.String()},
		fmt.Sprintf("what is to be atomic, critical sections (%s) or all between two waits (%s)",
			predict.Locks, predict.Goroutines))
}
