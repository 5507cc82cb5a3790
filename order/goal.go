package order

import (
	"fmt"
	"slices"

	"heddle/model"
	"heddle/trace"
)

// A Goal is what an order must show. Events are indices in Trace.Events, continued by those of
// Trace.Left.
type Goal struct {
	At     []int    // not done, and next in their goroutines
	Before [][2]int // both done, the first before the second
	Keep   []int    // done
	Undone []int    // not done
	// a read of something shared, done or in At, and the write that it reads from; -1: the initial
	// value
	Sees [][2]int
	// Part, not 0: Sees is about the bytes from the address of this object on, up to where another
	// access begins or ends. In its other bytes the read sees what it saw in the trace.
	Part trace.ObjID
	// the events of At are disabled, now and later, unless one of their goroutines changed that
	Blocked bool
	Below   bool // the event of At, an Add to a WaitGroup, would make its count negative
	Ready   bool // the events of At are enabled, as far as locks, Onces, counts and channels go

	// the events of At, the sender first, communicate over this channel next, whichever case they
	// took: none that arrived earlier waits there
	Over trace.ObjID
	Wait []int // events of At, of which no case can be done without a partner
}

// Race asks whether two accesses can be next at the same time.
func Race(a, b int) Goal { return Goal{At: []int{a, b}} }

// Deadlock asks whether goroutines can wait for each other for ever, each before one of the events.
func Deadlock(events ...int) Goal { return Goal{At: events, Blocked: true} }

// Pattern asks whether events can be done in this order.
func Pattern(events ...int) Goal {
	g := Goal{Keep: events[:1]}
	for i := 1; i < len(events); i++ {
		g.Before = append(g.Before, [2]int{events[i-1], events[i]})
	}
	return g
}

// A final checks the state to which an order leads, and adds clauses if it is not the goal's.
type final func(p *Problem)

// pose turns a goal into assumptions, with a constraint for each.
func (p *Problem) pose(goal Goal) (assume []lit, names []Constraint, a Answer) {
	p.forced, p.finals, p.stops, p.must = make(map[int]bool), nil, nil, nil
	p.goal = p.fresh()
	want := func(l lit, events ...int) {
		switch l {
		case yes:
		case no:
			if a.Verdict == Unknown {
				a.Verdict = Impossible
				a.Core = p.mustNot(events)
			}
		default:
			assume = append(assume, l)
			names = append(names, Constraint{Target, events})
		}
	}
	assume, names = append(assume, p.strict, p.goal), make([]Constraint, 2)
	stopped := make(map[trace.GID]int)
	for _, e := range goal.At {
		n := &p.m.nodes[p.m.node[e]]
		if int(n.first) != e {
			a.Reason = fmt.Sprintf("event %d is no scheduling point", e)
			return
		}
		if at, ok := stopped[n.g]; ok && at != e {
			a.Verdict, a.Core = Impossible, p.mustNot([]int{at, e})
			return
		}
		stopped[n.g] = e
		if e < p.m.done {
			want(not(p.kept(e)), e)
		}
		if n.prev >= 0 {
			last := int(p.m.nodes[n.prev].last)
			p.must = append(p.must, last)
			want(p.kept(last), e)
		}
		for _, r := range p.decides(e) {
			p.forced[r] = true
			want(p.needed(r), e)
		}
		if n.prev < 0 {
			p.startOf(e, want)
		}
	}
	p.must = append(p.must, goal.Keep...)
	for _, e := range goal.Keep {
		want(p.kept(e), e)
	}
	for _, e := range goal.Undone {
		want(not(p.kept(e)), e)
	}
	for _, x := range goal.Before {
		want(p.kept(x[1]), x[0], x[1])
		want(p.before(x[0], x[1]), x[0], x[1])
		p.whole(x[0], x[1])
	}
	p.stops = goal.At
	if goal.Ready {
		for _, e := range goal.At {
			p.ready(e)
		}
	}
	if c, ok := p.objUnit[goal.Over].(*meetingPoint); ok {
		for i, e := range goal.At {
			p.inTurn(c, e, i == 0)
		}
	}
	for _, e := range goal.Wait {
		p.waitsAlone(e)
	}
	if goal.Below {
		p.below(goal.At[0])
	}
	for _, x := range goal.Sees {
		for _, w := range append(p.elsewhere(x[0], goal.Part), x[1]) {
			if r := x[0]; w >= 0 {
				want(p.kept(w), r, w)
				if !slices.Contains(goal.At, r) {
					want(p.before(w, r), r, w)
				}
			}
		}
		p.sees(x[0], x[1], goal.Part)
	}
	if goal.Blocked && a.Verdict == Unknown {
		for _, e := range goal.At {
			if a.Reason = p.blocked(e, stopped); a.Reason != "" {
				return
			}
		}
	}
	if core := p.counted(stopped); core != nil && a.Verdict == Unknown {
		a.Verdict, a.Core = Impossible, core
	}
	return
}

