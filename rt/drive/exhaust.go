package drive

import (
	"slices"

	"heddle/explore"
	"heddle/explore/bound"
	"heddle/explore/dpor"
	"heddle/explore/reach"
	"heddle/rt/wire"
	"heddle/trace"
)

// exhaust lets a strategy cover every interleaving, as far as the budget goes.
//
// The search starts again when it has seen what ought to have been scheduling
// points from the start (accesses that race, sides of channels that are polled),
// and when executions have become shorter.
// The executions told of are those of the last search.
func (e *exploration) exhaust(start func(*exploration) explore.Strategy) (result string, complete bool, reason string) {
	if e.cfg.Isolate == "process" {
		if start = e.apart(start); start == nil {
			return e.sample()
		}
	}
	result, ok := e.twice(start(e).Next())
	if !ok {
		if e.ended() {
			return result, false, "sampled"
		}
		return e.sample()
	}
	s, spun := e.seeded(start), false
	for !e.ended() && !e.stop(e.n) {
		if e.shareSearch(s, spun, result) {
			return result, false, ""
		}
		next := s.Next()
		if e.loosen(s, next == nil) {
			s, spun = e.seeded(start), false
			continue
		}
		if next == nil {
			break
		}
		visible, polled := len(e.visible), len(e.polled)
		ex := e.perform(next)
		if ex.Diverged != nil {
			e.note("not deterministic: an execution left the schedule it was to follow, so not every interleaving can be covered; likely cause: %s", e.cause(ex.Outside))
			e.nondet = true
			return e.sample()
		}
		again := ex.Learnt && e.cfg.Isolate != "process" // in processes of their own nobody learns
		if !again {
			s.Done(ex.Trace)
		}
		spun = spun || ex.Trace.Spun
		doubt := e.suspects(&ex, next)
		again = again || len(e.polled) > polled
		if len(e.polled) == polled { // or somebody waits in it for a poll and has not arrived
			e.look(ex, next, "")
		}
		if doubt != nil && !again && len(e.visible) == visible {
			e.look(e.perform(doubt), doubt, "")
		}
		if again || len(e.visible) > visible {
			s, spun = e.seeded(start), false
		}
		if e.n%16 == 0 {
			e.estimate = s.Result().Estimate
		}
		e.tell()
	}
	if e.found > 0 {
		result = "fail"
	}
	r := s.Result()
	e.estimate = r.Estimate
	more := s.Next() != nil
	if r.Complete && e.suspecting() {
		r.Complete, r.Reason = false, explore.Hidden
	}
	t := e.tally()
	t.Spun = spun
	complete, reason = Covered(e.cfg, &t, r, more)
	if complete {
		e.n = r.Executions
		return result, true, reason
	}
	if _, ok := s.(*reach.Strategy); ok && !more && (e.cfg.Symmetry || len(e.cfg.OneOrder) > 0) {
		e.n = r.Executions // all that is not left out by wish
	}
	return result, false, reason
}

// apart returns the search that is made where every execution has a process of
// its own. Strategies that choose while an execution runs cannot be: dpor covers
// what reach does; within bounds there is no other, and apart returns nil.
func (e *exploration) apart(start func(*exploration) explore.Strategy) func(*exploration) explore.Strategy {
	const why = "chooses while the execution runs, which it cannot in processes of their own (-isolate=process)"
	switch start(e).(type) {
	case *bound.Strategy:
		e.note("a search within bounds %s: sampled instead", why)
		return nil
	case *reach.Strategy:
		without := ""
		if e.cfg.PV || e.cfg.Symmetry || len(e.cfg.OneOrder) > 0 {
			without = ", without reductions"
		}
		e.note("strategy reach %s: dpor instead, which covers the same%s", why, without)
		return exhaustive["dpor"]
	}
	return start
}

// perform executes one schedule of a search.
func (e *exploration) perform(s *trace.Schedule) Execution {
	e.q = wire.Request{Schedule: *s, Show: e.showOnce(), Known: e.isKnown}
	ex := e.execute(&e.q)
	e.covers(&ex)
	for _, x := range ex.Polled {
		if !slices.Contains(e.polled, x) {
			e.polled = append(e.polled[:len(e.polled):len(e.polled)], x)
		}
	}
	return ex
}

// isKnown reports whether a finding was told.
func (e *exploration) isKnown(key string) bool {
	if e.told != nil {
		return e.told[key]
	}
	return e.seen[key] != nil
}

// twice executes the first schedule twice and compares; ok is false where that
// says that replaying is not to be trusted.
func (e *exploration) twice(s *trace.Schedule) (result string, ok bool) {
	first := e.perform(s)
	for e.err == nil && len(first.Polled) > 0 { // who waits there for a poll did not arrive
		first = e.perform(s)
	}
	if e.err != nil {
		return "pass", false
	}
	first.Trace = first.Trace.Clone()
	result = "pass"
	if first.Skipped {
		result = "skip"
	}
	e.send(&wire.Record{Type: "output", Test: e.test, Text: string(first.Output)})
	visible := e.visible
	first = e.look(first, s, "")
	if e.ended() {
		return result, false
	}
	e.second(s, visible, &first)
	return result, e.err == nil && !e.nondet && e.move == ""
}

// exhaustive are the strategies that cover every interleaving.
var exhaustive = map[string]func(*exploration) explore.Strategy{
	"dpor":   (*exploration).dpor,
	"reach":  func(e *exploration) explore.Strategy { return reach.New(reachOptions(e)) },
	"unfold": (*exploration).unfold,
}

// reachOptions are what the configuration leaves out of reachability testing.
func reachOptions(e *exploration) reach.Options {
	cfg := e.cfg
	o := reach.Options{PV: cfg.PV, Symmetry: cfg.Symmetry, Expired: e.late, Loose: e.loose}
	if len(cfg.OneOrder) > 0 {
		o.OneOrder = func(made trace.Site) bool { return slices.Contains(cfg.OneOrder, uint64(made.Plain())) }
	}
	return o
}

// dpor returns the strategy dpor, or, with bounds, the search within them.
func (e *exploration) dpor() explore.Strategy {
	if e.cfg.Preempt == nil && e.cfg.Delay == nil {
		return dpor.New(dpor.Options{Expired: e.late, Loose: e.loose})
	}
	o := bound.Options{Preemptions: -1, Delays: -1}
	if e.cfg.Preempt != nil {
		o.Preemptions = *e.cfg.Preempt
	}
	if e.cfg.Delay != nil {
		o.Delays = *e.cfg.Delay
	}
	return bound.New(o)
}
