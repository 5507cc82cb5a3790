package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/explore/why"
	"heddle/order/sat"
	"heddle/symbolic"
	"heddle/trace"
)

// Inputs and schedules in one net. A branch that depends on the input is an event of its goroutine
// with two outcomes (section 3, Fig. 5). The goroutine's condition before the branch has the
// condition of the branch. The past of a target gives the schedule, and the branches in it give the
// formula for the input (section 4.3). If the formula has no solution the target is removed without
// an execution. If the solver finds no answer in time, the target is neither reached nor removed.
//
// The search for possible extensions ignores the input. So the net can have events with branches
// that contradict each other, but the past of a target, of a deadlock or of a race cannot.

// The labels of a branch's events.
const (
	notTaken int32 = iota
	taken
)

// Reasons to give up a net of inputs and schedules.
const (
	unfollowed = "what is done next depends on the input in a way that is not followed"
	impossible = "an input does what the conditions say none does"
)

// textLevels are the bounds on the length of texts in inputs, tried in this order. A loop over a
// text has a target for every length: short texts come before long ones, whose executions take
// longer.
var textLevels = [...]int{4, 16, 64, 256, 1024, symbolic.MostText}

// waitsForLonger defers the target to a turn with longer texts, if they may help. bad are
// conditions that contradict each other.
func (s *Strategy) waitsForLonger(bad []symbolic.Term) bool {
	o, level := s.opt.Inputs, s.level()
	limits := o.Table.Limits(o.Corpus[0], textLevels[level])
	if level == len(textLevels)-1 || !slices.ContainsFunc(limits,
		func(l symbolic.Term) bool { return slices.Contains(bad, l) }) {
		return false
	}
	s.inputs.level[s.target] = level + 1
	s.hope(s.target)
	return true
}

// level returns the index in textLevels for the target; a goal has the last one.
func (s *Strategy) level() int {
	if s.target == net.None {
		return len(textLevels) - 1
	}
	return s.inputs.level[s.target]
}

// unsolved is the reason of a net with undecided conditions.
const unsolved = "conditions not solved in time"

// inputs is the state of a search for inputs.
type inputs struct {
	sown  int   // number of executions of the corpus
	now   []any // of the next execution
	model symbolic.Model

	cut      map[net.Event]bool // possible extensions that no input reaches
	unsolved map[net.Event]bool // possible extensions that the solver did not decide
	later    [][]net.Cond       // goals that another execution must precede
	short    string             // why not every input is covered; "" if they are
	level    map[net.Event]int  // by target: index in textLevels, if not 0
	waited   int                // how often a target or a goal was deferred, see before
	swaps    map[swap]symbolic.Term

	// Of the schedule that is made: branching is a branch whose outcome no execution has shown, so
	// the number of goroutines that it starts is unknown; needed is that branch if a goroutine
	// starts later.
	branching, needed net.Event
}

func newInputs() inputs {
	return inputs{cut: map[net.Event]bool{}, unsolved: map[net.Event]bool{}, level: map[net.Event]int{},
		swaps: map[swap]symbolic.Term{}}
}

// Input returns the input of the schedule that Next returned last; nil without Options.Inputs.
func (s *Strategy) Input() []any { return s.inputs.now }

// sows reports whether the next execution is of an input of the corpus, and sets that input.
func (s *Strategy) sows() bool {
	o := s.opt.Inputs
	if o == nil || s.inputs.sown >= len(o.Corpus) {
		return false
	}
	s.inputs.now = o.Corpus[s.inputs.sown]
	return true
}

// covers returns what a complete search has covered.
func (s *Strategy) covers() string {
	if s.opt.Inputs == nil {
		return "local states"
	}
	text := func(v any) bool {
		switch v.(type) {
		case string, []byte:
			return true
		}
		return false
	}
	if slices.ContainsFunc(s.opt.Inputs.Corpus[0], text) {
		return "local states over all inputs whose texts have at most 4,096 bytes"
	}
	return "local states over all inputs"
}

// tellShort records, at the end of the search, why the result is incomplete.
func (s *Strategy) tellShort() {
	if s.inputs.short != "" {
		s.incomplete(why.With(why.Limit, "%s", s.inputs.short))
	}
	for e := range s.inputs.unsolved {
		if !s.net.Shown(e) {
			s.incomplete(why.With(why.Limit, unsolved))
		}
	}
}

// Unsolved implements explore.InputSearch.
func (s *Strategy) Unsolved() (sites []trace.Site) {
	for e := range net.Event(s.net.Len()) {
		if c, _ := s.callAt(s.net.Arcs(e)[0].Cond()); s.inputs.unsolved[e] && !s.net.Shown(e) &&
			!slices.Contains(sites, c.site) {
			sites = append(sites, c.site)
		}
	}
	return sites
}

