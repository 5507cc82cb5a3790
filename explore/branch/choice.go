package branch

import (
	"fmt"
	"slices"
	"sort"
	"strconv"

	"heddle/explore/why"
	"heddle/order"
	"heddle/trace"
)

// The case that a select takes is a branch that no read decides. So for every execution with new
// MANNERS, every select is made to take each of its other cases: with each partner at the other
// side, after every close and, for a channel with a buffer, after every operation that may make
// room or bring a value. What the solver finds possible is executed.
//
// A round of a loop waits until a choice of the round before has given new MANNERS.

// An announced is a channel operation with the offers of its cases.
type announced struct {
	// its event; for a leftover an index beyond all events, see order.Goal
	event  int32
	op     trace.Pending
	offers []trace.Offer
	taken  int16 // the Case that it took; 0 outside a select and for its default
}

// A choice is a select that is to take another case.
type choice struct {
	from    *source
	sel     *announced
	offer   *trace.Offer // the case
	partner *announced   // the operation at the other side; nil: none is needed
	other   *trace.Offer // the partner's case
	after   int32        // an event that enables the case, or -1
	of      string       // name: goroutine, statement, case, and the partner's
	round   int

	asked    bool            // the solver was asked
	schedule *trace.Schedule // nil: the choice is impossible
	foreseen bool
}

// mostChoices bounds the choices that are kept.
const mostChoices = 20_000

type choices struct {
	left    []*choice
	due     map[string]int  // by choice.of: the last round that does not wait
	had     map[string]bool // MANNERS over all memory
	made    int             // number of choices executed
	current *choice         // the choice that was executed last
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
			continue // no channel operation
		}
		own := byG[o.G]
		later := func(k int) bool { return x.Trace.Events[own[k]].Step > o.Step }
		if k := sort.Search(len(own), later); k < len(own) {
			i := own[k]
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

// takenIn returns the case that a channel operation took, as announced.taken.
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

// selects adds the choices of an execution if its MANNERS over all memory are new: another choice
// may change which memory is shared. fresh: the MANNERS over shared memory are new as well. Then
// the next round of the executed choice need not wait.
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
	f.eachSelect(all, func(a *announced, place string, round int) {
		for k := range a.offers {
			if o := &a.offers[k]; o.Case != a.taken && o.Obj > 0 {
				s.ways(f, all, choice{from: f, sel: a, offer: o, after: -1,
					of: place + " " + strconv.Itoa(int(o.Case)), round: round})
			}
		}
	})
}

// eachSelect calls do for every select that can take several cases, with the name of its goroutine
// and statement, and its round.
func (f *source) eachSelect(all []announced, do func(a *announced, place string, round int)) {
	rounds := map[string]int{}
	for i := range all {
		a := &all[i]
		if len(a.offers) < 2 && !a.offers[0].Poll || a.offers[0].Case == 0 {
			continue
		}
		place := f.x.Trace.Name(a.offers[0].G) + " " + siteName(a.op.Site)
		rounds[place]++
		do(a, place, rounds[place])
	}
}

// A taken is a select that took a case: its op, and the case as a sight.
type taken struct {
	op int32
	sight
}

// cases returns the cases that selects took.
func (f *source) cases() (list []taken) {
	f.eachSelect(f.x.announcements(), func(a *announced, place string, round int) {
		if int(a.event) >= len(f.x.op) || f.x.op[a.event] < 0 {
			return // it is blocked
		}
		list = append(list, taken{f.x.op[a.event],
			sight{hashOf([]byte("select "+place), uint64(round)), uint64(a.taken)}})
	})
	return list
}

// ways adds the ways in which a select may take case c.
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
		add(c) // without another event
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
				d.partner, d.other = p, o
				d.of = fmt.Sprintf("%s with %s %s %d", c.of, f.x.Trace.Name(o.G), siteName(p.op.Site), o.Case)
				add(d)
			}
		}
	}
}

// opens reports whether an operation on a channel may enable a send, or a receive, that needs no
// partner.
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

// waits reports whether a choice waits for the choice of the round before.
func (s *Strategy) waits(c *choice) bool { return c.round > s.due[c.of]+1 }

// chosen returns the schedule of a choice, nil if it is impossible.
func (s *Strategy) chosen(c *choice) *trace.Schedule {
	if !c.asked {
		c.asked, c.schedule = true, s.solve(c)
	}
	return c.schedule
}

func (s *Strategy) solve(c *choice) *trace.Schedule {
	f := c.from
	goal := order.Goal{At: []int{int(c.sel.event)}}
	if c.after >= 0 {
		goal.Keep = []int{int(c.after)}
	}
	goals := []order.Goal{goal}
	if c.partner != nil {
		goals = c.meetings(goal)
	}
	for _, goal := range goals {
		a := f.seeker.p.Solve(s.opt.Context, goal)
		switch {
		case a.Verdict == order.Unknown:
			s.bad = why.With(why.Limit, "the solver did not decide some choices of selects")
		case a.Verdict == order.Found && f.x.possible(c, a.Order):
			return f.take(c, a.Order)
		}
	}
	return nil
}

// meetings returns the goals that a select meets its partner. One of them has to wait: of a select
// no case can be done alone. A poll does not wait.
func (c *choice) meetings(goal order.Goal) (goals []order.Goal) {
	goal.Over = c.offer.Obj
	goal.At = append(goal.At, int(c.partner.event))
	if !c.offer.Send {
		slices.Reverse(goal.At)
	}
	for _, waits := range []*announced{c.partner, c.sel} {
		switch {
		case waits.offers[0].Poll:
		case len(waits.offers) == 1: // it always can have waited
			return []order.Goal{goal}
		default:
			one := goal
			one.Wait = []int{int(waits.event)}
			goals = append(goals, one)
		}
	}
	return goals
}

// possible reports whether a case can be taken after these events: its channel has a buffer, or is
// to be closed.
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

// take returns the schedule of the events done, followed by a select that takes a case.
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
		if p.Poll || p.Send && !c.offer.Poll { // the poll makes the step, or else the sender
			last, with = with, last
		}
		last.With, last.WithCase = int32(with.G)+1, with.Case
	}
	q.Steps = append(q.Steps, last)
	q.Strict, q.Sites, q.Seed = false, false, f.seed
	return q
}

// arrival returns the steps in which a goroutine arrives at its event e, after n steps of others.
func (f *source) arrival(events []int, n int, e int) []trace.Step {
	q, _ := f.seeker.p.Schedule(append(slices.Clone(events), e), nil)
	steps := q.Steps[min(n, len(q.Steps)):]
	if e >= len(f.x.Trace.Events) {
		return steps
	}
	for k := len(steps) - 1; k >= 0; k-- {
		if at := &f.x.Trace.Steps[f.x.Trace.Events[e].Step]; steps[k].Op == at.Op &&
			steps[k].Site == at.Site {
			return steps[:k] // without the event and its draws
		}
	}
	return steps
}
