package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Accesses that need not be told. Where races are not looked for, no access need be. Else let all
// goroutines but the running one have ended, or wait for what only a goroutine under test can bring
// about, and let the running one know of all that they accessed: it is alone. Then none of its
// accesses to plain memory is half of a race: what was accessed before happened before them, and
// what accesses something later was let go by it, after them. It ends as soon as another one could
// go on. In both cases steps and events need no access either.
//
// Rewritten code counts these accesses itself (hook.WatchReads), so tests without goroutines run
// hardly slower than without heddle.

// SoloAfter is how many accesses the race detector is told of before it is asked whether the one
// that makes them is alone: asking looks at all goroutines. It is a variable for tests.
var SoloAfter uint32 = 32

// maybeSolo is called when SoloAfter accesses were told since it was called last, or more where
// many goroutines have to be looked at.
func (s *Sched) maybeSolo() {
	s.det.untilSolo = SoloAfter * (1 + uint32(len(s.gs))/8)
	if s.ready.Len() == 1 && s.cur != s.timerG && s.ready.Has(s.cur.id) && s.isSolo() {
		s.det.solo = true
		s.ignore()
	}
}

// heed lets accesses be told.
func (s *Sched) heed() {
	hook.Read, hook.Write, hook.NewRead, hook.NewWrite = read, write, newRead, newWrite
	hook.WatchReads, hook.WatchWrites = true, true
}

// ignore keeps accesses from being told, but to readUntold and writeUntold, and these only where
// rewritten code does not count an access itself.
func (s *Sched) ignore() {
	hook.Read, hook.Write, hook.NewRead, hook.NewWrite = readUntold, writeUntold, newReadUntold,
		newWriteUntold
	hook.WatchReads = hook.Strangers // which may come by
}

// needless reports whether no access of the execution needs to be told, whichever goroutine makes
// it.
func (s *Sched) needless() bool {
	return !s.det.on && !s.opt.Plain && !s.twins.on && s.pointless()
}

// pointless reports whether no access is a step or an event, now and later in the execution.
func (s *Sched) pointless() bool {
	o := &s.opt
	return !o.Record && !o.Hushed && !(o.Plain && s.exhaustive()) && !o.Values && !o.Flow &&
		s.sites.none(o.Visible) && !s.ending.on
}

func (s *Sched) isSolo() bool {
	if !s.pointless() || len(s.timers.heap) > 0 || s.twinsLook() {
		return false
	}
	me := s.cur
	for _, g := range s.gs {
		if g == me {
			continue
		}
		switch g.state() {
		case gDone, gBlocked:
		case gParked:
			if s.pend[g.id].Op == trace.OpCondWait { // Signal gives no order
				return false
			}
		default: // what it waits for may come without order, or by itself
			return false
		}
		if g.touched > me.clock.At(g.chain) {
			return false
		}
	}
	return true
}

// company ends it: another goroutine may go on. Called where s.det.solo is set.
func (s *Sched) company() {
	s.det.solo = false
	s.heed()
}

// readUntold and writeUntold are the hooks meanwhile.

func readUntold(p unsafe.Pointer, n uintptr, _ hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	S.alive(n)
}

func newReadUntold(p unsafe.Pointer, n uintptr, site hook.Site) {
	hook.Left++
	readUntold(p, n, site)
}

// writeUntold is called for the first write of a goroutine between two operations, since it shows
// that the goroutine does not only poll.
func writeUntold(p unsafe.Pointer, n uintptr, _ hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	s := S
	s.alive(n)
	if n == 0 || onStack(p) {
		return
	}
	g := s.cur
	if len(g.loans) > 0 {
		g.recall()
	}
	g.idle, g.nows = 0, 0
	if !hook.Strangers {
		hook.WatchWrites = false
		hook.Unsettled = true
	}
}

func newWriteUntold(p unsafe.Pointer, n uintptr, site hook.Site) {
	hook.Left++
	writeUntold(p, n, site)
}
