package observe

import (
	"encoding/binary"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// Plans: the executions that the search needs. While one is made the search goes on beside what it
// will show, if it is asked to foresee: then several are made at a time. What it passes over, and
// has not come to know at the end of a pass, is for another pass. So the last pass passes nothing
// over, and covers what it would have covered alone.

// A plan is an execution that is needed.
type plan struct {
	want     want
	schedule trace.Schedule
	path     []step
	pending  step   // after path, of want edges
	key      string // stands for the step of want edges, and what it observes
}

// plans are those that are not executed yet.
type plans struct {
	now    plan // that of the last schedule
	queue  []*plan
	keys   map[string]bool // of the steps that these will show; nil: none was made ahead
	ahead  bool            // some are made ahead
	told   int             // how many of the queue Foresee has returned
	opened int             // states since Foresee was called
}

func (p *plans) forget() { *p = plans{ahead: p.ahead} }

// mostForeseen bounds the states that a call of Foresee looks at.
const mostForeseen = 4096

// Foresee implements explore.Foresighted.
func (s *Strategy) Foresee(n int) (schedules []*trace.Schedule) {
	p := &s.plans
	if s.other != nil || s.trial.on || s.over || s.learned == 0 {
		return nil
	}
	p.ahead, s.x.skips, p.opened, s.p.elsewhere = true, true, 0, true
	if p.keys == nil {
		p.keys = map[string]bool{}
		if p.now.want == edges { // it was planned before
			s.follow(&p.now)
			p.now.key = s.state.key(&p.now.pending)
			p.keys[p.now.key] = true
		}
	}
	expired := func() bool {
		p.opened++
		return p.opened > mostForeseen || s.opt.Expired()
	}
	for len(p.queue) < n {
		w := s.x.run(expired)
		if w == broke || w == doubtful || w == stopped || w == unclear || w == outdated || w == nothing {
			break
		}
		s.plan(w)
	}
	for _, x := range p.queue[p.told:] {
		schedules = append(schedules, &x.schedule)
	}
	p.told = len(p.queue)
	return schedules
}

// plan plans the execution that the search asks for, unless one is planned that shows the same.
func (s *Strategy) plan(w want) {
	p := &s.plans
	x := &plan{want: w, path: s.x.path, pending: s.x.pending}
	if p.ahead { // the search goes on
		x.path = slices.Clone(x.path)
	}
	s.makeSchedule(x)
	if w == edges && p.keys != nil {
		x.key = s.state.key(&x.pending)
		if p.keys[x.key] {
			return
		}
		p.keys[x.key] = true
	}
	p.queue = append(p.queue, x)
}

// takePlan makes the next plan the present one. It returns false if there is none, or if another
// strategy has to go on.
func (s *Strategy) takePlan() bool {
	p := &s.plans
	delete(p.keys, p.now.key)
	p.now = plan{}
	for len(p.queue) > 0 {
		x := p.queue[0]
		p.queue = p.queue[1:]
		p.told = max(p.told-1, 0)
		if x.want == edges && p.ahead && s.isShown(x) {
			delete(p.keys, x.key)
			continue
		}
		if s.asked == edges && x.want == edges && s.tries > 1 {
			s.fallBack("an execution did not show what it was made for")
			return false
		}
		s.asked, p.now = x.want, *x
		return true
	}
	return false
}

// isShown reports whether executions have come to show the step of a plan.
func (s *Strategy) isShown(x *plan) bool {
	s.follow(x)
	return s.state.shown(&x.pending)
}

// follow brings the state to where the path of a plan ends.
func (s *Strategy) follow(x *plan) {
	s.state.begin(s.p, s.early)
	for i := range x.path {
		s.state.take(&x.path[i])
	}
}

// makeSchedule makes the schedule of a plan.
func (s *Strategy) makeSchedule(p *plan) {
	p.schedule = s.schedule
	p.schedule.Steps = make([]trace.Step, 0, len(p.path)+1)
	s.numbers.Begin(s.early)
	st := &s.state
	st.begin(s.p, s.early)
	add := func(x *step) {
		t := transition.Transition{Proc: x.proc, With: x.with, Op: st.local[x.proc].op.op,
			Choice: -1, Case: max(x.by, 0), WithCase: x.withBy}
		if s.tab.IsTimer(x.proc) {
			if st.local[x.proc].op.still { // it fires when no goroutine can go on: no step
				return
			}
			t.Proc = transition.Timers
		}
		p.schedule.Steps = append(p.schedule.Steps, s.numbers.Step(&t))
	}
	for i := range p.path {
		x := &p.path[i]
		add(x)
		e, _ := st.edges(x)
		s.numbers.Start(s.goroutines(e))
		for _, other := range st.along(x) {
			s.numbers.Start(s.goroutines(&st.local[other].edges[0]))
		}
		st.take(x)
	}
	if p.want == edges {
		add(&p.pending)
	}
}

// goroutines returns the goroutines that an edge starts, without timers.
func (s *Strategy) goroutines(e *edge) []transition.Proc {
	if len(e.timings) == 0 {
		return e.starts
	}
	return slices.DeleteFunc(slices.Clone(e.starts), s.tab.IsTimer)
}

// key stands for a step that is not known: the local states, its outcome, and the versions of what
// is known to be read in it. Two such steps with equal keys may turn out to differ.
func (s *state) key(x *step) string {
	b := s.keyOf(nil, x.proc)
	if x.with != transition.NoProc {
		b = s.keyOf(b, x.with)
	}
	b = binary.AppendVarint(b, int64(x.by))
	b = binary.AppendVarint(b, int64(x.withBy))
	b = binary.AppendVarint(b, int64(x.outcome))
	return string(binary.AppendVarint(b, int64(x.message)))
}

func (s *state) keyOf(b []byte, proc transition.Proc) []byte {
	n := s.at[proc]
	b = binary.AppendUvarint(b, uint64(n))
	for _, e := range s.p.node(n).edges {
		for _, r := range e.reads {
			b = binary.AppendUvarint(b, uint64(r.cell))
			b = binary.AppendVarint(b, int64(s.seen[r.cell]))
		}
	}
	return b
}
