package transition

import "heddle/trace"

// checkWaitGroups looks whether the order of the Adds of a WaitGroup may
// matter: whether one that lowers the counter may come so early that the
// counter becomes negative. It cannot when every such Add can be given, for
// itself, as much that was added happening before it: whatever order of the
// Adds is taken, what lowers is there only with what it was given.
func (p *Path) checkWaitGroups() {
	for obj := range p.uses {
		o := &p.Tab.objects[obj]
		if o.kind == trace.ObjWaitGroup && !o.ordered && !p.paired(p.uses[obj]) {
			p.Tab.order(Object(obj))
		}
	}
}

// paired gives to each Add that lowers the counter the latest that is left. It
// errs towards false.
func (p *Path) paired(us []use) bool {
	p.units = p.units[:0]
	for i := range us {
		p.units = append(p.units, us[i].Arg)
		if us[i].Mode != wgAdd || us[i].Arg > 0 {
			continue
		}
		need := -us[i].Arg
		for k := i - 1; k >= 0 && need > 0; k-- {
			if us[k].Mode == wgAdd && us[k].Arg > 0 && p.units[k] > 0 && p.Before(int(us[k].at), int(us[i].at)) {
				take := min(need, p.units[k])
				p.units[k] -= take
				need -= take
			}
		}
		if need > 0 {
			return false
		}
	}
	return true
}
