package branch

import (
	"context"
	"slices"

	"heddle/order"
	"heddle/trace"
)

// A Seeker finds the groups of a branch without the variant graph, by one question to the solver
// for each possible order of the branch's operations.
type Seeker struct {
	x    *Execution
	p    *order.Problem
	seed uint64 // of its schedules
}

// NewSeeker returns a seeker in x.
func NewSeeker(x *Execution) *Seeker {
	return &Seeker{x: x, p: order.New(x.Trace, order.Options{Exact: x.Relevant})}
}

// Orders returns the groups that a branch may have beside that of the trace, without members: all
// sets of related operations that can be done unchanged, and after each set the operations that
// would then see another version. Shorter orders come first; an order may occur twice, with and
// without Changed. ok is false if there are more than limit. unchanged: include those in which no
// related operation changes, which say nothing new about the branch.
func (s *Seeker) Orders(branch int, unchanged bool, limit int) (groups []Group, ok bool) {
	related, _ := s.x.RelatedOP(branch)
	e := &enumeration{x: s.x, related: related, unchanged: unchanged, limit: limit,
		known: map[string]bool{}, done: make([]bool, len(s.x.Ops))}
	for _, op := range related {
		g := s.x.Ops[op].G
		i := slices.IndexFunc(e.own, func(list []int32) bool { return s.x.Ops[list[0]].G == g })
		if i < 0 {
			e.own = append(e.own, nil)
			i = len(e.own) - 1
		}
		e.own[i] = append(e.own[i], op)
	}
	e.at = make([]int, len(e.own))
	e.known[(&Group{Order: related}).Key()+"executed"] = true
	ok = e.set()
	slices.SortStableFunc(e.groups, func(a, b Group) int { return len(a.Order) - len(b.Order) })
	return e.groups, ok
}

// An enumeration goes through the sets of related operations that can be done unchanged.
type enumeration struct {
	x         *Execution
	related   []int32
	own       [][]int32 // by goroutine
	at        []int     // by goroutine: number of ops done
	done      []bool    // by op
	unchanged bool
	limit     int
	known     map[string]bool
	seen      map[string]bool
	groups    []Group
}

// set adds the groups that begin with the present set, and continues with larger sets.
func (e *enumeration) set() bool {
	var now []int32
	for _, op := range e.related {
		if e.done[op] {
			now = append(now, op)
		}
	}
	key := (&Group{Order: now}).Key()
	if e.seen[key] {
		return true
	}
	if e.seen == nil {
		e.seen = map[string]bool{}
	}
	e.seen[key] = true
	if e.unchanged {
		e.add(Group{Order: now})
	}
	for g, list := range e.own {
		if e.at[g] == len(list) {
			continue
		}
		op := list[e.at[g]]
		if len(e.x.otherwise(op, e.state)) > 0 {
			e.add(Group{Order: append(slices.Clone(now), op), Changed: true})
		}
		if len(e.groups) > e.limit {
			return false
		}
		if !e.same(op) {
			continue
		}
		e.done[op] = true
		e.at[g]++
		ok := e.set()
		e.at[g]--
		e.done[op] = false
		if !ok {
			return false
		}
	}
	return true
}

func (e *enumeration) add(g Group) {
	key := g.Key()
	if g.Changed {
		key += "changed" // there may be a variant with a change and none without
	}
	if !e.known[key] && !e.known[g.Key()+"executed"] {
		e.known[key] = true
		e.groups = append(e.groups, g)
	}
}

// state returns what is known of an op in the present set: related ops are done or not.
func (e *enumeration) state(op int32) doneness {
	switch {
	case e.done[op]:
		return isDone
	case slices.Contains(e.related, op):
		return notDone
	}
	return either
}

// same reports whether op may see what it saw, given the present set.
func (e *enumeration) same(op int32) bool {
	last, next := e.x.neighbours(op)
	for _, w := range last {
		if e.state(w) == notDone {
			return false
		}
	}
	for _, w := range next {
		if e.state(w) == isDone {
			return false
		}
	}
	return true
}

type doneness uint8

