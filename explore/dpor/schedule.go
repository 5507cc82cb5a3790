package dpor

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// makeSchedule makes the schedule of the path up to s.keep and the branch after it.
func (s *Strategy) makeSchedule() {
	retries := s.retries()
	s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Exhaustive: true,
		Strict: true, Loose: s.opt.Loose, Awaits: retries, NoRetry: !retries, Free: s.opt.Free}
	s.numbers.Begin(s.early())
	for i := range s.keep {
		s.addStep(s.at(i))
	}
	for _, w := range s.branch {
		s.addStep(&w.t)
	}
}

// retries reports whether iterations of polling loops that failed are events. They are in free
// time: there an execution goes on as long as a timer may fire.
func (s *Strategy) retries() bool { return s.opt.Retries || s.opt.Free }

func (s *Strategy) addStep(t *transition.Transition) {
	if !t.Barrier {
		s.schedule.Steps = append(s.schedule.Steps, s.numbers.Step(t))
	}
	s.numbers.Start(t.Starts)
}

// estimate returns the expected number of executions in the end: those made, divided by the share
// of the tree that they are. Each branch of a node has an equal share of the node's share (weighted
// backtracking, Kilby, Slaney, Thiébaux, Walsh, AAAI 2006).
func (s *Strategy) estimate() float64 {
	n := float64(s.made)
	if s.over || n == 0 {
		return n
	}
	share, done := 1.0, 0.0
	for i := s.base(); i <= s.keep && i < len(s.nodes); i++ {
		at := &s.nodes[i]
		width := float64(at.done + at.branches() + 1)
		done += share * float64(at.done) / width
		share /= width
	}
	return n / max(done, 1e-300)
}
