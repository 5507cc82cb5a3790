package sched

import (
	"time"

	"heddle/rt/wire"
	"heddle/trace"
)

// The steps and goroutines of the running execution. They are in the memory of
// the log, if there is one, so that keeping them for the case of a crash costs nothing.

// SetLog sets where a process that may die leaves what it has done so far; nil: nowhere.
func (s *Sched) SetLog(log Log) {
	s.log, s.counts = log, new(wire.CrashCounts)
	if log != nil {
		s.counts = log.Counts()
	}
	s.t.Steps, s.t.Goroutines, s.longSteps = nil, nil, nil
}

func (s *Sched) resetSteps() {
	t := &s.t
	t.Steps, t.Goroutines = t.Steps[:0], t.Goroutines[:0]
	if s.log != nil {
		t.Steps, t.Goroutines = s.log.Steps(0)[:0], s.log.Goroutines(0)[:0]
	}
	*s.counts = wire.CrashCounts{}
}

// newStep adds a step, which the caller fills: what it was before is still in it.
func (s *Sched) newStep() *trace.Step {
	n := len(s.t.Steps)
	if n == cap(s.t.Steps) {
		s.moreSteps(n)
	}
	s.t.Steps = s.t.Steps[:n+1]
	s.counts.Steps++
	s.win.reading++
	return &s.t.Steps[n]
}

func (s *Sched) moreSteps(n int) {
	if s.log != nil && s.counts.Lost == 0 {
		if m := s.log.Steps(n + 1); len(m) > n {
			s.t.Steps = m[:n]
			return
		}
		s.counts.Lost = 1
		s.t.Steps = append(s.longSteps[:0], s.t.Steps...)
	}
	s.t.Steps = append(s.t.Steps, trace.Step{})[:n]
	s.longSteps = s.t.Steps
}

func (s *Sched) newGoroutine(g trace.Goroutine) {
	n := len(s.t.Goroutines)
	if n == cap(s.t.Goroutines) && s.log != nil && s.counts.Lost == 0 {
		if m := s.log.Goroutines(n + 1); len(m) > n {
			s.t.Goroutines = m[:n]
		} else {
			s.counts.Lost = 1
		}
	}
	s.t.Goroutines = append(s.t.Goroutines, g)
	s.counts.Goroutines++
}

// expire ends the execution if it has taken as long as it may, or as much memory, and reports whether it has. What an execution does
// never depends on either, only whether it goes on; who executes a schedule again may come less far.
func (s *Sched) expire() bool {
	switch {
	case s.opt.Longest > 0 && time.Since(s.begun) >= s.opt.Longest, !s.opt.Until.IsZero() && time.Now().After(s.opt.Until):
		s.stop(trace.Expired)
	case s.opt.Full != nil && s.opt.Full():
		s.stop(trace.Filled)
	default:
		return false
	}
	return true
}
