package drive

import (
	"fmt"
	"maps"
	"slices"

	"heddle/explore"
	"heddle/explore/bound"
	"heddle/explore/dpor"
	"heddle/explore/reach"
	"heddle/explore/transition"
	"heddle/explore/unfold"
	"heddle/rt/wire"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// exhaust lets a strategy cover every interleaving, as far as the budget goes.
//
// The executions told of are those since the search last started.
func (e *exploration) exhaust(start func(*exploration) explore.Strategy) (result string, complete bool, reason string) {
	if e.cfg.Isolate == "process" {
		start = e.apart(start)
	}
	result, ok := e.twice(start(e).Next())
	if !ok {
		return e.sampleInstead(result)
	}
	x := e.search(func(e *exploration) explore.Strategy { return e.seeded(start) })
	for !e.ended() && !e.stop(e.n) {
		if e.shareSearch(x, result) || x.last != nil && e.shareErrands(x.s, x.last, result) {
			return result, false, ""
		}
		if !x.step() {
			break
		}
		if e.n%16 == 0 {
			e.estimate = x.s.Result().Estimate
		}
		e.tell()
	}
	if u, ok := x.s.(*unfold.Strategy); ok && u.Why != "" && e.together == nil {
		e.note("strategy dpor explores this, by all interleavings, since unfold cannot: %s", u.Why)
	}
	if x.left != "" {
		e.estimate = 0
		result, complete, reason = e.sampleInstead(result)
		if !e.nondet {
			reason = "sampled; " + x.left
		}
		return result, complete, reason
	}
	r, short := x.result()
	e.estimate = r.Estimate
	result = e.result(result)
	if short == "" {
		e.n = r.Executions
		return result, true, r.Covers
	}
	if _, ok := x.s.(*reach.Strategy); ok && x.over && (e.cfg.Symmetry || len(e.cfg.OneOrder) > 0) {
		e.n = r.Executions // all that is not left out by wish
	}
	return result, false, "sampled; " + short
}

// sampleInstead samples what no search can cover, if there is time for that. Of several inputs it samples none: they are not explored together then.
func (e *exploration) sampleInstead(result string) (string, bool, string) {
	if e.ended() || e.late() {
		t := e.tally()
		return e.result(result), false, Sampled(&t)
	}
	if e.together != nil {
		e.together = nil
		return e.result(result), false, "sampled"
	}
	return e.sample()
}

// A search is a strategy that covers every interleaving, at work.
//
// It starts again when something has come to be known by which its executions have other steps: accesses that
// race, sides of channels that are polled, deadlocks that end executions sooner, order that is to be loose.
type search struct {
	e     *exploration
	start func(*exploration) explore.Strategy
	s     explore.Strategy
	spun  bool         // a polling loop was held back
	over  bool         // no schedule is left
	alone bool         // it cannot be split
	left  string       // why an execution left the schedule that it was to follow; "": none did
	last  *trace.Trace // overwritten by the next execution
	cuts  wire.Cuts    // what bounds had ended before its first execution

	visible, polled, learnt int // what was known when it started
	loose                   bool
}

// search begins a search.
func (e *exploration) search(start func(*exploration) explore.Strategy) *search {
	x := &search{e: e, start: start, cuts: e.cuts}
	x.again()
	return x
}

// again starts the search, or starts it anew.
func (x *search) again() {
	x.s, x.spun = x.start(x.e), false
	x.visible, x.polled, x.learnt, x.loose = len(x.e.visible), len(x.e.polled), x.e.learnt, x.e.loose
}

// stale reports whether its executions have other steps from now on.
func (x *search) stale() bool {
	return x.visible != len(x.e.visible) || x.polled != len(x.e.polled) || x.learnt != x.e.learnt || x.loose != x.e.loose
}

// step executes the next schedule. It returns false if there is none, or if an execution left its schedule.
func (x *search) step() bool {
	e := x.e
	if x.stale() {
		x.again()
	}
	next := x.s.Next()
	if e.loosen(x.s, next == nil) {
		x.again()
		return true
	}
	if next == nil && e.nameless(x.s.Result()) {
		x.again()
		return true
	}
	if next == nil {
		x.over = true
		return false
	}
	if u, ok := x.s.(*unfold.Strategy); ok && e.together != nil {
		e.input = corpus.Texts(u.Input())
	}
	e.prepare(x.s, next)
	ex := e.perform(next)
	if e.err != nil {
		return false
	}
	if e.expired(&ex, next) {
		if x.left = ex.Trace.Verdict.String(); ex.Broken {
			x.left = notAll
		}
		return false
	}
	x.last = ex.Trace
	if ex.Diverged != nil {
		x.spun = x.spun || ex.Trace.Spun
		if x.left = heldBack; !x.spun { // whether somebody is held back is not up to the schedule alone
			x.left = e.strayed(&ex, next)
		}
		return false
	}
	if x.learnt == e.learnt {
		x.s.Done(ex.Trace)
	}
	x.spun = x.spun || ex.Trace.Spun
	doubt := e.suspects(&ex, next)
	if len(e.polled) == x.polled { // or somebody waits in it for a poll and has not arrived
		e.look(ex, next, "")
	}
	if doubt != nil && !x.stale() {
		e.look(e.perform(doubt), doubt, "")
	}
	if x.stale() {
		x.again()
	}
	return true
}

// nameless reports whether a search with all accesses visible came to an end because two executions do not agree on memory that was made
// where heddle does not see it. Accesses that do not race need not be visible: from then on those are that were seen to race.
func (e *exploration) nameless(r explore.Result) bool {
	if e.cfg.Visible != "all" || e.byNeed || e.all || !e.cfg.Race || r.Reason != transition.ErrNames.Error() {
		return false
	}
	e.byNeed = true
	for _, key := range slices.Sorted(maps.Keys(e.seen)) {
		e.raceSites(e.seen[key])
	}
	e.note("-visible=all cannot be kept to: %s; accesses are scheduling points from now on where they were seen to race, which covers as much", r.Reason)
	return true
}

// strayed says why an execution left the schedule s of a search. If it does so
// each time, the schedule is not possible: what goroutines do inside the
// standard library, of which a search knows little, forbids it.
func (e *exploration) strayed(ex *Execution, s *trace.Schedule) string {
	d, want := *ex.Diverged, &s.Steps[ex.Diverged.Step]
	at := parting(&d, ex.Trace.Name(want.G), want.Op.String(), e.x.Resolve(want.Site), e.x.Resolve)
	if !d.GotOK {
		at = fmt.Sprintf("step %d: the goroutine that was to go on (%s) was not started", d.Step+1, want.Op)
	}
	outside := ex.Outside
	again := e.perform(s)
	if again.Broken {
		return notAll
	}
	if v := again.Trace.Verdict; v.Early() {
		return v.String()
	}
	if e.err == nil && again.Diverged != nil && *again.Diverged == d {
		if e.loose || d.Got.Site.Quiet() {
			return explore.Hidden
		}
		return "a schedule of the search was not possible, at " + at
	}
	if !e.nondet {
		e.nondet = true
		e.note("not deterministic: an execution left the schedule it was to follow, at %s; so not every interleaving can be covered; likely cause: %s", at, e.cause(outside))
	}
	return "not deterministic"
}

// result says how far the search came, and why it has not covered every interleaving; "" if it has.
func (x *search) result() (r explore.Result, short string) {
	e := x.e
	r = x.s.Result()
	x.over = x.over || x.s.Next() == nil
	if why := e.hides(); r.Complete && why != "" {
		r.Complete, r.Reason = false, why
	}
	t := e.tally()
	t.Spun, t.Cuts = x.spun, e.cuts.Since(x.cuts)
	return r, shortfall(e.cfg, &t, r, !x.over)
}

// apart returns the search that is made where every execution has a process of
// its own. reach chooses while an execution runs, so it cannot be there: dpor covers the same.
func (e *exploration) apart(start func(*exploration) explore.Strategy) func(*exploration) explore.Strategy {
	if _, ok := start(e).(*reach.Strategy); !ok {
		return start
	}
	without := ""
	if e.cfg.PV || e.cfg.Symmetry || len(e.cfg.OneOrder) > 0 {
		without = ", without reductions"
	}
	e.note("strategy reach chooses while the execution runs, which it cannot in processes of their own (-isolate=process): dpor instead, which covers the same%s", without)
	return exhaustive["dpor"]
}

// perform executes one schedule of a search.
func (e *exploration) perform(s *trace.Schedule) Execution {
	e.q = wire.Request{Schedule: *s, Show: e.showOnce(), Known: e.isKnown}
	ex := e.execute(&e.q)
	e.covers(&ex)
	e.polls(&ex)
	return ex
}

// expired reports whether time or memory has ended an execution of a search, and tells of what it shows. No search can go on from there: who
// executes the schedule again may come less far, or farther.
func (e *exploration) expired(ex *Execution, s *trace.Schedule) bool {
	if !ex.Trace.Verdict.Early() {
		return false
	}
	e.look(*ex, s, "")
	return true
}

// polls notes which sides of channels an execution has shown to be polled.
func (e *exploration) polls(ex *Execution) {
	for _, x := range ex.Polled {
		if !slices.Contains(e.polled, x) {
			e.polled = append(e.polled[:len(e.polled):len(e.polled)], x)
		}
	}
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
		e.n-- // it is made again
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
	e.tellOutput(first.Output)
	visible := e.visible
	first = e.look(first, s, "")
	if e.ended() || first.Trace.Verdict.Early() {
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
