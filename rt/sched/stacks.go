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

// Leftover returns the goroutines that had not ended when the last execution was over.
func (s *Sched) Leftover() []remains.Goroutine {
	var ls []remains.Goroutine
	for _, g := range s.gs {
		if g.mark < 0 || g.id == s.timerG.id || !g.left {
			continue
		}
		l := remains.Goroutine{G: g.id, Pending: s.pend[g.id], Stack: g.endStack}
		switch gstate(g.mark) {
		case gBlocked:
			l.State = remains.Blocked
			l.Holders = holders(g, s.pend)
			l.Wanted = g.at != nil && len(l.Holders) == 1 && g.at.wants != nil &&
				g.at.wants.id == l.Holders[0]
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

// holders returns what kept g, blocked when the execution ended, from going on.
func holders(g *G, pend []trace.Pending) []trace.GID {
	if g.at == nil {
		return nil
	}
	var ids []trace.GID
	for _, h := range g.at.heldBy(pend[g.id].Op, nil) {
		ids = append(ids, h.id)
	}
	return ids
}

func (g *G) waitsForOld() bool {
	return g.at != nil && g.at.kind == trace.ObjChan && (!g.at.known || g.at.older)
}

// ServedByTimer reports whether a goroutine that is left waits at a channel that a running timer
// sends to.
func (s *Sched) ServedByTimer(id trace.GID) bool {
	g := s.gs[id]
	for _, t := range s.timers.heap {
		o := s.objs.sendsTo(t)
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
func (os *objects) sendsTo(t *timer) *object {
	if t.ch != nil || t.arg == nil {
		return t.ch
	}
	p := (*[2]uintptr)(unsafe.Pointer(&t.arg))[1] // a channel or a function: the address itself
	for _, o := range os.all {
		if o.addr == p && o.kind == trace.ObjChan {
			return o
		}
	}
	return nil
}

// StackOf returns where a goroutine that is left was.
func (s *Sched) StackOf(id trace.GID) []uintptr { return s.gs[id].endStack }

// StepsOf returns how many steps a goroutine has made in the running execution.
func (s *Sched) StepsOf(id trace.GID) int32 { return s.gs[id].steps }

// StepsMade returns how many steps the running execution has made.
func (s *Sched) StepsMade() int { return len(s.t.Steps) }

// Running returns the goroutine that runs, for what it calls.
func (s *Sched) Running() trace.GID { return s.cur.id }

// Current returns the goroutine that is being asked for a choice.
func (s *Sched) Current() trace.GID { return s.cur.id }

// MadeHere reports whether an object is known to have been made in the last execution.
func (s *Sched) MadeHere(id trace.ObjID) bool {
	if id <= 0 || int(id) > len(s.objs.all) {
		return false
	}
	o := s.objs.all[id-1]
	return o.known && !o.older || s.allocs.Contains(o.addr)
}
