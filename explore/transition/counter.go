package transition

import (
	"math"
	"slices"

	"heddle/model"
	"heddle/trace"
)

// checkCounters looks for operations that commute by default and whose order may matter here: an
// Add that may make the counter of a WaitGroup negative, or an RUnlock that may precede its RLock.
// That is excluded if every decrement can be paired with increments that happen before it, each
// increment used once: then every prefix that has the decrement has its increments too. A path
// without clocks is not asked.
func (p *Path) checkCounters() {
	if p.bare {
		return
	}
	for _, obj := range p.Tab.counters {
		if us := p.used(obj); !p.Tab.objects[obj].Ordered && (!p.paired(us) || p.anyFirst(us)) {
			p.Tab.order(obj)
		}
	}
}

// anyFirst reports whether the order of concurrent Adds may decide which Add is the first from
// zero. That Add must be ordered with the calls of Wait (package sync). It errs towards true.
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
	const many = 200 // looking at more costs more than a search with that many can be worth
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

// concurrentAdd reports whether another Add is concurrent with us[i].
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

// fromZero reports whether the counter may be zero where us[i] adds to it. It is not zero if an
// earlier increment is left over after every decrement that may precede us[i] has been paired.
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
	p.pair(us)
	for k := range us[:i] {
		if p.units[k] > 0 && p.Before(int(us[k].at), at) {
			return false
		}
	}
	return true
}

// counted returns the change of the counter by an access, or the change that it would make if it
// did not panic.
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

// settles reports whether a Wait of c on the WaitGroup obj needs every decrement: of the Adds that
// do not happen after c, all increments happen before its announcement, and no decrement is too
// many. Then c is not enabled without one of the decrements.
func (p *Path) settles(c *Candidate, obj Object) bool {
	up, down := int64(p.Tab.Init(obj)), int64(0)
	us := p.used(obj)
	for i := range us {
		u := &us[i]
		switch at := int(u.at); {
		case u.Op != trace.OpWGAdd || c.Done < at && p.Before(c.Done, at):
		case u.Arg < 0:
			down -= int64(u.Arg)
		case !p.announced(at, c):
			return false
		default:
			up += int64(u.Arg)
		}
	}
	return down <= up && up <= math.MaxInt32
}

// excess returns an Add in c without which the counter of a WaitGroup would be lower, and after
// which no Wait can return in c: no decrement in c takes back what it added.
func (c *Prefix) excess(obj Object) int {
	p := c.p
	us := p.used(obj)
	p.units, p.earlier = p.units[:0], p.earlier[:0]
	for i := range us {
		u := &us[i]
		p.units, p.earlier = append(p.units, 0), append(p.earlier, int32(i-1))
		if u.Op != trace.OpWGAdd || !c.has(int(u.at)) {
			continue
		}
		p.units[i] = u.Arg
		p.take(us, i)
	}
	for i := len(us) - 1; i >= 0; i-- {
		if p.units[i] > 0 {
			return int(us[i].at)
		}
	}
	return -1
}

// paired reports whether each decrement can be paired with increments. It errs towards false.
func (p *Path) paired(us []use) bool {
	p.units = p.units[:0]
	for i := range us {
		p.units = append(p.units, us[i].counted())
	}
	p.pair(us)
	return slices.Min(append(p.units, 0)) == 0
}

// pair pairs each decrement with the latest unpaired increment before it, of its own goroutine if
// there is one: an RUnlock of the goroutine's own RLock takes from no other reader.
func (p *Path) pair(us []use) {
	p.earlier = p.earlier[:0]
	for i := range us {
		p.newest[p.steps[us[i].at].Proc] = -1
	}
	for i := range us {
		g := p.steps[us[i].at].Proc
		p.earlier = append(p.earlier, p.newest[g])
		p.newest[g] = int32(i)
	}
	for i := range us {
		p.take(us, i)
	}
	for i := range us {
		p.earlier[i] = int32(i - 1)
	}
	for i := range us {
		p.take(us, i)
	}
}

// take pairs the decrement us[i] with increments among those that p.earlier leads to.
func (p *Path) take(us []use, i int) {
	for k := p.unpaired(p.earlier[i]); k >= 0 && p.units[i] < 0; k = p.unpaired(p.earlier[k]) {
		if p.Before(int(us[k].at), int(us[i].at)) {
			n := min(-p.units[i], p.units[k])
			p.units[k] -= n
			p.units[i] += n
		}
	}
}

// unpaired returns the first unpaired increment from k on that p.earlier leads to, -1 if there is
// none. It takes those before it out of p.earlier: what is paired stays so.
func (p *Path) unpaired(k int32) int32 {
	at := k
	for at >= 0 && p.units[at] <= 0 {
		at = p.earlier[at]
	}
	for k != at {
		k, p.earlier[k] = p.earlier[k], at
	}
	return at
}
