package sched

import (
	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/trace"
)

// Sleeps in free time that are no timers. In a program that has nothing to do with the clock but
// that it sleeps, a goroutine that sleeps can go on at any time: all others that sleep are woken
// first, and need not make a step. So a sleep is what runtime.Gosched is, and a loop that looks and
// sleeps can wait (docs/design/dpor.md). The first look at the clock, or other timer, begins the
// search again with sleeps that are timers. So does whatever is wrong in an execution: its clip
// has timers.

// ClockRead stands for such a use of the clock among the sides of channels that are polled
// (SetPolled), as locksTried does.
const ClockRead = ^trace.Site(1)

// maxDozes bounds the sleeps of an execution that are none.
const maxDozes = 1000

// dozes reports whether a sleep of g for d is none.
func (s *Sched) dozes(g *G, d flow.Moment) bool {
	if !s.freely() || hook.Frozen || !s.opt.Schedule.Awaits || s.offers.clip ||
		s.offers.readsClock || d.L != 0 || d.At > earlyBy || s.pcs.ofConnection() {
		return false
	}
	if s.vtime.dozed++; s.vtime.dozed > maxDozes {
		s.readsClock()
		return false
	}
	s.startsTimer(false)
	return true
}

// readsClock is told of a use of the clock other than such a sleep.
func (s *Sched) readsClock() {
	if s.offers.readsClock || !s.opt.Schedule.Awaits {
		return
	}
	s.offers.readsClock = true
	if !s.offers.clip {
		s.offers.newPolled = append(s.offers.newPolled, ClockRead)
	}
}

// Dozed reports whether there was a sleep in the last execution that was no timer.
func (s *Sched) Dozed() bool { return s.vtime.dozed > 0 }
