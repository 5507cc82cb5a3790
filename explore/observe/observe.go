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
	"unsafe"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// Options configure a search. The zero value explores everything.
type Options struct {
	// Loose: executions are made with trace.Schedule.Loose.
	Loose bool

	// Expired, if not nil, is called now and then. The search ends when it returns true.
	Expired func() bool

	// States bounds the states of a pass; 0: half a million. Beyond it another
	// strategy goes on.
	States int
}

// A Strategy is a search in progress. It implements explore.Strategy.
type Strategy struct {
	opt    Options
	tab    *transition.Table
	path   *transition.Path
	p      *program
	x      *search
	lesson lesson
	state  state
	early  []transition.Proc
	gids   []trace.GID

	schedule trace.Schedule
	result   explore.Result
	over     bool
	asked    want // why the last schedule was made
	tries    int  // how often for the same step

	other    explore.Strategy // goes on instead, after fallBack
	Why      string           // the reason for fallBack
	made     []*trace.Trace
	madeSize int
}

// New begins a search.
func New(o Options) *Strategy {
	if o.States == 0 {
		o.States = 1 << 19
	}
	if o.Expired == nil {
		o.Expired = func() bool { return false }
	}
	s := &Strategy{opt: o, tab: transition.NewTable()}
	s.begin()
	return s
}

// begin forgets what executions have shown.
func (s *Strategy) begin() {
	s.path = transition.NewPath(s.tab)
	s.p = newProgram(s.tab)
	s.x = newSearch(s.p)
	s.x.most = s.opt.States
	s.lesson = lesson{p: s.p, s: &s.state, x: s.x}
	s.result.Executions, s.asked = 0, nothing
	s.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Strict: true, Loose: s.opt.Loose,
		Awaits: true}
}

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	if s.other != nil {
		return s.other.Next()
	}
	if s.over {
		return nil
	}
	if s.result.Executions > 0 && !s.search() {
		if s.other != nil {
			return s.other.Next()
		}
		return nil
	}
	return &s.schedule
}

// search goes on until an execution is needed, for which it makes the schedule.
func (s *Strategy) search() bool {
	for {
		w := s.x.run(s.opt.Expired)
		switch w {
		case broke:
			s.incomplete(why.Of(why.NotAll))
			s.over = true
			return false
		case strange:
			s.fallBack("the counter of a WaitGroup can become negative")
			return false
		case stopped:
			s.fallBack("too many states")
			return false
		case nothing:
			if s.p.grown {
				s.x.begin(s.early)
				continue
			}
			s.over = true
			return false
		}
		if s.asked == edges && w == edges && s.tries > 1 {
			s.fallBack("an execution did not show what it was made for")
			return false
		}
		s.asked = w
		s.makeSchedule(w)
		return true
	}
}

// makeSchedule makes the schedule of the path of the search, and the step after it if that is
// asked for.
func (s *Strategy) makeSchedule(w want) {
	s.schedule.Steps = s.schedule.Steps[:0]
	for len(s.gids) < s.tab.Procs() {
		s.gids = append(s.gids, trace.NoG)
	}
	next := trace.GID(2)
	start := func(ps []transition.Proc) {
		for _, g := range ps {
			s.gids[g] = next
			next++
		}
	}
	s.gids[transition.Main], s.gids[transition.Timers] = 0, 1
	start(s.early)
	st := &s.state
	st.begin(s.p, s.early)
	for i := range s.x.path {
		x := &s.x.path[i]
		s.addStep(st, x)
		e, _ := st.edges(x)
		start(e.starts)
		st.take(x)
	}
	if w == edges {
		s.addStep(st, &s.x.pending)
	}
}

func (s *Strategy) addStep(st *state, x *step) {
	op := &s.p.nodes[st.at[x.proc]].op
	out := trace.Step{G: s.gids[x.proc], Op: op.op, Choice: -1, Case: max(x.by, 0)}
	if x.with != transition.NoProc {
		out.With, out.WithCase = int32(s.gids[x.with])+1, x.withBy
	}
	s.schedule.Steps = append(s.schedule.Steps, out)
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	if s.other != nil {
		s.other.Done(t)
		return
	}
	s.result.Executions++
	switch {
	case !explore.Short(t).None():
		s.fallBack("an execution that was not complete")
		return
	case !explore.TooLong(t, longest).None():
		s.fallBack("an execution has too many steps")
		return
	}
	if err := s.path.Read(t, 0); err != nil {
		s.fallBack("objects without names")
		return
	}
	if s.tab.Changed {
		s.tab.Changed = false
		s.begin()
		return
	}
	s.keep(t)
	if s.path.Hidden(t, s.opt.Loose) {
		s.fallBack("order inside the standard library")
		return
	}
	first := s.result.Executions == 1
	if first {
		s.early = append(s.early[:0], s.path.Early()...)
	}
	if reason := s.lesson.learn(t, s.path); reason != "" {
		s.fallBack(reason)
		return
	}
	if s.opt.Expired() {
		s.incomplete(why.Of(why.NotAll))
		s.over = true
		return
	}
	s.p.tie(s.lesson.old)
	s.x.ends[s.state.left()] = true
	if s.lesson.news {
		s.tries = 0
	} else {
		s.tries++
	}
	if first {
		s.x.begin(s.early)
	}
}

// longest is the largest number of steps of an execution: the work for a state grows with the
// number of goroutines, and the number of states at least with that of the steps.
const longest = 5000

// fallBack hands the search over to the strategy that covers every program. That strategy takes the
// executions so far as its own.
func (s *Strategy) fallBack(reason string) {
	s.Why = reason
	heir := explore.Cover()
	if heir == nil {
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

// keep keeps an execution for fallBack. Executions beyond mostMade are repeated if they are needed.
func (s *Strategy) keep(t *trace.Trace) {
	if s.madeSize > mostMade {
		return
	}
	s.made = append(s.made, transition.Copy(t))
	s.madeSize += int(unsafe.Sizeof(trace.Event{}))*len(t.Events) +
		int(unsafe.Sizeof(trace.Step{}))*len(t.Steps) +
		int(unsafe.Sizeof(trace.Object{}))*len(t.Objects) +
		int(unsafe.Sizeof(trace.Offer{}))*len(t.Offers)
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

// Successor implements explore.Yielding.
func (s *Strategy) Successor() explore.Strategy { return s.other }

func (s *Strategy) incomplete(reason why.Reason) {
	if s.result.Reason.None() {
		s.result.Reason = reason
	}
}
