package sched

import (
	"time"
	"unsafe"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/trace"
)

// Free time in exhaustive executions. A search covers it: whatever has to do with the clock is a
// step of its own, so that timers can fire before and after it, and says in events what it does to
// the clock (see package trace). The clock stands at the deadline of the timer that fired last.
//
// A timer fires as a step of "timers", early or not. A timer that is never early ("still") fires
// when no goroutine is enabled, which is a barrier. So are all that a bubble of testing/synctest
// starts: its time passes only then.

// freely reports whether the running execution is one.
func (s *Sched) freely() bool {
	return s.opt.Schedule.Exhaustive && s.opt.Schedule.Free && !hook.Real
}

// clock returns the object of the clock. It lies in memory of the scheduler's own.
func (s *Sched) clock() *object {
	o, _ := s.object(unsafe.Pointer(&s.vtime), trace.ObjClock, 0)
	return o
}

// untimed notes what keeps a search from covering free time.
func (s *Sched) untimed(why trace.Untimed) {
	if s.t.Untimed == trace.Timed {
		s.t.Untimed = why
	}
}

// timePoint makes what g is about to do with the clock a step, also within the standard library,
// where other operations are none. What the library does with the clock in a row is one step.
func (s *Sched) timePoint(g *G, op trace.Op, site trace.Site) {
	if !s.freely() || g == s.timerG {
		return
	}
	if n := len(s.t.Steps); n > 0 && s.t.Steps[n-1].G == g.id && s.t.Steps[n-1].Op.Timed() &&
		s.pcs.byLibrary() {
		return
	}
	if s.ending.on {
		s.unwinding()
	}
	g.quiet = false
	s.announce(g, op, nil, site.Loud())
	s.reschedule(g)
}

// pointOrTime is point; in free time also where the place is quiet.
func (s *Sched) pointOrTime(g *G, op trace.Op, o *object, site trace.Site) {
	if site = s.place(site); site.Quiet() && s.freely() {
		s.timePoint(g, op, site)
		return
	}
	s.point(g, op, o, site)
}

// looksFreely is told that g looks at the clock. To start a timer is one step with the look that it
// begins with.
func (s *Sched) looksFreely(g *G) {
	switch {
	case g == s.timerG:
	case hook.Arming:
		s.readsClock()
		g.arming, g.armedAt = true, s.clockNow()
	case !s.pcs.forOutput():
		s.readsClock()
		s.enter()
		s.timePoint(g, trace.OpNow, s.place(s.pcs.userPlace(0)))
		s.event(g, trace.OpNow, s.clock(), 0, 0)
		g.nowStep = g.steps
		s.leave()
	}
}

// passed returns how far the clock has moved since g looked at it to start a timer.
func (s *Sched) passed(g *G) flow.Moment {
	if !g.arming {
		return flow.Moment{}
	}
	g.arming = false
	return s.clockNow().Minus(g.armedAt)
}

// armed is told that a timer was started.
func (s *Sched) armed(t *timer) {
	s.readsClock()
	s.howFar(t)
	d := t.when - s.vtime.now
	switch {
	case t.bubble:
		if s.realTimers { // they go by another clock
			s.untimed(trace.UntimedBubble)
		}
	case s.bubbleTimers:
		s.untimed(trace.UntimedBubble)
	case t.when == never:
	case t.looks():
		s.untimed(trace.UntimedPolls)
	case s.pcs.ofConnection():
		s.untimed(trace.UntimedSocket)
	case t.library:
	case t.period > 0:
		s.untimed(trace.UntimedTicker)
	case d >= killed && !s.AnyTime:
	case d > earlyBy && !s.AnyTime:
		s.untimed(trace.UntimedFar)
	default:
		t.still = false
	}
	if s.spans.on {
		for _, u := range s.started() {
			if u.still != t.still { // whether "timers" is enabled is up to which of them is next
				s.inOrder(u.due(), t.due(), siteOf(t, u))
			}
		}
	}
	g := s.gs[t.by]
	at := s.event(g, trace.OpTimerStart, s.clock(),
		trace.Armed{D: d, Still: t.still, Sleep: t.sleeper != nil, Ticks: t.period > 0}.Arg(), t.site)
	t.armed = at
	if o := s.channelOf(t); o != nil {
		s.t.Events[at].Val = int32(o.id)
	}
}

