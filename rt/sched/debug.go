package sched

import (
	"runtime"

	"heddle/rt/wire"
	"heddle/trace"
)

// What heddle debug needs of an execution: where it is, which goroutine is which, and a function
// that it comes to where a debugger is to stop. All of it happens in executions that record alone.

// debugBegin is called when g is about to perform event i.
func (s *Sched) debugBegin(g *G, i int32) {
	v := s.opt.Debug
	if v == nil {
		return
	}
	last := v.Step
	if v.Step = uint64(i) + 1; v.Whole != 0 {
		v.Step = uint64(len(s.t.Steps))
	}
	for n := min(len(s.gs), len(v.Goroutines)); int(v.Rows) < n; v.Rows++ {
		s.debugRow(trace.GID(v.Rows))
	}
	if g.id >= 0 && int(g.id) < int(v.Rows) {
		s.debugRow(g.id)
		if s.t.Events[i].Op == trace.OpEnd { // its stack is another goroutine's next
			v.Goroutines[g.id].ID = 0
		}
	}
	if last < v.Stop && v.Stop <= v.Step {
		s.pause(wire.PauseStep)
	}
}

// debugRow tells what goroutine id runs on.
func (s *Sched) debugRow(id trace.GID) {
	at := &s.t.Goroutines[id]
	row := wire.DebugGoroutine{Parent: at.Parent, N: at.N}
	if w := s.gs[id].w; w != nil {
		row.ID = w.goid
	}
	s.opt.Debug.Goroutines[id] = row
}

// DebugFail is called where the running goroutine says that the test fails, with the program's
// frames still on its stack.
func (s *Sched) DebugFail() { s.pause(wire.PauseFail) }

// pause lets a debugger stop here.
func (s *Sched) pause(why uint32) {
	if v := s.opt.Debug; v != nil && v.Pauses&(1<<why) != 0 {
		v.Pause = why
		debugPause(why)
	}
}

// debugPause is where the debugger has a breakpoint (wire.PauseFunc).
//
//go:noinline
func debugPause(why uint32) { runtime.KeepAlive(why) }
