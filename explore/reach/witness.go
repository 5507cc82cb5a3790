package reach

import (
	"slices"

	"heddle/explore/transition"
)

// Unmatched receives, decided before they are exercised. A variant may leave old events possible
// (section 7.3): sequences with such an event belong to another row of the race table, so
// executions of the variant must not have it. Whether it has any other execution depends on what
// goroutines do next. Rows come after the rows that have more picks, so the sequences that have the
// event too are exercised by then, and they show it: every execution of the variant that the event
// is not part of has a first event that excludes it, and that event is an extension of one of these
// sequences. Such an extension, with what happened before it, is a witness. A variant with old
// events that are possible is exercised behind a witness that excludes all of them. Without one
// every execution of it would be broken off, and it has none.
//
// The argument is that of wakeup trees (Abdulla et al., JACM 2017, theorem on optimality), for sets
// of events instead of sequences.

// A witness is a configuration: events with all that happens before them, in an order in which they
// can happen.
type witness struct {
	ids    []id
	events []transition.Transition
	causes [][]int32 // by event: indices of events such that all others before it happened before one
	has    map[id]bool
}

// within reports whether all events of w are in v.
func (w *witness) within(v *witness) bool {
	return len(w.ids) <= len(v.ids) && !slices.ContainsFunc(w.ids, func(x id) bool { return !v.has[x] })
}

// witnesses are the witnesses for rows of a node that are still to come, by row.
type witnesses map[id][]*witness

// mostWitnessed is the number of events in witnesses that a search keeps. With more it goes on as
// the paper does: variants are exercised without knowing whether they can be completed.
const mostWitnessed = 1 << 19

// A search for witnesses in a new sequence, whose node is the top of the stack.
type witnessing struct {
	*finder
	n     *node
	stack []*node
	picks []picked
	x     extension
	own   id  // its name
	used  set // events of the witness
	steps []*transition.Transition
}

// A picked event of the sequence is a pick of the current row of a node on the stack.
type picked struct{ at, level int }

// mostHistories is how many histories of a shape a search for witnesses looks at.
const mostHistories = 1 << 10

// seekWitnesses looks for witnesses among the extensions of the sequence of the newest node: those
// that exclude picks of the current rows below it.
func (s *Strategy) seekWitnesses() {
	top := len(s.stack) - 1
	n := s.stack[top]
	if s.find.reduce != nil || s.paper {
		return
	}
	w := &s.wit
	w.finder, w.n, w.stack = &s.find, n, s.stack[:top]
	if !w.locate() {
		return
	}
	s.find.look(n)
	none := s.find.none[:s.find.w]
	for i := range n.shapes {
		sh := &n.shapes[i]
		if sh.kind == drawn || !s.find.open(sh, none, none) {
			continue
		}
		for _, p := range w.hit() {
			s.extendWithout(sh, p)
		}
	}
	if s.witnessed > mostWitnessed {
		s.unwitnessed = true
	}
}

// extendWithout makes witnesses with the extensions of a shape that exclude p.
func (s *Strategy) extendWithout(sh *shape, p picked) {
	w, none, looked := &s.wit, s.find.none[:s.find.w], 0
	gone := w.n.seq.after(p.at)
	s.find.open(sh, none, gone)
	for at := (walk{}); !s.find.spent() && s.find.next(&at); looked++ {
		if looked == mostHistories {
			s.unwitnessed = true
			return
		}
		if s.find.make(&w.x, s.find.h) && w.x.displace.has(p.at) {
			s.witnessed += w.take()
			s.find.look(w.n)
			s.find.open(sh, none, gone)
		}
	}
}

// hit returns the picks that extensions of the shape that was opened may exclude: its calls were
// completed by the pick or before it, or it may depend on such events.
func (w *witnessing) hit() (ps []picked) {
	for _, p := range w.picks {
		past := w.before(p.at)
		if w.gone.meets(past) || slices.ContainsFunc(w.deps, func(i int32) bool { return past.has(int(i)) }) {
			ps = append(ps, p)
		}
	}
	return ps
}

// locate finds the picks of the rows of the stack in the sequence, and reports whether a row has
// several: without its only pick no variant is left.
func (w *witnessing) locate() bool {
	w.picks = w.picks[:0]
	w.n.seq.name()
	many := false
	for i, a := range w.stack {
		if a.apart {
			w.picks, many = w.picks[:0], false
		}
		for k := range a.row {
			many = many || len(a.row) > 1
			if at, ok := w.n.seq.index[a.idOf(k)]; ok {
				w.picks = append(w.picks, picked{int(at), i})
			}
		}
	}
	return many
}

// lowest returns the index of the lowest node one of whose picks the current extension removes; -1
// if there is none.
func (w *witnessing) lowest() int {
	for _, p := range w.picks {
		if w.x.displace.has(p.at) {
			return p.level
		}
	}
	return -1
}

