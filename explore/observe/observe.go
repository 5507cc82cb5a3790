// Package observe covers every interleaving from few executions: about as many as there are
// different things that goroutines can observe.
//
// Executions show what each goroutine does after what it has observed: a tree of local states for
// each goroutine, whose branches are the outcomes of its operations, the messages that it received
// and the versions of the memory that it read (program). From these trees, and the rules of package
// model, follows what the program can do in any order: package observe goes through all its states
// in memory (search), and executes only what no execution has shown: a step whose effect is
// unknown, an end with other goroutines left, a race. docs/design/observe.md says why nothing is
// missed.
package observe

import (
	"errors"
	"slices"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// Options configure a search. The zero value explores everything.
type Options struct {
	// Loose: executions are made with trace.Schedule.Loose.
	Loose bool

	// Free: executions are in free time, which is covered too (trace.Schedule.Free).
	Free bool

	// Expired, if not nil, is called now and then. When it returns true Next returns nil; the next
	// call goes on.
	Expired func() bool

	// Twins takes goroutines as alike where that is known (docs/design/symmetry.md). Executions
	// must tell (trace.Trace.Twins).
	Twins bool

	// States bounds the states of a pass; 0: two millions. Beyond it another
	// strategy goes on.
	States int

	// Doubt is after how many states it is asked for the first time whether a pass will have too
	// many; 0: 1024.
	Doubt int
}

// A Strategy is a search in progress. It implements explore.Strategy.
type Strategy struct {
	opt    Options
	tab    *transition.Table
	path   *transition.Path
	p      *program
	x      *search
	kin    kin
	lesson lesson
	state  state
	early  []transition.Proc

	numbers transition.Numbers

	schedule trace.Schedule // of the first execution
	next     trace.Schedule // what Next has returned
	plans    plans
	result   explore.Result
	over     bool
	asked    want // why the last schedule was made
	tries    int  // how often for the same step
	finer    int  // how often it began anew to tell bytes apart
	learned  int  // executions that were learned since it began
	clocks   bool // path has clocks

	trial trial
	other explore.Strategy // goes on instead, after fallBack
	Why   string           // the reason for fallBack
	made  explore.Handover // the executions so far, for other
}

// New begins a search.
func New(o Options) *Strategy {
	if o.States == 0 {
		o.States = 1 << 21
	}
	if o.Doubt == 0 {
		o.Doubt = firstDoubt
	}
	o.Expired = rarely(o.Expired)
	s := &Strategy{opt: o, tab: transition.NewTable()}
	if o.Free {
		s.tab.TellTimers()
	}
	s.begin()
	return s
}

// rarely is expired, asked at every 16th call, and at each once it is true. It may be nil.
func rarely(expired func() bool) func() bool {
	n, over := 0, false
	return func() bool {
		if n++; expired != nil && (over || n%16 == 0) {
			over = expired()
		}
		return over
	}
}

// begin forgets what was learned from executions.
func (s *Strategy) begin() {
	if s.path == nil {
		s.path = transition.NewBarePath(s.tab)
	}
	found := newFound()
	if s.p != nil {
		found = s.p.found
	}
	s.p = newProgram(s.tab, found, &s.kin)
	s.p.allShared, s.p.elsewhere = s.finer > settled, s.plans.ahead
	if s.opt.Free {
		s.p.tellTime()
	}
	doubt := s.opt.Doubt
	if s.x != nil {
		doubt = s.x.doubt
	}
	s.x = newSearch(s.p)
	s.x.doubt = doubt
	s.x.most = s.opt.States
	s.lesson = lesson{p: s.p, s: &s.state, x: s.x, sleeper: transition.NoProc}
	s.asked, s.learned = nothing, 0
	s.plans.forget()
	s.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Strict: true, Loose: s.opt.Loose,
		Awaits: true, Free: s.opt.Free}
}

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	if s.other != nil {
		return s.other.Next()
	}
	if s.over {
		return nil
	}
	if s.result.Reason.Code == why.NotAll {
		s.result.Reason = why.Reason{}
	}
	if s.trial.on {
		if x := s.try(); x != nil || s.trial.on || s.other != nil {
			return x
		}
	}
	if s.learned > 0 && !s.search() {
		switch {
		case s.other != nil:
			return s.other.Next()
		case s.trial.on:
			return s.Next()
		}
		return nil
	}
	s.next = s.schedule
	if s.learned > 0 {
		s.next = s.plans.now.schedule
	}
	return &s.next
}

