package engine

import (
	"fmt"
	"maps"
	"slices"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/symbolic/corpus"
	"heddle/trace"
)

// The loop over a strategy that thinks between executions, whichever it is.
//
// It knows two kinds. What a strategy with Needs.Accesses sees has more steps than others: what it
// finds is shown again with steps at shared memory alone, which is easier to read and fits other
// builds too, and executions need not follow their schedules to the end. The executions of the
// others do: the first that leaves its schedule ends the search.

// think explores a test by the strategy of a unit.
//
// The executions told of are those since the search last began, if it is complete.
func (e *exploration) think(u *explore.Unit, begin func() explore.Strategy) (result string, complete bool,
	end why.End) {
	if u.Needs.Guide && e.cfg.Isolate == "process" {
		if u = e.apart(u); u == nil {
			return e.sample()
		}
		begin = nil
	}
	x := e.searchFor(u, begin)
	if e.cfg.Time == "free" && begin == nil {
		if y := e.inFreeTime(u, nil); y != nil {
			x = y
		}
	}
	result, alone, ok := e.twice(x.begin().Next(), explore.Needs{Steps: x.needs.Steps})
	switch {
	case !ok && x.needs.Accesses && e.cuts.Early() && !e.late():
		return e.result(result), false, why.Sampled(e.cuts.Reason())
	case !ok:
		return e.sampleInstead(result)
	case alone && u.Needs.Accesses:
		return result, false, e.nothing()
	}
	x.again()
	for !e.ended() && !e.stop(e.n) {
		if e.gives(x, result) {
			return result, false, end
		}
		if !x.step() {
			break
		}
		if e.n%16 == 0 {
			e.estimate = x.s.Result().Estimate
		}
		e.tell()
	}
	x.tell()
	if x.needs.Accesses {
		return e.result(result), false, x.sampled()
	}
	if !x.left.None() {
		e.estimate = 0
		result, complete, end = e.sampleInstead(result)
		if !e.nondet {
			end = why.Sampled(x.left)
		}
		return result, complete, end
	}
	r, short := e.inBothTimes(x)
	e.estimate = r.Estimate
	result = e.result(result)
	if short.None() {
		e.n = r.Executions
		return result, true, why.End{Covered: r.Covers, EarlyFailures: r.EarlyFailures}
	}
	if r.Reason.Code == why.Wished && x.over {
		e.n = r.Executions // all that is not left out by wish
	}
	end = why.Sampled(short)
	end.Within = x.within()
	return result, false, end
}

// apart returns the unit that explores a test where every execution has a process of its own, in
// the place of one that chooses while the execution runs. nil: the test is sampled.
func (e *exploration) apart(u *explore.Unit) *explore.Unit {
	other := explore.Cover()
	if other == nil || other.Covers != u.Covers {
		e.note("strategy %s chooses while the execution runs, which it cannot in processes of their own (-isolate=process): sampled instead", u.Name)
		return nil
	}
	without := ""
	if len(e.cfg.Options) > 0 {
		without = ", without reductions"
	}
	e.note("strategy %s chooses while the execution runs, which it cannot in processes of their own (-isolate=process): %s instead, which covers the same%s", u.Name, other.Name, without)
	return other
}

// gives gives the rest of a search to other processes, if it is time for that, and reports whether
// it did.
func (e *exploration) gives(x *search, result string) bool {
	return e.shareLeads(x.s, result) || e.shareSearch(x, result) || x.last != nil && e.shareRemote(x, result)
}

// sampleInstead samples what no search can cover, if there is time for that. Of several inputs it
// samples none: they are not explored together then.
func (e *exploration) sampleInstead(result string) (string, bool, why.End) {
	if e.ended() || e.late() {
		t := e.tally()
		return e.result(result), false, Sampled(&t)
	}
	if e.together != nil {
		e.together = nil
		return e.result(result), false, why.End{}
	}
	return e.sample()
}

// startOf is what a strategy of the exploration is made from.
func (e *exploration) startOf(u *explore.Unit) explore.Start {
	s := explore.Start{Seed: mix(e.cfg.Seed, 1), Expired: e.late, Loose: e.loose, Spare: e.spare,
		Early: e.cfg.Time != "virtual"}
	if u == e.unit {
		s.Options = u.With(e.cfg.Options)
	} else {
		s.Options = u.With(nil)
	}
	return s
}

