package sched

import (
	"heddle/trace"
)

// fairRun is how many steps in a row a goroutine may make while others are
// ready before the next one has a turn, whatever the policy says: no policy
// starves a goroutine that a polling loop waits for.
const fairRun = 4000

// fairFrom is after how many steps of an execution everybody who is ready has a turn now and then: each fairTurn-th time that the
// goroutine that went last has to wait, it is that of the next one, round and round. Two that talk to each other, such as
// a loop that asks a server for its state, would keep all others from what the loop waits for, where the policy prefers the two.
const (
	fairFrom = 10 * fairRun
	fairTurn = 8
)

// choose returns the goroutine that makes the next step, or the driver when
// the execution is over.
func (s *Sched) choose() *G {
	for {
		if s.over {
			return &s.dg
		}
		if len(s.ready) == 0 {
			if s.advance() {
				continue
			}
			s.over = true
			return &s.dg
		}
		if n := len(s.t.Steps); n >= s.pause {
			s.passTime(n)
			continue
		}
		id, ok := s.next()
		if !ok {
			return &s.dg
		}
		if id == s.timerG.id {
			s.fireEarly()
			continue
		}
		return s.step(id)
	}
}

// next follows the prefix, then the policy.
func (s *Sched) next() (trace.GID, bool) {
	prefix := s.opt.Schedule.Steps
	for s.k < len(prefix) {
		want := s.wanted()
		if want.Op == trace.OpTimerFire && want.G == s.timerG.id && s.mayFireEarly() {
			s.k++
			return want.G, true
		}
		if want.Op == trace.OpChoose && want.G >= 0 && int(want.G) < s.ngs {
			// A choice that was not asked for.
			if s.opt.Schedule.Strict {
				s.diverge(want, true)
				return 0, false
			}
			s.k++
			continue
		}
		if want.G >= 0 && int(want.G) < s.ngs && s.inReady(want.G) && fits(want.Op, s.pend[want.G].Op) && s.inPlace(want) {
			s.wants = want
			s.follow = &s.wants
			s.k++
			return want.G, true
		}
		if s.opt.Schedule.Insert && want.G >= 0 && int(want.G) < s.ngs && s.inReady(want.G) {
			if op := s.pend[want.G].Op; op == trace.OpRead || op == trace.OpWrite {
				return want.G, true
			}
		}
		if g, ok := s.astray(want.G); ok {
			return g, true
		}
		if s.opt.Schedule.Strict {
			s.diverge(want, false)
			return 0, false
		}
		s.k++
	}
	if s.exhaustive() {
		if s.opt.Schedule.Guide != nil {
			return s.guided()
		}
		if s.opt.Schedule.Ways {
			return s.inTurn(), true
		}
	}
	if g, ok := s.turn(); ok {
		return g, true
	}
	if s.mayFireEarly() {
		return s.opt.Policy.Choose(s.prev, s.withTimers(), s.pend), true
	}
	return s.opt.Policy.Choose(s.prev, s.ready, s.pend), true
}

// astray returns who goes on where the prefix is to be rejoined: the goroutine that the step is of or, if that one cannot, who went last.
func (s *Sched) astray(want trace.GID) (trace.GID, bool) {
	if !s.opt.Schedule.Rejoin || s.strayed >= maxStrayed {
		return 0, false
	}
	s.strayed++
	for _, g := range [2]trace.GID{want, s.prev} {
		if g >= 0 && int(g) < s.ngs && s.inReady(g) {
			return g, true
		}
	}
	return 0, false
}

// maxStrayed is how many steps goroutines may make that a schedule with Rejoin does not have.
const maxStrayed = 10_000

// wanted returns the step of the prefix that is next, its goroutine looked up if the schedule names it.
func (s *Sched) wanted() trace.Step {
	st := s.opt.Schedule.Steps[s.k]
	names := s.opt.Schedule.Names
	if names == nil {
		return st
	}
	if s.byName == nil {
		s.byName = make(map[string]trace.GID)
	}
	for ; s.named < s.ngs; s.named++ {
		s.byName[s.t.Name(trace.GID(s.named))] = trace.GID(s.named)
	}
	st.G = trace.NoG
	if id, ok := s.byName[names[s.k]]; ok {
		st.G = id
	}
	return st
}

// StepsOf returns how many steps a goroutine has made in the running execution.
func (s *Sched) StepsOf(id trace.GID) int32 { return s.gs[id].steps }

func fits(want, got trace.Op) bool {
	return want == trace.OpNone || want == got || want == trace.OpGosched && got == trace.OpIdle // of a clip from before the latter
}

// inPlace reports whether the operation that want is about stands where it stood.
func (s *Sched) inPlace(want trace.Step) bool {
	return !s.opt.Schedule.Sites || want.Site.Loud() == s.pend[want.G].Site.Loud()
}

func (s *Sched) diverge(want trace.Step, noChoice bool) {
	d := &Divergence{Step: s.k, Want: want, NoChoice: noChoice}
	if want.G >= 0 && int(want.G) < s.ngs {
		d.Got, d.GotOK, d.Enabled = s.pend[want.G], true, s.inReady(want.G)
	}
	s.diverged = d
	s.stop(trace.Diverged)
}

// fallback is whom the non-preemptive policy would choose.
func (s *Sched) fallback() trace.GID {
	if g, ok := s.turn(); ok {
		return g
	}
	if s.prevReady() {
		return s.prev
	}
	return s.ready[0]
}

// prevReady reports whether the goroutine that went last can go on.
func (s *Sched) prevReady() bool { return s.prev != trace.NoG && s.gs[s.prev].state == gReady }

