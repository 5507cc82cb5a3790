package branch

import (
	"slices"

	"heddle/trace"
)

// Foresee tests one in unsure of the groups in advance: an execution for another group may test a
// group as well.
const unsure = 6

// Foresee implements explore.Foresighted. It asks the solver earlier than Next would and changes
// nothing else: Next returns what it would return without.
func (s *Strategy) Foresee(n int) (schedules []*trace.Schedule) {
	for ; s.ahead < min(n, len(s.checks)); s.ahead++ {
		schedules = append(schedules, s.checks[s.ahead])
	}
	n -= min(n, len(s.checks))
	groups := (n + unsure - 1) / unsure
	under := 0
	if s.running != nil {
		under = s.running.id
	}
	for _, id := range s.tab.Ahead(under) {
		c := s.byID[id]
		if c == nil || c == s.running {
			continue
		}
		if groups == 0 || s.opt.Context.Err() != nil {
			return schedules
		}
		if s.ask(c); !c.possible() {
			continue
		}
		groups--
		n--
		if !c.foreseen {
			c.foreseen = true
			schedules = append(schedules, c.from.seeker.Schedule(&c.Variant))
		}
	}
	for _, c := range s.left {
		if n == 0 || s.opt.Context.Err() != nil {
			return schedules
		}
		if s.waits(c) || s.chosen(c) == nil {
			continue
		}
		n--
		if !c.foreseen {
			c.foreseen = true
			schedules = append(schedules, c.schedule)
		}
	}
	for n -= len(s.plans); n > 0; n-- {
		p := s.plan()
		if p == nil {
			break
		}
		s.plans = append(s.plans, p)
		schedules = append(schedules, p.schedule)
	}
	return schedules
}

// A plan is a combination that was found in advance.
type plan struct {
	*candidate
	schedule *trace.Schedule
	sees     [][]sight // void if an execution has shown these sights
	key      string    // in combinations.tried
	at       int       // index of its source
	op       int32
	rounds   int // number of branches that did not wait when it was found
}

// planned returns the next plan that is not void, nil if there is none.
func (s *Strategy) planned() *plan {
	for len(s.plans) > 0 {
		p := s.plans[0]
		if p.rounds != len(s.active) { // other operations matter now
			for _, q := range s.plans {
				delete(s.tried, q.key)
				delete(s.byID, q.id)
			}
			s.plans, s.at, s.op = nil, p.at, p.op
			return nil
		}
		s.plans = s.plans[1:]
		if !slices.ContainsFunc(p.sees, s.hasSeen) {
			return p
		}
		delete(s.byID, p.id)
	}
	return nil
}

// hasSeen reports whether an execution has shown these sights.
func (s *Strategy) hasSeen(sees []sight) bool {
	return slices.ContainsFunc(s.runs, func(r *run) bool { return r.seen(sees) })
}
