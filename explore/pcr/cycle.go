package pcr

import (
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/order"
	"heddle/predict"
	"heddle/trace"
)

// Deadlocks. A pattern of locks in opposite order cannot be completed: its last two accesses wait
// for each other. So cycles in the lock order of an execution (predict.Graph.Deadlocks) are aimed
// at by themselves, before all patterns: a schedule ends where every goroutine of the cycle is
// about to take its lock.

// A cycle is operations of an execution, each of which is to wait for a lock that another holds.
type cycle struct {
	from   *execution
	events []int
}

// mostCycles bounds the cycles that one execution adds.
const mostCycles = 16

// aim adds the cycles of an execution that no earlier one had at the same places.
func (s *Strategy) aim(x *execution) {
	if !nests(x.t) {
		return
	}
	added := 0
	g := predict.NewGraph(x.t, predict.Locks)
	for _, c := range g.Deadlocks() {
		for a := range c.All() {
			events := x.events(g, a.Nodes)
			key := ""
			for _, e := range events {
				ev := &x.t.Events[e]
				key += fmt.Sprintln(x.t.Name(ev.G), ev.Site.Plain())
			}
			if events == nil || s.aimed[key] || added == mostCycles {
				continue
			}
			s.aimed[key] = true
			s.cycles = append(s.cycles, cycle{x, events})
			added++
		}
	}
}

// nests reports whether a goroutine takes a lock while it holds another.
func nests(t *trace.Trace) bool {
	held := make([]int, len(t.Goroutines))
	for i := range t.Events {
		switch e := &t.Events[i]; e.Op {
		case trace.OpLock, trace.OpRLock:
			if held[e.G]++; held[e.G] > 1 {
				return true
			}
		case trace.OpUnlock, trace.OpRUnlock:
			held[e.G] = max(0, held[e.G]-1)
		}
	}
	return false
}

// events returns the events of nodes of the graph of x, nil if one has none.
func (x *execution) events(g *predict.Graph, nodes []int32) (events []int) {
	for _, n := range nodes {
		nd := &g.Nodes[n]
		e := slices.IndexFunc(x.t.Events,
			func(e trace.Event) bool { return e.Step == nd.Step && e.G == nd.G })
		if e < 0 {
			return nil
		}
		events = append(events, e)
	}
	return events
}

// nextCycle returns a schedule that leads to a deadlock, nil if no cycle is left that can be one.
func (s *Strategy) nextCycle() *trace.Schedule {
	for len(s.cycles) > 0 && (s.opt.Expired == nil || !s.opt.Expired()) {
		c := s.cycles[0]
		s.cycles = s.cycles[1:]
		ctx := deadline{Context: context.Background(), over: s.opt.Expired}
		if s.opt.Limit > 0 {
			ctx.at = time.Now().Add(s.opt.Limit)
		}
		for i := range c.from.questions() {
			a := s.solve(ctx, c.from.problem(i), order.Deadlock(c.events...))
			if a.Verdict != order.Found {
				continue
			}
			if next := s.alone(bare{c.from, a.Order}); next != nil {
				return next
			}
		}
	}
	return nil
}
