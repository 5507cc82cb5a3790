package unfold

import (
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/order/sat"
	"heddle/symbolic"
	"heddle/trace"
)

// Inputs and schedules in one net. A branch that depends on the input is an event of its goroutine, with two
// outcomes (section 3, Fig. 5), and the goroutine's condition before it says what it asks. What precedes a target
// gives the schedule, and its branches what the input has to satisfy (section 4.3): the solver finds one, or
// there is none and the target is removed without an execution. What it does not decide in time is neither.
//
// Extensions are looked for without regard to the input, so branches that contradict each other meet in a net:
// not in what leads to a target, a deadlock or a race.

// Inputs says which inputs an exploration begins with, and decides conditions on them.
type Inputs struct {
	Table  *symbolic.Table
	Solver *symbolic.Solver
	Corpus [][]any // they are executed before any other; at least one

	Removed int // targets that no input reaches
}

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
	waited   int                // how often a target or a goal has waited for one, see before

	// Of the schedule that is made: a branch whose outcome no execution has shown, so that it is not known
	// how many goroutines are started there; and that branch if somebody is started afterwards.
	branching, needed net.Event
}

func newInputs() inputs {
	return inputs{cut: map[net.Event]bool{}, unsolved: map[net.Event]bool{}}
}

// Input returns the input that the schedule is for which Next has returned; nil without Options.Inputs.
func (s *Strategy) Input() []any { return s.inputs.now }

// sows reports whether the next execution is that of an input of the corpus, and makes it the input.
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

// seeFloats notes that the search is not complete if there are floats: they are taken from the corpus.
func (s *Strategy) seeFloats() {
	for _, v := range s.inputs.now {
		switch v.(type) {
		case float32, float64:
			s.inputs.short = "floats of the input are as in its corpus"
		}
	}
}

// tellShort notes, at the end, why the search is not complete though nothing is left to be executed.
func (s *Strategy) tellShort() {
	if s.inputs.short != "" {
		s.incomplete(s.inputs.short)
	}
	for e := range s.inputs.unsolved {
		if !s.net.Shown(e) {
			s.incomplete(unsolved)
		}
	}
}

// Unsolved returns where the operations stand of which it was not found out whether an input reaches them.
func (s *Strategy) Unsolved() (sites []trace.Site) {
	for e := range net.Event(s.net.Len()) {
		if c, _ := s.callAt(s.net.Arcs(e)[0].Cond()); s.inputs.unsolved[e] && !s.net.Shown(e) && !slices.Contains(sites, c.site) {
			sites = append(sites, c.site)
		}
	}
	return sites
}

// A piece is a part of a transition: from the operation, or a branch, to the next branch.
type piece struct {
	branch   *symbolic.Branch // that begins it, nil for the first
	starts   []transition.Proc
	from, to int // its events, where there are several pieces; to: 0 if no other follows
}

// has reports whether an access was made within the piece.
func (p *piece) has(a *trace.Plain) bool {
	return int(a.After) >= p.from && (p.to == 0 || int(a.After) < p.to)
}

// readBranches sorts the branches of an execution by step. It returns what there is no construction for.
func (s *Strategy) readBranches(t *trace.Trace) string {
	s.read.branch = nil
	if s.opt.Inputs == nil {
		return ""
	}
	bs, whole := symbolic.Branches(s.opt.Inputs.Table, t)
	if !whole || t.Flow == nil || t.Flow.Foreign > 0 || t.Flow.Full {
		s.inputs.short = "not every value that depends on the input is followed"
	}
	s.seeFloats()
	s.read.branch = map[int32][]symbolic.Branch{}
	for i, b := range bs {
		e := &t.Events[b.Event]
		if e.Step < 0 && s.tab.ProcOf(e.G) != transition.Main || e.Step >= 0 && e.G != t.Steps[e.Step].G {
			return "a branch on the input while another goroutine is at work"
		}
		s.read.branch[e.Step] = append(s.read.branch[e.Step], bs[i])
	}
	for i := range t.Events {
		e := &t.Events[i]
		if bs := s.read.branch[e.Step]; e.Op == trace.OpTimerStart && len(bs) > 0 && i > bs[0].Event {
			return "a timer that is started after a branch on the input"
		}
	}
	for key, passed := range s.read.passed {
		if passed && key.at >= 0 && len(s.read.branch[int32(s.path.Step(key.at))]) > 0 {
			return "a branch on the input in a loop that polls"
		}
	}
	return ""
}