// howFar asks what decides whether t may be early.
func (s *Sched) howFar(t *timer) {
	if now := s.clockNow(); (now.L != 0 || t.label != 0) && t.when != never {
		d := t.due().Minus(now)
		s.before(d, flow.Moment{At: killed}, t.site)
		s.before(flow.Moment{At: earlyBy}, d, t.site)
	}
}

// channelOf returns the channel of a timer, nil if it has none. Before Go 1.23 the model of a timer
// does not know it.
func (s *Sched) channelOf(t *timer) *object {
	if t.ch != nil {
		return t.ch
	}
	if c, ok := t.arg.(chan time.Time); ok {
		return s.channel(*(*unsafe.Pointer)(unsafe.Pointer(&c)), 1, t.site)
	}
	return nil
}

// disarmed is told that g stops a timer, or resets it.
func (s *Sched) disarmed(g *G, t *timer, again bool) {
	if !s.freely() || t.armed < 0 {
		return
	}
	if again && t.ch == nil && s.channelOf(t) != nil {
		s.untimed(trace.UntimedReset) // what it sent before is still there
	}
	at := s.event(g, trace.OpTimerStop, s.clock(), 0, t.site)
	s.t.Events[at].Partner = t.armed
}

// fired is told that a timer fires.
func (s *Sched) fired(t *timer, early int64) {
	if !s.freely() || t.armed < 0 {
		s.event(s.timerG, trace.OpTimerFire, nil, early, t.site)
		return
	}
	if len(s.early) > maxEarly {
		s.untimed(trace.UntimedMany)
	}
	at := s.event(s.timerG, trace.OpTimerFire, s.clock(), early, t.site)
	s.t.Events[at].Partner = t.armed
}

// mayFireFreely is mayFireEarly for exhaustive executions: fires may follow each other.
func (s *Sched) mayFireFreely() bool {
	return s.freely() && len(s.timers.heap) > 0 && !s.timers.heap[0].still
}

// fireAtRest is the step of "timers" where no goroutine is enabled. It reports whether the schedule
// allows it.
func (s *Sched) fireAtRest() bool {
	if !s.replay.over() {
		want := s.replay.wanted(&s.t.Trace)
		if want.G == s.timerG.id && want.Op == trace.OpTimerFire {
			s.replay.k++
		} else if s.opt.Schedule.Strict {
			s.diverge(want, false)
			return false
		}
	}
	s.fireStep(s.timerG.id)
	return true
}

// fireStep is a step of "timers": the next timer fires. If that wakes a goroutine that sleeps, so
// do those after it with the same deadline: no goroutine can tell in which order.
func (s *Sched) fireStep(instead trace.GID) {
	*s.newStep() = trace.Step{G: s.timerG.id, Op: trace.OpTimerFire, Choice: -1, Default: instead}
	for {
		t := s.timers.heap[0]
		s.fireTimer(t)
		if t.sleeper == nil || len(s.timers.heap) == 0 {
			return
		}
		if u := s.timers.heap[0]; u.sleeper == nil || u.still || u.when != t.when {
			return
		}
	}
}

// fireStill fires the timers of a deadline, as long as the next is one that is never early.
func (s *Sched) fireStill(when int64) {
	s.offers.era++
	for h := &s.timers; len(h.heap) > 0 && h.heap[0].still && h.heap[0].when <= when; {
		s.fireTimer(h.heap[0])
	}
}

// byLibrary reports whether the standard library calls, and not the program by package time.
func (t *pcTable) byLibrary() bool {
	for _, in := range t.frames {
		if in.pkg != "time" {
			return in.std
		}
	}
	return false
}

// ofConnection reports whether a connection or pipe calls, which has a deadline.
func (t *pcTable) ofConnection() bool {
	for _, in := range t.frames {
		if in.pkg != "time" && in.pkg != "sync" {
			return connects[in.pkg]
		}
	}
	return false
}

// byTesting reports whether package testing looks at the clock.
func (t *pcTable) byTesting() bool {
	for _, in := range t.frames {
		if in.pkg != "time" {
			return in.pkg == "testing"
		}
	}
	return false
}

// forOutput reports whether the clock is looked at for what is printed.
func (t *pcTable) forOutput() bool {
	for _, in := range t.frames {
		switch in.pkg {
		case "time":
			continue
		case "testing", "log", "log/slog":
			return true
		}
		return false
	}
	return false
}
