// Package unfold explores a program by unfolding it: Kähkönen, Saarikivi, Heljanko, "Unfolding
// based automated testing of multithreaded programs", Automated Software Engineering 22, 2015. It
// covers every local state of every goroutine: what the goroutine can have seen and done, and what
// it does next. That can take far fewer executions than there are classes of equivalent
// interleavings.
//
// The operations of an execution become events of a net (package net), each after the events that
// it depends on. The possible extensions are the events that can happen in other combinations of
// what all executions have shown. One of them is the target of the next execution. The schedule of
// that execution is the target's past.
//
// The paper has a fixed number of threads and one copy of each variable for each thread, so that
// reads commute; package places does the same. Here, as the paper proposes in section 4.5, a
// variable has one place and reads have read arcs. So a program can start any number of goroutines.
package unfold

import (
	"slices"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/explore/why"
	"heddle/rt/limit"
	"heddle/symbolic"
	"heddle/trace"
)

// Options of an exploration. The zero value explores everything.
type Options struct {
	// Expired, if not nil, is called now and then during Done. The exploration ends when it returns
	// true.
	Expired func() bool

	// Choose returns the index of the next target among n possible extensions, in the order in
	// which they were found. nil: the one found last, or with Inputs the order of turns.
	Choose func(n int) int

	// NoDeadlocks leaves out the search for deadlocks (section 4.4), to measure what it costs.
	NoDeadlocks bool

	// Inputs, if not nil, are explored together with the schedules of a fuzz target.
	Inputs *symbolic.Inputs

	// Loose: executions are made with trace.Schedule.Loose, so that no order inside the standard
	// library hides a race.
	Loose bool
}

// A Strategy is an exploration in progress. It implements explore.Strategy.
type Strategy struct {
	opt  Options
	tab  *transition.Table
	path *transition.Path
	net  *net.Net

	procs    []net.Place         // by transition.Proc: its place, or None
	procOf   []transition.Proc   // by place: the goroutine; NoProc for an object's place
	objects  []object            // by transition.Object
	objectOf []transition.Object // by place: the object; noObject for a goroutine's place
	calls    calls
	caps     map[transition.Object]int // of channels whose operations do not tell it
	clock    clock
	races    races
	noted    map[[2]net.Cond]bool // see waitAt
	inputs   inputs
	texts    map[net.Cond]string // values of memory, where they are recorded

	quiet quiet
	joins joins

	apart bool          // histories are not merged where goroutines join
	told  map[word]bool // memory whose writes are told apart where goroutines join

	// channels with quiet operations for which there is no construction
	crowded    map[transition.Object]bool
	timerChans map[transition.Object]bool // channels that belong to timers
	sends      map[trace.Site]bool        // sites at which timers with a channel are started
	// atomics with a CompareAndSwap whose outcome depends on the input
	varying map[transition.Object]bool

	known  []net.Event // possible extensions; some were shown since
	turns  *turns      // the order of targets; nil: Options.Choose decides
	target net.Event   // of the next execution; or None, and then
	goal   []net.Cond  // is the marking that it is to reach
	foresight
	stuck  [][]net.Cond
	locks  locks
	asked  map[string]bool    // the deadlocks found so far, by their calls
	left   map[net.Value]bool // calls that an execution has left waiting, or that no execution can
	rest   *rest
	over   bool
	begun  bool
	futile int // schedules in a row to which alongside could add nothing
	result explore.Result

	// other explores the program instead, after fallBack.
	other explore.Strategy
	Why   string           // the reason for fallBack
	made  explore.Handover // the executions so far, for other

	run  *net.Config // the events of the execution that is read
	find *net.Config // the past of what is looked for
	read reading

	pasts []past // pasts that find may still hold, each of an event that comes after the one before
	aimed bool   // find is the past of the target

	schedule trace.Schedule
	planned  []net.Event // the shown events that the schedule repeats, in order
	// the events of planned that the execution has still to repeat; nil if it diverged from them
	plan     []net.Event
	laid     []laid             // the steps of the last schedule
	stepless map[net.Event]bool // quiet receives of the schedule that do not block
	gids     []trace.GID
	arcs     []net.Arc
	limit    *limit.Limit
	expired  bool // see late
	Surprise int  // number of shown events that were not foreseen; it should be 0
}

// New begins an exploration.
func New(o Options) *Strategy {
	s := &Strategy{opt: o, limit: limit.New(o.Expired), tab: transition.NewTable(), target: net.None,
		caps: map[transition.Object]int{}, timerChans: map[transition.Object]bool{},
		sends:   map[trace.Site]bool{},
		varying: map[transition.Object]bool{}, crowded: map[transition.Object]bool{},
		told: map[word]bool{}}
	s.result.Complete = true
	s.begin()
	return s
}