// learnVarying reports whether the outcome of a CompareAndSwap turned out to depend on the input: it is a branch after it, and the
// operation itself is a write however it comes out.
func (s *Strategy) learnVarying(t *trace.Trace) (changed bool) {
	if s.opt.Inputs == nil {
		return false
	}
	for _, c := range t.Compares {
		e := &t.Events[c.Event]
		if next := int(c.Event) + 1; next == len(t.Events) || t.Events[next].Op != trace.OpBranch || t.Events[next].G != e.G || t.Events[next].Site != e.Site {
			continue
		}
		if obj := s.tab.Looked(t, e.Obj); !s.varying[obj] {
			s.varying[obj], changed = true, true
		}
	}
	return changed
}

// pieces divides transition j; -1 is what main does before the first.
func (s *Strategy) pieces(j int) []piece {
	if j < 0 {
		return s.divide(-1, nil, nil)
	}
	x := s.path.At(j)
	bs := s.read.branch[int32(s.path.Step(j))]
	if len(bs) == 0 || len(x.Starts) == 0 {
		return s.divide(int32(s.path.Step(j)), x.Starts, nil)
	}
	var at []int // of each start: its event
	t := s.read.trace
	for i := s.path.Event(j); len(at) < len(x.Starts); i++ {
		if t.Events[i].Op == trace.OpGo {
			at = append(at, i)
		}
	}
	return s.divide(int32(s.path.Step(j)), x.Starts, at)
}

// divide makes the pieces of a step in which starts happened, at those events if there are branches. They are overwritten by the next call.
func (s *Strategy) divide(step int32, starts []transition.Proc, at []int) []piece {
	ps := append(s.read.pieces[:0], piece{starts: starts})
	for i := range s.read.branch[step] {
		b := &s.read.branch[step][i]
		last := &ps[len(ps)-1]
		k := 0
		for k < len(last.starts) && at[len(starts)-len(last.starts)+k] < b.Event {
			k++
		}
		next := piece{branch: b, starts: last.starts[k:], from: b.Event + 1}
		last.starts, last.to = last.starts[:k], b.Event+1
		ps = append(ps, next)
	}
	s.read.pieces = ps
	return ps
}

// then returns what p does after the k-th piece of transition j.
func (s *Strategy) then(p transition.Proc, j int, ps []piece, k int) net.Value {
	if k+1 < len(ps) {
		b := ps[k+1].branch
		return s.calls.number(call{proc: p, op: trace.OpBranch, obj: noObject, cond: b.If, site: b.Site}, nil)
	}
	return s.next(p, j)
}

// addBranches adds the events of the branches of transition j, by p.
func (s *Strategy) addBranches(p transition.Proc, j int, ps []piece) string {
	for k := 1; k < len(ps); k++ {
		b := ps[k].branch
		t := s.run.Last(s.procCell(p))
		if c, _ := s.callAt(t); c == nil || c.op != trace.OpBranch || c.cond != b.If {
			return unfollowed
		}
		label := notTaken
		if b.Taken {
			label = taken
		}
		arcs := []net.Arc{net.To(t, net.Takes)}
		e := s.net.Find(label, arcs)
		if e == net.None {
			s.Surprise++
			e = s.net.Foresee(label, arcs, net.None)
		}
		s.follow(e)
		if s.inputs.cut[e] {
			return impossible
		}
		fresh := !s.net.Shown(e)
		if fresh {
			s.showBranch(e, t, p, j, ps, k)
		}
		s.run.Grow()
		if !s.run.Add(e) {
			return "a branch that the net takes for impossible"
		}
		if fresh {
			s.extend(e)
		} else if !s.sameCall(s.run.Last(s.procCell(p)), s.then(p, j, ps, k)) {
			return unfollowed
		}
	}
	return ""
}

// showBranch adds what e gives, the branch of p at t that begins the k-th piece of transition j.
func (s *Strategy) showBranch(e net.Event, t net.Cond, p transition.Proc, j int, ps []piece, k int) {
	values := []net.Value{s.then(p, j, ps, k)}
	for _, q := range ps[k].starts {
		values = append(values, s.next(q, j))
	}
	s.net.Show(e)
	s.timed(s.net.Give(e, s.net.Cell(t), t, values[0]))
	for i, q := range ps[k].starts {
		s.timed(s.net.Give(e, s.procCell(q), net.None, values[i+1]))
	}
	if j >= 0 {
		s.notePlain(e, j, &ps[k])
	}
}

