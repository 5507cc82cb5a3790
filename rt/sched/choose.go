package sched

import (
	"heddle/trace"
)

// choose returns the goroutine that makes the next step, or the driver when
// the execution is over.
func (s *Sched) choose() *G {
	for {
		if s.over {
			return &s.dg
		}
		if s.ready.Len() == 0 {
			if s.advance() {
				continue
			}
			s.over = true
			return &s.dg
		}
		n := len(s.t.Steps)
		if n >= s.vtime.pause {
			s.passTime(n)
			continue
		}
		last := s.prevReady()
		turn, due := trace.NoG, false
		if s.turns.mayBeDue(n) {
			turn, due = s.turns.due(&s.ready, last, n)
		}
		var id trace.GID
		if s.replay.left && !due {
			id = s.opt.Policy.Choose(s.turns.prev, &s.ready, s.pend)
		} else {
			var ok bool
			if id, ok = s.next(turn, due); !ok {
				return &s.dg
			}
			if id == s.timerG.id {
				s.fireEarly()
				continue
			}
		}
		if !due {
			turn = s.unless(last)
		}
		return s.step(id, last, turn)
	}
}

// next follows the prefix, then the policy. due: it is turn's turn.
func (s *Sched) next(turn trace.GID, due bool) (trace.GID, bool) {
	of := s.opt.Schedule
	s.replay.follow = nil // that of the last step may not have been asked for
	for !s.replay.over() {
		want := s.replay.wanted(&s.t.Trace)
		exists := want.G >= 0 && int(want.G) < len(s.gs)
		ready := exists && s.ready.Has(want.G)
		switch {
		case want.Op == trace.OpTimerFire && want.G == s.timerG.id && s.mayFireEarly():
			s.replay.k++
			return want.G, true
		case want.Op == trace.OpChoose && exists:
			// A choice that was not asked for.
			if of.Strict {
				s.diverge(want, true)
				return 0, false
			}
			s.replay.k++
			continue
		case ready && fits(want.Op, s.pend[want.G].Op) && s.inPlace(want):
			s.replay.take(want)
			s.replay.k++
			return want.G, true
		case ready && of.Insert && (s.pend[want.G].Op == trace.OpRead || s.pend[want.G].Op == trace.OpWrite):
			return want.G, true
		}
		if g, ok := s.astray(want.G); ok {
			return g, true
		}
		if of.Strict {
			s.diverge(want, false)
			return 0, false
		}
		s.replay.k++
	}
	if of.Exhaustive {
		if of.Guide != nil {
			return s.guided()
		}
		if of.Ways {
			return s.inTurn(), true
		}
	}
	if due {
		s.ready.Passed(s.turns.prev)
		return turn, true
	}
	if s.mayFireEarly() {
		g := s.opt.Policy.Choose(s.turns.prev, s.withTimers(), s.pend)
		s.ready.Timers(trace.NoG)
		return g, true
	}
	s.replay.left = !of.Free && !s.opt.Twins
	return s.eldersFirst(s.opt.Policy.Choose(s.turns.prev, &s.ready, s.pend)), true
}

// astray returns the goroutine that goes on where the prefix is to be rejoined: the goroutine that
// the step is of or, if that one cannot, the one that went last.
func (s *Sched) astray(want trace.GID) (trace.GID, bool) {
	if !s.replay.stray() {
		return 0, false
	}
	for _, g := range [2]trace.GID{want, s.turns.prev} {
		if g >= 0 && int(g) < len(s.gs) && s.ready.Has(g) {
			return g, true
		}
	}
	return 0, false
}

// inPlace reports whether the operation that want is about stands where it stood.
func (s *Sched) inPlace(want trace.Step) bool {
	return !s.opt.Schedule.Sites || want.Site.Loud() == s.pend[want.G].Site.Loud()
}

// diverge ends the execution: want, which is next, does not fit. noChoice: it, or what is asked for
// in its place, is a choice.
func (s *Sched) diverge(want trace.Step, noChoice bool) {
	d := &Divergence{Step: s.replay.k, Want: want, NoChoice: noChoice}
	if want.G >= 0 && int(want.G) < len(s.gs) {
		d.Got, d.GotOK, d.Enabled = s.pend[want.G], true, s.ready.Has(want.G)
	}
	s.diverged = d
	s.stop(trace.Diverged)
}

// Fallback returns the goroutine that the non-preemptive policy would choose now.
func (s *Sched) Fallback() trace.GID {
	last := s.prevReady()
	if g, due := s.turns.due(&s.ready, last, len(s.t.Steps)); due {
		return g
	}
	return s.unless(last)
}

// unless is Fallback unless it is a goroutine's turn; last: the one that went last can go on.
func (s *Sched) unless(last bool) trace.GID {
	if last {
		return s.turns.prev
	}
	return s.ready.First()
}

