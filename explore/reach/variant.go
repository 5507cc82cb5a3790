package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A node is a sequence that was exercised and whose race variants are not all
// done: an entry of the stack of variants. It knows the sequence's events well
// enough to replay them and nothing else of the execution.
type node struct {
	events []event
	starts []transition.Proc // of all events
	exts   []ext
	table  raceTable
	black  set // events that no later variant may change
	w      int
	early  int // goroutines in starts that were started before the first event
	store  arena
}

// An event says how to do a transition again.
type event struct {
	proc, with     transition.Proc
	at, theirs     int16
	choice         int32
	op             trace.Op
	barrier        bool
	starts, nstart int32 // in node.starts
}

// last is where extensions that are no draws come: after everything else.
const last = -2

// An ext is an extension of the node's sequence.
type ext struct {
	event
	history, displace set
	accesses          []transition.Access
	after             int32 // of a draw: the event after which it comes at once; else last
	choose            bool  // may be in a row; others are only kept from happening
	reduced           bool
}

// take makes n the node of a sequence whose extensions are xs.
func (n *node) take(q *sequence, xs []extension, black set) {
	n.events, n.starts, n.exts = n.events[:0], n.starts[:0], n.exts[:0]
	n.store.empty()
	n.w = q.w
	n.starts = append(n.starts, q.Early()...)
	n.early = len(n.starts)
	for i := range q.n {
		t := q.At(i)
		e := eventOf(t)
		e.starts, e.nstart = int32(len(n.starts)), int32(len(t.Starts))
		n.starts = append(n.starts, t.Starts...)
		n.events = append(n.events, e)
	}
	n.black = n.store.copy(black)
	for pass := range 2 {
		for i := range xs {
			x := &xs[i]
			if choose := !x.old && !x.fixed && !x.reduced; choose == (pass == 0) {
				n.addExt(q, x, choose)
			}
		}
	}
	n.tabulate(q)
}

func eventOf(t *transition.Transition) event {
	return event{proc: t.Proc, with: t.With, at: t.Case, theirs: t.WithCase, choice: t.Choice, op: t.Op, barrier: t.Barrier}
}

func (n *node) addExt(q *sequence, x *extension, choose bool) {
	k := len(n.exts)
	if k < cap(n.exts) {
		n.exts = n.exts[:k+1]
	} else {
		n.exts = append(n.exts, ext{})
	}
	e := &n.exts[k]
	*e = ext{event: eventOf(&x.t), history: n.store.copy(x.history), displace: n.store.copy(x.displace), accesses: append(e.accesses[:0], x.t.Accesses...), after: last, choose: choose, reduced: x.reduced}
	if x.t.Choices > 0 {
		a, _ := q.Calls(q.calls[x.calls[0]].done)
		e.after = int32(a)
		e.op = trace.OpChoose
	}
	for _, c := range x.calls {
		if c >= 0 {
			e.involve(q, c)
		}
	}
}

// involve adds what completed call c to what e displaces: it is, by construction.
func (e *ext) involve(q *sequence, c int32) {
	if d := q.calls[c].done; d >= 0 {
		e.displace.join(q.after(d))
	}
}

// tabulate fills in which extensions can happen together.
func (n *node) tabulate(q *sequence) {
	t := &n.table
	t.row = t.row[:0]
	t.n = 0
	for t.n < len(n.exts) && n.exts[t.n].choose {
		t.n++
	}
	t.w = words(max(len(n.exts), 1))
	t.all = n.store.set(t.w)
	t.fits = t.fits[:0]
	for i := range n.exts {
		if i < t.n {
			t.all.add(i)
		}
		t.fits = append(t.fits, n.store.set(t.w))
		for j := range i {
			if n.together(q.Tab, i, j) {
				t.fits[i].add(j)
				t.fits[j].add(i)
			}
		}
	}
}

