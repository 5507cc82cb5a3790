package predict

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"heddle/order"
	"heddle/rt/limit"
	"heddle/trace"
)

// A Solver is the Scheduler that is complete for the trace: it asks package order whether any
// correct reordering of the trace brings a goal about (maximal causality). It is of one graph. What
// it learns from one goal it uses for the next.
type Solver struct {
	Limit time.Duration // time for each goal; 0: no limit
	// Loose: reads and receives may get other values than in the trace. An order is then a guess:
	// that nothing depends on these values, no branch, no index and no assertion. Whether the
	// program follows its schedule shows.
	Loose bool

	g       *Graph
	problem *order.Problem
	t       *trace.Trace // the trace without accesses that are no nodes
	inThin  []int32      // by event of the graph's trace: its index in t, or -1
	inFull  []int32      // by event of t: its index in the graph's trace
}

// Schedules implements Scheduler.
func (s *Solver) Schedules(g *Graph, goal Goal) ([]*trace.Schedule, *Refutation) {
	s.prepare(g)
	question, tail, ok := s.question(goal)
	if !ok {
		return nil, &Refutation{Reason: "the solver cannot be asked for it", Open: true}
	}
	switch a := s.problem.Solve(s.context(), question); a.Verdict {
	case order.Impossible:
		return nil, s.because(a.Core)
	case order.Unknown:
		return nil, &Refutation{Reason: "the solver does not know: " +
			strings.ReplaceAll(a.Reason, "%", "%%"), Open: true}
	default:
		return s.schedules(goal, a.Order, tail), nil
	}
}

func (s *Solver) context() context.Context {
	u := until{Context: context.Background(), over: s.g.Limit}
	if s.Limit > 0 {
		u.end = time.Now().Add(s.Limit)
	}
	return u
}

// An until is a context that ends at a time, or with a limit. (A context's own timer would be the
// program's, in virtual time.)
type until struct {
	context.Context
	end  time.Time // zero: never
	over *limit.Limit
}

func (u until) Err() error {
	if u.over.Now() || !u.end.IsZero() && time.Now().After(u.end) {
		return context.DeadlineExceeded
	}
	return nil
}

// prepare makes the problem at the first question.
func (s *Solver) prepare(g *Graph) {
	if s.g == g && s.problem != nil {
		return
	}
	s.g, s.problem = g, nil
	s.thin()
	opt := order.Options{Limit: g.Limit}
	if s.Loose {
		opt.Dependent = func(int) int { return -1 }
	}
	s.problem = order.New(s.t, opt)
}

// thin removes the accesses that are no nodes. Their memory is used by one goroutine alone, or
// never written, so no order depends on them.
func (s *Solver) thin() {
	full := s.g.Trace
	visible := s.visibleSites()
	s.inThin, s.inFull = make([]int32, len(full.Events)), nil
	t := *full
	t.Events = nil
	for i := range full.Events {
		s.g.Limit.Check()
		e := &full.Events[i]
		if isAccess(full, e) && !visible[full.Steps[e.Step].Site.Plain()] {
			s.inThin[i] = -1
			continue
		}
		s.inThin[i] = int32(len(t.Events))
		s.inFull = append(s.inFull, int32(i))
		t.Events = append(t.Events, *e)
	}
	for i := range t.Events {
		if p := &t.Events[i].Partner; *p >= 0 {
			*p = s.inThin[*p]
		}
	}
	t.Compares = nil
	for _, c := range full.Compares {
		if c.Event = s.inThin[c.Event]; c.Event >= 0 {
			t.Compares = append(t.Compares, c)
		}
	}
	s.t = &t
}

func (s *Solver) visibleSites() map[trace.Site]bool {
	visible := make(map[trace.Site]bool, len(s.g.visible))
	for _, x := range s.g.visible {
		visible[x] = true
	}
	return visible
}

// skips returns a function that reports whether a step is such an access.
func (s *Solver) skips() func(step int) bool {
	visible := s.visibleSites()
	return func(i int) bool {
		st := &s.g.Trace.Steps[i]
		return accessOf(st.Op) && !visible[st.Site.Plain()]
	}
}

// eventOf returns the first event of node n's goroutine in its step, by the solver's number; -1 if
// there is none.
func (s *Solver) eventOf(n int32) int {
	nd := &s.g.Nodes[n]
	es := s.t.Events
	for i := sort.Search(len(es), func(i int) bool { return es[i].Step >= nd.Step }); i < len(es) &&
		es[i].Step == nd.Step; i++ {
		if es[i].G == nd.G {
			return i
		}
	}
	return -1
}

