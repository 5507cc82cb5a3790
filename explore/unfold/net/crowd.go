package net

import "slices"

// A crowd is a long list of conditions with many histories: the conditions that can replace a
// condition, or that wait at it. Few of them fit the events of a Config. If a place exists whose
// conditions distinguish most of the histories, such as a mutex that all goroutines lock, the crowd
// is sorted by it, and a search reads only the conditions that fit.
type crowd struct {
	of Cond // the condition that the list belongs to; None
	// the unsorted conditions in order of addition, each with a condition without which it is not
	// marked
	rest  []entry
	place Place // the place by which the others are sorted; None
	next  int   // number of conditions at which such a place is looked for
	top   twig
}

type entry struct{ cond, key Cond }

// A twig is a part of a crowd: the conditions in whose histories the place had one condition in
// common.
type twig struct {
	here  []entry // each with the last condition of the place in its history
	limit int     // number of conditions at which the twig is split
	depth int32   // depth of the conditions by which kids are distinguished
	kids  map[Cond]*twig
}

const (
	crowdBit  = 1 << 30
	crowdFrom = 64 // lists of this length become crowds
	samples   = 8
	twigLimit = 16
)

func newCrowd(of Cond) *crowd { return &crowd{of: of, place: None, next: crowdFrom / 2} }

// A List is a list of conditions that events gave, for Config.Given. The zero List is empty.
type List struct{ crowd *crowd }

// Add adds x.
func (l *List) Add(x Cond) {
	if l.crowd == nil {
		l.crowd = newCrowd(None)
	}
	l.crowd.rest = append(l.crowd.rest, entry{x, x})
}

// crowd returns the index of the crowd that the list is, None if it is none.
func (l list) crowd() int32 {
	if l < crowdBit {
		return None
	}
	return int32(l &^ crowdBit)
}

// gather makes a crowd of the blocks of a list, which have words numbers for each condition.
func (n *Net) gather(l list, of Cond, words int) list {
	w := newCrowd(of)
	for l > 0 {
		b, older := n.blocks.at(l)
		for i := len(b) - words; i >= 0; i -= words {
			w.rest = append(w.rest, entry{Cond(b[i]), Cond(b[i+words-1])})
		}
		l = older
	}
	slices.Reverse(w.rest)
	n.crowds = append(n.crowds, w)
	return list(len(n.crowds)-1) | crowdBit
}

// sort sorts the conditions that were added to a crowd, if there is a place to sort by. others is
// the crowd with which histories are compared, nil if there are few.
func (n *Net) sort(w, others *crowd) {
	if w.place == None && len(w.rest) >= w.next {
		w.next *= 2
		if others != nil {
			w.place = n.bestPlace(w, others)
		}
	}
	if w.place == None {
		return
	}
	for _, x := range w.rest {
		w.top.hang(n, entry{x.cond, n.lastBefore(w.place, w.of, x.cond)})
	}
	w.rest = nil
}

// bestPlace returns the place whose conditions distinguish most pairs of one condition of w and one
// of other; None if none distinguishes half of them.
func (n *Net) bestPlace(w, other *crowd) Place {
	if other.place != None {
		return other.place
	}
	var there []map[Place]Cond
	for x := range other.some {
		there = append(there, n.lastsBefore(w.of, x))
	}
	apart := map[Place]int{}
	for x := range w.some {
		for k, y := range n.lastsBefore(w.of, x) {
			for _, m := range there {
				if z, ok := m[k]; ok && !n.onOneBranch(y, z) {
					apart[k]++
				}
			}
		}
	}
	best, most := Place(None), samples*samples/2-1
	for k, a := range apart {
		if a > most || a == most && k < best {
			best, most = k, a
		}
	}
	return best
}

// some yields a sample of the unsorted conditions.
func (w *crowd) some(yield func(Cond) bool) {
	for i := range samples {
		if !yield(w.rest[i*len(w.rest)/samples].cond) {
			return
		}
	}
}

// hang adds x to a twig.
func (t *twig) hang(n *Net, x entry) {
	for t.kids != nil && x.key != None && n.position(x.key).depth >= t.depth {
		k := n.ancestor(x.key, t.depth)
		kid := t.kids[k]
		if kid == nil {
			kid = new(twig)
			t.kids[k] = kid
		}
		t = kid
	}
	t.here = append(t.here, x)
	if t.kids == nil && len(t.here) >= max(t.limit, twigLimit) {
		t.split(n)
	}
}

// split moves the conditions of a twig that are beyond the first fork to kids.
func (t *twig) split(n *Net) {
	t.limit = 2 * len(t.here)
	var keys []Cond
	for _, x := range t.here {
		if x.key != None {
			keys = append(keys, x.key)
		}
	}
	if len(keys) == 0 {
		return
	}
	depth := n.forkDepth(keys) + 1
	if !slices.ContainsFunc(keys, func(k Cond) bool { return n.position(k).depth >= depth }) {
		return
	}
	all := t.here
	t.here, t.depth, t.kids = nil, depth, map[Cond]*twig{}
	for _, x := range all {
		t.hang(n, x)
	}
}

// forkDepth returns the depth of the last common ancestor of some, -1 if there is none.
func (n *Net) forkDepth(some []Cond) int32 {
	fork := some[0]
	for _, x := range some[1:] {
		if fork = n.fork(fork, x); fork == None {
			return -1
		}
	}
	return n.position(fork).depth
}

// on appends to list the conditions in whose histories the last condition of the place is on one
// branch with x.
func (t *twig) on(n *Net, x Cond, list []Cond) []Cond {
	for _, y := range t.here {
		if n.onOneBranch(x, y.key) {
			list = append(list, y.cond)
		}
	}
	if t.kids != nil && x != None && n.position(x).depth >= t.depth {
		if kid := t.kids[n.ancestor(x, t.depth)]; kid != nil {
			list = kid.on(n, x, list)
		}
		return list
	}
	for k, kid := range t.kids {
		if n.onOneBranch(x, k) {
			list = kid.on(n, x, list)
		}
	}
	return list
}
