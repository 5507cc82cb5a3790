package drive

import (
	"time"

	"heddle/explore/why"
	"heddle/rt/wire"
)

// allotted returns the configuration of one test with its part of the time of the run, and what is
// to be told how long it took. left: how many tests there are from this one on. ok is false if
// there is no time for it; then that was said.
func (d *driver) allotted(test string, left int) (cfg wire.Config, used func(time.Duration), ok bool) {
	cfg = d.cfg
	if cfg.Budgets == nil {
		return cfg, func(time.Duration) {}, true
	}
	own, known := cfg.Budgets[test]
	if !known { // its name was not in the source
		own = max(0, cfg.Until-time.Now().UnixNano()) / int64(max(left, 1))
	}
	cfg.Budget = own + d.spare/int64(max(left, 1))
	if cfg.Most > 0 {
		cfg.Budget = min(cfg.Budget, cfg.Most)
	}
	cfg.Budget = min(cfg.Budget, cfg.Until-time.Now().UnixNano())
	if cfg.Budget <= 0 {
		end := why.Bare(why.Of(why.NoTime))
		d.send(&wire.Record{Type: "begin", Test: test})
		d.send(&wire.Record{Type: "end", Test: test, Strategy: cfg.Strategy, Reason: end.String(), Why: end})
		return cfg, nil, false
	}
	return cfg, func(took time.Duration) { d.spare = max(0, d.spare+own-int64(took)) }, true
}
