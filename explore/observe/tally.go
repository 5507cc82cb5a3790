package observe

import (
	mathbits "math/bits"

	"heddle/explore/transition"
	"heddle/trace"
)

// A tally counts, for each item, the goroutines that may access it.
type tally struct{ reads, writes, adds []int32 }

func (t *tally) size(n int) {
	for len(t.reads) < n {
		t.reads, t.writes, t.adds = append(t.reads, 0), append(t.writes, 0), append(t.adds, 0)
	}
}

func (t *tally) clear() {
	clear(t.reads)
	clear(t.writes)
	clear(t.adds)
}

// move counts q in place of r. turned is called with each item that nothing was counted for before,
// or nothing is after. It may be nil.
func (t *tally) move(r, q *reach, turned func(int32)) {
	if r.isWord() && q.isWord() && r.reads.low == q.reads.low && r.writes.low == q.writes.low &&
		r.adds.low == q.adds.low {
		return
	}
	recount(t.reads, &r.reads, &q.reads, turned)
	recount(t.writes, &r.writes, &q.writes, turned)
	recount(t.adds, &r.adds, &q.adds, turned)
}

func recount(counts []int32, from, to *bits, turned func(int32)) {
	for k := range max(from.words(), to.words()) {
		a, b := from.word(k), to.word(k)
		for w := a ^ b; w != 0; w &= w - 1 {
			i := int32(k<<6 + mathbits.TrailingZeros64(w))
			if b&(w&-w) != 0 {
				counts[i]++
			} else {
				counts[i]--
			}
			if counts[i] <= 1 && turned != nil {
				turned(i)
			}
		}
	}
}

// of returns how many goroutines may read, write and add to an item, but for one that may access
// own.
func (t *tally) of(i int32, own *reach) (reads, writes, adds int32) {
	reads, writes, adds = t.reads[i], t.writes[i], t.adds[i]
	if own.reads.has(i) {
		reads--
	}
	if own.writes.has(i) {
		writes--
	}
	if own.adds.has(i) {
		adds--
	}
	return reads, writes, adds
}

// any reports whether a goroutine may access an item.
func (t *tally) any(i int32) bool { return t.reads[i]|t.writes[i]|t.adds[i] != 0 }

// meets reports whether what is counted, but own, conflicts with a step. It is the same as
// items.meets of one of the goroutines.
func (t *tally) meets(f *items, own *reach, but *exception) bool {
	for _, i := range f.writes {
		if r, w, a := t.of(i, own); r+a > 0 || i != but.firsts && w > 0 {
			return true
		}
	}
	for _, i := range f.reads {
		if _, w, a := t.of(i, own); w+a > 0 {
			return true
		}
	}
	for _, i := range f.views {
		if _, w, _ := t.of(i, own); w > 0 {
			return true
		}
	}
	for _, i := range f.adds {
		if r, w, _ := t.of(i, own); w > 0 || i != but.summed && r > 0 {
			return true
		}
	}
	if but.ordered >= 0 {
		_, _, a := t.of(but.ordered, own)
		return a > 0
	}
	return false
}

// A census is what all goroutines of a state may do from there on, kept while it takes steps.
type census struct {
	on                   bool
	future, bare, before tally
	soon                 tally
	awaits               []int32  // by item: how many may wait for it, as a WaitGroup
	awaited              bits     // those items that have such
	losses               []int32  // by item: the sum of what they may take off its counter
	digest               digest   // of all that matters from now on
	procs, items         []digest // what is in digest of each goroutine and item
}

// countAll makes the census of a state anew: the program may have grown.
func (s *state) countAll() {
	c := &s.census
	c.on = true
	for _, t := range [...]*tally{&c.future, &c.bare, &c.before, &c.soon} {
		t.clear()
	}
	clear(c.losses)
	clear(c.awaits)
	c.awaited.clear()
	clear(c.procs)
	clear(c.items)
	c.digest = digest{}
	s.resize()
	c.on = false // until all are counted
	for proc, n := range s.at {
		if n != 0 {
			s.recount(s.p.node(0), s.local[proc])
			s.localState(transition.Proc(proc))
		}
	}
	c.on = true
	for i := range s.begun {
		s.itemState(int32(i))
	}
}

