package pcr

import (
	"heddle/explore"
	"heddle/explore/why"
	"heddle/trace"
)

// Splitting. As MCR an exploration is a closure: what is asked about an execution depends on its
// trace alone, and of the executions that are asked for none leads to a state that another one was
// for. So executions can be made and asked about anywhere, as long as somebody knows the states:
// who finds leads returns them, who hands them out drops those to states that are known. By
// patterns (Rule 2) each execution decides which of the others' candidates are left: that is not
// split.

// Leads implements explore.Leads. ok is false as long as patterns are looked for.
func (s *Strategy) Leads() (leads []explore.Lead, known []uint64, ok bool) {
	if s.opt.Rules.has(Covered) {
		return nil, nil, false
	}
	for k, ok := s.pop(); ok; k, ok = s.pop() {
		// in the queue they are together, and in their order
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

// again returns the lead that makes an execution again, to go on from a candidate.
func (x *execution) again(from int) explore.Lead {
	return explore.Lead{Schedule: trace.Schedule{Steps: x.t.Steps, Policy: "first", Seed: x.seed,
		Exhaustive: true}, State: x.state, Made: true, From: from}
}

// Know tells a strategy that expands leads which states are known, beside those that it was told
// before. What it has led to itself it forgets: that may have been lost.
func (s *Strategy) Know(states []uint64) {
	if s.told == nil {
		s.told = make(map[uint64]bool)
	}
	clear(s.seen)
	for _, state := range states {
		s.told[state] = true
	}
}

// Made takes the trace of a lead that was not made before, and returns the one by which it is gone
// on with.
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

// Expand asks about the candidates of the execution of a lead that was made before, whose trace is
// t, until stop says that it is enough. It returns the leads that this gave, as far as they lead to
// states that are not known, and the one to go on with, nil if nothing is left.
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
				delete(s.seen, s.reached) // another one may lead there that is not
			}
		}
		s.bare = s.bare[:0]
	}
	return leads, nil
}

// Short says why not everything was asked that there is to ask; none if it was.
func (s *Strategy) Short() why.Reason {
	switch {
	case !s.held.None():
		return s.held
	case len(s.stats.Unknown) > 0:
		return why.With(why.Limit, undecided)
	}
	return why.Reason{}
}

// mostSteps bounds the steps of the leads that are returned at a time, more or less: they go from
// one process to another.
const mostSteps = 100_000

const undecided = "formulas not decided in time"
