package branch

import (
	"slices"
	"strconv"

	"heddle/explore/why"
	"heddle/order"
	"heddle/trace"
)

// Which case a select takes is a branch that no read decides. So of every execution with MANNERS of
// its own every select is let take each of its other cases: with everybody who offers the other
// side, after every close and, of a channel with a buffer, after every operation that may make room
// or bring a value. What the solver finds possible is executed.
//
// A round of a loop waits until a choice of the round before has given new MANNERS.

// An announced is a channel operation with all it offered to do.
type announced struct {
	// of an operation that had not come about when the execution was over: beyond all events, see
	// order.Goal
	event  int32
	op     trace.Pending
	offers []trace.Offer
	taken  int16 // the Case that it took; 0 outside a select, and for its default
}

// A choice is a select that takes another case.
type choice struct {
	from    *source
	sel     *announced
	offer   *trace.Offer // the case
	partner *announced   // who offers the other side, nil: nobody has to
	other   *trace.Offer // and how
	after   int32        // an event that makes it possible, -1
	of      string       // goroutine, statement, case, and the partner's
	round   int

	asked    bool            // the solver was
	schedule *trace.Schedule // and says so; nil: it is not possible
	foreseen bool
}

// mostChoices bounds those that are kept.
const mostChoices = 20_000

type choices struct {
	left    []*choice
	due     map[string]int  // by choice.of: the rounds that need not wait any more
	had     map[string]bool // MANNERS over all memory
	made    int             // that were executed
	current *choice         // that was executed last
}

// announcements returns the channel operations of an execution, in order.
func (x *Execution) announcements() (all []announced) {
	byG := make([][]int32, len(x.byG))
	for i := range x.Trace.Events {
		if e := &x.Trace.Events[i]; e.Op == trace.OpSend || e.Op == trace.OpRecv ||
			e.Op == trace.OpSelect && e.Arg == -1 {
			byG[e.G] = append(byG[e.G], int32(i))
		}
	}
	for i := 0; i < len(x.Trace.Offers); {
		o, n := &x.Trace.Offers[i], i+1
		for n < len(x.Trace.Offers) && x.Trace.Offers[n].G == o.G && x.Trace.Offers[n].Step == o.Step {
			n++
		}
		offers := x.Trace.Offers[i:n]
		i = n
		if o.Case < 0 {
			continue // it is none
		}
		if k := slices.IndexFunc(byG[o.G], func(e int32) bool { return x.Trace.Events[e].Step > o.Step }); k >= 0 {
			i := byG[o.G][k]
			e := &x.Trace.Events[i]
			all = append(all, announced{i, trace.Pending{Op: e.Op, Obj: e.Obj, Site: e.Site}, offers,
				x.takenIn(i)})
		} else if k := slices.IndexFunc(x.Trace.Left, func(l trace.Left) bool {
			return l.G == o.G &&
				l.Step == o.Step
		}); k >= 0 {
			all = append(all, announced{int32(len(x.Trace.Events) + k), x.Trace.Left[k].Pending, offers, 0})
		}
	}
	return all
}

// takenIn returns the case that a channel operation took, as announced.taken has it.
func (x *Execution) takenIn(event int32) int16 {
	e := &x.Trace.Events[event]
	switch st := &x.Trace.Steps[e.Step]; {
	case e.Op == trace.OpSelect:
		return 0
	case st.G == e.G:
		return st.Case
	default: // the other side made the step
		return st.WithCase
	}
}

// selects adds the choices of an execution, if its MANNERS are new: those over all memory, since
// which is shared another choice may change. fresh: they are new over what is shared; then the next
// round of the choice that was executed need not wait.
func (s *Strategy) selects(f *source, fresh bool) {
	if c := s.current; c != nil && fresh {
		s.due[c.of] = max(s.due[c.of], c.round)
	}
	s.current = nil
	names := newNames(f.x.Trace)
	names.kinds = true
	m := MannersText(names.manners(func(o trace.ObjID) bool {
		ob := &f.x.Trace.Objects[o]
		return f.x.Shared(o) || ob.G != trace.NoG && (ob.Kind == trace.ObjMemory ||
			ob.Kind == trace.ObjAtomic)
	}))
	if s.had[m] {
		return
	}
	s.had[m] = true
	all := f.x.announcements()
	rounds := map[string]int{}
	for i := range all {
		a := &all[i]
		if len(a.offers) < 2 && !a.offers[0].Poll || a.offers[0].Case == 0 {
			continue
		}
		place := f.x.Trace.Name(a.offers[0].G) + " " + siteName(a.op.Site)
		rounds[place]++
		for k := range a.offers {
			if o := &a.offers[k]; o.Case != a.taken && o.Obj > 0 {
				s.ways(f, all, choice{from: f, sel: a, offer: o, after: -1,
					of: place + " " + strconv.Itoa(int(o.Case)), round: rounds[place]})
			}
		}
	}
}