// recount counts a goroutine in node b in place of node a.
func (s *state) recount(a, b *node) {
	c := &s.census
	if a == b {
		return
	}
	turned := s.itemState
	if !c.on {
		turned = nil
	}
	c.future.move(&a.future, &b.future, turned)
	c.bare.move(&a.bare, &b.bare, nil)
	c.before.move(&a.before, &b.before, nil)
	c.soon.move(&a.soon, &b.soon, nil)
	if !a.awaits.empty() || !b.awaits.empty() {
		for i := range a.awaits.all {
			c.awaits[i]--
		}
		for i := range b.awaits.all {
			c.awaits[i]++
			c.awaited.add(i)
		}
	}
	for _, w := range a.worst {
		c.losses[w.item] -= w.most
	}
	for _, w := range b.worst {
		c.losses[w.item] += w.most
	}
}

// localState brings the digest up to date after a step of a goroutine. Goroutines that are alike
// may change places. One that has ended, and with whose last step nothing can race, is as one that
// has not begun, or a timer that was stopped: it does nothing any more. If it could still begin the
// local state of the one that starts it says so.
func (s *state) localState(proc transition.Proc) {
	var d digest
	first := s.p.kin.first(proc)
	if n := s.at[proc]; n != 0 && (!s.local[proc].over() || s.zero[proc]) {
		d = s.local[proc].sum(first, n)
		if s.zero[proc] {
			d.add(uint64(first)<<32 | 1<<30)
		}
		if s.rank[proc] != 0 {
			d.add(uint64(first)<<32 | 1<<29 | uint64(s.rank[proc]))
		}
		if s.past[proc] != 0 {
			d.add(uint64(first)<<32 | 1<<28 | uint64(s.past[proc]))
		}
	}
	s.census.digest.replace(&s.census.procs[proc], d)
}

// over reports whether a goroutine has ended, and has accessed nothing in its last step.
func (n *node) over() bool { return n.known && n.op.class == ended && len(n.window) == 0 }

// sum returns what a node, of this number, is in a digest, of a goroutine that is like first.
func (n *node) sum(first transition.Proc, number int32) digest {
	if n.digest == (digest{}) || n.summed != n.tail {
		n.digest, n.summed = digest{}, n.tail
		if n.tail != 0 {
			n.digest.add(uint64(first)<<32 | 1<<31 | uint64(n.tail))
		} else {
			n.digest.add(uint64(first)<<32 | uint64(number))
		}
	}
	return n.digest
}

// itemState brings the digest up to date after a change of an item, or of whether it matters: a
// goroutine may access it.
func (s *state) itemState(i int32) {
	c := &s.census
	if !c.on {
		return
	}
	var d digest
	if sum := &s.sums[i]; *sum != (digest{}) && c.future.reads[i] > 0 {
		d.add(uint64(i)<<32 | 3<<30)
		d.add(sum[0])
		d.add(sum[1])
	}
	if !s.p.items[i].cell && c.future.any(i) {
		n := s.counts[i]
		d.add(uint64(i)<<32 | 2<<30)
		d.add(uint64(uint32(n[0]))<<32 | uint64(uint32(n[1])))
		d.add(uint64(uint32(n[2]))<<32 | uint64(len(s.queues[i])))
		for _, v := range s.queues[i] {
			d.add(uint64(uint32(v)))
			if s.p.items[i].kind == trace.ObjClock {
				d.add(uint64(s.due[v]))
			}
		}
	}
	c.digest.replace(&c.items[i], d)
}

// replace takes a part out of d, and adds another one. Two equal parts are not none.
func (d *digest) replace(part *digest, by digest) {
	d[0] += by[0] - part[0]
	d[1] += by[1] - part[1]
	*part = by
}