// readBranches sorts the branches of an execution by step. It returns what there is no construction
// for.
func (s *Strategy) readBranches(t *trace.Trace) string {
	s.read.branch, s.read.swap = nil, nil
	if s.opt.Inputs == nil {
		return ""
	}
	if t.Flow != nil && t.Flow.Timed {
		return "when a timer is due depends on the input"
	}
	bs, whole := symbolic.Branches(s.opt.Inputs.Table, t)
	if !whole || t.Flow == nil || t.Flow.Foreign > 0 || t.Flow.Full {
		s.inputs.short = "not every value that depends on the input is followed"
	}
	s.inputs.model = s.opt.Inputs.Table.Near(s.inputs.now) // with the variables that the execution has named
	s.read.branch = map[int32][]symbolic.Branch{}
	s.read.swap = map[int32]*symbolic.Branch{}
	for i, b := range bs {
		e := &t.Events[b.Event]
		if e.Step < 0 && s.tab.ProcOf(e.G) != transition.Main || e.Step >= 0 && e.G != t.Steps[e.Step].G {
			return "a branch on the input while another goroutine is at work"
		}
		if s.decidesSwap(t, b.Event) {
			s.read.swap[e.Step] = &bs[i]
			continue
		}
		s.read.branch[e.Step] = append(s.read.branch[e.Step], bs[i])
	}
	return ""
}

// outcomeOf returns the label of a branch's event.
func outcomeOf(b *symbolic.Branch) int32 {
	if b.Taken {
		return taken
	}
	return notTaken
}

// asks returns the call of goroutine p at a branch.
func (s *Strategy) asks(p transition.Proc, b *symbolic.Branch) net.Value {
	return s.calls.number(call{proc: p, op: trace.OpBranch, obj: noObject, cond: b.If, site: b.Site}, nil)
}

// sameCall reports whether v is the call at t, up to differences that the input can make. The
// operand of a CompareAndSwap is known only after its execution.
func (s *Strategy) sameCall(t net.Cond, v net.Value) bool {
	return s.opt.Inputs == nil || s.likeCall(t, v)
}

// likeCall is sameCall, with inputs or without.
func (s *Strategy) likeCall(t net.Cond, v net.Value) bool {
	if s.net.Value(t) == v {
		return true
	}
	switch now := s.net.Value(t); {
	case now == hidden && v > 0 && s.calls.list[v].isHidden():
		s.net.SetValue(t, v)
		return true
	case v == hidden && now > 0 && s.calls.list[now].isHidden():
		return true
	case v <= 0 || now <= 0:
		return false
	}
	a, b := s.calls.list[s.net.Value(t)], s.calls.list[v]
	a.want, a.compares, a.site, b.want, b.compares, b.site = 0, false, 0, 0, false, 0
	return a == b
}

// branches reports whether e is a branch on the input.
func (s *Strategy) branches(e net.Event) bool {
	c, _ := s.callAt(s.net.Arcs(e)[0].Cond())
	return c.op == trace.OpBranch
}

// condition returns the condition on the input that e implies; ok is false if none is known.
func (s *Strategy) condition(e net.Event) (c symbolic.Term, ok bool) {
	if c, ok = s.swapping(e); !ok {
		next, _ := s.callAt(s.net.Arcs(e)[0].Cond())
		c, ok = next.cond, next.op == trace.OpBranch
	}
	if ok && s.net.Label(e) == notTaken {
		c = s.opt.Inputs.Table.Negate(c)
	}
	return c, ok
}

// conditions returns the conditions on the input that events imply, and the events that have one.
func (s *Strategy) conditions(events []net.Event) (cs []symbolic.Term, of []net.Event) {
	for _, e := range events {
		if c, ok := s.condition(e); ok {
			cs, of = append(cs, c), append(of, e)
		}
	}
	return cs, of
}

// solve looks for an input that satisfies conditions. It prefers the first input of the corpus,
// then the last input, then one with short texts (levels). If there is none, or the solver finds
// none in time, bad is a part of the conditions for which that is so.
func (s *Strategy) solve(cs []symbolic.Term, levels ...int) (status sat.Status, input []any,
	bad []symbolic.Term) {
	o := s.opt.Inputs
	near := o.Corpus[0]
	m := o.Table.Near(near)
	if o.Table.Holds(cs, m) {
		return sat.Sat, near, nil
	}
	if now := s.inputs.now; o.Table.Holds(cs, o.Table.Near(now)) {
		return sat.Sat, now, nil
	}
	for _, most := range levels { // short texts are fast to execute and easy to read
		limits := o.Table.Limits(near, most)
		var found symbolic.Model
		var err error
		status, found, bad, err = o.Solver.SolveParts(slices.Concat(cs, limits), m)
		s.expires()
		switch {
		case err != nil:
			s.incomplete(why.From(err))
			return sat.Unknown, nil, bad
		case status == sat.Sat:
			return status, o.Table.Values(found, near), nil
		case status == sat.Unknown || len(limits) == 0 || s.expired:
			return status, nil, bad
		}
	}
	return status, nil, bad
}

