package dpor

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A Tree is what is left of a search that several strategies make together:
// wakeup trees, with what comes after the branches that others explore. Its
// leaves are what is handed out. It holds nodes only as long as something may be
// inserted there.
type Tree struct {
	tab    *transition.Table
	root   *branch
	early  []transition.Proc
	leaves map[int]*branch // that are not done, by number
	last   int
	fresh  []Leaf

	executions int
}

// A Leaf is something that can be handed out.
type Leaf struct {
	N     int
	Size  float64 // about how many executions
	Depth int     // length of the path to it: what it takes to hand it out
}

// A branch is a transition of a wakeup tree, and the node after it.
type branch struct {
	t      transition.Transition // of the root: none
	up     *branch
	depth  int
	asleep []sleeper
	kids   []*branch // in the order in which they were inserted
	leaf   int       // its number; 0: it is none
	closed bool      // all that comes after it was explored
	awaits []*branch // are closed when this one is

	size  float64
	state []byte // of a leaf: what is left, as whoever explored it said
}

// A sleeper is a transition of a sleep set. from is the branch whose exploration covers it, nil if that is over.
type sleeper struct {
	t    *transition.Transition
	from *branch
}

// NewTree returns the Tree of a search that has not begun: one leaf, number 1.
func NewTree() *Tree {
	t := &Tree{tab: transition.NewTable(), root: new(branch), leaves: make(map[int]*branch)}
	t.number(t.root, 1)
	t.fresh = nil
	return t
}

// Know takes what is known of what depends on what. It must come before anything is taken.
func (t *Tree) Know(known []trace.Identity) { t.tab.Know(known) }

// Done reports whether everything was explored.
func (t *Tree) Done() bool { return t.root.closed }

// Size returns about how many executions are left below these leaves, or below all if there are none.
func (t *Tree) Size(leaves []int) (n float64) {
	for _, k := range leaves {
		n += t.leaves[k].size
	}
	if leaves == nil {
		for _, b := range t.leaves {
			n += b.size
		}
	}
	return n
}

// number makes b a leaf.
func (t *Tree) number(b *branch, size float64) {
	t.last++
	b.leaf, b.size = t.last, size
	t.leaves[b.leaf] = b
	t.fresh = append(t.fresh, Leaf{b.leaf, size, b.depth})
}

// Item returns what a Strategy is to Take that explores these leaves.
func (t *Tree) Item(leaves []int) []byte {
	e := transition.NewEncoder(t.tab)
	e.Procs(t.early)
	e.Uint(len(leaves))
	for _, n := range leaves {
		t.putEntry(e, t.leaves[n], leastTold+mostTold/len(leaves))
	}
	return e.B
}

// mostTold is how many wakeups a strategy is told of that others explore, and leastTold those at least of each leaf. Of the rest it may say what is known.
const mostTold, leastTold = 2000, 20

// putEntry writes down what leads to a leaf, what else there is on the way, and what is left of it.
func (t *Tree) putEntry(e *transition.Encoder, b *branch, room int) {
	e.Uint(b.depth)
	path := make([]*branch, b.depth+1)
	for x := b; x != nil; x = x.up {
		path[x.depth] = x
	}
	var last []transition.Transition
	for i := range b.depth {
		at := path[i]
		ts := make([]transition.Transition, len(at.asleep))
		for k, s := range at.asleep {
			ts[k] = *s.t
		}
		putSleep(e, last, ts)
		last = ts
		putTrees(e, known(at.kids, path[i+1], &room))
		e.Transition(&path[i+1].t)
	}
	e.Bytes(b.state)
}

// known returns the first of kids as wakeups, room of them with what is below at most.
func known(kids []*branch, but *branch, room *int) (trees []*wakeup) {
	for _, b := range kids {
		if b == but {
			continue
		}
		if *room <= 0 {
			break
		}
		*room--
		w := &wakeup{t: b.t, kind: whole}
		if b.leaf == 0 && !b.closed {
			w.kind = inner
			w.tree = known(b.kids, nil, room)
		}
		trees = append(trees, w)
	}
	return trees
}

// Take counts what became of leaves that were handed out together, as Split
// said, after so many executions. It returns the leaves that there are from now on beside the others. The error tells that it is
// something else; t is of no use then.
func (t *Tree) Take(leaves []int, report []byte, executions int) ([]Leaf, error) {
	t.fresh = nil
	t.executions += executions
	d := transition.NewDecoder(t.tab, report)
	if early := d.Procs(); len(early) > 0 {
		t.early = early
	}
	if d.Count() != len(leaves) {
		return nil, errPart
	}
	for _, n := range leaves {
		b := t.leaves[n]
		if b == nil {
			return nil, errPart
		}
		if err := t.takeLeaf(b, d); err != nil {
			return nil, err
		}
	}
	if d.Bad || len(d.B) > 0 {
		return nil, errPart
	}
	return t.fresh, nil
}