// sameCall reports whether v is what is done next at t, as far as inputs could make a difference. What a
// CompareAndSwap compares with is known only if it was done.
func (s *Strategy) sameCall(t net.Cond, v net.Value) bool {
	if s.opt.Inputs == nil || s.net.Value(t) == v {
		return true
	}
	if v <= 0 || s.net.Value(t) <= 0 {
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

// condition returns what a branch's event says of the input.
func (s *Strategy) condition(e net.Event) symbolic.Term {
	c, _ := s.callAt(s.net.Arcs(e)[0].Cond())
	if s.net.Label(e) == taken {
		return c.cond
	}
	return s.opt.Inputs.Table.Negate(c.cond)
}

// conditions returns what the branches among some events say, and which they are.
func (s *Strategy) conditions(events []net.Event) (cs []symbolic.Term, of []net.Event) {
	for _, e := range events {
		if s.branches(e) {
			cs, of = append(cs, s.condition(e)), append(of, e)
		}
	}
	return cs, of
}

// solve looks for an input that satisfies conditions: the first of the corpus if it does, or the last one. If there is none, or
// none is known, bad are conditions of which that is so already.
func (s *Strategy) solve(cs []symbolic.Term) (status sat.Status, input []any, bad []symbolic.Term) {
	o := s.opt.Inputs
	near := o.Corpus[0]
	m := o.Table.Near(near)
	if o.Table.Holds(cs, m) {
		return sat.Sat, near, nil
	}
	if now := s.inputs.now; o.Table.Holds(cs, o.Table.Near(now)) {
		return sat.Sat, now, nil
	}
	for _, most := range []int{16, 128, symbolic.MostText} { // short texts are executed fast, and easy to read
		limits := o.Table.Limits(near, most)
		var found symbolic.Model
		var err error
		status, found, bad, err = o.Solver.SolveParts(slices.Concat(cs, limits), m)
		switch {
		case err != nil:
			s.incomplete(err.Error())
			return sat.Unknown, nil, bad
		case status == sat.Sat:
			return status, o.Table.Values(found, near), nil
		case status == sat.Unknown || len(limits) == 0:
			return status, nil, bad
		}
	}
	return status, nil, bad
}

// feasible looks for an input that goes the way of a config, which leads to the target or the goal. If none does the target
// is removed; if that is not found out, it is left.
func (s *Strategy) feasible(in *net.Config) bool {
	if s.opt.Inputs == nil {
		return true
	}
	cs, _ := s.conditions(in.Events())
	status, input, _ := s.solve(cs)
	switch {
	case status == sat.Sat:
		s.takeInput(input)
		return true
	case s.target == net.None && status == sat.Unknown:
		s.incomplete(unsolved)
	case s.target == net.None:
	case status == sat.Unknown:
		s.inputs.unsolved[s.target] = true
	default:
		s.inputs.cut[s.target] = true
		s.opt.Inputs.Removed++
	}
	return false
}

// feasibleToo is feasible for a config to which events were added since it had k: the input may change.
func (s *Strategy) feasibleToo(in *net.Config, k int) bool {
	if s.opt.Inputs == nil {
		return true
	}
	cs, _ := s.conditions(in.Events()[k:])
	if s.opt.Inputs.Table.Holds(cs, s.inputs.model) {
		return true
	}
	cs, _ = s.conditions(in.Events())
	status, input, _ := s.solve(cs)
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

// before makes the schedule for a branch that has to be shown first, since goroutines are numbered in the order in which they
// are started; false if there is none.
func (s *Strategy) before() bool {
	first := s.inputs.needed
	if first == net.None || first == s.target {
		return false
	}
	if s.target != net.None {
		s.known = append(s.known, s.target)
	} else {
		s.inputs.later = append(s.inputs.later, s.goal)
	}
	s.inputs.waited++
	delete(s.inputs.unsolved, first)
	s.known = slices.DeleteFunc(s.known, func(e net.Event) bool { return e == first })
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

// contradiction returns branches of a config that no input takes together, or of which that is not known; nil if there are none.
func (s *Strategy) contradiction(in *net.Config) (bad []net.Event) {
	if s.opt.Inputs == nil {
		return nil
	}
	cs, of := s.conditions(in.Events())
	if len(cs) == 0 {
		return nil
	}
	status, _, wrong := s.solve(cs)
	switch status {
	case sat.Sat:
		return nil
	case sat.Unknown:
		s.incomplete(unsolved)
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
