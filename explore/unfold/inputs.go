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

// Inputs and schedules in one net. A branch that depends on the input is an event of its goroutine,
// with two outcomes (section 3, Fig. 5), and the goroutine's condition before it says what it asks.
// What precedes a target gives the schedule, and its branches what the input has to satisfy
// (section 4.3): the solver finds one, or there is none and the target is removed without an
// execution. What it does not decide in time is neither.
//
// Extensions are looked for without regard to the input, so branches that contradict each other
// meet in a net: not in what leads to a target, a deadlock or a race.

// The labels of a branch's events.
const (
	notTaken int32 = iota
	taken
)

// Why a net of inputs and schedules is not gone on with.
const (
	unfollowed = "what is done next depends on the input in a way that is not followed"
	impossible = "an input does what the conditions say none does"
)

// textLevels is how long texts are at most that are looked for first, and then. A loop over a text
// has a target for every length: what short ones show comes before long ones, which take long to
// execute.
var textLevels = [...]int{4, 16, 64, 256, 1024, symbolic.MostText}

// waitsForLonger lets the target wait for a turn with longer texts, if that may help: bad are
// conditions that do not go together.
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

// level returns, in textLevels, how long texts are at most that are looked for; of a goal any.
func (s *Strategy) level() int {
	if s.target == net.None {
		return len(textLevels) - 1
	}
	return s.inputs.level[s.target]
}

// unsolved is why a net is not complete.
const unsolved = "conditions not solved in time"

// inputs is what a Strategy knows of them.
type inputs struct {
	sown  int   // executions of the corpus
	now   []any // of the next execution
	model symbolic.Model

	cut      map[net.Event]bool // foreseen, and impossible for every input
	unsolved map[net.Event]bool // and of those it is not known
	later    [][]net.Cond       // goals that wait for another execution
	short    string             // why not every input is covered, if that is known
	level    map[net.Event]int  // of the texts that a target needs, in textLevels, if not 0
	waited   int                // how often a target or a goal has waited for one, see before
	swaps    map[swap]symbolic.Term

	// Of the schedule that is made: a branch whose outcome no execution has shown, so that it is
	// not known how many goroutines are started there; and that branch if somebody is started
	// afterwards.
	branching, needed net.Event
}

func newInputs() inputs {
	return inputs{cut: map[net.Event]bool{}, unsolved: map[net.Event]bool{}, level: map[net.Event]int{},
		swaps: map[swap]symbolic.Term{}}
}

// Input returns the input that the schedule is for which Next has returned; nil without
// Options.Inputs.
func (s *Strategy) Input() []any { return s.inputs.now }

// sows reports whether the next execution is that of an input of the corpus, and makes it the
// input.
func (s *Strategy) sows() bool {
	o := s.opt.Inputs
	if o == nil || s.inputs.sown >= len(o.Corpus) {
		return false
	}
	s.inputs.now = o.Corpus[s.inputs.sown]
	return true
}

// covers says what a complete search has covered.
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

// seeFloats notes that the search is not complete if there are floats: they are taken from the
// corpus.
func (s *Strategy) seeFloats() {
	for _, v := range s.inputs.now {
		switch v.(type) {
		case float32, float64:
			s.inputs.short = "floats of the input are as in its corpus"
		}
	}
}

// tellShort notes, at the end, why the search is not complete though nothing is left to be
// executed.
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

// Unsolved returns where the operations stand of which it was not found out whether an input
// reaches them.
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
	bs, whole := symbolic.Branches(s.opt.Inputs.Table, t)
	if !whole || t.Flow == nil || t.Flow.Foreign > 0 || t.Flow.Full {
		s.inputs.short = "not every value that depends on the input is followed"
	}
	s.seeFloats()
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

// asks returns the call of p, who comes to a branch.
func (s *Strategy) asks(p transition.Proc, b *symbolic.Branch) net.Value {
	return s.calls.number(call{proc: p, op: trace.OpBranch, obj: noObject, cond: b.If, site: b.Site}, nil)
}

// sameCall reports whether v is what is done next at t, as far as inputs could make a difference.
// What a CompareAndSwap compares with is known only if it was done.
func (s *Strategy) sameCall(t net.Cond, v net.Value) bool {
	if s.opt.Inputs == nil || s.net.Value(t) == v {
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

// condition returns what e says of the input; ok is false if nothing, as far as is known.
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

// conditions returns what some events say of the input, and which of them do.
func (s *Strategy) conditions(events []net.Event) (cs []symbolic.Term, of []net.Event) {
	for _, e := range events {
		if c, ok := s.condition(e); ok {
			cs, of = append(cs, c), append(of, e)
		}
	}
	return cs, of
}

// solve looks for an input that satisfies conditions: the first of the corpus if it does, or the
// last one, or one with texts of at most so many bytes. If there is none, or none is known, bad are
// conditions of which that is so already.
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
	for _, most := range levels { // short texts are executed fast, and easy to read
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

// feasible looks for an input that goes the way of a config, which leads to the target or the goal.
// If none does the target is removed; if that is not found out, it is left.
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

// feasibleToo is feasible for a config to which events were added since it had k: the input may
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

// outcome returns the branch at y as the input has it, None if there is no branch at y.
func (s *Strategy) outcome(y net.Cond) net.Event {
	c, _ := s.callAt(y)
	if c == nil || c.op != trace.OpBranch {
		return net.None
	}
	return s.net.Find(int32(s.opt.Inputs.Table.Eval(c.cond, s.inputs.model)), []net.Arc{net.To(y, net.Takes)})
}

// before makes the schedule for a branch that has to be shown first, since goroutines are numbered
// in the order in which they are started; false if there is none.
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

// postponed returns the next goal that waited for another execution, nil if there is none.
func (s *Strategy) postponed() (goal []net.Cond) {
	if n := len(s.inputs.later); n > 0 {
		goal, s.inputs.later = s.inputs.later[n-1], s.inputs.later[:n-1]
	}
	return goal
}

// contradiction returns branches of a config that no input takes together, or of which that is not
// known; nil if there are none.
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

// core leaves out of conditions that cannot all hold what is not needed for that.
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
