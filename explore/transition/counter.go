package transition

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// checkCounters looks whether the order of operations may matter that commute
// as a rule: whether an Add that lowers the counter of a WaitGroup may come so
// early that it becomes negative, or a reader's unlock of a RWMutex before there
// are readers. It cannot when every one that lowers can be given, for itself, as
// much that was added happening before it: whatever order is taken, what lowers
// is there only with what it was given.
func (p *Path) checkCounters() {
	for _, obj := range p.Tab.counters {
		if us := p.used(obj); !p.Tab.objects[obj].Ordered && (!p.paired(us) || p.anyFirst(us)) {
			p.Tab.order(obj)
		}
	}
}

// anyFirst reports whether which Add comes first from zero may depend on the order of
// Adds that no other order decides: one that is first must be in order with the calls of Wait (package sync). It errs towards true.
func (p *Path) anyFirst(us []use) bool {
	last := -1
	concurrent := false
	for i := range us {
		if us[i].Mode != model.Add || us[i].Arg <= 0 {
			continue
		}
		concurrent = concurrent || last >= 0 && !p.Before(int(us[last].at), int(us[i].at))
		last = i
	}
	if !concurrent {
		return false
	}
	const many = 200 // to look at more takes longer than a search that has them could be worth
	if len(us) > many {
		return true
	}
	for i := range us {
		if us[i].Mode == model.Add && us[i].Arg > 0 && p.concurrentAdd(us, i) && p.fromZero(us, i) {
			return true
		}
	}
	return false
}

// concurrentAdd reports whether another Add has no order with us[i].
func (p *Path) concurrentAdd(us []use, i int) bool {
	for k := range us {
		if k == i || us[k].Mode != model.Add || us[k].Arg <= 0 {
			continue
		}
		first, second := int(us[min(i, k)].at), int(us[max(i, k)].at)
		if !p.Before(first, second) {
			return true
		}
	}
	return false
}

// fromZero reports whether the counter may be zero where us[i] adds to it. It cannot
// be where something that was added before is left when all that lowers it and need not come later was given what it needs.
func (p *Path) fromZero(us []use, i int) bool {
	at := int(us[i].at)
	p.units = p.units[:0]
	for k := range us {
		n := us[k].counted()
		if k == i || k > i && p.Before(at, int(us[k].at)) {
			n = 0
		}
		p.units = append(p.units, n)
	}
	for _, own := range [...]bool{true, false} {
		for k := range us {
			p.take(us, k, own)
		}
	}
	for k := range us[:i] {
		if p.units[k] > 0 && p.Before(int(us[k].at), at) {
			return false
		}
	}
	return true
}

// counted is by how much an access changes a counter, or would if it did not panic.
func (a *Access) counted() int32 {
	switch {
	case a.Mode == model.Add:
		return a.Arg
	case a.Mode == model.ReadLock:
		return 1
	case a.Op == trace.OpRUnlock:
		return -1
	}
	return 0
}

// excess returns an Add in c without which the counter of a WaitGroup would be
// lower, and which no wait for zero can come after: what it added is nowhere taken back in c.
func (c *Cut) excess(obj Object) int {
	p := c.p
	us := p.used(obj)
	p.units = p.units[:0]
	for i := range us {
		u := &us[i]
		p.units = append(p.units, 0)
		if u.Op != trace.OpWGAdd || !c.has(int(u.at)) {
			continue
		}
		p.units[i] = u.Arg
		p.take(us, i, false)
	}
	for i := len(us) - 1; i >= 0; i-- {
		if p.units[i] > 0 {
			return int(us[i].at)
		}
	}
	return -1
}

// paired gives to each access that lowers the counter the latest before it that
// is left, of its own goroutine if there is one: a reader that unlocks what it
// has locked takes it from no other reader. It errs towards false.
func (p *Path) paired(us []use) bool {
	p.units = p.units[:0]
	for i := range us {
		p.units = append(p.units, us[i].counted())
	}
	for _, own := range [...]bool{true, false} {
		for i := range us {
			p.take(us, i, own)
		}
	}
	return slices.Min(append(p.units, 0)) == 0
}

// take gives to us[i] what it lowers the counter by, from those that its goroutine made, or from any.
func (p *Path) take(us []use, i int, own bool) {
	for k := i - 1; k >= 0 && p.units[i] < 0; k-- {
		if p.units[k] > 0 && (!own || p.steps[us[k].at].Proc == p.steps[us[i].at].Proc) && p.Before(int(us[k].at), int(us[i].at)) {
			n := min(-p.units[i], p.units[k])
			p.units[k] -= n
			p.units[i] += n
		}
	}
}
