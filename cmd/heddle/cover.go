package main

import (
	"slices"
	"time"

	"heddle/cluster"
	"heddle/engine"
	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
)

// The default strategy tries to cover every interleaving, with all workers, and goes on with a
// portfolio of strategies in each where that turns out not to be worth it.

// tries reports whether what was given away is such an attempt.
func (sh *shared) tries() bool { return sh.share.Search && sh.share.State != nil }

// resultOf is what a search has come to.
func resultOf(out *cluster.Outcome) explore.Result {
	res := explore.Result{Executions: out.Tally.Executions, Reason: out.Tally.Failed}
	if res.Reason.None() {
		res.Reason = out.Tally.Short
	}
	res.Complete = out.Complete && res.Reason.None()
	return res
}

// judge gives an attempt up that will not come to an end.
func (s *sharing) judge(out *cluster.Outcome, estimate float64) {
	budget := s.configOf(s.test).Budget
	if !s.tries() || budget == 0 {
		return
	}
	left := float64(time.Until(s.deadline)) / float64(budget)
	used := 1 - left
	if !s.resumed {
		used -= s.shared.share.Began
	}
	if !engine.Worth(explore.Result{Executions: out.Tally.Executions,
		Estimate: max(estimate, s.shared.share.Guess)}, used, left) {
		s.run.Stop()
	}
}

// givenUp reports whether an attempt has not covered every interleaving, and a portfolio is to
// follow.
func (s *sharing) givenUp(cfg *wire.Config, out *cluster.Outcome) bool {
	if !s.tries() || s.failsFast() && s.found > 0 {
		return false
	}
	complete, _ := engine.Covered(cfg, &out.Tally, resultOf(out), !out.Complete)
	return !complete
}

// instead is what is explored instead, in the time that is left.
func (s *sharing) instead(cfg *wire.Config, out *cluster.Outcome) *shared {
	was := s.shared.share
	next := &wire.Share{Result: was.Result, Tally: out.Tally, Found: s.found, Seen: s.run.Seen(),
		Told: append(slices.Clone(was.Told), s.packageRun.found...), Know: out.Know, State: was.State,
		Portfolio: true}
	next.Tally.Executions += was.Others
	next.Tally.Spun, next.Tally.Short, next.Tally.Failed = false, why.Reason{}, why.Reason{}
	res := resultOf(out)
	_, res.Estimate = s.run.Look()
	res.Estimate = max(res.Estimate, was.Guess)
	next.Why, next.Estimate, next.Free = engine.AfterSearch(cfg, &out.Tally, res, !out.Complete)
	if cfg.Budget > 0 {
		next.Elapsed = float64(cfg.Budget)/1e9 - time.Until(s.deadline).Seconds()
	}
	sh := &shared{test: s.test, share: next, until: s.shared.until}
	s.keepLog(sh)
	return sh
}
