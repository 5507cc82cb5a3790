package reach

import (
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
	gids     []trace.GID // by Proc
	sleepers []sleeper
	asleep   extension // scratch
}

// derive makes v the variant of the node's current row: the events that are not removed, and the
// extensions. f looks at the node's sequence.
func (v *variant) derive(n *node, f *finder) {
	v.store.empty()
	displaced := n.row[len(n.row)-1].gone
	v.events, v.from = v.events[:0], v.from[:0]
	for i := range n.seq.n {
		if displaced.has(i) {
			continue
		}
		v.events, v.from = append(v.events, eventOf(n.seq.At(i))), append(v.from, int32(i))
		v.place(n, int32(i))
	}
	v.place(n, last)
	v.mark(n)
	v.number(n)
	v.useNames(n)
	v.watch(n, f, displaced)
}

// place appends the row's extensions that come after event i.
func (v *variant) place(n *node, i int32) {
	for k := range n.row {
		if p := &n.row[k]; p.after == i {
			v.events, v.from = append(v.events, p.event), append(v.from, -int32(k)-1)
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
		if i < 0 || must.has(int(i)) {
			v.black.add(j)
		}
	}
}

// number makes the schedule: goroutines get the numbers that they will have when the events happen
// in this order.
func (v *variant) number(n *node) {
	v.gids = v.gids[:0]
	v.name(transition.Main, 0)
	v.name(transition.Timers, 1)
	next := trace.GID(2)
	for _, p := range n.seq.Early() {
		v.name(p, next)
		next++
	}
	s := &v.schedule
	s.Steps = s.Steps[:0]
	for j := range v.events {
		e := &v.events[j]
		if !e.barrier {
			s.Steps = append(s.Steps, v.step(e))
		}
		if v.from[j] < 0 {
			continue
		}
		for _, p := range n.seq.At(int(v.from[j])).Starts {
			v.name(p, next)
			next++
		}
	}
}

func (v *variant) name(p transition.Proc, g trace.GID) {
	for int(p) >= len(v.gids) {
		v.gids = append(v.gids, trace.NoG)
	}
	v.gids[p] = g
}

func (v *variant) gid(p transition.Proc) trace.GID {
	if p < 0 || int(p) >= len(v.gids) {
		return trace.NoG
	}
	return v.gids[p]
}

func (v *variant) step(e *event) trace.Step {
	return trace.Step{G: v.gid(e.proc), Op: e.op, Choice: e.choice, With: int32(v.gid(e.with)) + 1,
		Case: e.at, WithCase: e.theirs}
}

// useNames makes the schedule name its goroutines if a changed draw is in its middle: the
// goroutines that are started then are unknown, and so are all later numbers.
func (v *variant) useNames(n *node) {
	s := &v.schedule
	drawn := false
	for k := range n.row {
		drawn = drawn || n.row[k].op == trace.OpChoose
	}
	if !drawn {
		s.Names = nil
		return
	}
	s.Names = s.Names[:0]
	for i := range v.events {
		if e := &v.events[i]; !e.barrier {
			s.Names = append(s.Names, n.seq.Tab.Name(e.proc))
		}
	}
}
