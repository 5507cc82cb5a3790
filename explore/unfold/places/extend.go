package places

import "slices"

// Possible extensions by the eight cases of section 5.

// extend adds the extensions that e, which was just shown, makes possible;
// marking is the one after e.
func (x *Explorer) extend(e event, marking []cond) {
	for _, c := range x.net.events[e].post {
		switch place := x.net.conds[c].place; {
		case int(place) < len(x.p.Threads):
			x.fromThread(c, marking)
		case place >= x.net.lockPlace(0):
			x.fromLock(c)
		default:
			x.fromCopy(c, e)
		}
	}
}

// fromThread adds the extensions from a thread condition (5.2).
func (x *Explorer) fromThread(t cond, marking []cond) {
	op := x.net.conds[t].next
	if op == nil {
		return
	}
	switch op.Kind {
	case Branch: // case 1
		x.foresee([]cond{t}, true)
		x.foresee([]cond{t}, false)
	case Read, Write: // cases 2 and 3
		pre, _ := x.net.preset(nil, op, marking)
		x.foresee(pre, false)
		x.fromAdjacent(t, pre[1:])
	case Lock: // case 4
		x.waiting[op.Object] = append(x.waiting[op.Object], t)
		x.fromFree(t, op, marking)
	case Unlock: // case 5
		x.foresee([]cond{t}, false)
	}
}

func (x *Explorer) foresee(pre []cond, taken bool) {
	if e := x.net.foresee(pre, taken); e != none {
		x.extensions = append(x.extensions, e)
	}
}

// fromAdjacent adds the extensions from t whose memory access sets can be
// reached from start through adjacent ones that are concurrent with t: by Theorem 1 all there are.
func (x *Explorer) fromAdjacent(t cond, start []cond) {
	n := x.net
	n.cut.begin()
	n.cut.add(t)
	base := []cond{t}
	seen := [][]cond{start}
	for i := 0; i < len(seen); i++ {
		n.adjacent(seen[i], func(s []cond) {
			for _, y := range seen {
				if slices.Equal(y, s) {
					return
				}
			}
			if n.cut.extends(base, s) {
				s = append([]cond(nil), s...)
				seen = append(seen, s)
				x.foresee(append([]cond{t}, s...), false)
			}
		})
	}
}

// adjacent calls f with the sets that represent the places of s, which are
// copies of one variable, and that one read or write leads to from s, or to s
// from them (Definition 3). Not all of them need be co-sets.
func (n *Net) adjacent(s []cond, f func([]cond)) {
	for _, c := range s {
		for _, e := range n.conds[c].post {
			if n.events[e].shown {
				if r := n.replaced(s, n.events[e].pre[1:], n.events[e].post[1:]); r != nil {
					f(r)
				}
			}
		}
		if e := n.conds[c].producer; e != none {
			if r := n.replaced(s, n.events[e].post[1:], n.events[e].pre[1:]); r != nil {
				f(r)
			}
		}
	}
}

// replaced returns s with those of from that are of s's places replaced by the
// conditions of to; nil if one of those is not in s.
func (n *Net) replaced(s, from, to []cond) []cond {
	r := append([]cond(nil), s...)
	for i, c := range from {
		for k := range s {
			if n.conds[s[k]].place != n.conds[c].place {
				continue
			}
			if s[k] != c {
				return nil
			}
			r[k] = to[i]
		}
	}
	return r
}

// fromFree adds the extensions in which t takes its lock: those whose lock
// conditions can be reached through adjacent and alternative ones that are
// concurrent with t (Theorem 2).
func (x *Explorer) fromFree(t cond, op *Operation, marking []cond) {
	n := x.net
	var starts []cond
	if c := marking[n.lockPlace(op.Object)]; c != none {
		starts = append(starts, c)
	} else if e := x.lastLock[op.Object]; e != none {
		starts = append(starts, n.events[e].pre[1])
		for _, u := range n.events[e].releasedBy {
			starts = append(starts, n.events[u].post[1])
		}
	}
	n.cut.begin()
	n.cut.add(t)
	base := []cond{t}
	x.visit()
	var queue []cond
	try := func(l cond) {
		if x.visited(l) || !n.cut.extends(base, []cond{l}) {
			return
		}
		queue = append(queue, l)
		x.foresee([]cond{t, l}, false)
	}
	for _, l := range starts {
		try(l)
	}
	for len(queue) > 0 {
		l := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		n.nextFree(l, try)
	}
}

// nextFree calls f with the lock conditions that are adjacent or alternative to l.
func (n *Net) nextFree(l cond, f func(cond)) {
	if u := n.conds[l].producer; u != none {
		e := n.events[u].releases
		f(n.events[e].pre[1])
		for _, v := range n.events[e].releasedBy { // alternatives (Definition 4)
			if v != u {
				f(n.events[v].post[1])
			}
		}
	}
	for _, e := range n.conds[l].post {
		for _, u := range n.events[e].releasedBy {
			f(n.events[u].post[1])
		}
	}
}

// fromCopy adds the extensions from a condition that is a thread's copy of a variable (5.3, Fig.
// 15): events that could do the same before e can do it after e.
func (x *Explorer) fromCopy(c cond, e event) {
	n := x.net
	old := n.at(n.events[e].pre, n.conds[c].place)
	for _, f := range n.conds[old].post { // cases 6 and 7
		if f == e {
			continue
		}
		pre := append([]cond(nil), n.events[f].pre...)
		for i, y := range pre {
			if z := n.at(n.events[e].post, n.conds[y].place); z != none && i > 0 {
				pre[i] = z
			}
		}
		if n.concurrent(pre...) {
			x.foresee(pre, false)
		}
	}
}

// fromLock adds the extensions in which a thread takes a lock that was just released (5.4, case 8).
func (x *Explorer) fromLock(l cond) {
	n := x.net
	try := func(t cond) {
		if n.concurrent(l, t) {
			x.foresee([]cond{t, l}, false)
		}
	}
	n.nextFree(l, func(other cond) {
		for _, e := range n.conds[other].post {
			try(n.events[e].pre[0])
		}
	})
	// The conditions without a known event: they were blocked so far.
	waiting := x.waiting[n.conds[l].place-n.lockPlace(0)]
	rest := waiting[:0]
	for _, t := range waiting {
		if len(n.conds[t].post) == 0 {
			try(t)
		}
		if len(n.conds[t].post) == 0 {
			rest = append(rest, t)
		}
	}
	x.waiting[n.conds[l].place-n.lockPlace(0)] = rest
}