// search goes on until an execution is needed, which it makes the present plan.
func (s *Strategy) search() bool {
	for {
		if s.takePlan() {
			return true
		}
		if s.other != nil || s.over || s.even() {
			return false
		}
		s.x.skips = s.plans.ahead
		w := s.x.run(s.opt.Expired)
		switch w {
		case broke: // a call of Next goes on
			s.incomplete(why.Of(why.NotAll))
			return false
		case doubtful:
			s.begins()
			if s.trial.on {
				return false
			}
			continue
		case stopped:
			s.fallBack("too many states")
			return false
		case endless:
			s.fallBack("it may go on for ever")
			return false
		case unclear:
			s.fallBack("what was accessed before a wait for all others is accessed by another goroutine")
			return false
		case outdated:
			s.x.begin(s.early)
			continue
		case nothing:
			if s.x.stale || s.x.skipped {
				s.x.begin(s.early)
				continue
			}
			if proc, is := s.p.disputed(); is {
				s.kin.separate(proc)
				if !s.again() {
					return false
				}
				continue
			}
			s.over = true
			return false
		}
		s.plan(w)
	}
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	if s.other != nil {
		s.other.Done(t)
		return
	}
	s.result.Executions++
	if s.trial.on {
		s.trial.s.Done(t)
		s.trial.made++
		s.trial.left--
		return
	}
	switch {
	case !explore.Short(t).None():
		s.fallBack("an execution that was not complete")
		return
	case len(t.Steps) > longest:
		s.fallBack("an execution has too many steps")
		return
	case t.Untimed != trace.Timed:
		s.fallBack(t.Untimed.String())
		return
	case !s.opt.Free && len(t.Crashed) > 0 && slices.ContainsFunc(t.Events, startsTimer):
		s.fallBack("a timer is started in an execution that crashes: the clock stands still then")
		return
	}
	s.made.Keep(t)
	if !s.learn(t) {
		return
	}
	if s.lesson.news {
		s.tries = 0
	} else {
		s.tries++
	}
}

// learn adds an execution to what is known. Where the search has to begin anew it learns again the
// executions that are kept. It reports whether the search goes on.
func (s *Strategy) learn(t *trace.Trace) bool {
	switch reason := s.read(t); {
	case reason == "":
		return true
	case reason != anew:
		s.fallBack(reason)
		return false
	}
	return s.again()
}

// again begins anew, with the executions that are kept. It reports whether the search goes on.
func (s *Strategy) again() bool {
	for again := true; again; {
		s.begin()
		again = false
		for _, t := range s.made.Kept() {
			reason := s.read(t)
			if again = reason == anew; again {
				break
			}
			if reason != "" {
				s.fallBack(reason)
				return false
			}
		}
	}
	return true
}

// anew is the reason to begin anew: operations turned out to depend on each other, or words to be
// accessed in parts.
const anew = "anew"