// ways adds the ways in which a select may take a case.
func (s *Strategy) ways(f *source, all []announced, c choice) {
	add := func(c choice) {
		if len(s.left) == mostChoices {
			s.bad = why.With(why.Limit, "selects have too many choices")
			return
		}
		s.left = append(s.left, &c)
	}
	g, buffered := c.offer.G, f.x.Trace.Objects[c.offer.Obj].Cap > 0
	if buffered {
		add(c) // it may be possible as it is
	}
	for i := range f.x.Trace.Events {
		if e := &f.x.Trace.Events[i]; e.Obj == c.offer.Obj && e.G != g &&
			opens(e.Op, c.offer.Send, buffered) {
			d := c
			d.after, d.of = int32(i), c.of+" after "+f.x.Trace.Name(e.G)+":"+f.objects.op(i)
			add(d)
		}
	}
	if buffered {
		return
	}
	for i := range all {
		p := &all[i]
		for k := range p.offers {
			o := &p.offers[k]
			if o.G != g && o.Obj == c.offer.Obj && o.Send != c.offer.Send && !(o.Poll && c.offer.Poll) {
				d := c
				d.partner, d.other, d.of = p, o, c.of+" with "+f.x.Trace.Name(o.G)+" "+siteName(p.op.Site)+" "+strconv.Itoa(int(o.Case))
				add(d)
			}
		}
	}
}

// opens reports whether an operation on a channel may make a send, or a receive, possible that
// meets nobody.
func opens(op trace.Op, send, buffered bool) bool {
	switch op {
	case trace.OpClose:
		return !send
	case trace.OpSend:
		return !send && buffered
	case trace.OpRecv:
		return send && buffered
	}
	return false
}

// choose returns the next schedule in which a select takes another case, nil if there is none.
func (s *Strategy) choose() *trace.Schedule {
	for i := 0; i < len(s.left) && s.opt.Context.Err() == nil; {
		c := s.left[i]
		if s.waits(c) {
			i++
			continue
		}
		s.left = slices.Delete(s.left, i, i+1)
		if q := s.chosen(c); q != nil {
			s.current = c
			s.made++
			return q
		}
	}
	return nil
}

// waits reports whether a choice waits for that of the round before.
func (s *Strategy) waits(c *choice) bool { return c.round > s.due[c.of]+1 }

// chosen returns the schedule of a choice, nil if it is not possible.
func (s *Strategy) chosen(c *choice) *trace.Schedule {
	if !c.asked {
		c.asked, c.schedule = true, s.solve(c)
	}
	return c.schedule
}

func (s *Strategy) solve(c *choice) *trace.Schedule {
	f := c.from
	goal := order.Goal{At: []int{int(c.sel.event)}}
	if c.partner != nil {
		goal.At = append(goal.At, int(c.partner.event))
	}
	if c.after >= 0 {
		goal.Keep = []int{int(c.after)}
	}
	a := f.seeker.p.Solve(s.opt.Context, goal)
	switch {
	case a.Verdict == order.Unknown:
		s.bad = why.With(why.Limit, "the solver could not tell for some choices of selects")
		return nil
	case a.Verdict != order.Found || !f.x.possible(c, a.Order):
		return nil
	}
	return f.take(c, a.Order)
}

// possible reports whether a case of a channel with a buffer, or one that is to be closed, can be
// taken after these events.
func (x *Execution) possible(c *choice, done []int) bool {
	if c.partner != nil {
		return true
	}
	n, closed := int32(0), false
	for _, i := range done {
		e := &x.Trace.Events[i]
		if e.Obj != c.offer.Obj {
			continue
		}
		switch {
		case e.Op == trace.OpSend:
			n++
		case e.Op == trace.OpRecv && e.Arg > 0:
			n--
		case e.Op == trace.OpClose:
			closed = true
		}
	}
	if c.offer.Send {
		return !closed && n < x.Trace.Objects[c.offer.Obj].Cap
	}
	return closed || n > 0
}

// take returns the schedule in which these events are done, and then a select takes a case.
func (f *source) take(c *choice, done []int) *trace.Schedule {
	ends := []int{int(c.sel.event)}
	if c.partner != nil {
		ends = append(ends, int(c.partner.event))
	}
	q, ids := f.seeker.p.Schedule(done, nil)
	n := len(q.Steps)
	for _, e := range ends {
		q.Steps = append(q.Steps, f.arrival(done, n, e)...)
	}
	last := trace.Step{G: ids[c.offer.G], Op: trace.OpSelect, Choice: -1, Case: c.offer.Case,
		Site: c.sel.op.Site}
	if p := c.other; p != nil {
		with := trace.Step{G: ids[p.G], Op: trace.OpSend, Choice: -1, Case: p.Case, Site: c.partner.op.Site}
		if !p.Send {
			with.Op = trace.OpRecv
		}
		if p.Case > 0 {
			with.Op = trace.OpSelect
		}
		if p.Poll || p.Send && !c.offer.Poll { // who polls makes the step, else who sends
			last, with = with, last
		}
		last.With, last.WithCase = int32(with.G)+1, with.Case
	}
	q.Steps = append(q.Steps, last)
	q.Strict, q.Sites = false, false
	return q
}

// arrival returns the steps in which a goroutine comes to an event of its own, after others that
// take n steps.
func (f *source) arrival(events []int, n int, e int) []trace.Step {
	q, _ := f.seeker.p.Schedule(append(slices.Clone(events), e), nil)
	steps := q.Steps[min(n, len(q.Steps)):]
	if e >= len(f.x.Trace.Events) {
		return steps
	}
	for k := len(steps) - 1; k >= 0; k-- {
		if at := &f.x.Trace.Steps[f.x.Trace.Events[e].Step]; steps[k].Op == at.Op &&
			steps[k].Site == at.Site {
			return steps[:k] // without the event, and what is drawn in it
		}
	}
	return steps
}