// begin makes the net empty.
func (s *Strategy) begin() {
	s.path, s.net = transition.NewPath(s.tab), net.New()
	s.run, s.find = net.NewConfig(s.net), net.NewConfig(s.net)
	s.procs, s.procOf, s.objects, s.objectOf, s.calls, s.plan = nil, nil, nil, nil, newCalls(), nil
	s.read.comm, s.read.ends = map[announced]int{}, nil
	s.known, s.turns, s.begun, s.target = s.known[:0], newTurns(&s.opt), false, net.None
	s.goal, s.stuck, s.asked, s.left, s.rest, s.clock = nil, nil, map[string]bool{}, map[net.Value]bool{},
		nil, newClock()
	s.races, s.locks, s.foresight = newRaces(), newLocks(), foresight{}
	s.noted, s.texts, s.inputs, s.quiet = map[[2]net.Cond]bool{}, map[net.Cond]string{}, newInputs(),
		newQuiet()
	s.joins = newJoins(s.net)
	s.pasts, s.aimed, s.laid = s.pasts[:0], false, s.laid[:0]
	s.made.Forget()
	s.beginClock()
	place := s.procPlace(transition.Main)
	s.net.Mark(place, 0)
}

// Table returns the names of goroutines and objects, and what is known about dependence.
func (s *Strategy) Table() *transition.Table {
	if o, ok := s.other.(interface{ Table() *transition.Table }); ok {
		return o.Table()
	}
	return s.tab
}

// Net returns the unfolding so far.
func (s *Strategy) Net() *net.Net { return s.net }

// Next implements explore.Strategy. The schedule is the past of the next target, then the
// non-preemptive policy.
func (s *Strategy) Next() *trace.Schedule {
	if s.other != nil {
		return s.other.Next()
	}
	if s.over {
		return nil
	}
	s.planned, s.plan = s.planned[:0], nil
	if s.sows() || !s.begun {
		return s.firstSchedule()
	}
	s.free()
	if s.target == net.None && s.goal == nil && s.takeForeseen() {
		return &s.schedule
	}
	found := false
	if whole := s.limit.Within(func() { found = s.findNext() }); !whole || s.expired {
		s.stop()
		return nil
	}
	if !found && !s.begun {
		return s.firstSchedule()
	}
	if !found {
		s.over = true
		s.made.Forget()
		return nil
	}
	return &s.schedule
}

// firstSchedule makes the schedule of the first execution.
func (s *Strategy) firstSchedule() *trace.Schedule {
	s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Exhaustive: true,
		Strict: true, Loose: s.opt.Loose, Awaits: true}
	return &s.schedule
}

// findNext makes the schedule of the next execution. It returns false if nothing is left, or no
// time.
func (s *Strategy) findNext() bool {
	for {
		if s.target == net.None && s.goal == nil && !s.aim() {
			return false // nothing is left, or the search begins anew
		}
		if s.opt.Inputs != nil && s.expires() { // each iteration asks the solver
			return false
		}
		if s.makeSchedule() {
			return true
		}
		s.target, s.goal = net.None, nil
	}
}

// aim chooses the target or the goal of the next execution. It returns false if there is none. The
// order: deadlocks that were found as the net grew; possible extensions; jumps of the clock that
// were not shown; deadlocks and data races in the whole net.
func (s *Strategy) aim() bool {
	if s.goal = s.nextStuck(); s.goal != nil || s.aimAtEvent() {
		return true
	}
	if s.settle() {
		return s.aim()
	}
	if s.goal = s.postponed(); s.goal != nil {
		return true
	}
	if s.hides(true) {
		s.beginAnew()
		return false
	}
	if s.goal = s.jumpsLeft(); s.goal == nil && !s.opt.NoDeadlocks {
		s.goal = s.leftOver()
	}
	if s.goal == nil {
		s.goal = s.racing()
	}
	return s.goal != nil
}

// aimAtEvent chooses the next target. It returns false if no possible extension is left.
func (s *Strategy) aimAtEvent() bool {
	if s.turns != nil {
		return s.turns.next(s)
	}
	for n := len(s.known); n > 0; n-- {
		i := n - 1
		if s.opt.Choose != nil {
			i = s.opt.Choose(n)
		}
		e := s.known[i]
		s.known = slices.Delete(s.known, i, i+1)
		if s.promised[e] > 0 { // an execution that is planned or under way may show it
			s.known = slices.Insert(s.known, n-1, e)
			continue
		}
		if !s.net.Shown(e) {
			s.target = e
			return true
		}
	}
	return false
}

// longest bounds the steps of an execution, and widest its steps times its goroutines: nets take
// memory for both.
const (
	longest = 200_000
	widest  = 1 << 25
)

// Done takes the trace of the last schedule.
func (s *Strategy) Done(t *trace.Trace) {
	if s.other != nil {
		s.other.Done(t)
		return
	}
	if !s.limit.Within(func() { s.done(t) }) {
		s.stop()
	}
}