// read adds an execution to what is known. It returns the reason why another strategy has to go on,
// anew, or "".
func (s *Strategy) read(t *trace.Trace) (reason string) {
	err := s.path.Read(t, 0)
	if errors.Is(err, transition.ErrClocks) && s.addClocks(t) {
		err = s.path.Read(t, 0)
	}
	switch {
	case errors.Is(err, transition.ErrClocks):
		return "time passes, in an execution with many goroutines"
	case err != nil:
		return "objects without names"
	}
	if s.tab.Changed {
		s.tab.Changed = false
		return anew
	}
	if len(t.Plain) == trace.MostPlain {
		return "an execution accesses too much memory"
	}
	if s.hidden(t) {
		return "order inside the standard library"
	}
	if s.opt.Twins && s.kin.read(t, s.tab) {
		return anew
	}
	first := s.learned == 0
	s.learned++
	if first {
		s.early = append(s.early[:0], s.path.Early()...)
	}
	s.lesson.settled = s.result.Executions > settled || s.finer > settled
	reason = s.lesson.learn(t, s.path)
	if s.lesson.finer {
		s.lesson.finer = false
		s.finer++
		return anew
	}
	if len(s.p.separate) > 0 {
		for _, proc := range s.p.separate {
			s.kin.separate(proc)
		}
		return anew
	}
	if reason == "" && int(s.p.known)*len(s.p.items) > mostKnown {
		reason = "too many local states"
	}
	if reason != "" {
		return reason
	}
	if s.p.grown {
		s.p.grown = false
		s.x.grow()
	}
	s.p.tie(s.lesson.old)
	s.x.ends[s.state.left()] = true
	if first {
		s.x.begin(s.early)
	}
	return ""
}

// hidden reports whether an execution, whose path was read, may hide another order inside the
// standard library. Only that needs clocks, in few programs.
func (s *Strategy) hidden(t *trace.Trace) bool {
	if !s.path.Hidden(t, s.opt.Loose) {
		return false
	}
	return !s.addClocks(t) || s.path.Read(t, 0) != nil || s.path.Hidden(t, s.opt.Loose)
}

// addClocks makes path, which had none, have clocks. It returns false if it had, or if those of an
// execution are too many.
func (s *Strategy) addClocks(t *trace.Trace) bool {
	if s.clocks || !explore.TooLong(t, longest).None() {
		return false
	}
	s.clocks, s.path = true, transition.NewPath(s.tab)
	return true
}

// settled is how many executions a search has made that does not begin anew to tell bytes apart,
// and how often it does so.
const settled = 20

// longest is the largest number of steps of an execution.
const longest = 200_000

// mostKnown bounds the local states times the objects and words of memory: it is a few bits for
// each of them that are kept.
const mostKnown = 1 << 33

// fallBack hands the search over to the strategy that covers every program. That strategy takes the
// executions so far as its own.
func (s *Strategy) fallBack(reason string) {
	s.Why = reason
	if s.other = s.trial.s; s.other == nil {
		s.other = s.made.Over(s.start())
	}
	s.trial = trial{}
	if s.other == nil {
		s.incomplete(why.With(why.Limit, "%s", reason))
		s.over = true
	}
}

// start is what the strategy gets that goes on.
func (s *Strategy) start() explore.Start {
	return explore.Start{Expired: s.opt.Expired, Loose: s.opt.Loose, Free: s.opt.Free}
}

// Result implements explore.Strategy.
func (s *Strategy) Result() explore.Result {
	if s.other != nil {
		return s.other.Result()
	}
	r := s.result
	r.Complete = r.Reason.None() && s.over
	if s.over {
		r.Estimate = float64(r.Executions)
	}
	return r
}

// Tries implements explore.Trying.
func (s *Strategy) Tries() bool { return s.trial.on || s.other != nil }

// Aside implements explore.Narrow.
func (s *Strategy) Aside() int { return s.x.aside }

// Folds implements explore.Narrow.
func (s *Strategy) Folds() bool { return s.p.joins*manyJoins >= int(s.p.known) }

// manyJoins is of how many local states one has to be come to in another way too.
const manyJoins = 8

// A trial asks, where the program seems to have too many states, whether it has few interleavings:
// the strategy that covers every program makes a few executions, and estimates.
type trial struct {
	s        explore.Strategy // nil if there was none
	on       bool             // it makes the next execution
	made     int              // executions so far
	left     int              // those that it may still make
	expected float64          // how many states the search expects
	last     float64          // what it expected when it was asked before
	many     bool             // that is more than it may have

	after int     // executions of the search after which it is asked again whether it is even
	even  float64 // how many executions it expects in all, if it is; else 0
}

