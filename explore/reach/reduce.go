package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// Reductions (sections 7 and 8): they remove sending events from race sets, and so omit sequences.

// reduction returns a function that reports whether an extension is suppressed; nil if nothing is
// reduced.
func (s *Strategy) reduction() func(*extension) bool {
	o := &s.opt
	if !o.PV && !o.Symmetry && o.OneOrder == nil {
		return nil
	}
	return func(x *extension) bool {
		return o.PV && s.find.afterV(x) || o.Symmetry && s.find.younger(x, &s.twins) ||
			o.OneOrder != nil && s.find.reordered(x, s.unordered)
	}
}

// learn records what the reductions need of an execution.
func (s *Strategy) learn(t *trace.Trace) {
	if s.opt.Symmetry {
		s.twins.learn(s.tab, t)
		s.seq.locate(t)
	}
	if s.opt.OneOrder == nil {
		return
	}
	for id := range t.Objects {
		o := &t.Objects[id]
		if o.Kind != trace.ObjChan {
			continue
		}
		obj := s.tab.ObjectOf(t, trace.ObjID(id))
		for int(obj) >= len(s.unordered) {
			s.unordered = append(s.unordered, false)
		}
		s.unordered[obj] = s.opt.OneOrder(o.Site)
	}
}

// afterV reports whether the receiving event of x is a completed V of a counting semaphore. A
// concurrent call that would come before it may come after it instead (P/V reduction, section 7). A
// mutex is a binary semaphore, whose V and P always exclude each other: it is never reduced.
func (f *finder) afterV(x *extension) bool {
	if x.slot < 0 || len(x.accesses) != 1 || f.Tab.Kind(x.accesses[0].Obj) != trace.ObjSemaphore {
		return false
	}
	first := -1
	f.Uses(x.accesses[0].Obj, func(at int, a *transition.Access) {
		if first < 0 && !x.history.has(at) {
			first = at
		}
	})
	return first >= 0 && f.At(first).Op == trace.OpRelease
}

// Twins are interchangeable goroutines: those that one goroutine started by one go statement with
// equal arguments.
type twins struct {
	tab   *transition.Table
	first []transition.Proc // by Proc: the first of its twins
}

func (w *twins) learn(tab *transition.Table, t *trace.Trace) {
	w.tab = tab
	for id, twin := range t.Twins {
		p := tab.ProcOf(trace.GID(id))
		for int(p) >= len(w.first) {
			w.first = append(w.first, transition.NoProc)
		}
		w.first[p] = tab.ProcOf(twin)
	}
}

// older reports whether p and q are twins and p was started first.
func (w *twins) older(p, q transition.Proc) bool {
	if p < 0 || q < 0 || p == q || int(p) >= len(w.first) || int(q) >= len(w.first) ||
		w.first[p] != w.first[q] || w.first[p] == transition.NoProc {
		return false
	}
	_, n := w.tab.Parent(p)
	_, m := w.tab.Parent(q)
	return n < m
}

// younger reports whether an older twin could do the same instead of x. Of interchangeable
// goroutines with the same pending operation the oldest is first.
func (f *finder) younger(x *extension, w *twins) bool {
	for _, c := range x.calls {
		if c < 0 {
			continue
		}
		for i := range f.calls {
			d := &f.calls[i]
			if w.older(d.proc, f.calls[c].proc) && f.alike(int32(i), c) && !d.past.meets(x.displace) &&
				(d.done < 0 || !x.history.has(d.done)) {
				return true
			}
		}
	}
	return false
}

// alike reports whether two calls have the same place and the same object.
func (q *sequence) alike(a, b int32) bool {
	c, d := &q.calls[a], &q.calls[b]
	return c.op == d.op && c.target == d.target && c.place == d.place
}

// locate records the places and objects of the calls, for alike. t is the trace of the sequence.
func (q *sequence) locate(t *trace.Trace) {
	for i := range q.calls {
		c := &q.calls[i]
		c.target, c.place = q.target(c), q.place(c, t)
	}
}

// target returns the object of a call, of a select that of its first case; -1 if there is none.
func (q *sequence) target(c *call) transition.Object {
	obj := transition.Object(-1)
	switch {
	case c.comm >= 0:
		q.Cases(&q.Operations()[c.comm], func(o transition.Object, _ int16, _ bool) {
			if obj < 0 {
				obj = o
			}
		})
	case c.left >= 0:
		obj = q.Left()[c.left].Accesses[0].Obj
	case c.done >= 0 && len(q.At(c.done).Accesses) > 0:
		obj = q.At(c.done).Accesses[0].Obj
	}
	return obj
}

// place returns the place of a call.
func (q *sequence) place(c *call, t *trace.Trace) trace.Site {
	if c.done < 0 {
		for i := range t.Left {
			if q.Tab.ProcOf(t.Left[i].G) == c.proc {
				return t.Left[i].Site
			}
		}
		return 0
	}
	step := q.Step(c.done)
	if q.At(c.done).Proc == c.proc {
		return t.Steps[step].Site
	}
	for i := range t.Events {
		if e := &t.Events[i]; int(e.Step) == step && q.Tab.ProcOf(e.G) == c.proc {
			return e.Site
		}
	}
	return 0
}

// reordered reports whether x only makes another value the first one, on channels whose receivers
// ignore the order of values.
func (f *finder) reordered(x *extension, unordered []bool) bool {
	if x.slot < 0 || len(x.accesses) == 0 {
		return false
	}
	a, t := &x.accesses[0], f.At(int(x.slot))
	if len(t.Accesses) == 0 || t.Accesses[0].Op != a.Op || a.Op != trace.OpSend && a.Op != trace.OpRecv {
		return false
	}
	free := func(obj transition.Object) bool { return int(obj) < len(unordered) && unordered[obj] }
	return free(a.Obj) && free(t.Accesses[0].Obj)
}
