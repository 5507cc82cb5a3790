// Package unfold explores a program by unfolding it: Kähkönen, Saarikivi,
// Heljanko, "Unfolding based automated testing of multithreaded programs",
// Automated Software Engineering 22, 2015. It covers every local state of
// every goroutine (what it can have seen and done, and what it does next), for
// which far fewer executions may do than there are classes of equivalent ones.
//
// An execution adds its operations to a net (package net), each as an event
// that comes after what it depends on; then the events are foreseen that could
// happen in other combinations of what all executions so far have shown. One
// of them is the target of the next execution, whose schedule is no more than
// what precedes it.
//
// The paper has one copy of each variable for each of a fixed number of
// threads, so that reads commute; package places is that. Here, as it proposes
// in section 4.5, there is one copy and reads have read arcs, so goroutines
// may be started as the program pleases.
package unfold

import (
	"slices"
	"unsafe"

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
	// Expired, if not nil, is asked now and then while Done is at work: the exploration ends when
	// it is true.
	Expired func() bool

	// Choose returns which of n known extensions, in the order in which they were found, is the
	// next target; nil: the one found last, or where there are Inputs what turns says.
	Choose func(n int) int

	// NoDeadlocks leaves out the search for deadlocks (section 4.4), to measure what it costs.
	NoDeadlocks bool

	// Inputs, if not nil: the inputs of a fuzz target are explored together with its schedules.
	Inputs *symbolic.Inputs

	// Loose: executions are made as trace.Schedule.Loose says, so that no order inside the standard
	// library hides a race.
	Loose bool
}

// A Strategy is an exploration in progress. It implements explore.Strategy.
type Strategy struct {
	opt  Options
	tab  *transition.Table
	path *transition.Path
	net  *net.Net

	procs    []net.Place         // of each transition.Proc; None
	procOf   []transition.Proc   // of each place; NoProc if it is an object's
	objects  []object            // of each transition.Object
	objectOf []transition.Object // of each place; noObject if it is a goroutine's
	calls    calls
	caps     map[transition.Object]int // of channels; len does not tell it
	clock    clock
	races    races
	noted    map[[2]net.Cond]bool // see waitAt
	inputs   inputs
	texts    map[net.Cond]string // values of memory, where executions tell them

	quiet quiet

	// channels that are used quietly, and in ways of which nothing is known
	crowded    map[transition.Object]bool
	timerChans map[transition.Object]bool // channels of timers
	sends      map[trace.Site]bool        // of timers, by where they are started: they have a channel
	// atomics on which the outcome of a CompareAndSwap depends on the input
	varying map[transition.Object]bool

	known  []net.Event // foreseen, and perhaps shown since
	turns  *turns      // nil: Options.Choose says which of them is next
	target net.Event   // of the next execution, or
	goal   []net.Cond  // where it is to get
	foresight
	stuck  [][]net.Cond
	locks  locks
	asked  map[string]bool    // sets that were stuck, by their calls
	left   map[net.Value]bool // calls that an execution has left waiting, or that none can
	rest   *rest
	over   bool
	begun  bool
	vain   int // schedules in a row alongside whose target nothing else could be done, of what was tried
	result explore.Result

	// other takes over when there is an operation that has no net construction.
	other    explore.Strategy
	Why      string         // it did
	made     []*trace.Trace // the executions so far, for it; see keep
	madeSize int            // about how many bytes they take

	run  *net.Config // the execution that is read
	find *net.Config // what extensions are looked for in
	read reading

	pasts []past // that s.find may still have, each of an event that comes after the one before
	aimed bool   // s.find is what precedes the target

	schedule trace.Schedule
	planned  []net.Event // the events that it leads through and that were shown, in order
	// those of them that the execution that is read has not come to; nil if it went another way
	plan     []net.Event
	laid     []laid             // of the schedule that was made last
	stepless map[net.Event]bool // in the schedule that is made: quiet receives that have not to wait
	gids     []trace.GID
	arcs     []net.Arc
	limit    *limit.Limit
	expired  bool // see late
	Surprise int  // events that were shown and not foreseen: none, or the search is incomplete
}

// New begins an exploration.
func New(o Options) *Strategy {
	s := &Strategy{opt: o, limit: limit.New(o.Expired), tab: transition.NewTable(), target: net.None,
		caps: map[transition.Object]int{}, timerChans: map[transition.Object]bool{},
		sends:   map[trace.Site]bool{},
		varying: map[transition.Object]bool{}, crowded: map[transition.Object]bool{}}
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
	s.pasts, s.aimed, s.laid = s.pasts[:0], false, s.laid[:0]
	s.made, s.madeSize = nil, 0
	s.beginClock()
	place := s.procPlace(transition.Main)
	s.net.Mark(place, 0)
}

// Table returns the names of goroutines and objects, and what is known of what depends on what.
func (s *Strategy) Table() *transition.Table {
	if o, ok := s.other.(interface{ Table() *transition.Table }); ok {
		return o.Table()
	}
	return s.tab
}

// Net returns the unfolding as it is.
func (s *Strategy) Net() *net.Net { return s.net }

// Next returns the schedule of the next execution: what precedes the next
// target, and then the non-preemptive policy. See explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	if s.other != nil {
		return s.other.Next()
	}
	if s.over {
		return nil
	}
	s.planned, s.plan = s.planned[:0], nil
	if s.sows() || !s.begun {
		s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Exhaustive: true,
			Strict: true, Loose: s.opt.Loose, Awaits: true}
		return &s.schedule
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
	if !found {
		s.over, s.made = true, nil
		return nil
	}
	return &s.schedule
}