// question translates a goal for package order, and returns the events that follow its order.
func (s *Solver) question(goal Goal) (q order.Goal, tail []int, ok bool) {
	var events []int
	for _, n := range goal.Nodes {
		events = append(events, s.eventOf(n))
	}
	for _, e := range goal.Events {
		if k := int(e) - len(s.inThin); k >= 0 { // a leftover
			events = append(events, len(s.inFull)+k)
			continue
		}
		events = append(events, int(s.inThin[e]))
	}
	for _, e := range events {
		if e < 0 {
			return q, nil, false
		}
	}
	last := len(events) - 1
	switch {
	case goal.Reach:
		return order.Deadlock(events...), nil, true
	case goal.Adjacent && len(events) == 2:
		return order.Race(events[0], events[1]), events, true
	case goal.Adjacent:
		return q, nil, false // package order has no goal "adjacent" of more than two events
	case goal.Last:
		q = order.Goal{At: []int{events[last]}, Below: goal.Below}
		if t := goal.Take; t != nil && t.Meets {
			q.At = append(q.At, events[:last]...)
		} else {
			q.Keep = events[:last]
			for i := 1; i < last; i++ {
				q.Before = append(q.Before, [2]int{events[i-1], events[i]})
			}
		}
		if goal.Take == nil {
			tail = events[last:]
		}
		return q, tail, true
	}
	return order.Pattern(events...), nil, true
}

// schedules makes the schedules of an answer: for a race, one for each order of the accesses.
func (s *Solver) schedules(goal Goal, found, tail []int) []*trace.Schedule {
	skip := s.skips()
	followed := func(tail ...int) *trace.Schedule {
		o, ids := s.problem.Schedule(append(append([]int(nil), found...), tail...), skip)
		if goal.Take != nil {
			s.take(o, ids, goal)
		}
		return o
	}
	if goal.Adjacent {
		return []*trace.Schedule{followed(tail[1], tail[0]), followed(tail...)}
	}
	return []*trace.Schedule{followed(tail...)}
}

// maxCore bounds the constraints that a refutation names.
const maxCore = 4

// coreWords describe constraints of a core.
var coreWords = map[order.Kind]string{
	order.MustBefore: "%s always comes before %s", order.Start: "%s comes after the go statement",
	order.Clock: "the clock stands between %s and %s",
	order.Lock:  "%s and %s hold one lock in turn", order.TryFailed: "%s finds the lock held",
	order.Meeting:  "%s needs a partner",
	order.Capacity: "%s needs the count that it waits for", order.FIFO: "%s gets the value that it got",
	order.Closed: "%s comes before the close, or after",
	order.Wakeup: "%s needs a signal", order.OnceDone: "%s and %s use one Once",
	order.DataValidity: "%s has to see the value that it saw",
}

// always is 1 for a constraint that holds in every execution, else 0.
func always(k order.Kind) int {
	if k == order.MustBefore {
		return 1
	}
	return 0
}

// because makes a refutation from a core. It omits program order, and puts constraints of every
// execution last.
func (s *Solver) because(core []order.Constraint) *Refutation {
	r := &Refutation{Proof: true, Values: slices.ContainsFunc(core, func(c order.Constraint) bool {
		return c.Kind == order.DataValidity || c.Kind == order.FIFO || c.Kind == order.Meeting
	})}
	var parts []string
	core = slices.Clone(core)
	slices.SortStableFunc(core, func(a, b order.Constraint) int {
		return cmp.Compare(always(a.Kind), always(b.Kind))
	})
	for _, c := range core {
		words := coreWords[c.Kind]
		n := strings.Count(words, "%s")
		if words == "" || len(c.Events) < n || len(parts) == maxCore {
			continue
		}
		parts = append(parts, words)
		for _, e := range c.Events[:n] {
			if e >= len(s.inFull) {
				e = len(s.g.Trace.Events) + e - len(s.inFull)
				r.Events = append(r.Events, int32(e))
				continue
			}
			r.Events = append(r.Events, s.inFull[e])
		}
	}
	r.Reason = "no correct order of what was executed has it"
	if len(parts) > 0 {
		r.Reason += fmt.Sprintf(": %s", strings.Join(parts, "; "))
	}
	return r
}
