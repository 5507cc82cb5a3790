package transition

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// What a CompareAndSwap does depends on a value: it is a write or, if it fails,
// a read. So the values of atomics are kept where one is compared with.

// compared returns the index in t.Compares of a CompareAndSwap's event, -1 if
// what it compared with is not known: values of an atomic.Value are no numbers.
func compared(t *trace.Trace, ev int) int {
	i, ok := slices.BinarySearchFunc(t.Compares, ev, func(c trace.Compare, ev int) int { return int(c.Event) - ev })
	if !ok {
		return -1
	}
	return i
}

// readValues notes what atomics held, of all transitions: values that are
// addresses change from one execution to the next.
func (p *Path) readValues(t *trace.Trace) {
	if len(t.Compares) == 0 {
		return
	}
	j := 0
	for i := range t.Events {
		e := &t.Events[i]
		if e.Quiet || e.Step < 0 || e.Op != trace.OpAtomicLoad && e.Op != trace.OpAtomicStore && e.Op != trace.OpAtomicRMW {
			continue
		}
		for p.rows[j].step < e.Step {
			j++
		}
		r := &p.rows[j]
		r.value = uint64(e.Arg)
		if p.steps[j].Op == trace.OpAtomicCAS {
			k := compared(t, i)
			if r.compares = k >= 0; r.compares {
				r.want = t.Compares[k].Old
			}
		}
		p.Tab.object(t, e.Obj, 1) // and its value before
	}
}

// foreseeCompare returns what a CompareAndSwap would do at the end of c.
func (c *Cut) foreseeCompare(a *Claim, obj Object) model.Mode {
	if a.compares && c.value(obj) != a.want {
		return model.Read
	}
	return model.Write
}

// value returns what an atomic holds at the end of c.
func (c *Cut) value(obj Object) uint64 {
	us := c.p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode == model.Write && c.has(int(us[k].at)) {
			return c.p.rows[us[k].at].value
		}
	}
	return c.p.Tab.objects[obj].Init
}
