package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// A goroutine that is alone. Let all others have ended, or wait for what only a goroutine under
// test can bring about, and let the running one know of all that they accessed. Then none of its
// accesses to plain memory is half of a race: what was accessed before happened before them, and
// what accesses something later was let go by it, after them. So they need not be told, and code
// that works over much memory is two to three times as fast. It ends as soon as another one could
// go on.

// SoloAfter is how many accesses the race detector is told of before it is asked whether the one
// that makes them is alone: asking looks at all goroutines. It is a variable for tests.
var SoloAfter uint32 = 32

// maybeSolo is called when SoloAfter accesses were told since it was called last, or more where
// many goroutines have to be looked at.
func (s *Sched) maybeSolo() {
	s.det.untilSolo = SoloAfter * (1 + uint32(len(s.gs))/8)
	if s.ready.Len() == 1 && s.cur != s.timerG && s.ready.Has(s.cur.id) && s.isSolo() {
		s.det.solo = true
		hook.Read, hook.Write = readSolo, writeSolo
	}
}

func (s *Sched) isSolo() bool {
	o := &s.opt
	if o.Record || o.Hushed || o.Values || o.Flow || o.Visible == VisibleAll || !s.sites.visible.Empty() ||
		len(s.timers.heap) > 0 || s.ending.on || s.twinsLook() {
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
	hook.Read, hook.Write = read, write
}

// readSolo and writeSolo are the hooks meanwhile. A goroutine outside control may come by, and
// counts as well.

func readSolo(p unsafe.Pointer, n uintptr, _ hook.Site) {
	if hook.Strangers && hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	S.alive(n)
}

func writeSolo(p unsafe.Pointer, n uintptr, _ hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	g := S.cur
	g.idle, g.nows = 0, 0
	S.alive(n)
}
