package unfold

import (
	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// makeSchedule makes the schedule to the target: its past, then as many possible extensions as can
// be performed as well (section 4.6), ordered by causality and asymmetric conflict. It returns
// false if there is no schedule.
func (s *Strategy) makeSchedule() bool {
	in := s.find
	s.aimed = false
	if s.target == net.None {
		in.Begin()
	} else {
		in.UndoTo(s.sharedWith(s.target))
		in.Grow()
	}
	if s.target != net.None && !in.Add(s.target) || !reach(in, s.goal) {
		panic("unfold: a target cannot happen")
	}
	before := in.Len()
	if s.target != net.None {
		before--
	}
	if !in.Resolve(s.late) {
		if !s.expired {
			panic("unfold: a target has no history")
		}
		return false
	}
	if !s.feasible(in) {
		return false
	}
	alone := in.Mark()
	s.alongside(in)
	if !s.steps(in) {
		if in.Undo(alone); !s.steps(in) {
			return s.before()
		}
	}
	in.UndoTo(before) // the others will be shown
	s.aimed = s.target != net.None
	return true
}

// steps makes the schedule that performs the events of a configuration. It returns false if there
// is none.
func (s *Strategy) steps(in *net.Config) bool {
	s.inputs.branching, s.inputs.needed = net.None, net.None
	s.planned = s.planned[:0]
	order := in.OrderLike(s.run.Events())
	s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Exhaustive: true,
		Strict: true, Loose: s.opt.Loose, Awaits: true}
	for len(s.gids) < s.tab.Procs() {
		s.gids = append(s.gids, trace.NoG)
	}
	s.gids[transition.Main], s.gids[transition.Timers] = 0, 1
	straight := s.opt.Inputs == nil // every event is one step
	s.stepless = map[net.Event]bool{}
	next := trace.GID(2)
	if straight {
		next = s.relay(order, next)
	} else {
		s.laid = s.laid[:0]
	}
	var last []net.Event // not shown: the number of goroutines that they start is unknown
	for _, e := range order[len(s.planned):] {
		c, _ := s.callAt(s.net.Arcs(e)[0].Cond())
		skip := c.op == trace.OpBranch || c.choices > 0 && e != s.target || s.stepless[e]
		straight = straight && !skip && s.net.Shown(e) && c.choices == 0
		switch {
		case skip:
		case s.net.Shown(e):
			k, n := len(s.schedule.Steps), len(s.planned)
			next = s.addSteps(in, e, next)
			straight = straight && len(s.schedule.Steps) == k+1 && len(s.planned) == n+1 && !s.offersDraw(e)
			if straight {
				s.laid = append(s.laid, laid{e, s.schedule.Steps[k], next})
			}
		default:
			last = append(last, e)
		}
	}
	for _, e := range last {
		next = s.addSteps(in, e, next)
	}
	if s.inputs.needed != net.None {
		return false
	}
	s.noteBrings(in)
	s.plan = s.planned
	return true
}

// laid is an event with its step in a schedule, and the number of the next goroutine that starts
// after it.
type laid struct {
	event net.Event
	step  trace.Step
	next  trace.GID
}

// relay copies steps of the last schedule, as far as order begins with the same events. It returns
// the number of the next goroutine that starts.
func (s *Strategy) relay(order []net.Event, next trace.GID) trace.GID {
	k := 0
	for ; k < min(len(order), len(s.laid)) && s.laid[k].event == order[k]; k++ {
		s.planned = append(s.planned, order[k])
		s.schedule.Steps = append(s.schedule.Steps, s.laid[k].step)
		next = s.laid[k].next
	}
	s.laid = s.laid[:k]
	return next
}

// offersDraw reports whether after e a goroutine draws, branches on the input, or receives quietly.
func (s *Strategy) offersDraw(e net.Event) bool {
	first, k := s.net.Given(e)
	for y := first; y < first+net.Cond(k); y++ {
		if s.atDraw(y) || s.receiving(y) {
			return true
		}
	}
	return false
}

// alongside adds possible extensions to a configuration, the newest first. Each uses up a
// goroutine, so after some failed attempts hardly any can be added; if the last schedules could add
// none, fewer are tried. Draws are left out: they cannot wait until all other events are done. So
// are CompareAndSwaps with an unknown condition: if they swap, the target may become impossible.
func (s *Strategy) alongside(in *net.Config) {
	if s.target != net.None && s.draws(s.target) {
		return
	}
	most := 8 + 2*len(s.procs)
	misses := max(most/4, most>>min(s.futile, 2))
	s.futile++
	var late []net.Event // must come after all shown events
	if s.target != net.None {
		late = append(late, s.target)
	}
	for i := len(s.known) - 1; i >= 0 && misses > 0 && !s.expired; i-- {
		e := s.known[i]
		if s.net.Shown(e) || in.Has(e) || s.promised[e] > 0 || !s.waits(e) {
			continue
		}
		before := in.Len()
		late = append(late, e)
		if m := in.Mark(); s.draws(e) || s.undecided(e) || !in.Add(e) || !in.Resolve(s.late) ||
			!s.allLast(in, late) ||
			!s.feasibleToo(in, before) {
			in.Undo(m)
			late = late[:len(late)-1]
			misses--
			continue
		}
		s.futile, misses = 0, most
	}
}