// done is Done without the limit on time.
func (s *Strategy) done(t *trace.Trace) {
	s.result.Executions++
	s.free()
	s.incomplete(explore.Short(t))
	if long := explore.TooLong(t, min(longest, widest/max(1, len(t.Goroutines)))); !long.None() {
		s.incomplete(long)
		s.over = true
		return
	}
	if t.Verdict == trace.Diverged {
		s.target, s.goal = net.None, nil
		return
	}
	kept := s.kept()
	if err := s.path.Read(t, kept); err != nil {
		s.incomplete(why.From(err))
		s.over = true
		return
	}
	if s.learn(t, kept) {
		s.beginAnew()
		return
	}
	if s.opt.Inputs == nil {
		s.made.Keep(t)
	}
	reason := s.add(t, kept)
	if s.parts(t, reason) {
		s.beginAnew()
		return
	}
	if reason != "" {
		s.fallBack(reason)
		return
	}
	if s.expired {
		s.stop()
		return
	}
	if s.hides(false) {
		s.beginAnew()
		return
	}
	if s.result.Reason.None() && s.path.Hidden(t, s.opt.Loose) {
		s.incomplete(why.Of(why.Hidden))
	}
	s.begun = true
	if s.target != net.None && s.cameOutOtherwise(s.target) {
		s.hope(s.target) // now the inputs that it needs are known
		s.target = net.None
	}
	if s.target != net.None && !s.net.Shown(s.target) || !s.reached(s.goal) {
		s.fallBack("an execution did not reach its target")
		return
	}
	s.target, s.goal = net.None, nil
	s.inputs.sown++
	s.noteLeft(t)
	s.noteEnd()
	if s.expired {
		s.stop()
	}
}

// stop ends the search early: the result is incomplete.
func (s *Strategy) stop() {
	s.incomplete(why.Of(why.NotAll))
	s.over, s.expired = true, true
	s.made.Forget()
	s.rest = nil
}

// beginAnew makes the net empty after what was learned. Earlier executions are found again.
func (s *Strategy) beginAnew() {
	s.result.Executions = 0
	s.begin()
}

// learn reports whether transitions of t from an index on show a dependence or an object that
// invalidates the net. The search begins anew then.
func (s *Strategy) learn(t *trace.Trace, from int) bool {
	caps, timers, varying, quiet := s.learnCaps(from), s.learnTimers(from), s.learnVarying(t), s.learnQuiet(t)
	changed := s.tab.Changed || caps || timers || varying || quiet
	s.tab.Changed = false
	return changed
}

// Seed implements explore.Seeded: the net starts from execution t (section 4.6), before the first
// Next. The schedule of t must be Exhaustive and Awaits, with seed 0. If Seed returns false the
// strategy is unusable.
func (s *Strategy) Seed(t *trace.Trace) bool {
	if s.other != nil || t.Verdict.Cut() || t.Verdict == trace.Aborted || t.Verdict == trace.Diverged {
		return false
	}
	if s.path.Read(t, 0) != nil {
		return false
	}
	again := func() bool {
		s.beginAnew()
		s.learnQuiet(t)
		return s.path.Read(t, 0) == nil
	}
	if s.learn(t, 0) && !again() {
		return false
	}
	reason := s.add(t, 0)
	if s.parts(t, reason) || s.hides(false) {
		if !again() {
			return false
		}
		reason = s.add(t, 0)
	}
	if reason != "" {
		return false
	}
	if s.opt.Inputs == nil {
		s.made.Keep(t)
	}
	s.result.Executions++
	s.begun = true
	if s.result.Reason.None() && s.path.Hidden(t, s.opt.Loose) {
		s.incomplete(why.Of(why.Hidden))
	}
	s.noteLeft(t)
	s.noteEnd()
	return true
}

// fallBack hands the search over to the strategy that covers every program, where the net has no
// construction for an operation. That strategy takes the executions so far as its own. With Inputs
// the search ends instead: the loop explores one input after the other then.
func (s *Strategy) fallBack(reason string) {
	s.Why = reason
	if s.opt.Inputs == nil {
		s.other = s.made.Over(explore.Start{Expired: s.opt.Expired, Loose: s.opt.Loose})
	}
	if s.other == nil {
		s.incomplete(why.With(why.Limit, "%s", reason))
		s.over = true
	}
}

// Result implements explore.Strategy. Complete: every local state was shown.
func (s *Strategy) Result() explore.Result {
	if s.other != nil {
		return s.other.Result()
	}
	if s.over {
		s.tellShort()
	}
	r := s.result
	r.Complete, r.Covers = r.Reason.None() && s.over, s.covers()
	if s.over {
		r.Estimate = float64(r.Executions)
	}
	return r
}

// Successor implements explore.Yielding.
func (s *Strategy) Successor() explore.Strategy { return s.other }

// incomplete notes the first reason for which the result is not complete.
func (s *Strategy) incomplete(reason why.Reason) {
	if s.result.Reason.None() {
		s.result.Reason = reason
	}
}

// late reports whether the time or the memory is used up.
func (s *Strategy) late() bool {
	s.expired = s.expired || s.limit.Spent()
	return s.expired
}

// expires is late, but asks the clock now.
func (s *Strategy) expires() bool {
	s.expired = s.expired || s.limit.Now()
	return s.expired
}
