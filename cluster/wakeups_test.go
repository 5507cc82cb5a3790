package cluster

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/internal/progen"
	"heddle/internal/progen/machine"
	"heddle/rt/wire"
	"heddle/trace"
)

// The tree of a search with wakeup trees, of random programs: as many executions as by one
// process.
func TestWakeupsAreCountedOnce(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // see machine
	explored, pieces := 0, 0
	for seed := range uint64(5000) {
		m := machine.New(progen.Generate(seed, progen.Size{Goroutines: 4, Statements: 16}))
		whole := dpor.New(dpor.Options{})
		if _, err := explore.Run(context.Background(), whole, m, 1000, nil); err != nil || m.Restart() ||
			!whole.Result().Complete {
			continue
		}
		want := whole.Result().Executions
		if want < 20 {
			continue // nothing to split
		}
		r := rand.New(rand.NewPCG(seed, 3))
		begun := dpor.New(dpor.Options{})
		begun.Table().Know(whole.Table().Known())
		explore.Run(context.Background(), begun, m, r.IntN(want), nil)
		share := &wire.Share{Search: true, Wakeups: true,
			Tally:  wire.Tally{Executions: begun.Result().Executions},
			Know:   wire.Knowledge{Ordered: whole.Table().Known()},
			Pieces: []wire.Piece{{Data: begun.Split(1)}}}
		workers := make([]*dpor.Strategy, 3)
		run := hazards(t, r, share, func(it *wire.Item) *wire.Worked {
			k := r.IntN(len(workers))
			if workers[k] == nil || r.IntN(5) == 0 {
				workers[k] = dpor.NewPart(dpor.Options{})
				workers[k].Table().Know(it.Know.Ordered)
			}
			return workOn(t, workers[k], it, m, r)
		})
		o, err := run.Finish()
		if err != nil || !o.Complete || o.Tally.Executions != want {
			t.Errorf("seed %d: %+v, %v, want %d executions", seed, o, err, want)
		}
		explored++
		pieces += o.Items
	}
	t.Logf("%d programs, %d pieces", explored, pieces)
	if explored < 50 {
		t.Errorf("only %d programs had something to split", explored)
	}
}

// workOn makes a few executions of an Item.
func workOn(t *testing.T, s *dpor.Strategy, it *wire.Item, m *machine.Machine, r *rand.Rand) *wire.Worked {
	if err := s.Take(it.Piece.Data); err != nil {
		t.Fatal(err)
	}
	before := s.Result().Executions
	if _, err := explore.Run(context.Background(), s, m, 1+r.IntN(20), func(*trace.Trace) {}); err != nil ||
		s.Broken() || s.Outdated() {
		t.Fatal(err, s.Result().Reason, s.Outdated())
	}
	return &wire.Worked{N: it.N, Epoch: it.Epoch,
		Tally: wire.Tally{Executions: s.Result().Executions - before},
		Left:  []wire.Piece{{Data: s.Split(1 + r.IntN(4))}}}
}