const (
	either doneness = iota
	isDone
	notDone
)

// neighbours returns, for every counter that op sees, the last op that changed it before and the
// first one after. Unchanged operations change a counter in the order of the trace, so op sees what
// it saw if and only if the former is done and the latter is not.
func (x *Execution) neighbours(op int32) (last, next []int32) {
	o := &x.Ops[op]
	for _, c := range o.sees {
		l, n := int32(-1), int32(-1)
		for _, w := range x.bumpers(c) {
			if w < op {
				l = w
			} else if w > op && n < 0 {
				n = w
			}
		}
		if l >= 0 {
			last = append(last, l)
		}
		if n >= 0 {
			next = append(next, n)
		}
	}
	return last, next
}

// bumpers returns the ops that change a counter, in order.
func (x *Execution) bumpers(c int32) []int32 {
	if x.changers == nil {
		x.changers = make([][]int32, x.counters)
		for i := range x.Ops {
			for _, c := range x.Ops[i].bumps {
				x.changers[c] = append(x.changers[c], int32(i))
			}
		}
	}
	return x.changers[c]
}

// A cause makes an op see another version: an op that is not done, or one that is.
type cause struct {
	op   int32
	done bool
}

// otherwise returns what can make op see another version than in the trace: any of the causes. A
// cause with op -1 holds already.
func (x *Execution) otherwise(op int32, state func(int32) doneness) (causes []cause) {
	last, next := x.neighbours(op)
	try := func(w int32, done bool, has, hasNot doneness) {
		switch s := state(w); {
		case s == has:
			causes = []cause{{op: -1}}
		case s == hasNot, x.Ops[w].G == x.Ops[op].G, len(causes) == 1 && causes[0].op < 0:
		default:
			causes = append(causes, cause{w, done})
		}
	}
	for _, w := range last {
		try(w, false, notDone, isDone)
	}
	for _, w := range next {
		try(w, true, isDone, notDone)
	}
	return causes
}

// Find looks for a variant of a group that Orders returned. The verdict is Unknown when ctx ends,
// or for constructs that the solver does not know.
func (s *Seeker) Find(ctx context.Context, branch int, g Group) (Variant, order.Verdict) {
	related, _ := s.x.RelatedOP(branch)
	done := g.Order
	var goal order.Goal
	if g.Changed {
		done = g.Order[:len(g.Order)-1]
	}
	state := func(op int32) doneness {
		if slices.Contains(done, op) {
			return isDone
		}
		if slices.Contains(related, op) {
			return notDone
		}
		return either
	}
	for _, op := range related {
		switch {
		case slices.Contains(done, op):
			goal.Keep = append(goal.Keep, int(s.x.Ops[op].Event))
		case !g.Changed || op != g.Order[len(g.Order)-1]:
			goal.Undone = append(goal.Undone, int(s.x.Ops[op].Event))
		}
	}
	if g.Changed {
		return s.changing(ctx, g.Order[len(g.Order)-1], goal, state)
	}
	if b := &s.x.Branches[branch]; b.At > 0 {
		goal.Keep = append(goal.Keep, int(s.x.Ops[s.x.byG[b.G][b.At-1]].Event))
	}
	verdict := order.Impossible
	for op := range s.x.Ops {
		if state(int32(op)) != either {
			continue
		}
		v, r := s.changing(ctx, int32(op), goal, state)
		if r == order.Found {
			return v, r
		}
		if r == order.Unknown {
			verdict = r
		}
	}
	return Variant{}, verdict
}

// changing looks for a variant that changes op and meets goal.
func (s *Seeker) changing(ctx context.Context, op int32, goal order.Goal,
	state func(int32) doneness) (Variant, order.Verdict) {
	verdict := order.Impossible
	for _, c := range s.x.otherwise(op, state) {
		q := goal
		q.At, q.Ready = []int{int(s.x.Ops[op].Event)}, true
		switch {
		case c.op < 0:
		case c.done:
			q.Keep = append(slices.Clone(goal.Keep), int(s.x.Ops[c.op].Event))
		default:
			q.Undone = append(slices.Clone(goal.Undone), int(s.x.Ops[c.op].Event))
		}
		a := s.p.Solve(ctx, q)
		switch a.Verdict {
		case order.Found:
			return s.variant(a.Order, op), order.Found
		case order.Unknown:
			verdict = order.Unknown
		}
	}
	return Variant{}, verdict
}

