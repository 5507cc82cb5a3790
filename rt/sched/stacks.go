package sched

import (
	"runtime"
	"slices"
	"unsafe"

	"heddle/trace"
	"heddle/trace/remains"
)

// callers returns the program counters of the running goroutine's stack.
func callers(skip int) []uintptr {
	var pcs [64]uintptr
	return append([]uintptr(nil), pcs[:runtime.Callers(skip+1, pcs[:])]...)
}

// LateWakes returns how many timers fired after main was over in the last execution.
func (s *Sched) LateWakes() int { return s.lateWake }

// Failure returns what ended the last execution early, or nil.
func (s *Sched) Failure() *remains.Failure {
	if len(s.fails) == 0 {
		return nil
	}
	return s.fails[0]
}

// Failures returns all that ended goroutines of the last execution: more than one only if that was exhaustive.
func (s *Sched) Failures() []*remains.Failure { return s.fails }

// Races returns the data races of the last execution.
func (s *Sched) Races() []remains.Race { return s.races }

// Diverged returns where the last execution did not follow its schedule, or nil.
func (s *Sched) Diverged() *Divergence { return s.diverged }

// Early returns the timers that fired too early in the last execution, in free time.
func (s *Sched) Early() []remains.Timer { return s.early }

// Concurrent reports whether the last execution had a choice: at some step more than one goroutine could go on.
func (s *Sched) Concurrent() bool { return s.ngs > 2 }

// MainOver reports whether main's function returned in the last execution.
func (s *Sched) MainOver() bool { return s.mainOver }

// Leftover returns the goroutines that had not ended when the last execution was over.
func (s *Sched) Leftover() []remains.Goroutine {
	var ls []remains.Goroutine
	for _, g := range s.gs[:s.ngs] {
		if g.mark < 0 || g.id == s.timerG.id || !g.left {
			continue
		}
		l := remains.Goroutine{G: g.id, Pending: s.pend[g.id], Stack: g.endStack}
		switch gstate(g.mark) {
		case gBlocked:
			l.State = remains.Blocked
			l.Holders = s.holders(g)
			l.Wanted = g.at != nil && len(l.Holders) == 1 && g.at.wants != nil && g.at.wants.id == l.Holders[0]
		case gParked:
			l.State = remains.Parked
			if l.Pending.Op == trace.OpSleep {
				l.State = remains.AtTimer
			}
		case gSpinning, gYielded:
			l.State = remains.Spinning
		default:
			l.State = remains.Ready
		}
		l.Old, l.Alive = g.waitsForOld(), g.alive
		ls = append(ls, l)
	}
	return ls
}

// holders returns who kept g, blocked when the execution ended, from going on.
func (s *Sched) holders(g *G) []trace.GID {
	if g.at == nil {
		return nil
	}
	var ids []trace.GID
	for _, h := range g.at.heldBy(s.pend[g.id].Op, nil) {
		ids = append(ids, h.id)
	}
	return ids
}

func (g *G) waitsForOld() bool {
	return g.at != nil && g.at.kind == trace.ObjChan && (!g.at.known || g.at.older)
}

// ServedByTimer reports whether a goroutine that is left waits at a channel that a running timer sends to.
func (s *Sched) ServedByTimer(id trace.GID) bool {
	g := s.gs[id]
	for _, t := range s.timers {
		o := s.sendsTo(t)
		if o == nil {
			continue
		}
		if slices.Contains(o.ch.receivers, g) {
			return true
		}
		for i := o.ch.recvq.head; i < len(o.ch.recvq.w); i++ {
			if o.ch.recvq.w[i].g == g {
				return true
			}
		}
	}
	return false
}

// sendsTo returns the channel of a timer, nil if it has none. Timers with the
// channels of Go before 1.23 have it as the argument of their function only.
func (s *Sched) sendsTo(t *timer) *object {
	if t.ch != nil || t.arg == nil {
		return t.ch
	}
	p := (*[2]uintptr)(unsafe.Pointer(&t.arg))[1] // a channel or a function: the address itself
	for _, o := range s.objs[:s.nobj] {
		if o.addr == p && o.kind == trace.ObjChan {
			return o
		}
	}
	return nil
}

// StackOf returns where a goroutine that is left was.
func (s *Sched) StackOf(id trace.GID) []uintptr { return s.gs[id].endStack }

// Fallback returns whom the non-preemptive policy would choose now.
func (s *Sched) Fallback() trace.GID { return s.fallback() }

// Running returns the goroutine that runs, for whoever it calls.
func (s *Sched) Running() trace.GID { return s.cur.id }

// Current returns the goroutine that is being asked for a choice.
func (s *Sched) Current() trace.GID { return s.cur.id }

// RanOut reports whether a timer, other than that of a Sleep, fired by real time in the last execution, or while others could go on in a very long one:
// a time-out may come there since heddle is slower than the program.
func (s *Sched) RanOut() bool { return s.ranOut }

// UsedTimers reports whether the last execution started timers that may be early in reality.
func (s *Sched) UsedTimers() bool { return s.realTimers }

// MadeHere reports whether an object is known to have been made in the last execution.
func (s *Sched) MadeHere(id trace.ObjID) bool {
	if id <= 0 || int(id) > s.nobj {
		return false
	}
	o := s.objs[id-1]
	if o.known && !o.older {
		return true
	}
	for i := range s.allocs {
		if a := &s.allocs[i]; o.addr >= a.addr && o.addr < a.addr+max(a.size, 1) {
			return true
		}
	}
	return false
}
