package dpor

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// makeSchedule makes the schedule of the path up to s.keep and the branch after it. GIDs count the
// go statements in the order of the execution to come.
func (s *Strategy) makeSchedule() {
	s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Exhaustive: true,
		Strict: true, Loose: s.opt.Loose, Awaits: true}
	for len(s.gids) < s.tab.Procs() {
		s.gids = append(s.gids, trace.NoG)
	}
	next := trace.GID(2)
	start := func(ps []transition.Proc) {
		for _, g := range ps {
			s.gids[g] = next
			next++
		}
	}
	s.gids[transition.Main], s.gids[transition.Timers] = 0, 1
	start(s.early())
	for i := range s.keep {
		t := s.at(i)
		s.addStep(t)
		start(t.Starts)
	}
	for _, w := range s.branch {
		s.addStep(&w.t)
		start(w.t.Starts)
	}
}

func (s *Strategy) addStep(t *transition.Transition) {
	if t.Barrier {
		return
	}
	st := trace.Step{G: s.gids[t.Proc], Op: t.Op, Choice: t.Choice, Case: t.Case, WithCase: t.WithCase}
	if t.With != transition.NoProc {
		st.With = int32(s.gids[t.With]) + 1
	}
	s.schedule.Steps = append(s.schedule.Steps, st)
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
		width := float64(at.done + len(at.tree) + 1)
		done += share * float64(at.done) / width
		share /= width
	}
	return n / max(done, 1e-300)
}