// prevReady reports whether the goroutine that went last can go on.
func (s *Sched) prevReady() bool {
	return s.turns.prev != trace.NoG && s.ready.Has(s.turns.prev)
}

// step records that id goes on. last: the goroutine that made the step before could go on too;
// instead: what Fallback returns.
func (s *Sched) step(id trace.GID, last bool, instead trace.GID) *G {
	g := s.gs[id]
	st, p := s.newStep(), &s.pend[id] // see event
	st.G, st.Op, st.Choice, st.Default, st.Site = id, p.Op, -1, instead, p.Site
	st.With, st.Case, st.WithCase = 0, 0, 0
	g.steps++
	if s.opt.Record {
		s.called(g)
	}
	if id == s.turns.prev {
		s.turns.run++
		return g
	}
	if prev := s.turns.prev; prev != trace.NoG && s.exhaustive() {
		s.gs[prev].work.instead(&g.work)
	}
	if s.turns.switched(id, last); s.idle.yielded > 0 {
		s.unyield(id)
	}
	return g
}

// choice asks which of n outcomes happens; it is a step of its own when n > 1.
func (s *Sched) choice(n int) int {
	if n <= 1 {
		return 0
	}
	g := s.cur
	g.chose()
	s.twinDraws()
	c := -1
	for !s.replay.over() && c < 0 {
		want := s.replay.wanted(&s.t.Trace)
		if want.Op == trace.OpChoose && want.G == g.id && int(want.Choice) < n && want.Choice >= 0 {
			c = int(want.Choice)
		} else if s.opt.Schedule.Strict && !s.exhaustive() {
			s.diverge(want, true)
			c = 0
			break
		} else if want.Op != trace.OpChoose {
			break // the step belongs to a later choice of goroutine
		}
		s.replay.k++
	}
	if c < 0 {
		c = 0
		if s.replay.over() {
			c = g.fair(s.opt.Policy.Outcome(n), n)
		}
	}
	*s.newStep() = trace.Step{G: g.id, Op: trace.OpChoose, Choice: int32(c), Default: g.id, With: int32(n)}
	return c
}

// fairAfter is how often in a row a goroutine gets the same of several outcomes before it gets
// another one.
const fairAfter = 64

// fair returns outcome c of n, or the next one where g got c too often in a row: Go takes each
// ready case of a select now and then, so a loop ends that goes on until it has seen two channels
// closed.
func (g *G) fair(c, n int) int {
	if n == 1 {
		return c
	}
	g.chose()
	if g.outcome != c {
		g.outcome, g.outcomes = c, 0
	}
	if g.outcomes++; g.outcomes > fairAfter {
		g.outcomes = 0
		return (c + 1) % n
	}
	return c
}

// stop ends the execution: only the driver goes on.
func (s *Sched) stop(v trace.Verdict) {
	if !s.over {
		s.verdict = v
	}
	s.over = true
}

// advance is asked when no goroutine is ready: it lets those that gave way go on, or time pass, and
// reports whether one may be ready now. It sets the verdict when not.
func (s *Sched) advance() bool {
	if s.rest(); s.over || s.ready.Len() > 0 {
		return !s.over
	}
	for _, g := range s.gs {
		if g.state() == gIdle {
			if s.sameDue() {
				if s.freely() {
					return s.fireNext()
				}
				s.fireTimer(s.timers.heap[0])
				return true
			}
			s.insert(g)
			return true
		}
	}
	if s.idle.again() && s.idlers() {
		return true
	}
	if s.lookOutside() || s.pollForeign(pollShort) || s.fireNext() {
		return true
	}
	if s.over {
		return false
	}
	if s.idle.rounds < maxIdleRounds && s.idlers() || s.wakeSpinners() ||
		!s.mainOver && s.pollForeign(pollLong) {
		return true
	}
	s.quiescent()
	return false
}

// quiescent sets the verdict when no goroutine can ever go on.
func (s *Sched) quiescent() {
	if s.over {
		return
	}
	s.endCycle()
	if len(s.fails) > 0 {
		s.verdict = trace.Panicked
		return
	}
	if s.wouldRetry() {
		s.verdict = trace.Aborted
		return
	}
	if s.locks.cycle == nil && !s.mainOver && (s.outsiders() > 0 || s.outside.collected()) {
		s.outside.took = true // one of them may be what could let a goroutine go on
	}
	for _, g := range s.gs {
		if g.state() == gSpinning || g.state() == gYielded || g.state() == gAwaits {
			if s.verdict = trace.Livelocked; g.mayEnd() {
				s.verdict = trace.Bounded
			}
			return
		}
	}
	if !s.mainOver {
		s.verdict = trace.Deadlocked
		return
	}
	s.verdict = trace.Finished
}
