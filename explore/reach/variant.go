package reach

import (
	"math"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// An event says how to perform a transition again.
type event struct {
	proc, with transition.Proc
	at, theirs int16
	choice     int32
	op         trace.Op
	barrier    bool
}

func eventOf(t *transition.Transition) event {
	return event{proc: t.Proc, with: t.With, at: t.Case, theirs: t.WithCase, choice: t.Choice, op: t.Op,
		barrier: t.Barrier}
}

// A variant is a race variant (Definition 7) to be exercised.
type variant struct {
	schedule trace.Schedule
	events   []event // in schedule order, barriers included
	from     []int32 // by event: its index in the node, or -(k+1) for the row's k-th extension
	old      set     // the events that the node has too
	black    set
	w        int
	store    arena
	numbers  transition.Numbers
	sleepers []sleeper
	asleep   extension // scratch

	// By event, of a variant behind a witness: the index of the event in the witness, or -1.
	given []int32
	by    *witness
	// events of the sequence are left out that no extension displaces
	parted bool
}

// given is in variant.from for an event that comes from a witness.
const given = math.MinInt32

// derive makes v the variant of the node's current row: the events that are not removed, and the
// extensions. With a witness its other events follow. f looks at the node's sequence. asleep:
// events may be possible that are not to happen.
func (v *variant) derive(n *node, f *finder, by *witness, without set, asleep bool) {
	v.store.empty()
	displaced := n.row[len(n.row)-1].gone
	if v.parted = by != nil && !without.equal(displaced); v.parted {
		displaced = without
	}
	v.events, v.from, v.by, v.given = v.events[:0], v.from[:0], by, v.given[:0]
	for i := range n.seq.n {
		if displaced.has(i) {
			continue
		}
		v.events, v.from = append(v.events, eventOf(n.seq.At(i))), append(v.from, int32(i))
		v.place(n, int32(i))
	}
	if by != nil {
		v.follow(n)
	}
	v.place(n, last)
	v.mark(n)
	v.number(n)
	v.useNames(n)
	if v.sleepers = v.sleepers[:0]; asleep {
		v.watch(n, f, displaced)
	}
}

// follow appends the events of the witness that are not in the node's sequence, the row's
// extensions among them.
func (v *variant) follow(n *node) {
	for j := range v.by.events {
		if _, ok := n.seq.index[v.by.ids[j]]; !ok {
			v.give(n, j)
		}
	}
}

// give appends event j of the witness, unless it is there.
func (v *variant) give(n *node, j int) {
	from := int32(given)
	for k := range n.row {
		if n.idOf(k) == v.by.ids[j] {
			from = -int32(k) - 1
		}
	}
	for len(v.given) < len(v.events) {
		v.given = append(v.given, -1)
	}
	if from != given && slices.Contains(v.from, from) || slices.Contains(v.given, int32(j)) {
		return
	}
	v.events, v.from = append(v.events, eventOf(&v.by.events[j])), append(v.from, from)
	v.given = append(v.given, int32(j))
}

// draws appends the draws of the witness that follow the k-th pick directly.
func (v *variant) draws(n *node, k int) {
	if v.by == nil {
		return
	}
	for j := slices.Index(v.by.ids, n.idOf(k)) + 1; j > 0 && j < len(v.by.events); j++ {
		if t := &v.by.events[j]; t.Choices == 0 || t.Proc != n.row[k].proc {
			return
		}
		v.give(n, j)
	}
}

// place appends the row's extensions that come after event i.
func (v *variant) place(n *node, i int32) {
	for k := range n.row {
		if p := &n.row[k]; p.after == i && !slices.Contains(v.from, -int32(k)-1) {
			v.events, v.from = append(v.events, p.event), append(v.from, -int32(k)-1)
			v.draws(n, k)
		}
	}
}

// mark computes the old and the black events of the variant (Fig. 10, lines 5 to 11). Black are the
// changed events, and all that happened before them.
func (v *variant) mark(n *node) {
	v.w = words(len(v.events))
	v.old, v.black = v.store.set(v.w), v.store.set(v.w)
	must := n.row[len(n.row)-1].must
	for j, i := range v.from {
		if i >= 0 {
			v.old.add(j)
		}
		if i < 0 && i != given || i >= 0 && must.has(int(i)) {
			v.black.add(j)
		}
	}
}

// number makes the schedule: goroutines get the numbers that they will have when the events happen
// in this order.
func (v *variant) number(n *node) {
	v.numbers.Begin(n.seq.Early())
	s := &v.schedule
	s.Steps = s.Steps[:0]
	for j := range v.events {
		e := &v.events[j]
		if !e.barrier {
			s.Steps = append(s.Steps, v.step(e))
		}
		v.numbers.Start(v.starts(n, j))
	}
}

// starts returns the goroutines that event j of the variant starts; those of extensions are
// unknown.
func (v *variant) starts(n *node, j int) []transition.Proc {
	switch {
	case v.from[j] >= 0:
		return n.seq.At(int(v.from[j])).Starts
	case j < len(v.given) && v.given[j] >= 0:
		return v.by.events[v.given[j]].Starts
	}
	return nil
}

func (v *variant) step(e *event) trace.Step {
	return trace.Step{G: v.numbers.Of(e.proc), Op: e.op, Choice: e.choice,
		With: int32(v.numbers.Of(e.with)) + 1, Case: e.at, WithCase: e.theirs}
}

// useNames makes the schedule name its goroutines if a changed draw is in its middle, or events of
// a witness follow the extensions: the goroutines that are started then are unknown, and so are all
// later numbers.
func (v *variant) useNames(n *node) {
	s := &v.schedule
	drawn := v.by != nil
	for k := range n.row {
		drawn = drawn || n.row[k].op == trace.OpChoose
	}
	if !drawn {
		s.Names, s.With = nil, nil
		return
	}
	s.Names, s.With = s.Names[:0], s.With[:0]
	for i := range v.events {
		e := &v.events[i]
		if e.barrier {
			continue
		}
		with := ""
		if e.with != transition.NoProc {
			with = n.seq.Tab.Name(e.with)
		}
		s.Names, s.With = append(s.Names, n.seq.Tab.Name(e.proc)), append(s.With, with)
	}
}
