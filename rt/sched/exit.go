package sched

import (
	"strconv"

	"heddle/trace"
	"heddle/trace/remains"
)

// The end of a program: main returns, or a goroutine calls os.Exit. What else
// there is goes with it, so nothing that is left then is a leak.

// Exit is what the end of a main function does. It is called by goroutine
// "main", and does not return but in an exhaustive execution: there the others
// are run to their end, since what they do is independent of it.
func (s *Sched) Exit() {
	if s.exhaustive() {
		s.exited = true
		return
	}
	s.exit(0)
}

// exit is os.Exit, which ends the execution in the place of the process: with
// code 0 as the end of the program, else as a failure. It does not return.
func (s *Sched) exit(code int) {
	g := s.enter()
	if s.ending.on {
		s.unwinding()
	}
	s.lazyDrop()
	if code != 0 {
		msg := "os.Exit(" + strconv.Itoa(code) + ") in the middle of the test"
		if s.opt.Program {
			msg = "the program exits with status " + strconv.Itoa(code)
		}
		s.fatal(g, &remains.Failure{Kind: remains.FailExit, G: g.id, Message: msg})
		return
	}
	s.exited = true
	if s.ready.Len() <= 1 && len(s.timers.heap) == 0 { // no goroutine is left that could unlock
		s.mainOver = true
		s.endCycle()
	}
	s.unready(g, gBlocked)
	s.stop(trace.Finished)
	s.switchTo(&s.dg)
}
