package transition

import (
	"sort"

	"heddle/model"
	"heddle/trace"
)

// What a causally closed set of transitions leaves at an object. has says which are in the set.

// State returns the state of obj after the transitions of a causally closed set.
func (p *Path) State(obj Object, has func(at int) bool) (s model.State) {
	def, o := p.Tab.Model(obj)
	s = def.Start(o)
	if o.Kind == trace.ObjChan && o.Cap == 0 { // only a close changes it
		if at := p.lastOf(obj, model.Close, has); at >= 0 {
			s = def.After(o, s, trace.OpClose, 0)
		}
		return s
	}
	us := p.used(obj)
	from, end := 0, len(us)
	if def.Settles() {
		end = latest(us, end-1, has) + 1
		for k := end - 1; k >= 0; k-- {
			if settled, ok := def.Settled(o, us[k].Op, us[k].Arg); ok && has(int(us[k].at)) {
				s, from = settled, k+1
				break
			}
		}
	}
	for k := from; k < end; k++ {
		if u := &us[k]; has(int(u.at)) {
			s = def.After(o, s, u.Op, u.Arg)
		}
	}
	return s
}

// lastOf returns the last transition of a causally closed set that accesses obj with mode m, -1 if
// there is none.
func (p *Path) lastOf(obj Object, m model.Mode, has func(at int) bool) int {
	us := p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		if us[k].Mode != m {
			k = int(us[k].run)
			continue
		}
		if has(int(us[k].at)) {
			return int(us[k].at)
		}
	}
	return -1
}

// latest returns the index of the last of us[:k+1] that is in a causally closed set, -1 if none is.
func latest(us []use, k int, has func(at int) bool) int {
	for k >= 0 && !has(int(us[k].at)) {
		const few = 8
		if first := int(us[k].chain); k-first > few { // of a chain the set has the first ones
			k = first + sort.Search(k-first, func(i int) bool { return !has(int(us[first+i].at)) })
		}
		k--
	}
	return k
}
