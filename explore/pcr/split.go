package pcr

import (
	"heddle/explore"
	"heddle/explore/why"
	"heddle/trace"
)

// Splitting. As MCR an exploration is a closure: the candidates of an execution depend on its trace
// alone, and each state is the aim of one execution. So executions can be made anywhere, as long as
// a coordinator knows the states: a worker returns the leads that it finds, and the coordinator
// drops those to known states. With patterns (Rule 2) each execution decides which candidates of
// the others are left, so that is not split.

// Leads implements explore.Leads. ok is false during the search for patterns.
func (s *Strategy) Leads() (leads []explore.Lead, known []uint64, ok bool) {
	if s.opt.Rules.has(Covered) {
		return nil, nil, false
	}
	for next := s.nextCycle(); next != nil; next = s.nextCycle() {
		leads = append(leads, explore.Lead{Schedule: *next, State: s.reached})
		delete(s.seen, s.reached)
	}
	for k, ok := s.pop(); ok; k, ok = s.pop() {
		// they are adjacent in the queue, in order
		if n := len(leads); n > 0 && leads[n-1].State == k.from.state {
			continue
		}
		leads = append(leads, k.from.again(k.at))
	}
	for _, p := range s.plans {
		leads = append(leads, explore.Lead{Schedule: *p.schedule, State: p.state})
		delete(s.seen, p.state)
	}
	s.plans = nil
	for _, b := range s.bare {
		if next := s.alone(b); next != nil {
			leads = append(leads, explore.Lead{Schedule: *next, State: s.reached, Bare: true})
			delete(s.seen, s.reached)
		}
	}
	s.bare = nil
	for state := range s.seen {
		known = append(known, state)
	}
	return leads, known, true
}

// again returns the lead that repeats an execution, to continue with a candidate.
func (x *execution) again(from int) explore.Lead {
	return explore.Lead{Schedule: trace.Schedule{Steps: x.t.Steps, Policy: "first", Seed: x.seed,
		Exhaustive: true}, State: x.state, Made: true, From: from}
}

// Know implements explore.Leads. States that this strategy has reached are forgotten: their leads
// may have been lost.
func (s *Strategy) Know(states []uint64) {
	if s.told == nil {
		s.told = make(map[uint64]bool)
	}
	clear(s.seen)
	for _, state := range states {
		s.told[state] = true
	}
}

// Made implements explore.Leads.
func (s *Strategy) Made(l *explore.Lead, t *trace.Trace) explore.Lead {
	s.result.Executions++
	return s.readLead(l, t).again(0)
}

func (s *Strategy) readLead(l *explore.Lead, t *trace.Trace) *execution {
	if held := explore.Held(t); !held.None() {
		s.held = held
	}
	s.seed = l.Schedule.Seed
	return s.read(t)
}

// Expand implements explore.Leads. t is the trace of l.
func (s *Strategy) Expand(l *explore.Lead, t *trace.Trace, stop func() bool) (leads []explore.Lead,
	rest *explore.Lead) {
	x := s.readLead(l, t)
	from := 0
	if x.state == l.State {
		from = l.From
	}
	ks, steps := s.candidates(x), 0
	add := func(next *trace.Schedule, bare bool) {
		leads, steps = append(leads, explore.Lead{Schedule: *next, State: s.reached, Bare: bare}),
			steps+len(next.Steps)
	}
	for i := from; i < len(ks); i++ {
		if i > from && (stop() || steps > mostSteps) {
			again := x.again(i)
			return leads, &again
		}
		if next := s.schedule(&item{ks[i], x, i}); next != nil {
			add(next, false)
		}
		for _, b := range s.bare {
			if next := s.alone(b); next != nil {
				add(next, true)
				delete(s.seen, s.reached) // another lead that is not bare may reach it
			}
		}
		s.bare = s.bare[:0]
	}
	return leads, nil
}

// Short implements explore.Leads.
func (s *Strategy) Short() why.Reason {
	switch {
	case !s.held.None():
		return s.held
	case len(s.stats.Unknown) > 0:
		return why.With(why.Limit, undecided)
	}
	return why.Reason{}
}

// mostSteps bounds, roughly, the steps of the leads that Expand returns at a time: they are sent to
// another process.
const mostSteps = 100_000

const undecided = "formulas not decided in time"