// below adds that the count of a WaitGroup is too small for the Add e.
func (p *Problem) below(e int) {
	ev := &p.m.events[e]
	p.finally(p.objUnit[ev.Obj], func(n int) (lo, hi int) { return n, int(-ev.Arg) - 1 })
}

// mustNot returns the core of a goal that contradicts the order of all executions.
func (p *Problem) mustNot(events []int) []Constraint {
	core := []Constraint{{Target, events}}
	if len(events) == 2 {
		if p.m.reaches(p.m.node[events[1]], p.m.node[events[0]]) {
			core = append(core, Constraint{MustBefore, []int{events[1], events[0]}})
		} else if p.m.reaches(p.m.node[events[0]], p.m.node[events[1]]) {
			core = append(core, Constraint{MustBefore, events})
		}
	}
	sortConstraints(core)
	return core
}

// startOf demands that the goroutine of e, which is to be at its first event, was started.
func (p *Problem) startOf(e int, want func(lit, ...int)) {
	for _, h := range p.m.hard {
		if h.b == p.m.node[e] && h.kind == Start {
			want(p.kept(int(p.m.nodes[h.a].last)), e)
		}
	}
}

// decides returns the reads that decide whether e is the next event of its goroutine.
func (p *Problem) decides(e int) (reads []int) {
	if p.opt.Exact != nil {
		return nil
	}
	es := p.m.byG[p.m.events[e].G]
	k := int(p.m.place[e])
	if p.opt.Dependent == nil {
		if k > 0 {
			reads = append(reads, int(es[k-1]))
		}
		return reads
	}
	for _, r := range es[:k] {
		if p.opt.Dependent(int(r)) == e {
			reads = append(reads, int(r))
		}
	}
	return reads
}

// whole makes both sides of a communication over an unbuffered channel count as one in a pair of a
// goal.
func (p *Problem) whole(a, b int) {
	p.finals = append(p.finals, func(p *Problem) {
		if c, ok := p.objUnit[p.m.events[b].Obj].(*meetingPoint); ok && p.m.events[b].Op == trace.OpRecv {
			c.withPartner(p, b, func(m lit, s int) {
				if !p.precedes(a, s) {
					p.add(p.names.tag(Meeting, s, b), p.goal.Not(), m.Not(), not(p.before(a, b)),
						p.before(a, s))
				}
			})
		}
		if c, ok := p.objUnit[p.m.events[a].Obj].(*meetingPoint); ok && p.m.events[a].Op == trace.OpSend {
			c.withPartner(p, a, func(m lit, r int) {
				if !p.precedes(r, b) {
					p.add(p.names.tag(Meeting, a, r), p.goal.Not(), m.Not(), not(p.before(a, b)),
						p.before(r, b))
				}
			})
		}
	})
}

