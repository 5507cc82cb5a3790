package sched

import "heddle/trace"

// Work takes time. What is accessed is counted: whoever computes for long shows that he is alive, to those who watch the process,
// and once an execution has done much, the clock moves with it. A loop that works until its time is over would have no end
// otherwise, since a look at the clock moves it by a nanosecond only. How much was accessed is, unlike the real time that it took, the same in every
// execution of a schedule.

const (
	beatEvery = 1 << 20    // accesses from one sign of life to the next
	pieceSize = 16         // bytes; an access to many counts as one to each piece of them
	lookWork  = 64         // a look at the clock is as much work as so many accesses
	workAfter = 10         // beats of an execution before its work takes time; in them nothing that should be quick takes any
	beatTime  = 10_000_000 // ns: ten an access, what they take under a race detector
)

// alive counts an access to n bytes. It is inlined.
func (s *Sched) alive(n uintptr) {
	if s.untilBeat -= 1 + int32(n/pieceSize); s.untilBeat <= 0 {
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

// endHere ends the execution at an access, where it has taken as long as it may, or as much memory: who computes for long comes to
// no scheduling point.
func (s *Sched) endHere() {
	if s.over || s.unwind || s.cur == s.timerG || !s.here() || !s.expire() {
		return
	}
	s.point(s.enter(), trace.OpGosched, nil, 0)
}

// looked counts a look at the clock.
func (s *Sched) looked() {
	if s.untilBeat -= lookWork; s.untilBeat <= 0 {
		s.beat()
	}
}

// beat is a sign of life. The time that the work has taken passes at the running goroutine's next step or look at the clock.
func (s *Sched) beat() {
	s.untilBeat = beatEvery
	s.counts.Beats++
	s.beats++
	if s.beats > workAfter {
		s.owed += beatTime
		s.pause = 0
	}
}

func (s *Sched) resetWork() { s.untilBeat, s.beats, s.owed, s.nlooks = beatEvery, 0, 0, 0 }
