package branch

import (
	"heddle/model"
	"heddle/trace"
)

// What synchronises is in the variant graph as section IV.C has it: a node is infeasible where a
// lock is taken that is held, or a goroutine goes on that waits. The paper knows locks, wait and
// notifyAll; the rules for Go's other constructs are ours:
//
//	Mutex, RWMutex, WaitGroup, Once, channels, semaphores
//	                the rules of package model: what they need of counters, and what they do to them. A value belongs to its
//	                number: sends are in the order of the trace or are variants, and so are receives
//	Cond            Wait gives its lock back by an operation of its own and sets the flag, Signal clears the flag of who has waited
//	                longest, Broadcast that of all; Wait goes on, and takes its lock, without the flag
//	go              a goroutine begins after its go statement
//
// Everything else (sync.Map, Pool, timers, select's default, TryLock) gives what it gave as long as
// the operations on its object are as many as they were.

// A rule is what an operation needs of the cells of a state, and what it does to them.
type rule struct {
	needs []need
	adds  []add
	waits int32 // cell of the flag that it sets, -1
	cond  int32 // of waits, signals
	wakes int8  // 1: the first who waits, 2: all
}

type need struct{ cell, min, max int32 }

type add struct{ cell, by int32 }

const most = 1 << 30

// rules are those of an execution.
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

// cellsOf makes the cells of the object of e: its counters.
func (m *rules) cellsOf(e *trace.Event) int32 {
	def, o := model.ObjectOf(m.x.Trace, e.Obj)
	start := def.Start(&o)
	first := int32(m.cells)
	for i := range def.Counters {
		m.cell(start[i])
	}
	return first
}

// synchronise adds to r what the outcome of e needs of the cells of its object, from c on, and does
// to them.
func (m *rules) synchronise(r *rule, e *trace.Event, c int32) {
	if e.Obj == 0 {
		return
	}
	def, o := model.ObjectOf(m.x.Trace, e.Obj)
	of := def.Rule(&o, e.Op, int32(e.Arg))
	if of == nil || of.Polls {
		return
	}
	var was [model.Counters]int32 // counters that the needs leave one value
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
			continue // by how much it changes is not known: only that of timers
		case f.Set:
			by -= was[f.Counter]
		}
		r.adds = append(r.adds, add{c + int32(f.Counter), by})
	}
}

// A state is what operations have left: cells, versions, and who waits for which Cond, in order.
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

// can reports whether an operation is feasible, and changed whether it would see another version
// than it did.
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
