package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/engine/judge"
	"heddle/explore"
	"heddle/explore/sample"
	"heddle/explore/succession"
	"heddle/explore/why"
	"heddle/rt/limit"
	"heddle/rt/wire"
	"heddle/symbolic"
	"heddle/trace"
)

// exploration is the state of one test's exploration. It is the same whether
// the test is executed in this process or in others: all that it knows of an
// execution is in Execution.
type exploration struct {
	x    Executor
	here Process // it, if it executes in this process; nil otherwise
	ctx  context.Context
	cfg  *wire.Config

	unit    *explore.Unit  // the strategy
	options explore.Values // of it

	test string
	send func(*wire.Record)

	q         wire.Request             // of run, used again and again
	n         int                      // executions so far
	seen      map[string]*wire.Finding // by key
	told      map[string]bool          // of a worker: keys of those that have reached who counts them
	found     int
	before    int // of them, before this input
	start     time.Time
	deadline  time.Time
	allotted  time.Time         // deadline before something was found
	called    func() bool       // nil, or whether somebody has called it off
	memory    *limit.Memory     // what a search may hold; nil: there is no bound
	executing bool              // an execution is being made
	keeping   bool              // for the clip of a finding
	doing     string            // what is being done between executions, for the user who waits; "": a search thinks
	outgrown  bool              // a search was given up since it held as much as it may
	visible   []trace.Site      // sites found to race: scheduling points from then on
	only      bool              // and no others, whatever -visible says
	byNeed    bool              // the same, since memory has no names, see nameless
	early     bool              // Request.Early, beside the configuration's
	expect    *wire.Expectation // looked for in every execution
	input     []string          // of a fuzz target; nil: its corpus
	paths     witness           // of executions with inputs that are searched for, nil if none are
	together  *symbolic.Inputs  // they and the schedules are explored in one net
	most      int               // executions for this input, 0: no such bound
	polled    []trace.Site      // sides of channels found to be polled, for exhaustive executions
	learnt    int               // executions after which exhaustive ones end sooner, see wire.Result.Learnt
	whole     bool              // every interleaving, or prediction, is to be covered: a finding does not end that
	loose     bool              // the search makes loose executions, see loosen
	suspected []string          // keys of races that those showed
	oneWay    bool              // accesses were seen to race that are no scheduling points: they go one way only
	unseen    []wire.Unseen     // what was not seen of executions
	covering  int               // executions that have covered every interleaving, where others were made beside; 0: all
	estimate  float64           // of the executions that would cover every interleaving, 0: not known
	progress  time.Time
	cover     *coverage // of memory-access patterns, nil if nobody asked
	orders    *orders   // that executions have shown, of strategy auto
	compared  *orders   // the same, as strategies are compared by
	buggy     int       // executions that showed something wrong
	cuts      wire.Cuts
	timers    bool
	choices   bool
	real      bool             // goroutines or files outside control take part: executions go by real time
	outsiders string           // what is outside control
	measures  explore.Measures // of the strategy
	toldCut   bool             // that an execution was ended by time or memory was said
	toldFull  bool             // that data flow needs more memory was said
	measured  bool             // that heddle's memory may make the test fail was said
	ranOut    bool             // and that its slowness may
	passed    bool             // the test did not fail in the first execution, the one without switches
	nondet    bool             // the same schedule gave two different executions
	move      string           // why the test is to be executed in processes of its own; "": it is not
	moveAt    trace.Site
	looked    bool        // an execution was, for what it shows
	anew      bool        // the test is to begin again in another process, see heir
	over      bool        // an execution said that there is no point in others
	err       error       // what kept the last execution from being made
	shown     bool        // what one execution prints
	share     *wire.Share // others go on
	short     bool        // executions are too short for others to make them

	timed    int           // executions whose time was taken
	shortest time.Duration // of them
}