const (
	tried     = 16      // states for each execution of the first trial
	later     = 64      // and of those after it
	promising = 64      // how many times what a trial has made it may expect to make in all
	certain   = 1 << 16 // executions after which a trial that is believed is none any more

	// states that take as long as an execution, times how often a trial that is believed may have
	// to make what it expects
	worth = 10 * 16
	// how much more a trial may expect after twice as many executions
	steady = 1.75
	rising = 3 // the same, of one whose executions are compared with those of the search

	firstEven = 64 // after how many executions a search is first asked whether it is even
	fewMerged = 8  // steps of an even one for each that leads to a state that was seen
	evenly    = 2  // how many times the executions of an even one a trial may expect
)

// even begins a trial if the search seems to observe everything: hardly a step leads to a state
// that was seen, and there are about as many ends as executions. Then the strategy that covers
// every program may need no more executions, and thinks less. It reports whether the trial is on.
func (s *Strategy) even() bool {
	x, n := &s.trial, s.learned
	if n < max(x.after, firstEven) || s.plans.ahead || s.x.rests < n/evenly || s.x.rests > n*evenly ||
		s.x.took > s.x.seen.n+s.x.seen.n/fewMerged {
		return false
	}
	all := s.x.expected() / float64(s.x.seen.n) * float64(n)
	if all == 0 || all > promising*float64(n) {
		return false
	}
	x.after, x.even = 4*n, all
	if x.s == nil {
		x.s = s.made.Try(s.start())
	}
	x.left, x.last = n/4, 0
	x.on = x.s != nil
	return x.on
}

// begins begins a trial, or goes on with it.
func (s *Strategy) begins() {
	x := &s.trial
	if x.s == nil {
		x.s = s.made.Try(s.start())
	}
	x.left, x.last, x.expected = max(1, s.opt.Doubt/tried, s.x.seen.n/later)-x.made, 0, s.x.expected()
	x.on = x.s != nil && x.left > 0
	x.many, x.even = x.expected > float64(s.x.most), 0
	s.x.doubt *= 4
}

// ask decides, where a trial has made what it may, whether it makes as many again. Its estimate is
// one of the parts of a tree that it has gone through. Where it grows with each part it is only a
// part of what it comes to. So it is believed where it does not, and promises to take less time
// than the search.
func (x *trial) ask() {
	r := x.s.Result()
	first := x.last == 0
	x.on = r.Estimate <= promising*float64(r.Executions) && x.promises(r.Estimate) &&
		(first || r.Estimate <= x.steady()*x.last)
	x.last, x.left = r.Estimate, x.made
}

// steady is how much more a trial may expect after twice as many executions.
func (x *trial) steady() float64 {
	if x.even > 0 {
		return rising
	}
	return steady
}

// promises reports whether so many executions take less time than the search.
func (x *trial) promises(executions float64) bool {
	if x.even > 0 {
		return executions <= evenly*x.even
	}
	return x.many || executions*worth <= x.expected
}

// try returns the next schedule of the trial. It returns nil if there is none now, or if the trial
// is over: then the search goes on, or what was tried does.
func (s *Strategy) try() *trace.Schedule {
	x := &s.trial
	if x.left <= 0 {
		switch x.ask(); {
		case !x.on:
			return nil
		case x.made >= certain:
			s.fallBack(x.reason())
			return s.other.Next()
		}
	}
	schedule := x.s.Next()
	switch {
	case schedule != nil:
	case x.s.Result().Complete:
		s.fallBack(x.reason())
	default: // a call of Next goes on
		s.incomplete(x.s.Result().Reason)
	}
	return schedule
}

// reason says why what was tried goes on.
func (x *trial) reason() string {
	if x.even > 0 {
		return "every order is observed"
	}
	return "too many states"
}

// Successor implements explore.Yielding.
func (s *Strategy) Successor() explore.Strategy { return s.other }

func (s *Strategy) incomplete(reason why.Reason) {
	if s.result.Reason.None() {
		s.result.Reason = reason
	}
}

func startsTimer(e trace.Event) bool { return e.Op == trace.OpTimerStart }
