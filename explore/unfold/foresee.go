package unfold

import (
	"heddle/explore/unfold/net"
	"heddle/symbolic"
	"heddle/trace"
)

// Several targets at a time. What precedes a target has been shown, so nothing that an execution
// brings can keep another one from its target; it may only show that target too. So targets are
// planned that no execution under way is sure to show.

// A foresight is what is planned beside the target of the next execution.
type foresight struct {
	foreseen []foreseen
	// events that an execution is sure to show that was planned or is under way: in how many
	promised map[net.Event]int
	brings   []net.Event // these, of the schedule that was made last
	counted  bool        // they are among promised
	foresees bool

	foreseenInputs [][]any // of the schedules that Foresee has returned last
}

// A foreseen is the schedule of a later execution.
type foreseen struct {
	target   net.Event
	goal     []net.Cond
	schedule trace.Schedule
	leads    []net.Event // see Strategy.planned
	brings   []net.Event
	input    []any
	model    symbolic.Model
}

// Foresee implements explore.Foresighted. What is looked for in the whole net waits until nothing
// is under way.
func (s *Strategy) Foresee(n int) (schedules []*trace.Schedule) {
	s.foreseenInputs = nil
	if s.other != nil || s.over || !s.begun {
		return nil
	}
	if s.promised == nil {
		s.promised, s.foresees = make(map[net.Event]int), true
	}
	if !s.counted {
		s.promise(s.brings, 1)
		s.counted = true
	}
	target, goal, schedule, planned, plan, brings := s.target, s.goal, s.schedule, s.planned, s.plan, s.brings
	input, model := s.inputs.now, s.inputs.model
	for len(s.foreseen) < n && !s.late() {
		s.target, s.schedule, s.planned, s.brings = net.None, trace.Schedule{}, nil, nil
		if s.goal = s.nextStuck(); s.goal == nil && !s.aimAtEvent() {
			break
		}
		if !s.makeSchedule() {
			continue
		}
		s.promise(s.brings, 1)
		s.foreseen = append(s.foreseen, foreseen{s.target, s.goal, s.schedule, s.planned, s.brings,
			s.inputs.now, s.inputs.model})
		schedules = append(schedules, &s.foreseen[len(s.foreseen)-1].schedule)
		if s.opt.Inputs != nil {
			s.foreseenInputs = append(s.foreseenInputs, s.inputs.now)
		}
	}
	s.inputs.now, s.inputs.model = input, model
	s.target, s.goal, s.schedule, s.planned, s.plan, s.brings = target, goal, schedule, planned, plan, brings
	s.aimed = false // s.find was used for others
	return schedules
}

// ForeseenInputs returns the inputs that the schedules are for which Foresee has returned last; nil
// without Options.Inputs.
func (s *Strategy) ForeseenInputs() [][]any { return s.foreseenInputs }

// takeForeseen makes the next that is still wanted what is to be executed; false if there is none.
func (s *Strategy) takeForeseen() bool {
	for len(s.foreseen) > 0 {
		s.free()
		p := s.foreseen[0]
		s.foreseen = s.foreseen[1:]
		s.brings, s.counted = p.brings, true
		if p.target != net.None && !s.net.Shown(p.target) || p.target == net.None && s.unseen(p.goal) {
			s.target, s.goal, s.schedule, s.plan, s.aimed = p.target, p.goal, p.schedule, p.leads, false
			s.inputs.now, s.inputs.model = p.input, p.model
			return true
		}
	}
	s.free()
	return false
}

// free takes back what the last schedule has promised.
func (s *Strategy) free() {
	if s.counted {
		s.promise(s.brings, -1)
	}
	s.counted, s.brings = false, nil
}

func (s *Strategy) promise(events []net.Event, n int) {
	for _, e := range events {
		if s.promised[e] += n; s.promised[e] == 0 {
			delete(s.promised, e)
		}
	}
}

// noteBrings notes which events a schedule will show that no execution has.
func (s *Strategy) noteBrings(in *net.Config) {
	if !s.foresees {
		return
	}
	s.brings = nil
	for _, e := range in.Events() {
		if !s.net.Shown(e) {
			s.brings = append(s.brings, e)
		}
	}
}
