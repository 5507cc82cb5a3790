package observe

import (
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// A critical section that can be one step is closed: after it took the lock the goroutine only
// accesses memory until it leaves the lock, and so it always does. All sections of the lock must
// be closed, and none is tried for. Then a section waits for nothing but the others of its lock,
// each as a whole (Lipton, CACM 18(12), 1975). Which of two comes first matters only for what they
// access.

// closed reports whether all sections of a lock that executions have shown are closed.
func (p *program) closed(item int32) bool { return !p.isOpen.has(item) }

// opened notes that a lock has a section that is not closed. 0: no lock.
func (p *program) opened(holds int32) {
	if holds == 0 || p.isOpen.has(holds-1) {
		return
	}
	p.isOpen.add(holds - 1)
	p.grown = true // what a search left out because of that may matter
}

// isLock reports whether an item is a mutex or a RWMutex.
func (p *program) isLock(item int32) bool {
	k := p.items[item].kind
	return k == trace.ObjMutex || k == trace.ObjRWMutex
}

// enclose looks whether the pending operation of a node keeps closed what it is in.
func (p *program) enclose(n *node) {
	op := &n.op
	lock := p.locks(op)
	s, certain := model.Outside, true
	if lock {
		s, certain = p.sectionOf(op)
	} else {
		p.openSlots(op)
	}
	switch {
	case lock && !certain: // it is tried for
		p.opened(op.item + 1)
		p.opened(n.holds)
	case n.arrives != 0:
		if !lock || op.op != trace.OpLock || op.item+1 != n.arrives {
			p.opened(n.arrives)
		}
	case lock && (s.Enters() || op.op == trace.OpArrive):
		if n.holds != 0 {
			p.opened(n.holds)
			p.opened(op.item + 1)
		}
	case lock && s.Leaves():
		if n.holds != op.item+1 || n.shared != (s == model.LeaveShared) {
			p.opened(n.holds)
			p.opened(op.item + 1)
		}
	case op.class != free:
		p.opened(n.holds)
	}
}

// within fills in which section the node is in to which an edge of n leads.
func (p *program) within(n *node, e *edge, to *node) {
	op := &n.op
	switch {
	case op.class == free:
		to.holds, to.shared = n.holds, n.shared
	case !p.locks(op):
	case op.op == trace.OpArrive:
		to.arrives = op.item + 1
	default:
		if s, _ := p.sectionOf(op); s.Enters() && n.holds == 0 {
			to.holds, to.shared = op.item+1, s == model.EnterShared
		}
	}
	if to.holds != 0 && len(e.starts) > 0 {
		p.opened(to.holds)
	}
}

// guards adds what an edge accesses to bare, unless a lock guards it: all accesses in closed
// sections are in those of that lock.
func (p *program) guards(to *node, r, bare *reach) {
	held := func(from *bits, write bool, into *bits) {
		for i := range from.all {
			switch g := p.guardOf(i); {
			case to.holds == 0:
			case g == to.holds && !(to.shared && write):
				continue
			case g == 0 && !(to.shared && write):
				p.guard[i] = to.holds
				continue
			case g != unguarded:
				p.guard[i] = unguarded
				p.grown = true
			}
			into.add(i)
		}
	}
	held(&r.reads, false, &bare.reads)
	held(&r.writes, true, &bare.writes)
	held(&r.adds, true, &bare.adds)
}

// keep makes what a goroutine accessed in the step that led to a node a part of its next step. An
// update is a read and a write for races. In the sections that come first there are none among each
// other, and for all other accesses it is no update there.
func (p *program) keep(n *node) {
	for _, a := range n.window {
		switch i := p.cells[a.cell].item; {
		case a.write && (a.atomic || n.holds != 0 && !n.shared && p.guardOf(i) == n.holds):
			n.next.adds.add(i)
		case a.write:
			n.next.writes.add(i)
		case !a.update:
			n.next.reads.add(i)
		}
	}
}

// unguarded is the guard of what is accessed in sections of several locks, or written while others
// may read it.
const unguarded = -1

// guardOf returns the lock, as item + 1, that guards an item in sections; 0: it was in none.
func (p *program) guardOf(i int32) int32 {
	for len(p.guard) <= int(i) {
		p.guard = append(p.guard, 0)
	}
	return p.guard[i]
}

// A foot is what the next step of a goroutine accesses in a state.
type foot struct {
	turn    int  // of the search when it was found
	section bool // the step is a critical section
	items   items
	but     exception
	meets   rivals
}

// rivals are the goroutines of a state, by Proc, that may do what conflicts with the next step of
// one: until they have passed the Waits that come first, and at all.
type rivals struct {
	turn      int // of the search when they were found
	soon, all []bool
}

// items are items that are accessed, as in a reach; views are read where what is added to them does
// not matter.
type items struct{ reads, writes, adds, views []int32 }

func (f *items) clear() {
	f.reads, f.writes, f.adds, f.views = f.reads[:0], f.writes[:0], f.adds[:0], f.views[:0]
}

// drop removes an item of a channel.
func (f *items) drop(item int32) {
	is := func(i int32) bool { return i == item }
	f.writes, f.adds = slices.DeleteFunc(f.writes, is), slices.DeleteFunc(f.adds, is)
}

// add adds what r has, but one item.
func (f *items) add(r *reach, but int32) {
	f.reads = r.reads.appendTo(f.reads, but)
	f.writes = r.writes.appendTo(f.writes, but)
	f.adds = r.adds.appendTo(f.adds, but)
}

// meets reports whether a step and a future access an item in ways that conflict.
func (f *items) meets(q *reach, but *exception) bool {
	for _, i := range f.writes {
		if q.reads.has(i) || q.adds.has(i) || i != but.firsts && q.writes.has(i) {
			return true
		}
	}
	for _, i := range f.reads {
		if q.writes.has(i) || q.adds.has(i) {
			return true
		}
	}
	for _, i := range f.views {
		if q.writes.has(i) {
			return true
		}
	}
	for _, i := range f.adds {
		if q.writes.has(i) || i != but.summed && q.reads.has(i) {
			return true
		}
	}
	return but.ordered >= 0 && q.adds.has(but.ordered)
}

// foot finds what the next step of a goroutine accesses: all that steps from its node may, or its
// critical section in this state. It reports whether that is known; if not, an execution is needed:
// of x.path and x.pending.
func (x *search) foot(proc int) (known bool) {
	f := &x.feet[proc]
	if f.turn == x.turn {
		return true
	}
	s := &x.s
	n := s.local[proc]
	f.items.clear()
	f.turn, f.section, f.but = x.turn, false, nothingElse
	if s.enters(proc) {
		mark, path := len(s.trail), len(x.path)
		s.census.on = false // all is taken back
		whole, known := x.section(proc)
		s.back(mark)
		s.census.on = true
		if !known {
			return false
		}
		x.relevant(&x.inner)
		x.path = x.path[:path]
		if whole && !x.cut(proc) {
			f.section = true
			x.whole(n, f)
			return true
		}
		f.items.clear()
	}
	f.items.add(&n.next, -1)
	for i := range n.op.cases {
		if c := &n.op.cases[i]; n.op.class == comm && s.settled(c) {
			f.items.drop(c.item)
		}
	}
	x.relevant(&f.items)
	f.but = s.counted(proc)
	return true
}

// whole fills in what a section that is one step accesses, of which x.inner is known, and what the
// goroutine in n accessed before. That an entry of a map is changed is a change of the map for
// races alone, and there are none.
func (x *search) whole(n *node, f *foot) {
	p := x.s.p
	for _, a := range n.window {
		switch i := p.cells[a.cell].item; {
		case a.write && a.atomic:
			f.items.adds = append(f.items.adds, i)
		case a.write:
			f.items.writes = append(f.items.writes, i)
		case !a.update:
			f.items.reads = append(f.items.reads, i)
		}
	}
	entries := func(i int32) bool { return p.items[i].entries && p.guardOf(i) == n.op.item+1 }
	for _, i := range x.inner.reads {
		if entries(i) {
			f.items.views = append(f.items.views, i)
		} else {
			f.items.reads = append(f.items.reads, i)
		}
	}
	for _, i := range x.inner.adds {
		if !entries(i) {
			f.items.adds = append(f.items.adds, i)
		}
	}
	f.items.writes = append(f.items.writes, x.inner.writes...)
}

// manyReads is how many items a step reads of which it is asked first whether any goroutine may
// write them.
const manyReads = 32

// relevant removes from many items those that are read, and that no goroutine may write.
func (x *search) relevant(f *items) {
	if len(f.reads) < manyReads {
		return
	}
	c := &x.s.census
	f.reads = slices.DeleteFunc(f.reads, func(i int32) bool {
		return c.future.writes[i]|c.future.adds[i]|c.before.writes[i] == 0
	})
}

// enters reports whether the next step of a goroutine is the first one of a section that can be one
// step: the lock is free.
func (s *state) enters(proc int) bool {
	n := s.local[proc]
	op := &n.op
	if !s.p.locks(op) || !s.p.closed(op.item) || n.holds != 0 || n.arrives != 0 {
		return false
	}
	if sec, _ := s.p.sectionOf(op); !sec.Enters() && op.op != trace.OpArrive {
		return false
	}
	return s.counts[op.item] == model.State{}
}

// section takes the steps of a section, and appends them to x.path. inner and outer get what it
// accesses while it holds the lock, and with the step that leaves it. whole: it came to its end.
// known: an execution has shown it; if not, x.pending is the first step that none has.
func (x *search) section(proc int) (whole, known bool) {
	s := &x.s
	x.inner.clear()
	x.outer.clear()
	for n := int32(0); n < s.p.known; n++ { // else it goes round in a loop
		x.one = s.steps(x.one[:0], transition.Proc(proc))
		if len(x.one) != 1 {
			return false, true
		}
		st := x.one[0]
		e, _ := s.edges(&st)
		if e == nil {
			x.pending = st
			return false, false
		}
		from, to := s.local[proc], s.p.node(e.to)
		into := &x.outer
		if to.holds != 0 || to.arrives != 0 {
			into = &x.inner
		}
		for _, r := range e.reads {
			into.reads = append(into.reads, s.p.cells[r.cell].item)
		}
		for _, w := range e.writes {
			into.writes = append(into.writes, s.p.cells[w.cell].item)
			if all := s.p.cells[w.cell].entries; all != 0 {
				into.adds = append(into.adds, s.p.cells[all-1].item, s.p.cells[s.p.cells[w.cell].of].item)
			}
		}
		for _, u := range e.updates {
			for _, c := range s.p.spans[u.span].cells {
				into.adds = append(into.adds, s.p.cells[c].item)
			}
		}
		for i := range to.window {
			switch a := &to.window[i]; {
			case a.atomic && a.write:
				into.adds = append(into.adds, s.p.cells[a.cell].item)
			case a.atomic:
				into.reads = append(into.reads, s.p.cells[a.cell].item)
			}
		}
		s.take(&st)
		x.path = append(x.path, st)
		if to.holds == 0 && to.arrives == 0 {
			// The call of a Wait belongs to the step that leads to it. What else is added to there
			// the goroutine accessed in its steps before, which are in inner.
			for i := range from.next.adds.all {
				if k := s.p.items[i].key; k.obj >= 0 && k.n == order {
					into.adds = append(into.adds, i)
				}
			}
			return true, true
		}
	}
	return false, true
}

// cut reports whether the steps of other goroutines may matter in the midst of a section, of which
// x.inner and x.outer are known: they may access without the lock what it accesses.
func (x *search) cut(proc int) bool {
	s := &x.s
	own := s.local[proc]
	outer := s.census.future.meets(&x.outer, &own.future, &nothingElse)
	if !x.innerMet(own) && !outer {
		return false
	}
	clear(x.alone.in)
	x.alone.in[proc] = true
	x.alone.known = false
	for c, q := range s.local {
		if s.at[c] == 0 || c == proc {
			continue
		}
		if !(outer && x.outer.meets(&q.future, &nothingElse)) && !x.innerMeets(q) {
			continue
		}
		if x.alone.lets(x, c) {
			return true
		}
	}
	return false
}

// innerMeets reports whether a section accesses something, of x.met, that a goroutine in node q may
// access in a way that conflicts, without the lock.
func (x *search) innerMeets(q *node) bool {
	p := x.s.p
	future := func(i int32) *reach {
		if p.guardOf(i) == unguarded {
			return &q.future
		}
		return &q.bare
	}
	for _, i := range x.met.writes {
		if future(i).has(i) {
			return true
		}
	}
	for _, i := range x.met.reads {
		if r := future(i); r.writes.has(i) || r.adds.has(i) {
			return true
		}
	}
	return false
}

// innerMet finds x.met: what of x.inner any goroutine, but the one that is in node own, may access
// in a way that conflicts, without the lock. It reports whether there is such.
func (x *search) innerMet(own *node) bool {
	p, c := x.s.p, &x.s.census
	of := func(i int32) (reads, writes, adds int32) {
		if p.guardOf(i) == unguarded {
			return c.future.of(i, &own.future)
		}
		return c.bare.of(i, &own.bare)
	}
	x.met.clear()
	for _, list := range [...][]int32{x.inner.writes, x.inner.adds} {
		for _, i := range list {
			if r, w, a := of(i); r+w+a > 0 {
				x.met.writes = append(x.met.writes, i)
			}
		}
	}
	for _, i := range x.inner.reads {
		if _, w, a := of(i); w+a > 0 {
			x.met.reads = append(x.met.reads, i)
		}
	}
	return len(x.met.writes)+len(x.met.reads) > 0
}

// A choice is a set of goroutines, and those others that may make a step before any of the set
// does.
type choice struct {
	in    []bool
	known bool // moves is
	moves []bool
	can   reach // what these may access

	holds []int32 // by item: what the set may take off its counter
	held  []int32 // those items
}

func (k *choice) size(n int) {
	for len(k.in) < n {
		k.in, k.moves = append(k.in, false), append(k.moves, false)
	}
}

// lets reports whether a goroutine may make a step before any of the set does.
func (k *choice) lets(x *search, c int) bool {
	for _, st := range x.stepsOf(c) {
		if st.with == transition.NoProc || !k.in[st.with] {
			return true
		}
	}
	if !k.known {
		if k.bars(&x.s, c) {
			return false
		}
		k.movers(x)
		k.known = true
	}
	return k.moves[c]
}

// bars reports whether a goroutine waits at a WaitGroup until one of the set has called Done,
// whatever all others do.
func (k *choice) bars(s *state, c int) bool {
	op := &s.local[c].op
	if op.class != ruled || op.op != trace.OpWGWait {
		return false
	}
	least := s.counts[op.item][0]
	for d, n := range s.at {
		if n != 0 && !k.in[d] {
			least -= s.p.worst(n, op.item)
		}
	}
	return least > 0
}

// movers finds the goroutines that can make a step in this state without one of the set, and those
// that may be able to after steps of these.
func (k *choice) movers(x *search) {
	s := &x.s
	x.look()
	clear(k.moves)
	k.can.clear()
	move := func(proc int) {
		if !k.moves[proc] {
			k.moves[proc] = true
			k.can.join(&s.local[proc].future)
		}
	}
	for i := range x.ready {
		st := &x.ready[i]
		if k.in[st.proc] || st.with != transition.NoProc && k.in[st.with] {
			continue
		}
		move(int(st.proc))
		if st.with != transition.NoProc {
			move(int(st.with))
		}
	}
	for more := true; more; {
		more = false
		for c, n := range s.local {
			if s.at[c] != 0 && !k.in[c] && !k.moves[c] && k.enable(s, n) {
				move(c)
				more = true
			}
		}
	}
}

// enable reports whether the movers may enable the operation that is pending in node n.
func (k *choice) enable(s *state, n *node) bool {
	op := &n.op
	switch {
	case op.class == ruled && op.op == trace.OpWGWait:
		least := s.counts[op.item][0]
		for c, in := range k.moves {
			if in {
				least -= s.p.worst(s.at[c], op.item)
			}
		}
		return least <= 0
	case op.class == idling:
		return false // while one can make a step
	case op.class == firing:
		return !op.still && k.can.has(s.p.clock)
	case op.class == asleep:
		return k.can.writes.has(s.p.firings(op.timer))
	case op.class == ruled, op.class == waiting, op.class == hushed:
		return k.can.writes.has(op.item) || k.can.adds.has(op.item)
	case op.class == comm:
		for i := range op.cases {
			if k.can.has(op.cases[i].item) {
				return true
			}
		}
	}
	return false
}
