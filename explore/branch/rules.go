package branch

import (
	"heddle/model"
	"heddle/trace"
)

// Synchronising operations in the variant graph, as in section IV.C: a node is infeasible if a lock
// is taken that is held, or if a goroutine continues that waits. The paper has locks, wait and
// notifyAll; these are the rules for Go's constructs:
//
//	Mutex, RWMutex, WaitGroup, Once, channels, semaphores
//	        the rules of package model: needs and effects on counters. A value belongs to its number: sends
//	        are in the order of the trace or are variants, and so are receives
//	Cond    Wait unlocks by an operation of its own and sets the goroutine's flag. Signal clears the flag of
//	        the longest waiter, Broadcast clears all. Wait continues, and locks, once the flag is clear
//	go      a goroutine begins after its go statement
//
// All other operations (sync.Map, Pool, timers, the default of a select, TryLock) have the outcome
// of the trace as long as the operations before them on their object are as many as in the trace.

// A rule is what an operation needs of the cells of a state, and what it does to them.
type rule struct {
	needs []need
	adds  []add
	waits int32 // cell of the flag that it sets, or -1
	cond  int32 // the Cond of a wait or signal
	wakes int8  // 1: the first waiter, 2: all waiters
}

type need struct{ cell, min, max int32 }

type add struct{ cell, by int32 }

const most = 1 << 30

// rules are the rules of the operations of an execution.
type rules struct {
	x     *Execution
	rules []rule // by op
	cells int
	start []int32 // the cells before the first operation
	conds int
	flags []int32 // by goroutine: cell of its wait flag
}

func newRules(x *Execution) *rules {
	m := &rules{x: x}
	for range x.byG {
		m.flags = append(m.flags, m.cell(0))
	}
	objs := map[trace.ObjID]int32{}  // first cell
	conds := map[trace.ObjID]int32{} // number
	started := map[trace.GID]int32{} // cell
	for i := range x.Ops {
		if e := x.event(i); e.Op == trace.OpGo {
			started[trace.GID(e.Arg)] = m.cell(0)
		}
	}
	m.rules = make([]rule, len(x.Ops))
	for i := range x.Ops {
		e := x.event(i)
		r := rule{waits: -1, cond: -1, needs: []need{{m.flags[e.G], 0, 0}}}
		switch e.Op {
		case trace.OpGo:
			r.adds = []add{{started[trace.GID(e.Arg)], 1}}
		case trace.OpStart:
			if s, ok := started[e.G]; ok {
				r.needs = append(r.needs, need{s, 1, most})
			}
		case trace.OpCondWait, trace.OpSignal, trace.OpBroadcast:
			n, ok := conds[e.Obj]
			if !ok {
				n = int32(len(conds))
				conds[e.Obj] = n
			}
			r.cond = n
			switch e.Op {
			case trace.OpCondWait:
				r.waits = m.flags[e.G]
			case trace.OpSignal:
				r.wakes = 1
			default:
				r.wakes = 2
			}
		default:
			c, known := objs[e.Obj]
			if !known && e.Obj > 0 {
				c = m.cellsOf(e)
				objs[e.Obj] = c
			}
			m.synchronise(&r, e, c)
		}
		m.rules[i] = r
	}
	m.conds = len(conds)
	return m
}

func (x *Execution) event(op int) *trace.Event { return &x.Trace.Events[x.Ops[op].Event] }

func (m *rules) cell(start int32) int32 {
	m.start = append(m.start, start)
	m.cells++
	return int32(m.cells - 1)
}

// cellsOf makes the cells of e's object: its counters.
func (m *rules) cellsOf(e *trace.Event) int32 {
	def, o := model.ObjectOf(m.x.Trace, e.Obj)
	start := def.Start(&o)
	first := int32(m.cells)
	for i := range def.Counters {
		m.cell(start[i])
	}
	return first
}

// synchronise adds to r the needs and effects of e's outcome on the cells of its object, which
// begin at c.
func (m *rules) synchronise(r *rule, e *trace.Event, c int32) {
	if e.Obj == 0 {
		return
	}
	def, o := model.ObjectOf(m.x.Trace, e.Obj)
	of := def.Rule(&o, e.Op, int32(e.Arg))
	if of == nil || of.Polls {
		return
	}
	var was [model.Counters]int32 // the values of counters that the needs fix
	var known [model.Counters]bool
	for _, n := range of.Needs {
		low, high := n.Bounds(&o)
		r.needs = append(r.needs, need{c + int32(n.Counter), low, min(high, most)})
		was[n.Counter], known[n.Counter] = low, low == high
	}
	for _, f := range of.Effects {
		by := f.N
		switch {
		case f.ByArg:
			by = int32(e.Arg)
		case f.Set && !known[f.Counter]:
			continue // an unknown change, which only timers have
		case f.Set:
			by -= was[f.Counter]
		}
		r.adds = append(r.adds, add{c + int32(f.Counter), by})
	}
}

// A state is what operations have left: cells, versions, and the queue of waiters.
type state struct {
	cells    []int32
	versions []int32
	queue    []waiter
}

type waiter struct{ cond, flag int32 }

func (m *rules) initial() *state {
	return &state{cells: append([]int32(nil), m.start...), versions: make([]int32, m.x.counters)}
}

func (s *state) clone() *state {
	return &state{append([]int32(nil), s.cells...), append([]int32(nil), s.versions...),
		append([]waiter(nil), s.queue...)}
}

// can reports whether an operation is feasible, and whether it sees another version than in the
// trace.
func (m *rules) can(s *state, op int32) (feasible, changed bool) {
	for _, n := range m.rules[op].needs {
		if v := s.cells[n.cell]; v < n.min || v > n.max {
			return false, false
		}
	}
	o := &m.x.Ops[op]
	for i, c := range o.sees {
		changed = changed || s.versions[c] != o.saw[i]
	}
	return true, changed
}

// do performs an operation.
func (m *rules) do(s *state, op int32) {
	r := &m.rules[op]
	for _, a := range r.adds {
		s.cells[a.cell] += a.by
	}
	for _, c := range m.x.Ops[op].bumps {
		s.versions[c]++
	}
	if r.waits >= 0 {
		s.cells[r.waits] = 1
		s.queue = append(s.queue, waiter{r.cond, r.waits})
	}
	if r.wakes == 0 {
		return
	}
	left := s.queue[:0:0]
	woken := false
	for _, w := range s.queue {
		if w.cond == r.cond && (r.wakes == 2 || !woken) {
			woken = true
			s.cells[w.flag] = 0
			continue
		}
		left = append(left, w)
	}
	s.queue = left
}