// allLast reports whether events can come last. It is checked at the end, since the newest may have
// to come after the others.
func (s *Strategy) allLast(in *net.Config, events []net.Event) bool {
	for _, e := range events {
		if !s.last(in, e) {
			return false
		}
	}
	return true
}

// last reports whether e, a possible extension, can come after all shown events of a configuration.
func (s *Strategy) last(in *net.Config, e net.Event) (ok bool) {
	ok = true
	for _, a := range s.net.Arcs(e) {
		if by := in.Taker(a.Cond()); by != net.None && by != e && s.net.Shown(by) {
			return false
		}
		if a.Use() == net.Watches {
			in.Aside(s.net.Place(a.Cond()), func(x net.Cond) { ok = ok && s.follows(e, s.net.By(x)) })
		}
	}
	return ok
}

// draws reports whether e is a draw.
func (s *Strategy) draws(e net.Event) bool {
	c, _ := s.callAt(s.net.Arcs(e)[0].Cond())
	return c.choices > 0
}

// addSteps adds the steps of e and of the draws that follow it: no goroutine is enabled in between.
// Branches on the input and quiet receives that do not block follow as well; they are no steps.
func (s *Strategy) addSteps(in *net.Config, e net.Event, next trace.GID) trace.GID {
	// the clock jumps by itself
	if !s.isClock(s.net.Place(s.net.Arcs(e)[0].Cond())) && !s.branches(e) && !s.stepless[e] {
		s.addStepOf(e)
	}
	if !s.net.Shown(e) {
		return next
	}
	s.planned = append(s.planned, e)
	next = s.addStarted(e, next)
	first, k := s.net.Given(e)
	for y := first; y < first+net.Cond(k); y++ {
		by := in.Taker(y)
		switch {
		case s.atDraw(y):
			if by == net.None {
				by = s.drawn(y)
			}
			if by == net.None {
				by = s.outcome(y)
			}
		case s.stepless[by]:
		default:
			if by = s.atOnce(in, y); by == net.None {
				continue
			}
			s.stepless[by] = true
		}
		switch {
		case by == net.None:
		case s.net.Shown(by):
			next = s.addSteps(in, by, next)
		case !s.draws(by) && s.inputs.branching == net.None:
			s.inputs.branching = by
		}
	}
	return next
}

// atDraw reports whether the goroutine at y draws, or branches on the input.
func (s *Strategy) atDraw(y net.Cond) bool {
	if !s.isGoroutine(s.net.Place(y)) {
		return false
	}
	c, _ := s.callAt(y)
	return c != nil && (c.choices > 0 || c.op == trace.OpBranch)
}

// drawn returns the outcome that was shown first of the draw at t, None if t is at no draw. The
// draw is made whether the target needs it or not, since it decides the numbers of goroutines that
// start later.
func (s *Strategy) drawn(t net.Cond) net.Event {
	c, _ := s.callAt(t)
	if c == nil {
		return net.None
	}
	for i := range c.choices {
		if e := s.net.Find(i, []net.Arc{net.To(t, net.Takes)}); e != net.None && s.net.Shown(e) {
			return e
		}
	}
	return net.None
}

// addStepOf adds the step of e.
func (s *Strategy) addStepOf(e net.Event) {
	arcs := s.net.Arcs(e)
	t := arcs[0].Cond()
	c, sides := s.callAt(t)
	st := trace.Step{G: s.gids[c.proc], Op: c.op, Choice: -1}
	l := s.net.Label(e)
	switch {
	case c.choices > 0:
		st.Choice = l
	case len(sides) > 0:
		st.Case, st.WithCase = int16(l>>16), int16(l)
		if u := arcs[1].Cond(); arcs[1].Use() == net.Takes && s.isGoroutine(s.net.Place(u)) {
			d, _ := s.callAt(u)
			st.With = int32(s.gids[d.proc]) + 1
		}
	}
	s.schedule.Steps = append(s.schedule.Steps, st)
}

// addStarted numbers the goroutines that e starts, beginning with next.
func (s *Strategy) addStarted(e net.Event, next trace.GID) trace.GID {
	first, k := s.net.Given(e)
	for y := first; y < first+net.Cond(k); y++ {
		if place := s.net.Place(y); s.isGoroutine(place) && s.net.Up(y) == net.None {
			s.gids[s.procOf[place]] = next
			next++
			if s.inputs.needed == net.None {
				s.inputs.needed = s.inputs.branching
			}
		}
	}
	return next
}