// newExploration prepares the exploration of one test. Records go to send.
func newExploration(ctx context.Context, cfg *wire.Config, test string, x Executor, send func(*wire.Record)) *exploration {
	e := &exploration{x: x, ctx: ctx, cfg: cfg, test: test, send: send, seen: make(map[string]*wire.Finding), start: time.Now()}
	e.progress = e.start
	e.here, _ = x.(Process)
	if e.unit = explore.Lookup(cfg.Strategy); e.unit == nil {
		e.unit = &explore.Unit{Name: cfg.Strategy, Policy: cfg.Strategy}
	}
	e.options = e.unit.With(cfg.Options)
	e.whole = e.isWhole()
	e.memory = limit.NewMemory(cfg.Memory)
	if cfg.Budget > 0 {
		e.deadline = e.start.Add(time.Duration(cfg.Budget))
	}
	if cfg.Compare {
		e.compared = &orders{set: succession.NewSet()}
	}
	for _, s := range cfg.VisibleAt {
		e.visible = append(e.visible, trace.Site(s))
	}
	return e
}

// isWhole reports whether a finding does not end an exploration.
func (e *exploration) isWhole() bool { return e.unit.Whole || e.cfg.Whole }

// depth is that of policy pct.
func (e *exploration) depth() int { return cmp.Or(e.options.Int(sample.Depth.Name), 3) }

// Explore executes one test by x until the budget ends, and sends Records. It
// begins with the schedules first, whatever shows there, and the clips of the
// configuration. The error is x's.
//
// Where cfg.Isolate is "auto" and executions turn out not to be independent of
// each other, it ends with a Record of type "isolate": the test is to be explored by an
// Executor that uses a process for each; and where a test fails at once after others
// with one of type "anew": it is to be explored in a process in which it comes first. So it does where a clip does not fit after others.
func Explore(ctx context.Context, cfg *wire.Config, test string, x Executor, send func(*wire.Record), first ...*trace.Schedule) error {
	return newExploration(ctx, cfg, test, x, send).toEnd(first)
}

// toEnd explores the test, and tells of it from beginning to end.
func (e *exploration) toEnd(first []*trace.Schedule) error {
	cfg, test := e.cfg, e.test
	e.send(&wire.Record{Type: "begin", Test: test})
	end := e.guarded(first)
	if e.err != nil {
		return e.err
	}
	if e.move == "" && !e.anew && e.share == nil {
		e.tellCoverage()
	}
	end.Buggy, end.Covering = e.buggy, e.covering
	if e.compared != nil {
		end.Orders, end.Memory = e.compared.set.Len(), limit.Peak()
	}
	end.Test, end.Executions, end.Elapsed, end.Strategy, end.Estimate = test, e.n, time.Since(e.start).Seconds(), cfg.Strategy, known(e.estimate)
	e.send(&end)
	return nil
}

// explore returns the Record that ends the test.
func (e *exploration) explore(first []*trace.Schedule) wire.Record {
	for i := range e.cfg.Clips {
		if c := &e.cfg.Clips[i]; c.Test == e.test && c.Isolate == "process" && e.cfg.Isolate == "auto" {
			return wire.Record{Type: "isolate", Text: fmt.Sprintf("%s was recorded in a process of its own, so every execution has one (-isolate=process)", c.Path)}
		}
	}
	for _, s := range first {
		if !e.ended() {
			e.run(s)
		}
	}
	e.tryClips()
	if e.anew {
		return wire.Record{Type: "anew"}
	}
	if e.cfg.Ask != nil {
		return ended(e.answer())
	}
	search := e.searching()
	if e.cfg.Fuzz != "" {
		search = func() (string, bool, why.End) { return e.inputs(e.searchingOne()) }
	}
	result, complete, end := search()
	if !complete && (e.outgrown || e.memory.Reached()) {
		end = end.And(e.memoryBound())
	}
	if e.move != "" {
		p := e.x.Resolve(e.moveAt)
		return wire.Record{Type: "isolate", Place: &p,
			Text: e.moved()}
	}
	if e.anew {
		return wire.Record{Type: "anew"}
	}
	if e.share != nil {
		return wire.Record{Type: "share", Share: e.share}
	}
	rec := ended(result, complete, end)
	rec.Groups = (*wire.Groups)(e.measures.Groups)
	return rec
}