// precedes reports whether a precedes b in the order that is checked.
func (p *Problem) precedes(a, b int) bool {
	v, w := p.m.node[a], p.m.node[b]
	return v == w && a < b || v != w && p.at[v] < p.at[w]
}

// blocked adds that e, before which its goroutine stops, stays disabled unless a goroutine of
// stopped continues. It returns why that cannot be decided, "" if it can.
func (p *Problem) blocked(e int, stopped map[trace.GID]int) string {
	ev := &p.m.events[e]
	if ev.Obj == 0 {
		switch ev.Op {
		case trace.OpSend, trace.OpRecv, trace.OpSelect:
			return "" // on a nil channel
		}
		return p.never(e)
	}
	if c, ok := p.objUnit[ev.Obj].(*cond); ok {
		if w, ok := c.waits[e]; ok {
			p.unsignalled(e, c, w, stopped)
			return ""
		}
		return p.never(e)
	}
	if ev.Op == trace.OpSelect && e >= p.m.done { // else it is an event of a select that took its default
		return p.noCase(e, stopped)
	}
	if !p.waits(e) {
		return p.never(e)
	}
	switch u := p.objUnit[ev.Obj].(type) {
	case *lock:
		p.wanted(e, u.heldLits(p, e, stopped))
		return ""
	case *once:
		r := region{from: u.run, take: u.run, to: u.end}
		if u.run >= 0 && p.neverReleased(&r, stopped) {
			p.wanted(e, []lit{p.reached(u.run, stopped)})
			return ""
		}
	case *counter:
		p.starved(e, u, stopped)
		return ""
	}
	if ev.Op == trace.OpSend || ev.Op == trace.OpRecv {
		return p.noCase(e, stopped)
	}
	return p.never(e)
}

// starved adds that the count that e waits for stays out of the bounds that e needs.
func (p *Problem) starved(e int, c *counter, stopped map[trace.GID]int) {
	if low, high := p.demands(e); high < model.Unbounded {
		p.exhausted(e, c.events, stopped, func(x int) bool { return c.delta[x] < 0 })
		p.finally(c, func(n int) (lo, hi int) { return high + 1, n })
	} else {
		p.exhausted(e, c.events, stopped, func(x int) bool { return c.delta[x] > 0 })
		p.finally(c, func(n int) (lo, hi int) { return n, low - 1 })
	}
}

// never: e does not wait.
func (p *Problem) never(e int) string {
	p.wanted(e, nil)
	return ""
}

// wanted adds that one of lits is true in this question.
func (p *Problem) wanted(e int, lits []lit) {
	p.add(p.names.tag(Target, e), append(append([]lit(nil), lits...), p.goal.Not())...)
}

// exhausted adds that all events that would enable e were done, except those that goroutines of
// stopped would do: the last of each goroutine, after its others. events are in order of the trace.
func (p *Problem) exhausted(e int, events []int32, stopped map[trace.GID]int, helps func(int) bool) {
	last := make(map[trace.GID]int)
	for _, i := range events {
		if g := p.m.events[i].G; helps(int(i)) {
			last[g] = int(i)
		}
	}
	for _, i := range sorted(last) {
		if _, ok := stopped[p.m.events[i].G]; !ok {
			p.must = append(p.must, i)
			p.wanted(e, []lit{p.kept(i)})
		}
	}
}

// finally adds that the count at the end is within bounds.
func (p *Problem) finally(u unit, bounds func(n int) (lo, hi int)) {
	c, ok := u.(*counter)
	if b, is := u.(*buffer); is {
		c, ok = b.counter, true
	}
	if !ok {
		return
	}
	p.finals = append(p.finals, func(p *Problem) {
		events := p.listOf(u)
		n := c.init
		for _, e := range events {
			n += c.delta[int(e)]
		}
		if lo, hi := bounds(n); n < lo {
			c.raise(p, atEnd, lo, events)
		} else if n > hi {
			c.lower(p, atEnd, hi, events)
		}
	})
}

