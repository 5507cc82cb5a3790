package engine

import (
	"context"

	"heddle/predict"
	"heddle/rt/wire"
)

// stepsMore is after how many steps more than its clip has an execution is ended that is only to
// show what shows while these steps are made.
const stepsMore = 10_000

// showsAtOnce reports whether what a clip is to show shows while its steps are made, whatever comes
// after them.
func showsAtOnce(c *wire.Clip) bool {
	switch c.Kind {
	case predict.DataRace, predict.Atomicity, predict.Serializability:
		return true
	}
	return false
}

// Check replays clips of one test, one after the other, and sends of each how it went, but no
// events: a Record for each clip, in their order. The error is x's.
func Check(ctx context.Context, cfg *wire.Config, clips []wire.Clip, x Executor,
	send func(*wire.Record)) error {
	if cfg.Settled {
		q := &wire.Request{Schedule: *settling(), Input: clips[0].Input}
		if _, err := x.Execute(ctx, q); err != nil {
			return err
		}
	}
	for i := range clips {
		r, err := check(ctx, cfg, &clips[i], x)
		if err != nil {
			return err
		}
		send(r)
	}
	return nil
}

// check replays one clip. The execution goes on to its end only where the finding does not show
// soon after the clip's last step.
func check(ctx context.Context, cfg *wire.Config, c *wire.Clip, x Executor) (*wire.Record, error) {
	s, err := scheduleOf(c, !cfg.Rejoin)
	if err != nil {
		return &wire.Record{Type: "replayed", Test: c.Test, Result: "unusable", Reason: err.Error()}, nil
	}
	s.Rejoin = cfg.Rejoin
	q := &wire.Request{Schedule: *s, Visible: sitesOf(c), Only: true, Expect: expectationOf(c),
		Input: c.Input, Early: c.Early()}
	if showsAtOnce(c) {
		q.Steps = len(c.Steps) + stepsMore
	}
	for {
		ex, err := x.Execute(ctx, q)
		if err == nil && ex.Outside && !q.Real {
			q.Real = true // as the execution that was recorded
			ex, err = x.Execute(ctx, q)
		}
		if err != nil {
			return nil, err
		}
		r := verdictOn(c, &ex, x.Resolve)
		if q.Steps == 0 || r.Result == "finding" && r.Finding.Kind == c.Kind {
			return r, nil
		}
		q.Steps = 0
	}
}