// turn returns whose turn it is, whatever the policy says; ok is false where nobody has waited for long.
func (s *Sched) turn() (g trace.GID, ok bool) {
	switch {
	case len(s.ready) < 2:
	case s.prevReady():
		return s.afterPrev(), s.run >= fairRun
	case len(s.t.Steps) >= fairFrom && s.stops%fairTurn == 0:
		return s.after(s.served), true
	}
	return 0, false
}

// afterPrev returns the next ready goroutine after prev in round-robin order.
func (s *Sched) afterPrev() trace.GID { return s.after(s.prev) }

// after returns the next ready goroutine after g in round-robin order.
func (s *Sched) after(g trace.GID) trace.GID {
	for _, id := range s.ready {
		if id > g {
			return id
		}
	}
	return s.ready[0]
}

// step records that id goes on.
func (s *Sched) step(id trace.GID) *G {
	g := s.gs[id]
	instead := s.fallback()
	st, p := s.newStep(), &s.pend[id] // see event
	st.G, st.Op, st.Choice, st.Default, st.Site = id, p.Op, -1, instead, p.Site
	st.With, st.Case, st.WithCase = 0, 0, 0
	g.steps++
	if !s.prevReady() {
		if s.stops++; s.stops%fairTurn == 1 {
			s.served = id
		}
	}
	if id == s.prev {
		s.run++
	} else {
		s.run = 0
		s.prev = id
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
	c := -1
	prefix := s.opt.Schedule.Steps
	for s.k < len(prefix) && c < 0 {
		want := s.wanted()
		if want.Op == trace.OpChoose && want.G == g.id && int(want.Choice) < n && want.Choice >= 0 {
			c = int(want.Choice)
		} else if s.opt.Schedule.Strict && !s.exhaustive() {
			s.diverge(want, true)
			c = 0
			break
		} else if want.Op != trace.OpChoose {
			break // the step belongs to a later choice of goroutine
		}
		s.k++
	}
	if c < 0 {
		c = 0
		if s.k >= len(prefix) {
			c = g.fair(s.opt.Policy.Outcome(n), n)
		}
	}
	*s.newStep() = trace.Step{G: g.id, Op: trace.OpChoose, Choice: int32(c), Default: g.id, With: int32(n)}
	return c
}

// fairAfter is how often in a row a goroutine gets the same of several outcomes before it gets another one.
const fairAfter = 64

// fair returns outcome c of n, or the next one where g got c too often in a row: Go takes each ready case of a select now
// and then, so a loop ends that goes on until it has seen two channels closed.
func (g *G) fair(c, n int) int {
	if n == 1 {
		return c
	}
	g.others = true
	if g.outcome != c {
		g.outcome, g.outcomes = c, 0
	}
	if g.outcomes++; g.outcomes > fairAfter {
		g.outcomes = 0
		return (c + 1) % n
	}
	return c
}

// stop ends the execution: nobody but the driver goes on.
func (s *Sched) stop(v trace.Verdict) {
	if !s.over {
		s.verdict = v
	}
	s.over = true
}

// advance is asked when nobody is ready: it lets those who gave way go on, or
// time pass, and reports whether somebody may be ready now. It sets the
// verdict when not.
func (s *Sched) advance() bool {
	for _, g := range s.gs[:s.ngs] {
		if g.state == gIdle {
			if s.sameDue() {
				s.fireTimer(s.timers[0])
				return true
			}
			s.insert(g)
			return true
		}
	}
	if s.idleTurn > 0 {
		// Those who gave way only wait for each other once nothing has changed
		// for a few rounds: then it is time's turn.
		if s.progress != s.idleAt {
			s.idleAt, s.idleRounds = s.progress, 0
		}
		s.idleRounds++
		if s.idleRounds <= 3 && s.idlers() {
			return true
		}
	}
	if s.lookOutside() || s.pollForeign(pollShort) || s.fireNext() {
		return true
	}
	if s.over {
		return false
	}
	if s.idleRounds < maxIdleRounds && s.idlers() || s.wakeSpinners() || !s.mainOver && s.pollForeign(pollLong) {
		return true
	}
	s.quiescent()
	return false
}

// maxIdleRounds is how often goroutines that only give way to each other go on before that is a livelock.
const maxIdleRounds = 1000

// quiescent sets the verdict when nobody can ever go on.
func (s *Sched) quiescent() {
	if s.over {
		return
	}
	s.endCycle()
	if len(s.fails) > 0 {
		s.verdict = trace.Panicked
		return
	}
	if s.cycle == nil && !s.mainOver && (s.outsiders() > 0 || s.collected()) {
		s.sawForeign = true // one of them may be who could let somebody go on
	}
	for _, g := range s.gs[:s.ngs] {
		if g.state == gSpinning || g.state == gYielded || g.state == gAwaits {
			if s.verdict = trace.Livelocked; g.others { // another case of its select may have ended its loop
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

// Fairness of yields. A goroutine that gave way is ready again when somebody
// else has made a step.

func (s *Sched) unyield(by trace.GID) {
	if s.idleTurn == 0 {
		return
	}
	n := 0
	for _, g := range s.gs[:s.ngs] {
		if g.state == gYielded {
			if g.id != by {
				s.insert(g)
			} else {
				n++
			}
		}
	}
	s.idleTurn = n
}

// yield lets everybody else go first.
func (s *Sched) yield(g *G) {
	if len(s.ready) > 1 || len(s.ready) == 1 && g.state != gReady {
		s.unready(g, gYielded)
		s.idleTurn++
	}
}

// idlers lets those who yielded go on when nobody else can.
func (s *Sched) idlers() bool {
	if s.idleTurn == 0 {
		return false
	}
	s.idleTurn = 0
	for _, g := range s.gs[:s.ngs] {
		if g.state == gYielded {
			s.insert(g)
		}
	}
	return len(s.ready) > 0
}
