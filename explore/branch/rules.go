package branch

import "heddle/trace"

// What synchronises is in the variant graph as section IV.C has it: a node is
// infeasible where a lock is taken that is held, or a goroutine goes on that
// waits. The paper knows locks, wait and notifyAll; the rules for Go's other
// constructs are ours:
//
//	RWMutex         readers together; a writer when nobody holds it; no reader once a writer has arrived, and
//	                no second writer arrives before that one has left
//	Cond            Wait gives its lock back by an operation of its own and sets the flag, Signal clears the flag of who has waited
//	                longest, Broadcast that of all; Wait goes on, and takes its lock, without the flag
//	channel         with a buffer: a send needs room, a receive a value; without: send and receive are one step of both goroutines.
//	                A value belongs to its number: sends are in the order of the trace or are variants, and so are receives
//	WaitGroup       Wait needs a count of zero
//	Once            who comes second waits for the end of the first call
//	semaphore       P needs a count
//	go              a goroutine begins after its go statement
//
// Everything else (sync.Map, Pool, timers, select's default, TryLock) gives
// what it gave as long as the operations on its object are as many as they were.

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

// A model is the rules of an execution.
type model struct {
	x     *Execution
	rules []rule // by op
	cells int
	start []int32 // the cells before the first operation
	conds int
	flags []int32 // by goroutine: cell of its wait flag
}

func newModel(x *Execution) *model {
	m := &model{x: x}
	for range x.byG {
		m.flags = append(m.flags, m.cell(0))
	}
	objs := map[trace.ObjID]int32{}   // first cell
	conds := map[trace.ObjID]int32{}  // number
	started := map[trace.GID]int32{}  // cell
	arrived := map[trace.GID][]bool{} // by goroutine: there are writers under way
	for i := range x.Ops {
		if e := x.event(i); e.Op == trace.OpGo {
			started[trace.GID(e.Arg)] = m.cell(0)
		}
	}
	m.rules = make([]rule, len(x.Ops))
	for i := range x.Ops {
		e := x.event(i)
		r := rule{waits: -1, cond: -1, needs: []need{{m.flags[e.G], 0, 0}}}
		c, known := objs[e.Obj]
		if !known && e.Obj > 0 {
			c = m.cellsOf(e)
			objs[e.Obj] = c
		}
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
		case trace.OpArrive:
			if m.kind(e) == trace.ObjRWMutex {
				r.needs, r.adds = append(r.needs, need{c, 0, 0}, need{c + 2, 0, 0}), []add{{c + 2, 1}}
				arrived[e.G] = append(arrived[e.G], true)
			}
		case trace.OpTryLock, trace.OpTryRLock:
			if e.Arg == 1 {
				m.lock(&r, e, c, false)
			}
		case trace.OpLock, trace.OpUnlock, trace.OpRLock, trace.OpRUnlock:
			a := arrived[e.G]
			m.lock(&r, e, c, e.Op == trace.OpLock && len(a) > 0)
			if e.Op == trace.OpLock && len(a) > 0 && m.kind(e) == trace.ObjRWMutex {
				arrived[e.G] = a[:len(a)-1]
			}
		case trace.OpSend, trace.OpRecv, trace.OpClose:
			m.channel(&r, e, c)
		case trace.OpWGAdd:
			r.adds = []add{{c, int32(e.Arg)}}
		case trace.OpWGWait:
			r.needs = append(r.needs, need{c, 0, 0})
		case trace.OpAcquire:
			r.needs, r.adds = append(r.needs, need{c, 1, most}), []add{{c, -1}}
		case trace.OpRelease:
			r.adds = []add{{c, 1}}
		case trace.OpOnce:
			if e.Arg == 0 {
				r.needs = append(r.needs, need{c, 0, 0})
			} else {
				r.adds = []add{{c, 1}}
			}
		case trace.OpOnceDone:
			r.adds = []add{{c, -1}}
		}
		m.rules[i] = r
	}
	m.conds = len(conds)
	return m
}

func (x *Execution) event(op int) *trace.Event { return &x.Trace.Events[x.Ops[op].Event] }

func (m *model) kind(e *trace.Event) trace.ObjKind { return m.x.Trace.Objects[e.Obj].Kind }

func (m *model) cell(start int32) int32 {
	m.start = append(m.start, start)
	m.cells++
	return int32(m.cells - 1)
}

// cellsOf makes the cells of an object, at whose first operation e it is.
// lock: who holds it, readers, writers that have arrived. channel: values in the buffer, closed.
func (m *model) cellsOf(e *trace.Event) int32 {
	switch m.kind(e) {
	case trace.ObjMutex, trace.ObjRWMutex:
		c := m.cell(0)
		m.cell(0)
		m.cell(0)
		return c
	case trace.ObjChan:
		c := m.cell(0)
		m.cell(0)
		return c
	case trace.ObjSemaphore:
		if e.Op == trace.OpAcquire {
			return m.cell(int32(e.Arg) + 1)
		}
		return m.cell(int32(e.Arg) - 1)
	}
	return m.cell(0)
}

func (m *model) lock(r *rule, e *trace.Event, c int32, arrived bool) {
	switch e.Op {
	case trace.OpLock, trace.OpTryLock:
		r.needs = append(r.needs, need{c, 0, 0}, need{c + 1, 0, 0})
		r.adds = []add{{c, 1}}
		if arrived && m.kind(e) == trace.ObjRWMutex {
			r.adds = append(r.adds, add{c + 2, -1})
		}
	case trace.OpUnlock:
		r.adds = []add{{c, -1}}
	case trace.OpRLock, trace.OpTryRLock:
		r.needs = append(r.needs, need{c, 0, 0}, need{c + 2, 0, 0})
		r.adds = []add{{c + 1, 1}}
	case trace.OpRUnlock:
		r.adds = []add{{c + 1, -1}}
	}
}

func (m *model) channel(r *rule, e *trace.Event, c int32) {
	room := m.x.Trace.Objects[e.Obj].Cap
	switch {
	case e.Op == trace.OpClose:
		r.adds = []add{{c + 1, 1}}
	case e.Op == trace.OpRecv && e.Arg == 0:
		r.needs = append(r.needs, need{c, 0, 0}, need{c + 1, 1, most})
	case room == 0: // both sides are one step
	case e.Op == trace.OpSend:
		r.needs, r.adds = append(r.needs, need{c, 0, room - 1}), []add{{c, 1}}
	default:
		r.needs, r.adds = append(r.needs, need{c, 1, most}), []add{{c, -1}}
	}
}

// A state is what operations have left: cells, versions, and who waits for which Cond, in order.
type state struct {
	cells    []int32
	versions []int32
	queue    []waiter
}

type waiter struct{ cond, flag int32 }

func (m *model) initial() *state {
	return &state{cells: append([]int32(nil), m.start...), versions: make([]int32, m.x.counters)}
}

func (s *state) clone() *state {
	return &state{append([]int32(nil), s.cells...), append([]int32(nil), s.versions...), append([]waiter(nil), s.queue...)}
}

// can reports whether an operation is feasible, and changed whether it would see another version than it did.
func (m *model) can(s *state, op int32) (feasible, changed bool) {
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
func (m *model) do(s *state, op int32) {
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