// spare reports whether a strategy at its end may go on sampling, see explore.Start.
func (e *exploration) spare() bool {
	return (!e.deadline.IsZero() || e.cfg.Runs > 0) && e.found == 0
}

// needs are what executions of a unit need here.
func (e *exploration) needs(u *explore.Unit) explore.Needs {
	n := u.Needing(e.startOf(u).Options)
	if n.Steps > 0 && e.cfg.Steps > 0 {
		n.Steps = e.cfg.Steps
	}
	n.Plain = n.Plain && e.cfg.Race
	if !e.cfg.ForFlow { // else all executions record it, or none
		n.Flow = explore.NoFlow
	}
	return n
}

// needsNow are what the execution of the schedule needs that s returned last, of what those of s
// need.
func needsNow(s explore.Strategy, n explore.Needs) explore.Needs {
	if t, ok := s.(explore.Trying); ok && t.Tries() {
		n.Plain, n.Hushed, n.Twins = false, false, false
	}
	return n
}

// A search is a strategy at work.
//
// It begins again when something has come to be known by which its executions have other steps:
// accesses that race, sides of channels that are polled, deadlocks that end executions sooner,
// order that is to be loose.
type search struct {
	e      *exploration
	unit   *explore.Unit
	needs  explore.Needs
	begin  func() explore.Strategy
	brief  bool                // an execution that a bound ends ends it
	taken  func(ex *Execution) // nil, or called with each execution that the strategy has taken
	s      explore.Strategy
	spun   bool         // a polling loop was held back
	free   bool         // it covers free time
	failed int          // executions in which the test failed after an early timer
	muted  bool         // in one of them something else is wrong, which is not reported either
	over   bool         // no schedule is left
	alone  bool         // it cannot be split
	left   why.Reason   // why an execution left the schedule that it was to follow; none: none did
	last   *trace.Trace // overwritten by the next execution
	cuts   wire.Cuts    // what bounds had ended before its first execution

	visible, polled, learnt int // what was known when it began
	loose                   bool
}

// searchFor returns a search that has not begun; again begins it. begin, if not nil, makes the
// strategy.
func (e *exploration) searchFor(u *explore.Unit, begin func() explore.Strategy) *search {
	x := &search{e: e, unit: u, needs: e.needs(u), begin: begin, cuts: e.cuts}
	if begin == nil {
		x.begin = func() explore.Strategy { return u.New(e.startOf(u)) }
	}
	return x
}

// search begins a search.
func (e *exploration) search(u *explore.Unit, begin func() explore.Strategy) *search {
	x := e.searchFor(u, begin)
	x.again()
	return x
}

// again begins the search, or begins it anew.
func (x *search) again() {
	e := x.e
	x.s, x.spun, x.failed, x.muted = x.begin(), false, 0, false
	x.visible, x.polled, x.learnt, x.loose = len(e.visible), len(e.polled), e.learnt, e.loose
	if m, ok := x.s.(explore.Measured); ok && !x.brief {
		if p := m.Measure().Patterns; p != nil {
			e.cover = &coverage{set: p, own: true}
		}
	}
	x.sow()
}

// stale reports whether its executions have other steps from now on.
func (x *search) stale() bool {
	if x.needs.Accesses {
		return x.needs.Anew && x.polled != len(x.e.polled)
	}
	return x.visible != len(x.e.visible) || x.polled != len(x.e.polled) || x.learnt != x.e.learnt ||
		x.loose != x.e.loose
}

// step executes the next schedule. It returns false if there is none, or if an execution left its
// schedule.
func (x *search) step() bool {
	e := x.e
	if x.stale() {
		x.again()
	}
	next := x.s.Next()
	if e.loosen(x.s, next == nil) || next == nil && e.nameless(x) {
		x.again()
		return true
	}
	if next == nil {
		x.over = true
		return false
	}
	if in, ok := x.s.(explore.InputSearch); ok && e.together != nil {
		e.input = corpus.Texts(in.Input())
	}
	e.prepare(x, next)
	ex := x.perform(next)
	if e.err != nil || x.brief && x.needs.Accesses && ex.Trace.Verdict.Cut() {
		return false
	}
	if e.expired(&ex, next) {
		if x.left = why.Ended(ex.Trace.Verdict); ex.Broken {
			x.left = why.Of(why.NotAll)
		}
		return false
	}
	x.last = ex.Trace
	if x.needs.Accesses {
		return x.takeWide(ex, next)
	}
	return x.take(ex, next)
}