// together reports whether extensions i and j can both happen.
func (n *node) together(tab *transition.Table, i, j int) bool {
	a, b := &n.exts[i], &n.exts[j]
	if a.history.meets(b.displace) || b.history.meets(a.displace) {
		return false
	}
	if a.proc == b.proc || a.proc == b.with || a.with != transition.NoProc && (a.with == b.proc || a.with == b.with) {
		return false
	}
	for k := range a.accesses {
		for l := range b.accesses {
			if tab.Conflict(&a.accesses[k], &b.accesses[l]) {
				return false
			}
		}
	}
	return true
}

// A variant is a race variant (Definition 7) as it is to be exercised.
type variant struct {
	schedule trace.Schedule
	events   []event // in the order of the schedule, barriers included
	from     []int32 // of each event: its index in the node it derives from; or -(k+1) for the row's k-th extension
	old      set     // of the events: those that are in the node too
	black    set
	w        int
	store    arena
	gids     []trace.GID // of each Proc
	sleepers []sleeper
}

// derive makes v the variant of the node's current row: the events that are
// not displaced, and the extensions.
func (v *variant) derive(n *node, tab *transition.Table) {
	v.store.empty()
	displaced := v.store.set(n.w)
	for _, i := range n.table.row {
		displaced.join(n.exts[i].displace)
	}
	v.events, v.from = v.events[:0], v.from[:0]
	for i := range n.events {
		if displaced.has(i) {
			continue
		}
		v.events, v.from = append(v.events, n.events[i]), append(v.from, int32(i))
		v.place(n, int32(i))
	}
	v.place(n, last)
	v.mark(n)
	v.number(n)
	v.useNames(n, tab)
	v.watch(n, displaced)
}

// place appends the extensions of the row that come after event i.
func (v *variant) place(n *node, i int32) {
	for k, x := range n.table.row {
		if n.exts[x].after == i {
			v.events, v.from = append(v.events, n.exts[x].event), append(v.from, -int32(k)-1)
		}
	}
}

// mark finds out which events of the variant are old and which are black
// (Fig. 10, lines 5 to 11): the changed ones, and all that happened before them.
func (v *variant) mark(n *node) {
	v.w = words(len(v.events))
	v.old, v.black = v.store.set(v.w), v.store.set(v.w)
	for j, i := range v.from {
		if i < 0 {
			v.black.add(j)
			continue
		}
		v.old.add(j)
		black := n.black.has(int(i))
		for _, x := range n.table.row {
			black = black || n.exts[x].history.has(int(i))
		}
		if black {
			v.black.add(j)
		}
	}
}

// number writes the schedule: goroutines get the numbers they will have when
// the events happen in this order.
func (v *variant) number(n *node) {
	v.gids = v.gids[:0]
	v.name(transition.Main, 0)
	v.name(transition.Timers, 1)
	next := trace.GID(2)
	for _, p := range n.starts[:n.early] {
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
		for _, p := range n.starts[e.starts : e.starts+e.nstart] {
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
	return trace.Step{G: v.gid(e.proc), Op: e.op, Choice: e.choice, With: int32(v.gid(e.with)) + 1, Case: e.at, WithCase: e.theirs}
}

// useNames makes the schedule name its goroutines where a draw is changed in
// its midst: what it starts then is not known, and so no later number.
func (v *variant) useNames(n *node, tab *transition.Table) {
	s := &v.schedule
	drawn := false
	for _, x := range n.table.row {
		drawn = drawn || n.exts[x].op == trace.OpChoose
	}
	if !drawn {
		s.Names = nil
		return
	}
	s.Names = s.Names[:0]
	for i := range v.events {
		if e := &v.events[i]; !e.barrier {
			s.Names = append(s.Names, tab.Name(e.proc))
		}
	}
}

func (n *node) bytes() int {
	b := 8*len(n.store.buf) + 32*cap(n.events) + 4*cap(n.starts) + 120*cap(n.exts)
	for i := range n.exts {
		b += 16 * cap(n.exts[i].accesses)
	}
	return b + 32*cap(n.table.fits) + 8*cap(n.table.row) + 8*n.w*len(n.table.allow)
}