// ended is the Record that ends a test.
func ended(result string, complete bool, end why.End) wire.Record {
	return wire.Record{Type: "end", Result: result, Complete: complete, Reason: end.Text(complete), Why: end}
}

// searching returns how the strategy explores a test.
func (e *exploration) searching() func() (result string, complete bool, end why.End) {
	if e.unit.New != nil {
		return func() (string, bool, why.End) { return e.think(e.unit, nil) }
	}
	if composed := e.composed(); composed != nil {
		return composed
	}
	return e.sample
}

// searchingOne returns how it explores one of many inputs.
func (e *exploration) searchingOne() func() (result string, complete bool, end why.End) {
	if e.unit.Needs.Flow == explore.FlowBeside { // auto, which takes longer
		return e.sample
	}
	return e.searching()
}

// moved says that the test is to be executed in processes of its own, and why.
func (e *exploration) moved() string {
	return e.move + InProcesses
}

// InProcesses follows the reason why a test is executed in processes of its own.
const InProcesses = "; executions in one process are not independent of each other, so every one has a process of its own (-isolate=process)"

// samplePolicies are the policies that the strategy "sample" takes in turn,
// after the non-preemptive one.
var samplePolicies = []string{"pos", "pct", "random"}

// afterFinding is how much longer a test is explored once something was found: that many times what it took so far, and at least
// moreAfter. A finding that hides no others leaves it a fair share of its budget at least, up to mostShare, and so does each new one.
const (
	afterFinding = 2
	moreAfter    = 200 * time.Millisecond
	fairShare    = 10 // of the budget
	mostShare    = 5 * time.Second
)

// After returns for how much longer a test with that budget is sampled in which something was found after so long.
func After(elapsed, budget time.Duration, hides bool) time.Duration {
	d := max(moreAfter, afterFinding*elapsed)
	if !hides {
		d = max(d, min(budget/fairShare, mostShare))
	}
	return d
}

// hidesNone are the kinds of findings after which an execution goes on as it would have, or that come when it is over.
var hidesNone = []string{judge.Race, judge.Leak, judge.Misuse}

// hides reports whether findings may keep others from showing: they end executions early, and every one so far.
func hides(fresh []*wire.Finding, everywhere bool) bool {
	return everywhere && !slices.ContainsFunc(fresh, func(f *wire.Finding) bool { return slices.Contains(hidesNone, f.Kind) })
}

// sample is the strategy "sample": the non-preemptive schedule twice, then the
// policies in turn with fresh seeds. With a policy's name it is that one alone.
func (e *exploration) sample() (result string, complete bool, end why.End) {
	fixed := e.unit.Policy
	result, alone := e.opening(fixed)
	if alone {
		return result, false, e.nothing()
	}
	for i := 2; !e.ended() && !e.stop(i); i++ {
		if e.shareSamples(i, result) {
			return result, false, end
		}
		e.run(e.schedule(i, fixed))
		e.tell()
	}
	t := e.tally()
	return e.result(result), false, Sampled(&t)
}

// opening executes the first schedule twice and compares, and then what the first execution lets
// expect of others. alone: there is nothing to interleave.
func (e *exploration) opening(fixed string) (result string, alone bool) {
	result = "pass"
	if e.ended() {
		return result, false
	}
	s, visible := e.schedule(0, fixed), e.visible
	once := e.run(s)
	if e.anew {
		return result, false
	}
	once.Trace = once.Trace.Clone()
	e.passed = fixed == "" && !failing(&once)
	if once.Skipped {
		result = "skip"
	}
	e.tellOutput(once.Output)
	e.tell()
	if e.ended() {
		return result, false
	}
	if alone := e.alone(&once); alone && e.late() || e.heavy() {
		return result, alone
	}
	ex := e.second(e.schedule(1, fixed), visible, &once)
	once = Execution{}
	if !e.ended() && !e.nondet && e.alone(&ex) {
		return result, true
	}
	if e.cfg.Predict && !e.nondet && !e.real && len(ex.Trace.Goroutines) > 2 && !e.ended() {
		e.predictFirst()
	}
	e.tell()
	return result, false
}