// feasible looks for an input that takes the branches of in, a configuration that leads to the
// target or the goal. If there is none it removes the target. It returns false if it finds none.
func (s *Strategy) feasible(in *net.Config) bool {
	if s.opt.Inputs == nil {
		return true
	}
	cs, _ := s.conditions(in.Events())
	levels := textLevels[:]
	if s.target != net.None {
		levels = levels[s.level():][:1]
	}
	status, input, bad := s.solve(cs, levels...)
	switch {
	case status == sat.Sat:
		s.takeInput(input)
		return true
	case s.target != net.None && status == sat.Unsat && s.waitsForLonger(bad):
	case s.target == net.None && status == sat.Unknown:
		s.incomplete(why.With(why.Limit, unsolved))
	case s.target == net.None:
	case status == sat.Unknown:
		s.inputs.unsolved[s.target] = true
	default:
		s.inputs.cut[s.target] = true
		s.opt.Inputs.Removed++
	}
	return false
}

// feasibleToo is feasible for a configuration that has grown since it had k events. The input may
// change.
func (s *Strategy) feasibleToo(in *net.Config, k int) bool {
	if s.opt.Inputs == nil {
		return true
	}
	cs, _ := s.conditions(in.Events()[k:])
	if s.opt.Inputs.Table.Holds(cs, s.inputs.model) {
		return true
	}
	cs, _ = s.conditions(in.Events())
	status, input, _ := s.solve(cs, textLevels[s.level()])
	if status == sat.Sat {
		s.takeInput(input)
	}
	return status == sat.Sat
}

func (s *Strategy) takeInput(input []any) {
	s.inputs.now, s.inputs.model = input, s.opt.Inputs.Table.Near(input)
}

// outcome returns the event of the branch at y under the input, None if there is no branch at y.
func (s *Strategy) outcome(y net.Cond) net.Event {
	c, _ := s.callAt(y)
	if c == nil || c.op != trace.OpBranch {
		return net.None
	}
	return s.net.Find(int32(s.opt.Inputs.Table.Eval(c.cond, s.inputs.model)), []net.Arc{net.To(y, net.Takes)})
}

// before makes the schedule for a branch that must be shown first, since goroutines are numbered in
// the order of their start. It returns false if there is none.
func (s *Strategy) before() bool {
	first := s.inputs.needed
	if first == net.None || first == s.target {
		return false
	}
	if s.target != net.None {
		s.hope(s.target)
	} else {
		s.inputs.later = append(s.inputs.later, s.goal)
	}
	s.inputs.waited++
	delete(s.inputs.unsolved, first)
	if s.turns != nil {
		s.turns.drop(first)
	} else {
		s.known = slices.DeleteFunc(s.known, func(e net.Event) bool { return e == first })
	}
	s.target, s.goal = first, nil
	return s.makeSchedule()
}

// postponed returns the next goal that was deferred, nil if there is none.
func (s *Strategy) postponed() (goal []net.Cond) {
	if n := len(s.inputs.later); n > 0 {
		goal, s.inputs.later = s.inputs.later[n-1], s.inputs.later[:n-1]
	}
	return goal
}

// contradiction returns branches of a configuration for which no input exists, or none is known;
// nil if there are none.
func (s *Strategy) contradiction(in *net.Config) (bad []net.Event) {
	if s.opt.Inputs == nil {
		return nil
	}
	cs, of := s.conditions(in.Events())
	if len(cs) == 0 {
		return nil
	}
	status, _, wrong := s.solve(cs, symbolic.MostText)
	switch status {
	case sat.Sat:
		return nil
	case sat.Unknown:
		s.incomplete(why.With(why.Limit, unsolved))
	default:
		wrong = s.core(wrong)
	}
	for i, c := range cs {
		if slices.Contains(wrong, c) {
			bad = append(bad, of[i])
		}
	}
	return bad
}

// core returns a part of cs, conditions that contradict each other, that is contradictory itself.
func (s *Strategy) core(cs []symbolic.Term) []symbolic.Term {
	for i := 0; i < len(cs); {
		less := slices.Delete(slices.Clone(cs), i, i+1)
		if status, _, err := s.opt.Inputs.Solver.Solve(less, nil); err == nil && status == sat.Unsat {
			cs = less
		} else {
			i++
		}
	}
	return cs
}