// perform makes an execution. Where the strategy goes on when it is learnt where channels are
// polled, the execution is made again until it has a step wherever one is polled.
func (x *search) perform(s *trace.Schedule) (ex Execution) {
	needs := needsNow(x.s, x.needs)
	if c, ok := x.s.(explore.Counting); ok && x.taken == nil && c.Counts() {
		needs.Values, needs.Flow = false, explore.NoFlow
	}
	if !needs.Accesses || needs.Anew {
		return x.e.perform(s, needs)
	}
	return x.e.performWide(s, needs)
}

// take takes an execution that was to follow its schedule to the end.
func (x *search) take(ex Execution, next *trace.Schedule) bool {
	e := x.e
	if ex.Trace.Verdict == trace.Aborted {
		e.n--
		e.aborted++
	}
	if ex.Diverged != nil {
		if x.polled != len(e.polled) && x.stale() { // what it showed may be why
			x.again()
			return true
		}
		x.spun = x.spun || ex.Trace.Spun
		// whether a goroutine is held back is not up to the schedule alone
		if x.left = why.Of(why.HeldBack); !x.spun {
			x.left = e.strayed(&ex, next, x.needs)
		}
		return false
	}
	if ex.Died { // no race of its events is known, to be reversed
		x.left = why.With(why.Lost, "what an execution did was lost with its process")
		e.look(ex, next, "")
		return false
	}
	if x.learnt == e.learnt {
		x.s.Done(ex.Trace)
		if x.taken != nil && !x.stale() {
			x.taken(&ex)
		}
	}
	x.spun, x.muted = x.spun || ex.Trace.Spun, x.muted || ex.Muted
	if ex.FailedEarly {
		x.failed++
	}
	doubt := e.suspects(&ex, next)
	if len(e.polled) == x.polled { // or a goroutine waits in it for a poll and has not arrived
		e.look(ex, next, "")
	}
	if x.settle(doubt); x.stale() {
		x.again()
	}
	return true
}

// settle makes the execution that decides what suspects has left in doubt, nil if there is nothing,
// unless the search begins anew.
func (x *search) settle(doubt *trace.Schedule) {
	if doubt != nil && !x.stale() {
		x.e.look(x.e.perform(doubt, x.needs), doubt, "")
	}
}

// takeWide takes an execution in which every access is a step.
func (x *search) takeWide(ex Execution, next *trace.Schedule) bool {
	e := x.e
	if x.stale() {
		x.again()
		return true
	}
	x.s.Done(ex.Trace)
	if x.taken != nil {
		x.taken(&ex)
	}
	if e.cover != nil && e.cover.own {
		e.cover.point(e)
	}
	e.showNarrow(ex, next, x.sites)
	return true
}

// sites are where the strategy has seen accesses to shared memory.
func (x *search) sites() []trace.Site {
	if s, ok := x.s.(explore.Sighted); ok {
		return s.Sites()
	}
	return nil
}

// tell tells what the strategy has seen and counted, when its search is over.
func (x *search) tell() {
	e := x.e
	if y, ok := x.s.(explore.Yielding); ok && e.together == nil {
		if reason := y.Yields(); reason != "" {
			u := explore.Cover()
			e.note("strategy %s explores this, by all %s, in place of %s: %s", u.Name, u.Covers, x.unit.Name,
				reason)
		}
	}
	if s, ok := x.s.(explore.Suspecting); ok {
		e.tellBroken(s)
	}
	if m, ok := x.s.(explore.Measured); ok {
		e.measures = m.Measure()
	}
	if l, ok := x.s.(explore.Listing); ok && e.cfg.MapCover && !e.cfg.Forms && e.cover != nil && e.cover.own {
		list := l.List()
		e.cover.left = &list
	}
}

// sampled says how far a strategy came that does not claim to cover everything.
func (x *search) sampled() why.End {
	e, cuts := x.e, x.e.cuts
	if x.unit.Needs.Steps > 0 { // the strategy knows that executions are bounded
		cuts.Steps = 0
	}
	switch r := x.s.Result(); {
	case e.real:
		return why.Sampled(why.Of(why.Uncontrolled))
	case cuts != (wire.Cuts{}):
		return why.Sampled(cuts.Reason())
	case r.Reason.Code != why.TimeOver:
		return why.Sampled(r.Reason)
	}
	return why.End{}
}

