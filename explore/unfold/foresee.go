package unfold

import (
	"heddle/explore/unfold/net"
	"heddle/symbolic"
	"heddle/trace"
)

// Several targets at a time. The past of a target was shown, so no execution can make a target
// unreachable; it can only show the target as well. So the planned targets are those that no
// execution under way is sure to show.

// A foresight has the executions that are planned beside the next one.
type foresight struct {
	foreseen []foreseen
	// by event: the number of planned executions, or executions under way, that are sure to show it
	promised map[net.Event]int
	brings   []net.Event // the events that the last schedule is sure to show
	counted  bool        // brings is counted in promised
	foresees bool

	foreseenInputs [][]any // of the last schedules that Foresee returned
}

// A foreseen is the plan of a later execution.
type foreseen struct {
	target   net.Event
	goal     []net.Cond
	schedule trace.Schedule
	leads    []net.Event // see Strategy.planned
	brings   []net.Event
	input    []any
	model    symbolic.Model
}

// Foresee implements explore.Foresighted. Questions to the whole net wait until no execution is
// under way.
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
	s.aimed = false // s.find was used for other targets
	return schedules
}

// ForeseenInputs returns the inputs of the schedules that Foresee returned last; nil without
// Options.Inputs.
func (s *Strategy) ForeseenInputs() [][]any { return s.foreseenInputs }

// takeForeseen makes the next plan whose target is not shown yet the next execution. It returns
// false if there is none.
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

// free takes the events that the last schedule promised out of promised.
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

// noteBrings records the events that a schedule is sure to show and that no execution has shown.
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
