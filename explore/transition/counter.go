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

// paired pairs each decrement with the latest unpaired increment before it, of its own goroutine if
// there is one: an RUnlock of the goroutine's own RLock takes from no other reader. It errs towards
// false.
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

// take pairs the decrement us[i] with increments of its own goroutine, or of any.
func (p *Path) take(us []use, i int, own bool) {
	for k := i - 1; k >= 0 && p.units[i] < 0; k-- {
		if p.units[k] > 0 && (!own || p.steps[us[k].at].Proc == p.steps[us[i].at].Proc) &&
			p.Before(int(us[k].at), int(us[i].at)) {
			n := min(-p.units[i], p.units[k])
			p.units[k] -= n
			p.units[i] += n
		}
	}
}
