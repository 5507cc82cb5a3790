package dpor

import (
	"sort"

	"heddle/explore/transition"
)

// A trail is the way down the wakeup tree of a node that the sequences went which an execution has
// inserted there. Sequences at one node begin alike: with the transitions that do not happen after
// that of the node, up to the next one that is excluded. So a sequence need not be compared with
// the tree from its root. With two senders and two receivers at one channel n events have n²/16
// sequences, of n/8 transitions each.
//
// It is exact: what was passed was decided by transitions that the next sequence has too.
type trail struct {
	round int // of Strategy.round: it is of no other execution
	stops []stop
	// By transition of the sleep set: the first transition passed that depends on it, or many.
	met []int
}

// A stop is a place on a trail.
type stop struct {
	tree *[]*wakeup
	next int // the first transition of the path that is not passed here
}

const many = 1 << 62

// fewAfter is up to how many transitions after a node sequences are compared from the root: that is
// no slower. It is a variable for tests.
var fewAfter = 64

// trailTo returns the trail of node e, nil if the sequence of prefix may not go along it.
func (s *Strategy) trailTo(e int, prefix *transition.Prefix) *trail {
	if s.path.Len()-e <= fewAfter || e < s.base() {
		return nil
	}
	if whole, ok := prefix.Whole(); !ok || whole <= e {
		return nil
	}
	at := &s.nodes[e]
	t := &at.trail
	if t.round != s.round {
		*t = trail{s.round, append(t.stops[:0], stop{&at.tree, e + 1}), t.met[:0]}
		for range at.sleep.n {
			t.met = append(t.met, many)
		}
	}
	return t
}

// follow is insert for the transitions of prefix after e, then c, along t as far as that goes.
func (s *Strategy) follow(t *trail, e int, prefix *transition.Prefix, c *transition.Candidate) {
	whole, _ := prefix.Whole()
	at := sort.Search(len(t.stops), func(i int) bool { return t.stops[i].next > whole }) - 1
	from := t.stops[at]
	s.index, s.v = prefix.Indices(s.index[:0], from.next), s.v[:0]
	for _, k := range s.index {
		s.v = append(s.v, s.path.At(int(k)))
	}
	s.v = append(s.v, &c.Transition)
	s.goAlong(t, at, whole, e)
}

// goAlong inserts s.v, the rest of a sequence for node e, from the at-th stop of t on. s.index has
// the places of its transitions in the execution, but for the last one; before whole nothing is
// excluded but what happens after e.
func (s *Strategy) goAlong(t *trail, at, whole, e int) {
	from := t.stops[at]
	if _, ok := initial(s.tab, s.path.At(e), s.v); ok {
		return
	}
	sleep := s.nodes[e].sleep.all()
	for i := range sleep {
		if t.met[i] < from.next {
			continue
		}
		if _, ok := initial(s.tab, &sleep[i], s.v); ok {
			return
		}
	}
	tree, v, on := from.tree, s.v, true
	for n := 0; ; n++ {
		if s.lateAfter(len(*tree)*len(v)>>4 + 1) {
			return
		}
		w, rest := s.match(*tree, v)
		if w == nil {
			s.chain(tree, v)
			return
		}
		if len(w.tree) == 0 || len(rest) == 0 {
			return
		}
		on = on && n < len(s.index) && int(s.index[n]) < whole && s.passes(*tree, w, v[0], e)
		if at++; on && at == len(t.stops) {
			k := int(s.index[n])
			t.stops = append(t.stops, stop{&w.tree, k + 1})
			t.pass(s.tab, sleep, v[0], k)
		}
		tree, v = &w.tree, rest
	}
}

// passes reports whether transition x of the path, the first of a sequence, decides that the
// sequence goes on below w, and not below the trees before w, and does not depend on the transition
// of node e.
func (s *Strategy) passes(trees []*wakeup, w *wakeup, x *transition.Transition, e int) bool {
	if !w.t.Same(x) || s.tab.Dependent(s.path.At(e), x) {
		return false
	}
	for _, u := range trees {
		if u == w {
			break
		}
		if !s.tab.Dependent(&u.t, x) {
			return false
		}
	}
	return true
}

// pass notes which transitions of the sleep set depend on x, the k-th transition of the path.
func (t *trail) pass(tab *transition.Table, sleep []transition.Transition, x *transition.Transition,
	k int) {
	for i := range sleep {
		if t.met[i] == many && tab.Dependent(&sleep[i], x) {
			t.met[i] = k
		}
	}
}
