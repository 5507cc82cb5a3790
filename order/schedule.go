package order

import "heddle/trace"

// Schedule returns the schedule that executes events in the given order, that of an Answer, which
// may be followed by events that are next in their goroutines. It is strict: every operation has
// its place in the source, and over unbuffered channels the events side by side meet. Goroutines
// have the numbers of the new order. Steps for which skip, if not nil, returns true are left out:
// accesses that will be no scheduling points. The policy continues after the last event. numbers
// has the new numbers of the trace's goroutines.
func (p *Problem) Schedule(order []int, skip func(step int) bool) (schedule *trace.Schedule,
	numbers []trace.GID) {
	s := &scheduling{p: p, t: p.m.t, skip: skip}
	s.prepare()
	for k, e := range order {
		s.event(e, order[k+1:])
	}
	return &trace.Schedule{Steps: s.steps, Exhaustive: true, Strict: true, Sites: true}, s.ids
}

// A scheduling turns events into steps.
type scheduling struct {
	p    *Problem
	t    *trace.Trace
	skip func(int) bool

	own   [][]int32   // by goroutine: the steps that it takes part in
	pos   []int       // by goroutine: how many of them were scheduled
	ids   []trace.GID // by goroutine: its number in the new order
	next  trace.GID
	done  []bool // by step
	steps []trace.Step

	resume map[trace.GID]trace.Step // steps to make before the next operation of a goroutine
}

func (s *scheduling) prepare() {
	n := len(s.p.m.byG)
	s.own, s.pos, s.ids = make([][]int32, n), make([]int, n), make([]trace.GID, n)
	s.done = make([]bool, len(s.t.Steps))
	s.resume = make(map[trace.GID]trace.Step)
	for i := range s.t.Steps {
		st := &s.t.Steps[i]
		if st.Op == trace.OpChoose {
			continue // part of the step before
		}
		s.own[st.G] = append(s.own[st.G], int32(i))
		if st.With > 0 {
			s.own[st.With-1] = append(s.own[st.With-1], int32(i))
		}
	}
	born := make([]bool, n)
	for i := range s.t.Events {
		if e := &s.t.Events[i]; e.Op == trace.OpGo && e.Arg >= 0 && int(e.Arg) < n {
			born[e.Arg] = true
		}
	}
	for g := range s.ids {
		if !born[g] {
			s.ids[g] = s.next
			s.next++
		}
	}
}

// event schedules the step of event e, unless it was done, after the steps of its goroutine without
// events. rest is what follows e in the order.
func (s *scheduling) event(e int, rest []int) {
	ev := &s.p.m.events[e]
	own := s.own[ev.G]
	s.resumed(ev.G)
	for s.pos[ev.G] < len(own) && own[s.pos[ev.G]] <= ev.Step {
		i := own[s.pos[ev.G]]
		s.pos[ev.G]++
		if i == ev.Step {
			if r := s.partner(e, rest); r >= 0 {
				s.meeting(e, r)
				continue
			}
		}
		s.step(int(i))
	}
	if ev.Op == trace.OpGo && e < s.p.m.done && ev.Arg >= 0 && int(ev.Arg) < len(s.ids) {
		s.ids[ev.Arg] = s.next
		s.next++
	}
}

// partner returns the receive that e meets, if e is a send over an unbuffered channel: the first
// event of another goroutine after it. -1 for other events.
func (s *scheduling) partner(e int, rest []int) int {
	ev := &s.p.m.events[e]
	if _, ok := s.p.objUnit[ev.Obj].(*meetingPoint); !ok || ev.Op != trace.OpSend || ev.Arg < 0 {
		return -1
	}
	for _, r := range rest {
		if x := &s.p.m.events[r]; x.G != ev.G {
			if x.Op == trace.OpRecv && x.Obj == ev.Obj {
				return r
			}
			return -1
		}
	}
	return -1
}

