package sched

import (
	"slices"

	"heddle/rt/sched/siteset"
	"heddle/trace"
	"heddle/trace/remains"
)

// Exhaustive executions (trace.Schedule.Exhaustive): the same programs under
// models in which operations commute wherever Go lets them, so that a strategy
// which covers every order of dependent operations has covered everything.
//
// Channels. A goroutine that announced a channel operation offers its cases
// (see offers.go) and any announced partner may be the one it meets, since
// either may have arrived first. Arriving is a step of its own only on sides
// of unbuffered channels that a goroutine polls.
//
// Crashes. A goroutine that panics or misuses package sync is held back until
// no other goroutine can go on, so that a crash does not cut the others short: it is
// the schedule in which that goroutine was slow to end the program.
//
// Time. The clock stands still while any goroutine can go on. When it jumps, all
// timers of the next deadline fire; a jump is a barrier. In free time see freetime.go.
//
// Waiting. Gosched gives no goroutine precedence. Polling loops wait where an iteration
// changed nothing (see poll.go); any other goroutine that is held back as spinning makes
// the trace Spun.

// exhaustive reports whether the running execution is one.
func (s *Sched) exhaustive() bool { return s.opt.Schedule.Exhaustive }

// crash ends g's part of an exhaustive execution.
func (s *Sched) crash(g *G, f *remains.Failure) {
	s.fails = append(s.fails, f)
	g.crashed = true
	s.t.Crashed = append(s.t.Crashed, g.id)
}

// fireDue lets the clock jump: every timer of the next deadline fires.
func (s *Sched) fireDue(when int64) {
	s.offers.era++
	for len(s.timers.heap) > 0 && s.timers.heap[0].when <= when {
		t := s.timers.heap[0]
		for _, u := range s.timers.heap[1:] {
			if u.when <= when && s.t.armedBefore(u, t) {
				t = u
			}
		}
		s.fireTimer(t)
	}
}

// armedBefore orders timers with the same deadline by the goroutines that armed them, which no
// reordering of independent operations changes.
func (t *recorder) armedBefore(a, b *timer) bool {
	if a.by != b.by {
		return t.nameLess(a.by, b.by)
	}
	return a.seq < b.seq
}

// PolledUnseen reports whether in the last execution a goroutine was left in a
// polling loop that races on memory that is no scheduling point: what it waits for may have been
// written, and it did not see that. With those accesses visible it will.
func (s *Sched) PolledUnseen() bool {
	if s.opt.Visible == VisibleAll {
		return false
	}
	for i := range s.races {
		r := &s.races[i]
		if s.awaited(r.G) && !s.sites.visible.Has(r.At) || s.awaited(r.PrevG) &&
			!s.sites.visible.Has(r.Prev) {
			return true
		}
	}
	return false
}

// awaited reports whether g was left in a polling loop.
func (s *Sched) awaited(g trace.GID) bool { return s.gs[g].left && gstate(s.gs[g].mark) == gAwaits }

// noteEnd fills in what exhaustive executions leave behind beside their events.
func (s *Sched) noteEnd() {
	s.finalizeObjects()
	for i := range s.t.Plain {
		s.nameObject(&s.t.Plain[i].Mem)
	}
	s.t.noteEffects(&s.pcs)
	if s.freely() && slices.ContainsFunc(s.timers.heap, func(t *timer) bool {
		return t.when != never && !t.bubble // those of a bubble are over with it
	}) {
		s.untimed(trace.UntimedLeft)
	}
	s.noteLeft()
	s.settleTwins()
}

// noteLeft records the pending operations of goroutines that had not ended.
func (s *Sched) noteLeft() {
	for _, g := range s.gs {
		if g.state() == gDone || g.crashed {
			continue
		}
		if p := &s.pend[g.id]; s.exhaustive() && p.Op == trace.OpArrive &&
			s.t.Objects[p.Obj].Kind == trace.ObjChan {
			s.noteArrival(g)
		}
		s.t.Left = append(s.t.Left, trace.Left{G: g.id, Pending: s.pend[g.id], Step: s.t.lastStep(g.id),
			Enabled: g.state() == gReady})
	}
}

// noteArrival records at which sides of channels g was about to arrive.
func (s *Sched) noteArrival(g *G) {
	for i := range g.offers {
		if f := &g.offers[i]; s.polledSide(g, f) {
			s.t.Offers = append(s.t.Offers,
				trace.Offer{G: g.id, Step: s.t.lastStep(g.id), Case: trace.Arriving, Send: f.send,
					Obj: f.o.id})
		}
	}
}

// SetPolled tells which sides of unbuffered channels are polled (as Polled
// returned them): there arriving is a step.
func (s *Sched) SetPolled(sides []trace.Site) {
	s.offers.polled = siteset.Of(sides)
}

// Polled returns the sides of unbuffered channels that the last execution
// polled without SetPolled having told. An exhaustive search starts again then.
func (s *Sched) Polled() []trace.Site { return s.offers.newPolled }
