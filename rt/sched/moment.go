package sched

import (
	"cmp"
	"slices"

	"heddle/rt/flow"
	"heddle/rt/hook"
	"heddle/trace"
)

// Durations that depend on an input. Where labels are expressions timers have one for their
// deadline, and the clock has one once it has come to such a deadline. Whatever is up to which of
// two moments comes first is a branch of "timers" then, as if the program had compared them: which
// timer fires, and whether its time has come.

// spans is what this needs to know of the clock.
type spans struct {
	from  flow.Moment // where the clock was set last: it has moved by constants since
	fired flow.Moment // vtime.fired
	asked map[flow.Label]bool
	on    bool // there is a timer with a label, or was
	order []*timer
}

func (m *spans) reset() {
	m.from, m.fired, m.on = flow.Moment{}, flow.Moment{}, false
	clear(m.asked)
}

// due is when t is.
func (t *timer) due() flow.Moment { return flow.Moment{At: t.when, L: t.label} }

// after returns a moment so many nanoseconds after m.
func after(m flow.Moment, d int64) flow.Moment {
	if m.L == 0 {
		return flow.Moment{At: m.At + d}
	}
	return m.Plus(flow.Moment{At: d})
}

// clockNow is the clock.
func (s *Sched) clockNow() flow.Moment {
	if s.spans.from.L == 0 {
		return flow.Moment{At: s.vtime.now}
	}
	return after(s.spans.from, s.vtime.now-s.spans.from.At)
}

// clockAt sets the clock.
func (s *Sched) clockAt(m flow.Moment) { s.vtime.now, s.spans.from = m.At, m }

// lookedAs is told that g sees the clock as now.
func (s *Sched) lookedAs(g *G, now int64) int64 {
	if s.spans.from.L != 0 && !s.pcs.byTesting() {
		g.flow.Now = after(s.clockNow(), now-s.vtime.now).L
	} else {
		g.flow.Now = 0
	}
	return now
}

// labelled returns m with its label, which waits in *waiting, and notes that there is one.
func (s *Sched) labelled(at int64, waiting *flow.Moment, site trace.Site) flow.Moment {
	m := flow.Moment{At: at}
	if s.opt.Exprs {
		if waiting.At == at {
			m.L = waiting.L
		}
		*waiting = flow.Moment{}
	}
	if m.L == 0 {
		return m
	}
	if hook.Real {
		flow.LoseTime(m, uint64(site))
		m.L = 0
		return m
	}
	flow.F.Timed, s.spans.on = true, true
	return m
}

// before reports whether a comes before b, at the timer that was started at site.
func (s *Sched) before(a, b flow.Moment, site trace.Site) bool {
	is := a.At < b.At
	l := a.Before(b)
	if l == 0 || s.spans.asked[l] || s.ending.on {
		return is
	}
	if s.spans.asked == nil {
		s.spans.asked = map[flow.Label]bool{}
	}
	s.spans.asked[l] = true
	outcome := int64(0)
	if is {
		outcome = 1
	}
	i := s.event(s.timerG, trace.OpBranch, nil, outcome, site)
	s.t.Events[i].Quiet = true
	flow.F.Of[i] = l
	return is
}

// inOrder is told that the order of a and b matters, and whether they are equal.
func (s *Sched) inOrder(a, b flow.Moment, site trace.Site) {
	if (a.L != 0 || b.L != 0) && !s.before(a, b, site) {
		s.before(b, a, site)
	}
}

// siteOf returns the place of a branch about t or u: where one was started that has a label.
func siteOf(t, u *timer) trace.Site {
	if t.label != 0 {
		return t.site
	}
	return u.site
}

// first returns the timer that is due first, nil if none runs. It compares them in the order in
// which they were started, which their deadlines do not change.
func (s *Sched) first() (t *timer) {
	if len(s.timers.heap) == 0 {
		return nil
	}
	if !s.spans.on {
		return s.timers.heap[0]
	}
	for _, u := range s.started() {
		switch {
		case t == nil:
			t = u
		case t.label == 0 && u.label == 0:
			if u.when < t.when {
				t = u
			}
		case !s.before(t.due(), u.due(), siteOf(t, u)) && s.before(u.due(), t.due(), siteOf(t, u)):
			t = u
		}
	}
	return t
}

// started returns the timers that run in the order in which they were started.
func (s *Sched) started() []*timer {
	s.spans.order = append(s.spans.order[:0], s.timers.heap...)
	slices.SortFunc(s.spans.order, func(t, u *timer) int { return cmp.Compare(t.seq, u.seq) })
	return s.spans.order
}

// timersDue reports whether a timer is due now.
func (s *Sched) timersDue(now flow.Moment) bool {
	t := s.first()
	return t != nil && !s.before(now, t.due(), t.site)
}

// jump moves the clock to when t is due.
func (s *Sched) jump(t *timer) {
	v, now := &s.vtime, s.clockNow()
	if now.L == 0 && t.label == 0 {
		v.jump(t.when, !hook.Frozen && !s.freely())
		return
	}
	if !s.before(now, t.due(), t.site) {
		return
	}
	late := int64(0)
	if !hook.Frozen && !s.freely() {
		late = wakeLatency
	}
	s.clockAt(after(t.due(), late))
}

// nextTick sets when t, which ticks, is due again.
func (s *Sched) nextTick(t *timer) {
	now, every := s.clockNow(), flow.Moment{At: t.period, L: t.every}
	from := t.due()
	aligned := now.Minus(now.Modulo(flow.Moment{At: max(t.period, 1), L: t.every}))
	if s.before(from, aligned, t.site) {
		from = aligned
	}
	next := from.Plus(every)
	if next.At < from.At {
		next = flow.Moment{At: never} // as addTime has it
		flow.LoseTime(every, uint64(t.site))
		flow.LoseTime(from, uint64(t.site))
	}
	if !s.before(now, next, t.site) {
		next = now.Plus(every)
	}
	t.when, t.label = next.At, next.L
}

// spanned returns now + d, as addTime has it.
func (s *Sched) spanned(d flow.Moment, site trace.Site) flow.Moment {
	now := s.clockNow()
	if now.L == 0 && d.L == 0 {
		return flow.Moment{At: addTime(now.At, d.At)}
	}
	if now.At > 0 && s.before(flow.Moment{At: never}.Minus(now), d, site) {
		return flow.Moment{At: never}
	}
	return now.Plus(d)
}