// alone reports whether there was nobody in an execution, which showed nothing, to interleave with, and nothing to choose.
func (e *exploration) alone(ex *Execution) bool {
	return !e.choices && len(ex.Trace.Goroutines) <= e.least() && e.found == e.before
}

// nothing is the reason why a test was explored no further in which there was nothing to interleave with.
func (e *exploration) nothing() why.End {
	if e.cuts != (wire.Cuts{}) { // another goroutine may come later
		return why.Bare(e.cuts.Reason())
	}
	for _, u := range e.unseen {
		if u.Code == trace.UnseenBeside {
			return why.Sampled(unseen(u))
		}
	}
	return why.Bare(why.Of(why.Alone))
}

// result is "fail" where something was found, else what the test said of itself.
func (e *exploration) result(plain string) string {
	if e.found > 0 {
		return "fail"
	}
	return plain
}

// least is how many goroutines a test has that starts none. A fuzz target calls its function in another one.
func (e *exploration) least() int {
	if e.input != nil {
		return 3
	}
	return 2
}

// tellOutput tells what the first execution printed.
func (e *exploration) tellOutput(text []byte) {
	if p, ok := e.paths.(*paths); !ok || p.executed <= 1 {
		e.send(&wire.Record{Type: "output", Test: e.test, Text: string(text)})
	}
}

// schedule returns the i-th schedule of the strategy; the second is the first again.
func (e *exploration) schedule(i int, fixed string) *trace.Schedule {
	s := &trace.Schedule{Policy: "first", Depth: e.depth()}
	if i < 2 && fixed == "" || fixed == "first" {
		return s
	}
	s.Policy = fixed
	if fixed == "" {
		s.Policy = samplePolicies[i%len(samplePolicies)]
	}
	if i == 1 {
		i = 0
	}
	s.Seed = mix(e.cfg.Seed, uint64(i))
	switch e.cfg.Time {
	case "free":
		s.Free = true
	case "virtual":
	default:
		s.Free = e.timers && i%4 == 3
	}
	return s
}

// mix makes the seed of one execution; it is never 0.
func mix(base, i uint64) uint64 {
	z := base*0x9e3779b97f4a7c15 + i*0xbf58476d1ce4e5b9
	z = (z ^ z>>30) * 0x94d049bb133111eb
	return (z ^ z>>31) | 1
}

// ended reports whether there is to be no other execution, whatever the budget.
func (e *exploration) ended() bool {
	return e.err != nil || e.over || e.anew || e.move != "" || e.found > 0 && e.cfg.FailFast
}

// stop reports whether the exploration ends before its i-th execution.
func (e *exploration) stop(i int) bool {
	if e.cfg.Runs > 0 && i >= e.cfg.Runs || e.most > 0 && i >= e.most {
		return true
	}
	if i%8 != 0 && e.n > 64 {
		return false
	}
	return e.late()
}

// late reports whether the budget is spent: the time, or the memory.
func (e *exploration) late() bool {
	now := time.Now()
	if !e.executing {
		e.tellWorking(now)
	}
	return !e.deadline.IsZero() && now.After(e.deadline) || e.ctx.Err() != nil || e.called != nil && e.called() || e.overfull(now)
}

// memoryBound says that a search held as much memory as it may.
func (e *exploration) memoryBound() why.Reason {
	return why.With(why.Search, "%s", wire.Size(e.cfg.Memory))
}

// overfull reports whether the search holds as much memory as it may.
func (e *exploration) overfull(now time.Time) bool {
	return e.memory.Reached() || !e.executing && e.memory.Full(now)
}