// listOf returns the events of u that are done, in their order.
func (p *Problem) listOf(u unit) []int32 {
	for i, v := range p.units {
		if v == u {
			return p.lists[i]
		}
	}
	return nil
}

// unsignalled adds that e is not woken at the end.
func (p *Problem) unsignalled(e int, c *cond, began int, stopped map[trace.GID]int) {
	p.exhausted(e, c.events, stopped, func(x int) bool {
		op := p.m.events[x].Op
		return op == trace.OpSignal || op == trace.OpBroadcast
	})
	p.finals = append(p.finals, func(p *Problem) {
		events := p.listOf(c)
		early := false
		woken := c.woken(p, events, func(int) { early = true })
		if !early && woken[began] {
			p.history(p.names.tag(Target, e), p.goal, atEnd, events, c.events)
		}
	})
}

// noCase adds that no case of the channel operation e is ever ready.
func (p *Problem) noCase(e int, stopped map[trace.GID]int) string {
	cases, ok := p.cases(e)
	if !ok {
		return fmt.Sprintf("the cases of the select of event %d are not known", e)
	}
	for _, c := range cases {
		if c.Poll {
			return p.never(e)
		}
		p.caseBlocked(e, c, stopped)
	}
	return ""
}

// cases returns the cases of a channel operation.
func (p *Problem) cases(e int) ([]trace.Offer, bool) {
	ev := &p.m.events[e]
	t := p.m.t
	if cases := p.announced(e); len(cases) > 0 {
		return cases, true
	}
	if ev.Op == trace.OpSelect || e < p.m.done && int(ev.Step) < len(t.Steps) && ev.Step >= 0 &&
		t.Steps[ev.Step].Op == trace.OpSelect {
		return nil, false
	}
	return []trace.Offer{{G: ev.G, Send: ev.Op == trace.OpSend, Obj: ev.Obj}}, true
}

// caseBlocked adds that one case of e is never ready.
func (p *Problem) caseBlocked(e int, c trace.Offer, stopped map[trace.GID]int) {
	if c.Obj == 0 {
		return
	}
	for _, x := range p.closesOf(c.Obj) {
		// Once the channel is closed nothing waits there. Closes by goroutines of stopped do not
		// happen.
		if at, ok := stopped[p.m.events[x].G]; !ok || x < at {
			p.wanted(e, nil)
		}
	}
	switch u := p.objUnit[c.Obj].(type) {
	case *buffer:
		if c.Send {
			p.exhausted(e, u.recvs, stopped, func(int) bool { return true })
			p.finally(u, func(n int) (lo, hi int) { return int(p.m.t.Objects[c.Obj].Cap), n })
		} else {
			p.exhausted(e, u.sends, stopped, func(int) bool { return true })
			p.finally(u, func(n int) (lo, hi int) { return n, 0 })
		}
	case *meetingPoint:
		others := u.sends
		if c.Send {
			others = u.recvs
		}
		p.exhausted(e, others, stopped, func(int) bool { return true })
		for _, at := range sorted(stopped) {
			if p.waitsAt(at, c.Obj, !c.Send) && p.m.events[at].G != c.G {
				p.wanted(e, nil) // these two would meet
			}
		}
	}
}

// waitsAt reports whether the operation of event e is, or has a case that is, on this side of a
// channel.
func (p *Problem) waitsAt(e int, o trace.ObjID, send bool) bool {
	switch p.m.events[e].Op {
	case trace.OpSend, trace.OpRecv, trace.OpSelect:
		cases, _ := p.cases(e)
		for _, c := range cases {
			if c.Obj == o && c.Send == send {
				return true
			}
		}
	}
	return false
}

func (p *Problem) closesOf(o trace.ObjID) []int {
	switch u := p.objUnit[o].(type) {
	case *buffer:
		return u.closes
	case *meetingPoint:
		return u.closes
	}
	return nil
}