// findNext makes the schedule of the next execution; false if nothing is left, or no time.
func (s *Strategy) findNext() bool {
	for {
		if s.target == net.None && s.goal == nil && !s.aim() {
			return false
		}
		if s.opt.Inputs != nil && s.expires() { // each turn is a question to the solver
			return false
		}
		if s.makeSchedule() {
			return true
		}
		s.target, s.goal = net.None, nil
	}
}

// aim chooses what the next execution is for; false if there is nothing left.
// Deadlocks come first: those that are found as the net grows. When nothing else
// is left the clock may jump where it has not, and then there are the deadlocks
// and the data races that can be found in the whole net.
func (s *Strategy) aim() bool {
	if s.goal = s.nextStuck(); s.goal != nil || s.aimAtEvent() {
		return true
	}
	if s.goal = s.postponed(); s.goal != nil {
		return true
	}
	if s.goal = s.jumpsLeft(); s.goal == nil && !s.opt.NoDeadlocks {
		s.goal = s.leftOver()
	}
	if s.goal == nil {
		s.goal = s.racing()
	}
	return s.goal != nil
}

// aimAtEvent chooses the next target; false if no extension is left.
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
		if s.promised[e] > 0 { // perhaps in vain
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

// longest is how many steps an execution may have.
const longest = 20_000

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

// done is Done for a net that is looked at until there is no time left.
func (s *Strategy) done(t *trace.Trace) {
	s.result.Executions++
	s.free()
	s.incomplete(explore.Short(t))
	if long := explore.TooLong(t, longest); !long.None() {
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
		s.result.Executions = 0
		s.begin()
		return
	}
	s.keep(t)
	if reason := s.add(t, kept); reason != "" {
		s.fallBack(reason)
		return
	}
	if s.expired {
		s.stop()
		return
	}
	if s.result.Reason.None() && s.path.Hidden(t, s.opt.Loose) {
		s.incomplete(why.Of(why.Hidden))
	}
	s.begun = true
	if s.target != net.None && s.cameOutOtherwise(s.target) {
		s.hope(s.target) // it is known now which inputs it needs
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

// stop ends the search before its time.
func (s *Strategy) stop() {
	s.incomplete(why.Of(why.NotAll))
	s.over, s.expired = true, true
	s.made, s.rest = nil, nil
}

// learn reports whether t, from a transition on, has shown something for which the search has to
// begin anew.
func (s *Strategy) learn(t *trace.Trace, from int) bool {
	caps, timers, varying, quiet := s.learnCaps(from), s.learnTimers(from), s.learnVarying(t), s.learnQuiet(t)
	changed := s.tab.Changed || caps || timers || varying || quiet
	s.tab.Changed = false
	return changed
}

// Seed adds an execution that was made for something else, before the first Next: the net starts
// from it (section 4.6). t is of a schedule that is Exhaustive and Awaits, with the same seed;
// false means that the net cannot start from it, and the strategy is to be made anew.
func (s *Strategy) Seed(t *trace.Trace) bool {
	if s.other != nil || t.Verdict.Cut() || t.Verdict == trace.Aborted || t.Verdict == trace.Diverged {
		return false
	}
	if s.path.Read(t, 0) != nil {
		return false
	}
	if s.learn(t, 0) {
		s.result.Executions = 0
		s.begin() // what was added before is found again
		s.learnQuiet(t)
		if s.path.Read(t, 0) != nil {
			return false
		}
	}
	s.keep(t)
	if s.add(t, 0) != "" {
		return false
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
	heir := explore.Cover()
	if s.opt.Inputs != nil || heir == nil {
		s.incomplete(why.With(why.Limit, "%s", reason))
		s.over = true
		return
	}
	s.other = heir.New(explore.Start{Expired: s.opt.Expired, Loose: s.opt.Loose})
	s.other.(explore.Heir).Made(s.made)
	s.made = nil
}

// mostMade bounds the memory, in bytes, of the executions that are kept for fallBack.
const mostMade = 8 << 20

// keep keeps an execution for fallBack. Executions beyond mostMade are not kept: they are repeated
// if they are needed.
func (s *Strategy) keep(t *trace.Trace) {
	if s.opt.Inputs != nil || s.madeSize > mostMade {
		return
	}
	s.made = append(s.made, transition.Copy(t))
	s.madeSize += int(unsafe.Sizeof(trace.Event{}))*len(t.Events) +
		int(unsafe.Sizeof(trace.Step{}))*len(t.Steps) +
		int(unsafe.Sizeof(trace.Object{}))*len(t.Objects) + int(unsafe.Sizeof(trace.Offer{}))*len(t.Offers)
}

// Result says how far the exploration is. Complete: every local state was shown.
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

// Successor returns the strategy that has taken over, nil if none has.
func (s *Strategy) Successor() explore.Strategy { return s.other }

// incomplete notes the first reason for which the result is not complete.
func (s *Strategy) incomplete(reason why.Reason) {
	if s.result.Reason.None() {
		s.result.Reason = reason
	}
}

// late reports whether there is no time left, or no memory.
func (s *Strategy) late() bool {
	s.expired = s.expired || s.limit.Spent()
	return s.expired
}

// expires is late, as of now.
func (s *Strategy) expires() bool {
	s.expired = s.expired || s.limit.Now()
	return s.expired
}