// elapsedShare is the share of the time that is over, where there is an end to it.
func (e *exploration) elapsedShare() float64 {
	return float64(time.Since(e.start)) / float64(max(e.deadline.Sub(e.start), 1))
}

// heavy reports whether the first execution alone took a multiple of the
// budget: a second one would tell little for its price.
func (e *exploration) heavy() bool {
	return !e.deadline.IsZero() && time.Since(e.start) > 3*e.deadline.Sub(e.start)
}

// execute executes one schedule.
func (e *exploration) execute(q *wire.Request, needs explore.Needs) Execution {
	return e.executeSeeing(q, e.visible, needs)
}

// executeSeeing executes one schedule with accesses at the given sites as scheduling points.
func (e *exploration) executeSeeing(q *wire.Request, visible []trace.Site, needs explore.Needs) Execution {
	if e.err != nil {
		return Execution{Trace: new(trace.Trace)}
	}
	e.complete(q, visible, needs)
	ex, err := e.timely(q)
	ex.needs = needs
	ex.Broken = err == nil && ex.Trace.Verdict == trace.Expired && !q.Until.IsZero() && !time.Now().Before(q.Until)
	if err == nil && ex.Bereft && e.cfg.Isolate == "auto" && e.move == "" {
		e.nondet, e.move = true, "a goroutine that had been there before the tests ended in an earlier execution"
	}
	if ex.Bereft && e.move != "" {
		ex.Found = nil
	}
	if err == nil && ex.Outside && !e.real {
		// It says nothing: its clock jumped while that of the others did not.
		e.toldOutside(ex.Outsiders)
		before := ending(&ex)
		q.Real, q.Show = true, false
		ex, err = e.x.Execute(e.ctx, q)
		if ex.needs = needs; err == nil && e.cfg.Isolate == "auto" {
			if now := ending(&ex); now != before && now != passed {
				e.unstable(&difference{len(ex.Trace.Steps), before, now, 0}, false)
				ex.Found = nil
			}
		}
	}
	if e.err = err; err != nil {
		return Execution{Trace: new(trace.Trace)}
	}
	e.n++
	if ex.Learnt && e.cfg.Isolate != "process" { // in processes of their own nobody learns
		e.learnt++
	}
	if e.paths != nil && e.input != nil {
		e.paths.see(e.input, &ex)
	}
	if f := ex.Trace.Flow; f != nil && f.Full && !e.toldFull {
		e.toldFull = true
		e.note("what values were computed from takes more memory than -mem allows (%s): where it is not known any more, it counts as everything read before", wire.Size(e.cfg.FlowMemory))
	}
	return ex
}

// Overtime returns how much longer than its budget a test may take for what has begun by then.
func Overtime(budget time.Duration) time.Duration { return max(time.Second, budget/10) }

// until returns when an execution is to end, zero if nothing but its own bounds ends it: the first, and those that make a finding's clip.
func (e *exploration) until() time.Time {
	if e.n == 0 || e.keeping || e.deadline.IsZero() {
		return time.Time{}
	}
	return e.deadline.Add(Overtime(time.Duration(e.cfg.Budget)))
}

// showOnce reports true the first time: the user sees what one execution prints.
func (e *exploration) showOnce() bool {
	first := !e.shown
	e.shown = true
	return first
}

// complete adds to a request what holds for all.
func (e *exploration) complete(q *wire.Request, visible []trace.Site, needs explore.Needs) {
	q.Visible, q.Only, q.Polled, q.Real = visible, e.only || e.byNeed, e.polled, e.real
	q.Early, q.Until = e.early, e.until()
	q.All, q.Steps, q.Expect = needs.Accesses, needs.Steps, e.expect
	q.Values, q.Plain, q.Flow, q.Twins = needs.Values, needs.Plain, needs.Flow != explore.NoFlow, needs.Twins
	q.Input, q.Exprs = e.input, e.paths != nil && e.input != nil
}