// step schedules a step as it was, with the draws after it.
func (s *scheduling) step(i int) {
	if s.done[i] || s.skip != nil && s.skip(i) {
		return
	}
	s.done[i] = true
	st := s.t.Steps[i]
	st.G, st.Choice = s.ids[st.G], -1
	if st.With > 0 {
		st.With = int32(s.ids[st.With-1]) + 1
	}
	s.steps = append(s.steps, st)
	s.draws(i)
}

// draws schedules the draws of step i.
func (s *scheduling) draws(i int) {
	g := s.t.Steps[i].G
	for i++; i < len(s.t.Steps) && s.t.Steps[i].Op == trace.OpChoose && s.t.Steps[i].G == g; i++ {
		st := s.t.Steps[i]
		st.G = s.ids[g]
		s.steps = append(s.steps, st)
	}
}

// A Side is one goroutine's part in a communication.
type Side struct {
	G    trace.GID
	Op   trace.Op // what it announced
	Site trace.Site
	Case int16 // index + 1 of the case of its select, 0 outside one
	Send bool
	Made bool // the step was its own, not its partner's
}

// Side returns the part of e's goroutine, for a send or receive e, in its step.
func (p *Problem) Side(e int) Side {
	ev := &p.m.events[e]
	st := &p.m.t.Steps[ev.Step]
	x := Side{ev.G, ev.Op, ev.Site, st.WithCase, ev.Op == trace.OpSend, false}
	if st.G == ev.G {
		closed := st.Op == trace.OpRecv && st.With == 0 // it makes the step although it does not poll
		x.Op, x.Site, x.Case, x.Made = st.Op, st.Site, st.Case, !closed
	} else if x.Case != 0 {
		x.Op = trace.OpSelect
	}
	return x
}

// meeting schedules the communication of send e with receive r, which need not have met in the
// trace.
func (s *scheduling) meeting(e, r int) {
	i, j := int(s.p.m.events[e].Step), int(s.p.m.events[r].Step)
	if i == j || i >= len(s.t.Steps) || j >= len(s.t.Steps) {
		s.before(r)
		if i < len(s.t.Steps) {
			s.step(i)
		}
		return
	}
	s.before(r)
	s.done[j] = true // it has another form now
	s.done[i] = true
	a, b := s.p.Side(e), s.p.Side(r)
	send := a
	if b.Made { // the receiver polls, and makes the step
		a, b = b, a
	}
	s.steps = append(s.steps, trace.Step{
		G: s.ids[a.G], Op: a.Op, Choice: -1, Site: a.Site, With: int32(s.ids[b.G]) + 1, Case: a.Case,
		WithCase: b.Case,
	})
	// The goroutine that did not make the step continues in a step of its own. For a sender that
	// may differ from the trace.
	switch made := a == send; {
	case made && !send.Made:
		s.dropResume(send.G)
	case !made && send.Made:
		s.resume[send.G] = trace.Step{G: send.G, Op: trace.OpResume, Choice: -1, Site: send.Site}
	}
}

// resumed schedules the step in which g continues after another goroutine's step, if there is one.
func (s *scheduling) resumed(g trace.GID) {
	if st, due := s.resume[g]; due {
		delete(s.resume, g)
		st.G = s.ids[g]
		s.steps = append(s.steps, st)
	}
}

// dropResume omits the step in which g continued after another goroutine's step.
func (s *scheduling) dropResume(g trace.GID) {
	if own := s.own[g]; s.pos[g] < len(own) && s.t.Steps[own[s.pos[g]]].Op == trace.OpResume {
		s.pos[g]++
	}
}

// before schedules what the goroutine of r does before r without events.
func (s *scheduling) before(r int) {
	ev := &s.p.m.events[r]
	own := s.own[ev.G]
	s.resumed(ev.G)
	for s.pos[ev.G] < len(own) && own[s.pos[ev.G]] < ev.Step {
		s.step(int(own[s.pos[ev.G]]))
		s.pos[ev.G]++
	}
	if s.pos[ev.G] < len(own) && own[s.pos[ev.G]] == ev.Step {
		s.pos[ev.G]++
	}
}
