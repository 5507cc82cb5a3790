package branch

import (
	"slices"

	"heddle/trace"
)

// Of groups one in unsure is foreseen of what is asked for: any execution may do what another one
// was to be made for.
const unsure = 6

// Foresee implements explore.Foresighted: what comes next if no trace that is still to come changes
// that. The solver is asked sooner than Next would ask, and nothing else is done sooner: Next
// returns what it returns without.
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

// A plan is a combination that was found before its turn.
type plan struct {
	*candidate
	schedule *trace.Schedule
	sees     [][]sight // what an execution must not have seen meanwhile
	key      string    // in combinations.tried
	at       int       // where it was found
	op       int32
	rounds   int // how many branches did not wait any more
}

// planned returns the next plan that is still wanted, nil if there is none.
func (s *Strategy) planned() *plan {
	for len(s.plans) > 0 {
		p := s.plans[0]
		if p.rounds != len(s.active) { // other operations matter by now
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

// hasSeen reports whether an execution had operations that saw that.
func (s *Strategy) hasSeen(sees []sight) bool {
	return slices.ContainsFunc(s.runs, func(r *run) bool { return r.seen(sees) })
}