// The time is taken of some of the first executions, but not of the very first, and of one in timedEvery: looking at the clock costs some of a short one's.
const (
	timedEvery = 16
	timedFirst = 4
)

// timely makes an execution, and now and then takes its time.
func (e *exploration) timely(q *wire.Request) (Execution, error) {
	e.executing = true
	defer func() { e.executing = false }()
	if e.n == 0 || e.n >= timedFirst && e.n%timedEvery != 0 {
		return e.x.Execute(e.ctx, q)
	}
	began := time.Now()
	ex, err := e.x.Execute(e.ctx, q)
	took := time.Since(began)
	if e.timed++; e.timed == 1 || took < e.shortest {
		e.shortest = took
	}
	return ex, err
}

// run executes one schedule and reports what it shows. The trace returned
// lives until the next execution.
func (e *exploration) run(s *trace.Schedule) Execution {
	e.q = wire.Request{Schedule: *s, Show: e.showOnce()}
	ex := e.execute(&e.q, explore.Needs{})
	e.covers(&ex)
	if !e.cfg.CheckDeterminism || e.nondet || e.real {
		return e.look(ex, s, "")
	}
	ex.Trace = ex.Trace.Clone()
	visible := e.visible
	ex = e.look(ex, s, "")
	if e.ended() {
		return ex
	}
	// The same choices again, whatever the policy has learnt meanwhile.
	again := *s
	again.Steps = ex.Trace.Steps
	second := e.executeSeeing(&wire.Request{Schedule: again}, visible, explore.Needs{})
	if d := e.compare(&ex, &second); d != nil && e.err == nil && (e.n > 2 || e.cfg.Isolate == "process") {
		e.unstable(d, second.Outside)
	}
	return ex
}

// look reports the findings of the execution just made, and returns it with a
// trace that the executions made for that did not overwrite.
func (e *exploration) look(ex Execution, s *trace.Schedule, fromClip string) Execution {
	if e.err != nil {
		return ex
	}
	if fromClip == "" {
		if e.anew = !e.looked && e.found == 0 && e.heir(&ex); e.anew {
			return ex
		}
		e.looked = true
	}
	t := ex.Trace
	if !e.choices {
		e.choices = slices.ContainsFunc(t.Steps, func(s trace.Step) bool { return s.Op == trace.OpChoose })
	}
	e.timers = e.timers || ex.Timers
	e.over = e.over || ex.Final
	if !ex.Broken {
		e.tellCut(t.Verdict)
		e.cuts.Count(t.Verdict)
	}
	e.notSeen(ex.Unseen)
	if len(ex.Found) > 0 {
		e.buggy++
	}
	if ex.Measured && !e.measured {
		e.measured = true
		e.note("the test fails, but it looks at figures of memory (runtime.ReadMemStats, testing.AllocsPerRun) or at what is collected (runtime.GC, the profile goroutineleak), and heddle's own is among that, or it opens a plugin, which does not fit: the failure is not reported")
	}
	if ex.RanOut && !e.ranOut {
		e.ranOut = true
		e.note("the test fails after a timer fired while the program was at work, in an execution that is very long or, since not all is under control, goes by real time: that may be since heddle is slower than the program, so the failure is not reported (-time=free reports it)")
	}
	var fresh []*wire.Finding
	cloned, everywhere := false, e.buggy >= e.n
	for _, f := range ex.Found {
		if e.seen[f.Key] != nil {
			e.raceSites(f.Finding) // a clip may have shown it, with scheduling points of its own
			continue
		}
		if !cloned {
			cloned = true
			t = t.Clone() // minimising executes more, and t is overwritten
			ex.Trace = t
		}
		e.seen[f.Key] = f.Finding
		if e.keep(&ex, f, s, fromClip) {
			fresh = append(fresh, f.Finding)
		}
	}
	if len(fresh) == 0 {
		return ex
	}
	e.hasten(hides(fresh, everywhere))
	e.found += len(fresh)
	for _, f := range fresh {
		e.raceSites(f)
		e.over = e.over || f.Kind == judge.Uncontrolled // every execution would wait for seconds
	}
	return ex
}

