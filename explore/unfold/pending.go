package unfold

import (
	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/trace"
)

// A tally is the sum of the deltas of a WaitGroup, by goroutine and including the goroutines that
// it starts.
type tally struct {
	*progress
	obj    transition.Object
	so     []net.Value             // by condition of a goroutine: the sum up to it
	total  map[net.Place]net.Value // by goroutine: the sum when it has ended
	varies bool                    // totals differ, or the end of a goroutine is not known
}

// pending returns the calls in which a goroutine that would still change a WaitGroup may be
// blocked. ok is false unless the sum is zero whenever all goroutines have ended.
func (p *progress) pending(wg transition.Object) (ways map[net.Value]bool, ok bool) {
	t := tally{progress: p, obj: wg, so: make([]net.Value, p.s.net.Conds()), total: map[net.Place]net.Value{}}
	n := p.s.net
	sum := net.Value(p.s.tab.Init(wg)) + t.of(p.s.procs[transition.Main])
	for k, cs := range p.conds {
		if _, known := t.total[k]; !known && n.By(cs[0]) != net.None { // a timer has started it
			if t.of(k) != 0 {
				t.varies = true
			}
		}
	}
	if t.varies || sum != 0 {
		return nil, false
	}
	ways = map[net.Value]bool{}
	for k, cs := range p.conds {
		for _, c := range cs {
			if v, stays := p.stays(c); stays && t.so[c] != t.total[k] {
				ways[v] = true
			}
		}
	}
	return ways, true
}

// of returns the total of a goroutine.
func (t *tally) of(k net.Place) (total net.Value) {
	if total, ok := t.total[k]; ok {
		return total
	}
	ended := false
	for _, c := range t.conds[k] {
		t.s.limit.Check()
		own, up := t.own(c)
		if up != net.None {
			t.so[c] = t.so[up]
		}
		if own != nil {
			t.so[c] += t.change(own, t.s.net.By(c))
		}
		if t.s.net.Value(c) == 0 {
			t.varies = t.varies || ended && t.so[c] != total
			total, ended = t.so[c], true
		}
	}
	t.varies = t.varies || !ended
	t.total[k] = total
	return total
}

// change returns the delta of event e, in which a goroutine performed k, with the totals of the
// goroutines that e starts.
func (t *tally) change(k *call, e net.Event) (sum net.Value) {
	if k.op == trace.OpWGAdd && k.obj == t.obj {
		sum = net.Value(k.delta)
	}
	first, n := t.s.net.Given(e)
	for c := first; c < first+net.Cond(n); c++ {
		if place := t.s.net.Place(c); t.s.net.Up(c) == net.None && t.s.isGoroutine(place) {
			sum += t.of(place)
		}
	}
	return sum
}
