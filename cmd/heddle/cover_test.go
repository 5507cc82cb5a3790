package main

import (
	"testing"
	"time"

	"heddle/cluster"
	"heddle/explore"
	"heddle/explore/why"
	"heddle/report"
	"heddle/rt/wire"
)

// What is sampled after an attempt to cover everything goes on from all executions, with what was
// learnt, and says what the attempt came to.
func TestSamplesAfterSearch(t *testing.T) {
	for _, c := range []struct {
		name    string
		tally   wire.Tally
		left    bool
		givenUp bool
		reason  string
	}{
		{"covered", wire.Tally{Executions: 50}, false, false, ""},
		{"given up", wire.Tally{Executions: 50}, true, true, "sampled"},
		{"but for timers", wire.Tally{Executions: 50, Timers: true}, false, true,
			"sampled where timers fire early, all interleavings covered where they do not"},
		{"with something hidden", wire.Tally{Executions: 50, Short: why.With(why.Other, "who knows")}, false,
			true, "sampled; not all interleavings: who knows"},
	} {
		o := &options{boundOptions: boundOptions{budget: time.Minute}, watchOptions: watchOptions{race: true}}
		o.choose(explore.Lookup("auto"), nil)
		share := &wire.Share{Search: true, State: &wire.State{Next: 7}, Others: 100, Found: 1,
			Seen: []string{"a"}, Pieces: []wire.Piece{{Size: 1}}}
		s := &sharing{packageRun: &packageRun{exploration: &exploration{o: o,
			report: report.New(report.Options{})}}, shared: &shared{test: "TestX", share: share}, found: 2,
			deadline: time.Now().Add(20 * time.Second)}
		s.run = cluster.NewRun("TestX", share, nil, cluster.Options{})
		s.o.count = 2 // no log
		cfg := o.config()
		out := &cluster.Outcome{Tally: c.tally, Complete: !c.left, Know: wire.Knowledge{Loose: true}}
		if got := s.givenUp(&cfg, out); got != c.givenUp {
			t.Errorf("%s: given up: %v", c.name, got)
		}
		if !c.givenUp {
			continue
		}
		next := s.instead(&cfg, out).share
		if next.Search || next.State.Next != 7 || next.Tally.Executions != 150 || next.Found != 2 ||
			!next.Know.Loose || next.Why.String() != c.reason || next.Elapsed < 39 || next.Elapsed > 41 {
			t.Errorf("%s: %+v", c.name, next)
		}
	}
}