// tellCut tells of the first execution that the time bound or the memory bound has ended, and what can be done.
func (e *exploration) tellCut(v trace.Verdict) {
	if e.toldCut || e.told != nil || !v.Early() {
		return
	}
	e.toldCut = true
	switch v {
	case trace.Expired:
		e.note("an execution of %s was ended after %v (-longest), and what comes after that is not explored; give it more, or make the test smaller (testing.Short with -short)", e.test, time.Duration(e.cfg.Longest))
	case trace.Filled:
		e.note("an execution of %s was ended when it had taken %s of memory, and what comes after that is not explored; make the test smaller (testing.Short with -short)", e.test, wire.Size(limit.MostHeap))
	}
}

// hasten is called at a finding: a test is not explored to the end of its budget after its first, but each one that hides no others gives it a
// while to find them.
func (e *exploration) hasten(hides bool) {
	if e.deadline.IsZero() || e.whole || e.found > 0 && (hides || e.input != nil) {
		return
	}
	if e.found == 0 {
		e.allotted = e.deadline
	}
	d := time.Now().Add(After(time.Since(e.start), time.Duration(e.cfg.Budget), hides))
	if d.After(e.allotted) {
		d = e.allotted
	}
	if e.found == 0 || d.After(e.deadline) {
		e.deadline = d
	}
}

// raceSites makes the accesses of a race visible from now on, unless what is visible is laid down.
func (e *exploration) raceSites(f *wire.Finding) {
	if f.Kind != judge.Race {
		return
	}
	e.oneWay = e.oneWay || f.Quiet || e.cfg.Visible == "sync"
	if !e.visibleByNeed() || e.only {
		return
	}
	for _, p := range f.Places {
		if x := trace.Site(p.Site); p.Site != 0 && x.PC() == 0 && !slices.Contains(e.visible, x) {
			e.visible = append(e.visible[:len(e.visible):len(e.visible)], x)
		}
	}
}

// visibleByNeed reports whether accesses become visible when they were seen to race.
func (e *exploration) visibleByNeed() bool {
	return e.byNeed || e.cfg.Visible != "sync" && e.cfg.Visible != "all"
}

// toldOutside says that a test is not fully under control, and why. From then
// on its executions go by real time.
func (e *exploration) toldOutside(why string) {
	e.real = true
	e.outsiders = why
	e.note("partly uncontrolled: %s; executions go by real time, what is outside control comes in the order it happens to come in, and where it takes part no races, deadlocks and leaks are looked for", why)
}

func (e *exploration) note(format string, args ...any) {
	e.send(&wire.Record{Type: "note", Test: e.test, Text: fmt.Sprintf(format, args...)})
}

// tell sends progress a few times a second.
func (e *exploration) tell() {
	if e.n%16 == 0 || e.cfg.Isolate == "process" {
		e.tellNow()
	}
}

// tellWorking sends progress while nothing is executed: what thinks asks for the time.
func (e *exploration) tellWorking(now time.Time) {
	const often = time.Second
	if now.Sub(e.progress) > often {
		e.progress = now
		e.send(&wire.Record{Type: "progress", Test: e.test, Executions: e.n, Elapsed: now.Sub(e.start).Seconds(), Estimate: known(e.estimate), Text: cmp.Or(e.doing, "looking for what to execute next")})
	}
}

// tellNow does, if it is time for that.
func (e *exploration) tellNow() {
	if now := time.Now(); now.Sub(e.progress) > 200*time.Millisecond {
		e.progress = now
		e.send(&wire.Record{Type: "progress", Test: e.test, Executions: e.n, Elapsed: now.Sub(e.start).Seconds(), Estimate: known(e.estimate)})
	}
}