func (t *Tree) takeLeaf(b *branch, d *transition.Decoder) error {
	status := d.Number()
	if status == untouched {
		t.fresh = append(t.fresh, Leaf{b.leaf, b.size, b.depth})
		return nil
	}
	for _, a := range readAbove(d) {
		if a.depth >= b.depth {
			return errPart
		}
		at := b
		for at.depth > a.depth {
			at = at.up
		}
		for _, w := range a.trees {
			t.insertAll(at, w, nil)
		}
	}
	delete(t.leaves, b.leaf)
	b.leaf, b.state = 0, nil
	if status == done {
		b.asleep = nil
		t.close(b)
		return nil
	}
	return t.grow(b, d)
}

// insertAll inserts what leads to the leaves of w.
func (t *Tree) insertAll(at *branch, w *wakeup, v []*transition.Transition) {
	v = append(v, &w.t)
	for _, x := range w.tree {
		t.insertAll(at, x, v)
	}
	if len(w.tree) == 0 {
		t.insert(at, append([]*transition.Transition(nil), v...))
	}
}

// insert is Strategy.insert.
func (t *Tree) insert(at *branch, v []*transition.Transition) {
next:
	for _, s := range at.asleep {
		if _, ok := initial(t.tab, s.t, v); ok {
			return
		}
	}
	for _, b := range at.kids {
		k, ok := initial(t.tab, &b.t, v)
		if !ok {
			continue
		}
		if v = without(v, k); b.leaf != 0 || b.closed || len(v) == 0 {
			return
		}
		at = b
		goto next
	}
	drawFirst(v)
	for _, x := range v {
		at = t.add(at, x)
	}
	t.number(at, max(1, float64(t.executions)/float64(t.last))) // as many as below others
}

// add adds a branch.
func (t *Tree) add(at *branch, x *transition.Transition) *branch {
	b := &branch{up: at, depth: at.depth + 1}
	b.t.Set(x)
	sleeps := func(s sleeper) {
		if !t.tab.Dependent(s.t, x) {
			b.asleep = append(b.asleep, s)
		}
	}
	for _, s := range at.asleep {
		sleeps(s)
	}
	for _, left := range at.kids {
		sleeps(sleeper{&left.t, left})
	}
	at.kids = append(at.kids, b)
	return b
}

// grow makes of a leaf the nodes and leaves that whoever explored it gives away, and one that is the rest.
func (t *Tree) grow(b *branch, d *transition.Decoder) error {
	if b.up != nil {
		b.t = d.Transition()
	}
	var last []transition.Transition
	for range d.Count() {
		last = readSleep(d, last)
		b.asleep = b.asleep[:0]
		for i := range last {
			b.asleep = append(b.asleep, sleeper{t: &last[i]})
		}
		size, trees, x := d.Number(), readTrees(d), d.Transition()
		if d.Bad {
			return errPart
		}
		next := t.add(b, &x)
		for _, w := range trees {
			t.graft(b, w, float64(size))
		}
		b = next
	}
	t.number(b, float64(d.Number()))
	b.state = d.Bytes(d.Count())
	return nil
}

// graft adds a wakeup tree, from whose leaves size executions are to come.
func (t *Tree) graft(at *branch, w *wakeup, size float64) {
	b := t.add(at, &w.t)
	if len(w.tree) == 0 {
		t.number(b, max(size, 1))
		return
	}
	for _, x := range w.tree {
		t.graft(b, x, size/float64(len(w.tree)))
	}
}

// close notes that nothing is left after b, nor can be inserted there: whatever
// sleeps there was explored too. It closes what waits for that.
func (t *Tree) close(b *branch) {
	if b.closed {
		return
	}
	for _, k := range b.kids {
		if !k.closed {
			return
		}
	}
	for _, s := range b.asleep {
		if s.from != nil && !s.from.closed {
			s.from.awaits = append(s.from.awaits, b)
			return
		}
	}
	b.closed, b.kids, b.asleep = true, nil, nil
	for _, x := range b.awaits {
		t.close(x)
	}
	b.awaits = nil
	if b.up != nil {
		t.close(b.up)
	}
}
