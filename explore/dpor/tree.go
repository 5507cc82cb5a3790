package dpor

import (
	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

// A Tree is what is left of a search in parts: wakeup trees with the nodes above the branches that
// strategies explore. It keeps a node only as long as a sequence may be inserted there. It
// implements explore.Tree.
type Tree struct {
	tab    *transition.Table
	root   *branch
	early  []transition.Proc
	leaves map[int]*branch // those that are not done, by number
	last   int
	fresh  []explore.Leaf

	executions int
}

// A branch is a transition of a wakeup tree, and the node after it.
type branch struct {
	t      transition.Transition // of the root: none
	up     *branch
	depth  int
	asleep []sleeper
	kids   []*branch // in order of insertion
	leaf   int       // its number; 0 if it is no leaf
	closed bool      // everything below was explored
	awaits []*branch // branches that are closed together with this one

	size  float64
	state []byte // for a leaf: what is left, as the strategy that explored it encoded it
}

// A sleeper is a transition of a sleep set. from is the branch whose exploration covers it, nil if
// that is closed.
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

// Know implements explore.Tree.
func (t *Tree) Know(known []trace.Identity) { t.tab.Know(known) }

// Done implements explore.Tree.
func (t *Tree) Done() bool { return t.root.closed }

// Size implements explore.Tree.
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
	t.fresh = append(t.fresh, explore.Leaf{N: b.leaf, Size: size, Depth: b.depth})
}

// Item implements explore.Tree.
func (t *Tree) Item(leaves []int) []byte {
	e := transition.NewEncoder(t.tab)
	e.Procs(t.early)
	e.Uint(len(leaves))
	for _, n := range leaves {
		t.putEntry(e, t.leaves[n], leastTold+mostTold/len(leaves))
	}
	return e.B
}

// mostTold bounds how many wakeups of other strategies an item lists; it lists at least leastTold
// for each leaf. The strategy may report what it finds for the others though it is explored.
const mostTold, leastTold = 2000, 20

// putEntry encodes the path to a leaf, the other branches along it, and what is left of the leaf.
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

// known returns the first of kids as wakeups, at most room with what is below them.
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

// Take implements explore.Tree.
func (t *Tree) Take(leaves []int, report []byte, executions int) ([]explore.Leaf, error) {
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
		t.fresh = append(t.fresh, explore.Leaf{N: b.leaf, Size: b.size, Depth: b.depth})
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

// insertAll inserts the sequences to the leaves of w.
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
	t.number(at, max(1, float64(t.executions)/float64(t.last))) // the mean size of the leaves so far
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

// grow replaces a leaf by the nodes and leaves that its strategy gives away, and one leaf for the
// rest.
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

// graft adds a wakeup tree whose leaves have about size executions each.
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

// close records that nothing is left below b and nothing can be inserted there: everything in its
// sleep set was explored too. It closes the branches that waited for that.
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
