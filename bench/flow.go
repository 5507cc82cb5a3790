package main

import (
	"context"
	"maps"
	"slices"

	"heddle/internal/run"
	"heddle/rt/wire"
)

// goalFlow is the largest ratio of the time of an execution with data flow to that without.
const goalFlow = 4

// flowTests are measured with and without data flow: plain memory, structures of pointers and
// slices, channels, locks.
const flowTests = "^Test(Accesses1|Accesses2|Queue|Stack|WorkStealing|CircularBuffer|BoundedBuffer|Ring|Locks|Buffered|Atomics)$"

// measureFlow prints the cost of recording data flow. All memory is visible, so that every read
// gives a label: the worst case.
func measureFlow(ctx context.Context) error {
	with, err := measureFlowBuild(ctx, true)
	if err != nil {
		return err
	}
	without, err := measureFlowBuild(ctx, false)
	if err != nil {
		return err
	}
	for _, visible := range []string{"auto", "all"} {
		t := newTable("an execution with data flow to one without, visible memory: " + visible)
		for _, name := range slices.Sorted(maps.Keys(with[visible])) {
			if b := without[visible][name]; b != nil {
				t.row(name, with[visible][name].Nanoseconds/b.Nanoseconds, goalFlow, "x")
			}
		}
		t.end()
	}
	return nil
}

// measureFlowBuild returns the costs of the tests, by visibility and by name.
func measureFlowBuild(ctx context.Context, flow bool) (map[string]map[string]*wire.Bench, error) {
	b, err := buildPackage(ctx, programs, flow)
	if err != nil {
		return nil, err
	}
	found := map[string]map[string]*wire.Bench{}
	for _, visible := range []string{"auto", "all"} {
		found[visible] = map[string]*wire.Bench{}
		config := wire.Config{Mode: "bench", Package: programs, Strategy: "first", Race: true,
			Visible: visible, Isolate: "vars", Flow: flow}
		for range 2 { // the better of two: the machine may be busy
			err := run.Binary(ctx, b.path, b.dir, config, []string{"-test.run=" + flowTests},
				func(rec *wire.Record) {
					if old := found[visible][rec.Test]; rec.Type == "bench" &&
						(old == nil || old.Nanoseconds > rec.Bench.Nanoseconds) {
						found[visible][rec.Test] = rec.Bench
					}
				})
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}