// result says how far the search came, and why it has not covered every interleaving; none if it
// has.
func (x *search) result() (r explore.Result, short why.Reason) {
	e := x.e
	r = x.s.Result()
	x.over = x.over || x.s.Next() == nil
	if hidden := e.hides(); r.Complete && !hidden.None() {
		r.Complete, r.Reason = false, hidden
	}
	t := e.tally()
	t.Spun, t.Cuts = x.spun, e.cuts.Since(x.cuts)
	if x.free {
		t.Timers = false // it has covered when they fire
		if r.Complete && x.muted {
			r.Complete, r.Reason = false, why.With(why.Untimed, failsEarly)
		}
		r.EarlyFailures = x.failed
	}
	return r, shortfall(e.cfg, &t, r, !x.over)
}

// within returns the bounds within which the search has covered every interleaving.
func (x *search) within() why.Bounds {
	e := x.e
	if x.stale() || !x.left.None() || !e.hides().None() {
		return why.Bounds{}
	}
	t := e.tally()
	t.Spun, t.Cuts = x.spun, e.cuts.Since(x.cuts)
	return within(e.cfg, &t, x.s.Result())
}

// nameless reports whether a search with all accesses visible came to an end because two
// executions do not agree on memory that was made where heddle does not see it. Accesses that do
// not race need not be visible: from then on those are that were seen to race.
func (e *exploration) nameless(x *search) bool {
	r := x.s.Result()
	if e.cfg.Visible != "all" || e.byNeed || x.needs.Accesses || !e.cfg.Race ||
		r.Reason.Code != why.Nameless {
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
func (e *exploration) strayed(ex *Execution, s *trace.Schedule, needs explore.Needs) why.Reason {
	d, want := *ex.Diverged, &s.Steps[ex.Diverged.Step]
	at := parting(&d, ex.Trace.Name(want.G), want.Op.String(), e.x.Resolve(want.Site), e.x.Resolve)
	if !d.GotOK {
		at = fmt.Sprintf("step %d: the goroutine that was to go on (%s) was not started", d.Step+1, want.Op)
	}
	outside := ex.Outside
	again := e.perform(s, needs)
	if again.Broken {
		return why.Of(why.NotAll)
	}
	if v := again.Trace.Verdict; v.Early() {
		return why.Ended(v)
	}
	if e.err == nil && again.Diverged != nil && *again.Diverged == d {
		if e.loose || d.Got.Site.Quiet() {
			return why.Of(why.Hidden)
		}
		return why.With(why.Strayed, "%s", at)
	}
	if !e.nondet {
		e.nondet = true
		e.note("not deterministic: an execution left the schedule it was to follow, at %s; so not every interleaving can be covered; likely cause: %s", at, e.cause(outside))
	}
	return why.Of(why.Varying)
}

// perform executes one schedule of a search.
func (e *exploration) perform(s *trace.Schedule, needs explore.Needs) Execution {
	return e.performing(wire.Request{Schedule: *s, Show: e.showOnce(), Known: e.isKnown}, needs)
}

func (e *exploration) performing(q wire.Request, needs explore.Needs) Execution {
	e.q = q
	ex := e.execute(&e.q, needs)
	e.covers(&ex)
	e.polls(&ex)
	return ex
}

// sides bounds how often an execution is made again because it was learnt where channels are
// polled.
const sides = 4

// performWide executes one schedule, and again where it was learnt where channels are polled.
func (e *exploration) performWide(s *trace.Schedule, needs explore.Needs) (ex Execution) {
	n := e.n
	for range sides {
		polled := len(e.polled)
		e.n = n
		if ex = e.perform(s, needs); len(e.polled) == polled || e.err != nil {
			break
		}
	}
	return ex
}

// expired reports whether time or memory has ended an execution of a search, and tells of what it
// shows. No search can go on from there: when the schedule is executed again, it may come less far,
// or farther.
func (e *exploration) expired(ex *Execution, s *trace.Schedule) bool {
	if !ex.Trace.Verdict.Early() {
		return false
	}
	e.look(*ex, s, "")
	return true
}

// twice executes the first schedule twice and compares; ok is false where that
// says that replaying is not to be trusted. alone: there is nothing to interleave.
func (e *exploration) twice(s *trace.Schedule, needs explore.Needs) (result string, alone, ok bool) {
	first := e.perform(s, needs)
	for e.err == nil && len(first.Polled) > 0 { // a goroutine that waits there for a poll did not arrive
		e.n-- // it is made again
		first = e.perform(s, needs)
	}
	if e.err != nil {
		return "pass", false, false
	}
	first.Trace = first.Trace.Clone()
	result = "pass"
	if first.Skipped {
		result = "skip"
	}
	e.tellOutput(first.Output)
	visible := e.visible
	first = e.look(first, s, "")
	alone = e.alone(&first)
	if e.ended() || first.Trace.Verdict.Early() {
		return result, alone, false
	}
	e.second(s, visible, &first)
	return result, alone && e.found == e.before, e.err == nil && !e.nondet && e.move == ""
}

// sow lets a strategy start from executions of another one (section 4.6 of Kähkönen et al.), if
// the configuration says so.
func (x *search) sow() {
	e := x.e
	s, ok := x.s.(explore.Seeded)
	u := e.seedWith()
	if !ok || u == nil || x.brief {
		return
	}
	if u.Needs.Guide && u.Needs.Accesses && e.cfg.Isolate == "process" {
		e.note("strategy %s chooses while the execution runs, which it cannot in processes of their own (-isolate=process): strategy %s starts from none of its executions", u.Name, x.unit.Name)
		return
	}
	good := true
	seed := func(t *trace.Trace) {
		if good = good && s.Seed(t); good {
			e.tell()
		}
	}
	// plant makes an execution again as the strategy makes its own.
	plant := func(steps []trace.Step) {
		again := &trace.Schedule{Steps: steps, Policy: "first", Exhaustive: true, Loose: e.loose,
			Awaits: true}
		polled := len(e.polled)
		ex := e.perform(again, x.needs)
		if e.err != nil || len(e.polled) > polled || ex.Learnt || ex.Diverged != nil ||
			ex.Trace.Verdict.Early() {
			return // what it shows is not yet what others will
		}
		if seed(ex.Trace); !good {
			return
		}
		doubt := e.suspects(&ex, again)
		e.look(ex, again, "")
		x.settle(doubt)
	}
	step := func(i int) bool {
		plant(e.sampledSteps(u, i))
		return true
	}
	if u.New != nil {
		y := e.searchFor(u, nil)
		y.brief, y.needs.Plain = true, x.needs.Plain
		if y.taken = func(ex *Execution) { seed(ex.Trace) }; y.needs.Accesses {
			y.needs.Steps = wideSteps
			y.taken = func(ex *Execution) { plant(e.withoutHidden(ex.Trace.Steps)) }
		}
		y.again()
		step = func(int) bool { return y.step() }
	}
	visible := len(e.visible)
	for i := 0; i < e.options.Int(explore.SeedRuns.Name) && good && len(e.visible) == visible && !e.ended() &&
		!e.late(); i++ {
		if !step(i) {
			break
		}
	}
	switch {
	case len(e.visible) > visible:
		x.again()
	case !good:
		x.s = x.begin() // it meets the same by itself, and says what it makes of that
	}
}

// seedWith returns the unit whose executions a strategy is to start from; nil: none.
func (e *exploration) seedWith() *explore.Unit {
	return explore.Lookup(e.options[explore.SeedWith.Name])
}

// sampledSteps returns the steps of the i-th execution by policies. What is drawn from the seed in
// an execution has to be the same in all of a search, so the policy's choices are made beforehand,
// in an execution that counts for nothing.
func (e *exploration) sampledSteps(u *explore.Unit, i int) []trace.Step {
	name := u.Policy
	if name == "" {
		name = samplePolicies[i%len(samplePolicies)]
	}
	ex := e.perform(&trace.Schedule{Policy: name, Depth: e.depth(), Seed: mix(e.cfg.Seed, uint64(i+1)),
		Exhaustive: true, Awaits: true}, explore.Needs{})
	return slices.Clone(ex.Trace.Steps)
}

// An inputStrategy is one that can be told which inputs it is to explore.
type inputStrategy interface {
	explore.InputSearch
	Search(in *symbolic.Inputs)
}
