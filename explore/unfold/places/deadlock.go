package places

import (
	"fmt"
	"slices"
)

// Deadlocks from the net as it grows (section 4.4). In Fig. 11 line 11 holds
// and wants are the other way round: a cycle is closed when the candidate
// holds what the first condition wants. The search is made for each thread
// condition that is added.

// deadlocked looks for deadlocks that thread condition c, which was just added, is part of.
func (x *Explorer) deadlocked(c cond) {
	n := x.net
	t := &n.conds[c]
	switch {
	case t.next == nil:
		for _, e := range t.held {
			l := n.events[e].op.Object
			x.finals[l] = append(x.finals[l], c)
			x.wanting(e, func(a cond) { x.stuck(c, a) })
		}
	case t.next.Kind == Lock:
		for _, f := range x.finals[t.next.Object] {
			x.stuck(f, c)
		}
		if len(t.held) > 0 {
			x.circle([]cond{c}, t.next.Object)
		}
	}
}

// stuck notes that a waits for a lock that f, which has ended, never releases, if both can be
// reached at once.
func (x *Explorer) stuck(f, a cond) {
	if x.net.concurrent(f, a) {
		x.found([]cond{f, a})
	}
}

// circle is SEARCH: set is a co-set of which each waits for a lock that the next one holds.
func (x *Explorer) circle(set []cond, wanted int) {
	n := x.net
	last := set[len(set)-1]
	for _, e := range n.conds[last].held {
		if n.events[e].op.Object == wanted {
			x.found(set)
			return
		}
	}
	for _, e := range n.conds[last].held {
		x.wanting(e, func(a cond) {
			if len(n.conds[a].held) == 0 || slices.Contains(set, a) ||
				!n.concurrent(append(set[:len(set):len(set)], a)...) {
				return
			}
			x.circle(append(set[:len(set):len(set)], a), wanted)
		})
	}
}

// wanting is FINDNEXT restricted by Lemma 1: it calls f with thread conditions
// that want the lock that e took. They are where the lock was free before e, or
// after it was released, or nothing is known to come after them.
func (x *Explorer) wanting(e event, f func(cond)) {
	n := x.net
	free := func(l cond) {
		for _, o := range n.conds[l].post {
			if o != e {
				f(n.events[o].pre[0])
			}
		}
	}
	free(n.events[e].pre[1])
	for _, u := range n.events[e].releasedBy {
		free(n.events[u].post[1])
	}
	for _, t := range x.waiting[n.events[e].op.Object] {
		if len(n.conds[t].post) == 0 {
			f(t)
		}
	}
}

// found keeps a deadlock unless it is known or no inputs lead to it (FILTERUNSAT).
func (x *Explorer) found(set []cond) {
	set = append([]cond(nil), set...)
	slices.Sort(set)
	key := fmt.Sprint(set)
	if x.known[key] {
		return
	}
	x.known[key] = true
	var es []event
	for _, c := range set {
		if by := x.net.conds[c].producer; by != none {
			es = append(es, by)
		}
	}
	if x.Solve != nil {
		if _, ok := x.Solve(x.net.constraints(x.net.past(es...))); !ok {
			x.stats.Infeasible++
			return
		}
	}
	x.deadlocks = append(x.deadlocks, set)
}