// variant returns the variant that changes op after the events of an answer.
func (s *Seeker) variant(events []int, op int32) Variant {
	v := Variant{Cut: make([]int32, len(s.x.byG)), Changed: op}
	for _, e := range events {
		if o := s.x.op[e]; o >= 0 {
			v.Order = append(v.Order, o)
			v.Cut[s.x.Ops[o].G]++
		}
	}
	return v
}

// Schedule returns the schedule that executes a variant, up to the changed operation, which follows
// directly.
func (s *Seeker) Schedule(v *Variant) *trace.Schedule {
	var events []int
	for _, op := range append(slices.Clone(v.Order), v.Changed) {
		events = append(events, int(s.x.Ops[op].Event))
	}
	waiting := s.waiting(v, events[:len(events)-1])
	all := s.x.complete(events, waiting)
	if len(waiting) > 0 { // the two are adjacent, the sender first
		at, first := len(all), s.x.senior(waiting, all)
		if s.x.Trace.Events[first].Op == trace.OpSend {
			at--
		}
		all = slices.Insert(all, at, first)
	}
	schedule, _ := s.p.Schedule(all, nil)
	schedule.Seed = s.seed
	return schedule
}

// waiting returns the events that are next in their goroutines when a variant reaches its changed
// operation, after the events done, and that can communicate with it.
func (s *Seeker) waiting(v *Variant, done []int) (events []int) {
	x := s.x
	changed := int(x.Ops[v.Changed].Event)
	for h, at := range v.Cut {
		if int(at) < len(x.byG[h]) {
			if e := int(x.Ops[x.byG[h][at]].Event); x.mayMeet(changed, e) &&
				s.p.MayMeet(changed, e, done) {
				events = append(events, e)
			}
		}
	}
	return events
}

// senior returns the event of waiting whose goroutine arrived first among these events: it is
// served first. Where arriving is no step, any will do.
func (x *Execution) senior(waiting, events []int) int {
	for _, e := range events {
		if a := &x.Trace.Events[e]; a.Op == trace.OpArrive {
			for _, w := range waiting {
				if b := &x.Trace.Events[w]; b.G == a.G && b.Obj == a.Obj && x.place[w] == x.place[e]+1 {
					return w
				}
			}
		}
	}
	return waiting[0]
}

// mayMeet reports whether two events are the two sides of one channel without a buffer.
func (x *Execution) mayMeet(a, b int) bool {
	p, q := &x.Trace.Events[a], &x.Trace.Events[b]
	return p.Obj == q.Obj && p.G != q.G && x.Trace.Objects[p.Obj].Cap == 0 &&
		(p.Op == trace.OpSend && q.Op == trace.OpRecv || p.Op == trace.OpRecv && q.Op == trace.OpSend)
}

// complete adds to an order of events the events between them that the graph leaves out: each
// before the next one of its goroutine and before its partner. The last event may be the partner of
// one of waiting.
func (x *Execution) complete(events, waiting []int) (all []int) {
	byG := make([][]int, len(x.byG))
	for i := range x.Trace.Events {
		g := x.Trace.Events[i].G
		byG[g] = append(byG[g], i)
	}
	at := make([]int, len(byG))
	until := func(e, end int) {
		g := x.Trace.Events[e].G
		for at[g] < end {
			all = append(all, byG[g][at[g]])
			at[g]++
		}
	}
	for i, e := range events {
		meets := waiting
		if i+1 < len(events) {
			meets = nil
			if x.mayMeet(e, events[i+1]) {
				meets = events[i+1 : i+2]
			}
		}
		for _, o := range meets {
			until(o, int(x.place[o]))
		}
		until(e, int(x.place[e])+1)
	}
	return all
}