// take makes a witness with the current extension, if it is one, for the row of the lowest node
// whose picks are left. It returns the number of events that are kept more.
func (w *witnessing) take() int {
	a := w.stack[w.lowest()]
	seq := &w.n.seq
	a.seq.name()
	name, picks := id{}, 0
	w.used = append(w.used[:0], w.x.history...)
	for k := range a.row {
		at := int(seq.index[a.idOf(k)])
		if w.x.displace.has(at) {
			continue
		}
		name.add(a.idOf(k))
		w.used.join(seq.before(at))
		picks++
	}
	if w.own = seq.nameOf(&w.x.event, w.x.history); picks == 0 || w.foreign(a) {
		return 0
	}
	w.share(a)
	if !w.kill(a) {
		return 0
	}
	v := w.record()
	for _, other := range a.wit[name] {
		if other.within(v) {
			return 0
		}
	}
	if a.wit == nil {
		a.wit = witnesses{}
	}
	n := len(v.ids)
	a.wit[name] = slices.DeleteFunc(a.wit[name], func(other *witness) bool {
		if v.within(other) {
			n -= len(other.ids)
			return true
		}
		return false
	})
	a.wit[name] = append(a.wit[name], v)
	return n
}

// foreign reports whether the current extension is one of a's sequence too, or of an elder's: it
// belongs to another row.
func (w *witnessing) foreign(a *node) bool {
	extends := func(b *node) bool {
		if _, has := b.seq.index[w.own]; has {
			return false
		}
		for i := w.x.history.next(0); i >= 0; i = w.x.history.next(i + 1) {
			if _, has := b.seq.index[w.n.seq.ids[i]]; !has {
				return false
			}
		}
		return true
	}
	return extends(a) || slices.ContainsFunc(a.elders, func(e elder) bool { return extends(e.node) })
}

// share adds the events to the configuration that a's sequence and its elders' have too.
func (w *witnessing) share(a *node) {
	for i, x := range w.n.seq.ids {
		if w.used.has(i) || w.x.displace.has(i) {
			continue
		}
		_, has := a.seq.index[x]
		for k := 0; k < len(a.elders) && !has; k++ {
			_, has = a.elders[k].node.seq.index[x]
		}
		if has {
			w.used.join(w.n.seq.before(i))
		}
	}
}

// kill adds events of the sequence to the configuration until it excludes every event that extends
// a's sequence or an elder's. It returns false if it cannot.
func (w *witnessing) kill(a *node) bool {
	for i := -1; i < len(a.elders); i++ {
		b := a
		if i >= 0 {
			b = a.elders[i].node
		}
		if alive := w.alive(b); alive != nil {
			by := w.killer(alive)
			if by < 0 {
				return false
			}
			w.used.join(w.n.seq.before(by))
			i = -2 // other events of the sequences may be excluded now, and so others are possible
		}
	}
	return true
}

// alive returns an event that extends a's sequence and can happen beside the configuration, with
// what must happen before it; nil if there is none.
func (w *witnessing) alive(a *node) (alive []*transition.Transition) {
	a.seq.name()
	w.steps = w.steps[:0]
	for i := w.used.next(0); i >= 0; i = w.used.next(i + 1) {
		if _, ok := a.seq.index[w.n.seq.ids[i]]; !ok {
			w.steps = append(w.steps, w.n.seq.At(i))
		}
	}
	if _, ok := a.seq.index[w.own]; !ok {
		w.steps = append(w.steps, w.x.transition())
	}
	alive = a.beside(w.finder, func(x id) bool {
		i, ok := w.n.seq.index[x]
		return x == w.own || ok && w.used.has(int(i))
	}, w.steps)
	w.finder.look(w.n)
	return alive
}

// killer returns the first event that excludes others and can happen beside the configuration; -1
// if there is none.
func (w *witnessing) killer(of []*transition.Transition) int {
	for i := range w.n.seq.n {
		excludes := func(t *transition.Transition) bool { return w.Tab.Dependent(t, w.n.seq.At(i)) }
		if !w.used.has(i) && !w.x.displace.has(i) && slices.ContainsFunc(of, excludes) {
			return i
		}
	}
	return -1
}

// transition returns x as a transition.
func (x *extension) transition() *transition.Transition {
	return &transition.Transition{Proc: x.proc, With: x.with, Case: x.at, WithCase: x.theirs,
		Choice: x.choice, Op: x.op, Barrier: x.barrier, Accesses: x.accesses}
}

// record returns the configuration.
func (w *witnessing) record() *witness {
	seq := &w.n.seq
	v := &witness{has: map[id]bool{}}
	at := map[int32]int32{}
	add := func(x id, t *transition.Transition, causes []int32) {
		v.ids = append(v.ids, x)
		v.has[x] = true
		v.events = append(v.events, transition.Transition{})
		v.events[len(v.events)-1].Set(t)
		v.causes = append(v.causes, causes)
	}
	for i := w.used.next(0); i >= 0; i = w.used.next(i + 1) {
		var causes []int32
		for _, c := range seq.causes[seq.from[i]:seq.from[i+1]] {
			causes = append(causes, at[c])
		}
		at[int32(i)] = int32(len(v.ids))
		add(seq.ids[i], seq.At(i), causes)
	}
	var causes []int32
	for i := w.x.history.next(0); i >= 0; i = w.x.history.next(i + 1) {
		causes = append(causes, at[int32(i)])
	}
	add(w.own, w.x.transition(), causes)
	return v
}
