package transition

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// A CompareAndSwap is a write or, if it fails, a read: that depends on values. So a path keeps the
// values of the atomics that a CompareAndSwap accesses.

// compared returns the index in t.Compares of the CompareAndSwap with event ev, -1 if its old value
// is unknown: values of an atomic.Value are not recorded.
func compared(t *trace.Trace, ev int) int {
	i, ok := slices.BinarySearchFunc(t.Compares, ev,
		func(c trace.Compare, ev int) int { return int(c.Event) - ev })
	if !ok {
		return -1
	}
	return i
}

// readValues records the values of atomics for all transitions, kept ones too: values that are
// addresses differ between executions.
func (p *Path) readValues(t *trace.Trace) {
	if len(t.Compares) == 0 {
		return
	}
	j := 0
	for i := range t.Events {
		e := &t.Events[i]
		if e.Quiet || e.Step < 0 || e.Op != trace.OpAtomicLoad && e.Op != trace.OpAtomicStore &&
			e.Op != trace.OpAtomicRMW {
			continue
		}
		for p.rows[j].step < e.Step {
			j++
		}
		r := &p.rows[j]
		r.value = uint64(e.Arg)
		obj := p.Tab.object(t, e.Obj, 1) // and its initial value
		if p.steps[j].Op == trace.OpAtomicCAS {
			k := compared(t, i)
			if r.compares = k >= 0 && p.Tab.knows(obj); r.compares {
				r.want = t.Compares[k].Old
			}
		}
	}
}

// foreseeCompare returns the mode of a CompareAndSwap at the end of c.
func (c *Prefix) foreseeCompare(a *Candidate, obj Object) model.Mode {
	if a.compares && c.value(obj) != a.want {
		return model.Read
	}
	return model.Write
}

// value returns the value of an atomic at the end of c.
func (c *Prefix) value(obj Object) uint64 {
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode == model.Write && c.has(int(us[k].at)) {
			return c.p.rows[us[k].at].value
		}
	}
	return c.p.Tab.objects[obj].Init
}
