package sched

import (
	"heddle/rt/hook"
	"heddle/trace"
)

// alive counts an access to n bytes. It is inlined.
func (s *Sched) alive(n uintptr) {
	if s.work.accessed(n) {
		s.beatHere()
	}
}

// beatHere is beat at an access.
//
//go:noinline
func (s *Sched) beatHere() {
	s.beat()
	s.endHere()
}

// endHere ends the execution at an access, where it has taken as long as it may, or as much memory:
// a goroutine that computes for long comes to no scheduling point.
func (s *Sched) endHere() {
	if s.over || s.ending.on || s.cur == s.timerG || !s.here() {
		return
	}
	hook.Cur = 0 // to look at the real clock is nothing that the program does
	expired := s.expire()
	s.leave()
	if expired {
		s.point(s.enter(), trace.OpGosched, nil, 0)
	}
}

// beat is a sign of life. The time that the work has taken passes at the running goroutine's next
// step or look at the clock.
func (s *Sched) beat() {
	s.t.counts.Beats++
	w := &s.work
	if s.exhaustive() {
		w = &s.cur.work
	}
	if w.beat() {
		s.vtime.pause = 0
	}
}
