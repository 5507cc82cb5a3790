package pcr

import "heddle/trace"

// A plan is the schedule of a later execution with its candidate and the state that it reaches.
type plan struct {
	schedule *trace.Schedule
	target   *candidate
	state    uint64
}

// Foresee implements explore.Foresighted: it examines the next candidates before the traces of
// earlier schedules are known. So Rule 2 applies to these traces too late; nothing else changes.
func (s *Strategy) Foresee(n int) (schedules []*trace.Schedule) {
	for len(s.plans) < n && (s.opt.Expired == nil || !s.opt.Expired()) {
		k, ok := s.pop()
		if !ok {
			break
		}
		if s.opt.Rules.has(Covered) && s.set.HasKey(k.key) {
			continue
		}
		if next := s.schedule(&k); next != nil {
			s.plans = append(s.plans, plan{next, &k.candidate, s.reached})
			schedules = append(schedules, next)
		}
	}
	return schedules
}

// planned returns the next plan that is still of use, nil if there is none.
func (s *Strategy) planned() *trace.Schedule {
	for len(s.plans) > 0 {
		p := s.plans[0]
		s.plans = s.plans[1:]
		if s.opt.Rules.has(Covered) && s.set.HasKey(p.target.key) {
			delete(s.seen, p.state) // another candidate may reach it
			continue
		}
		s.target = p.target
		return p.schedule
	}
	return nil
}
