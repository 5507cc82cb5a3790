// Package net is contextual occurrence nets: what unfoldings of programs are
// made of (Esparza, Heljanko, "Unfoldings", 2008; with read arcs: Vogler,
// Semenov, Yakovlev, CONCUR 1998). It knows nothing of programs.
//
// A condition is a *cell* (a place: a goroutine, an object) at one point of its
// history. An event takes conditions and gives new ones, reads others, and may
// come after still others. The conditions of one cell form a tree: along a
// branch one replaces the other, and branches are alternatives.
//
//	takes    an ordinary arc: the condition is gone afterwards
//	reads    a read arc: it has to be there and stays; who takes it comes after all who read it
//	joins    as reads
//	seals    as takes, and those who joined it are exactly the ones the event follows
//	follows  it was there at some time before the event; no more
//	watches  of all conditions that were given beside it, those the event follows come before, all others after it
//
// A Config is a set of events closed under causality. It can happen if no
// condition is taken twice and what must come before what has no cycle:
// with read arcs there is that asymmetric conflict beside causality, and the
// order in which events were added need be no order in which they can happen.
package net

import "slices"

// A Cond is a condition, an Event an event, a Cell what conditions are of.
type (
	Cond  int32
	Event int32
	Cell  int32
)

// None is no condition, event or cell.
const None = -1

// A Use is what an event does to a condition.
type Use uint8

// The kinds of arcs; see the package.
const (
	Takes Use = iota
	Reads
	Joins
	Seals
	Follows
	Watches
)

// An Arc is from a condition to an event.
type Arc uint32

// To returns an arc.
func To(c Cond, u Use) Arc { return Arc(c)<<3 | Arc(u) }

// Cond returns where the arc comes from.
func (a Arc) Cond() Cond { return Cond(a >> 3) }

// Use returns what it means.
func (a Arc) Use() Use { return Use(a & 7) }

// takes reports whether the condition is gone afterwards.
func (a Arc) takes() bool { return a.Use() == Takes || a.Use() == Seals }

// A Value is what a condition's cell holds: for whoever makes the net.
type Value = int64

// A condition is 8 bytes, for which alone most are looked at, and 32 more.
type condition struct {
	by   Event
	cell Cell
}

type more struct {
	with    Cond  // the first that by takes; None
	up      Cond  // that it replaced; None if it is a first one
	child   Cond  // the last added of those that replaced it
	sibling Cond  // the one added before with the same up
	waiting int32 // who waits at it: index in Net.waiters, 0: nobody
	depth   int32 // how many it comes after, of its cell
	value   Value
}

// chunks keep what there is of most in pieces that stay where they are, so that a net that grows is not copied.
type chunks struct {
	list [][]more
	n    int
}

const (
	chunkBits = 10
	chunkSize = 1 << chunkBits
)

func (l *chunks) at(c Cond) *more { return &l.list[c>>chunkBits][c&(chunkSize-1)] }

func (l *chunks) add(x more) {
	if l.n&(chunkSize-1) == 0 {
		l.list = append(l.list, make([]more, chunkSize))
	}
	l.n++
	*l.at(Cond(l.n - 1)) = x
}

// A node is 20 bytes.
type node struct {
	arcs  uint32 // index in Net.arcs
	n     uint16
	given uint16 // number of conditions given
	first Cond   // the first of them; None if the event is only foreseen
	label int32
	group Cell // given at the side: its cell; None
}

type waiter struct {
	who  Cond
	next int32
}

// A Net is an occurrence net that grows.
type Net struct {
	conds   []condition
	more    chunks // of each
	events  []node
	arcs    []Arc
	waiters []waiter
	root    []Cond // of each cell; None
	index   table
	shown   int
	marks   int // how many conditions are marked initially
}

// New returns a net without conditions.
func New() *Net { return &Net{waiters: make([]waiter, 1)} }

// NewCell returns a cell that has no condition yet.
func (n *Net) NewCell() Cell {
	n.root = append(n.root, None)
	return Cell(len(n.root) - 1)
}

// Mark adds a condition that is marked initially, a cell's first.
func (n *Net) Mark(cell Cell, v Value) Cond {
	c := n.give(cell, None, None, v)
	n.root[cell] = c
	n.marks++
	return c
}

// Root returns the first condition of a cell, None if it has none.
func (n *Net) Root(cell Cell) Cond { return n.root[cell] }

func (n *Net) give(cell Cell, by Event, up Cond, v Value) Cond {
	c := Cond(len(n.conds))
	x := more{with: None, up: up, child: None, sibling: None, value: v}
	if by != None {
		x.with = n.arcs[n.events[by].arcs].Cond()
	}
	if up != None {
		x.depth = n.more.at(up).depth + 1
		x.sibling, n.more.at(up).child = n.more.at(up).child, c
	}
	n.conds = append(n.conds, condition{by, cell})
	n.more.add(x)
	return c
}

// Events returns how many events were shown.
func (n *Net) Events() int { return n.shown }

// Len returns how many events there are, those that are foreseen among them;
// Conds how many conditions.
func (n *Net) Len() int   { return len(n.events) }
func (n *Net) Conds() int { return len(n.conds) }

// By returns the event that gave a condition, None for one marked initially.
func (n *Net) By(c Cond) Event { return n.conds[c].by }

// Cell returns what c is a condition of.
func (n *Net) Cell(c Cond) Cell { return n.conds[c].cell }

// Up returns the condition that c replaced, None for a first one.
func (n *Net) Up(c Cond) Cond { return n.more.at(c).up }

// Depth returns how many conditions of its cell came before c.
func (n *Net) Depth(c Cond) int { return int(n.more.at(c).depth) }

// Value returns what c's cell holds.
func (n *Net) Value(c Cond) Value { return n.more.at(c).value }

// SetValue changes it.
func (n *Net) SetValue(c Cond, v Value) { n.more.at(c).value = v }

// Label returns what tells e from other events with the same preset.
func (n *Net) Label(e Event) int32 { return n.events[e].label }

// Shown reports whether an execution has shown e.
func (n *Net) Shown(e Event) bool { return n.events[e].first != None }

// Arcs returns e's arcs. They must not be changed.
func (n *Net) Arcs(e Event) []Arc {
	x := &n.events[e]
	return n.arcs[x.arcs : x.arcs+uint32(x.n)]
}

// Given returns the first condition that e gave, and how many; the others follow it.
func (n *Net) Given(e Event) (first Cond, k int) { return n.events[e].first, int(n.events[e].given) }

// Find returns the event with these arcs and this label, None if there is none.
func (n *Net) Find(label int32, arcs []Arc) Event {
	if len(n.index.slots) == 0 {
		return None
	}
	for i, tag := n.index.start(hash(label, arcs)); ; i = n.index.next(i) {
		s := n.index.slots[i]
		if s.e == 0 {
			return None
		}
		if e := s.e - 1; s.tag == tag && n.events[e].label == label && slices.Equal(n.Arcs(e), arcs) {
			return e
		}
	}
}

// Foresee adds an event that no execution has shown yet, and that gives
// something beside the root of a cell, if that is not None. There must be none like it.
func (n *Net) Foresee(label int32, arcs []Arc, beside Cell) Event {
	e := Event(len(n.events))
	n.events = append(n.events, node{arcs: uint32(len(n.arcs)), n: uint16(len(arcs)), first: None, label: label, group: beside})
	n.arcs = append(n.arcs, arcs...)
	n.index.add(n, e)
	return e
}

// Show begins to add what e gives: Give and Aside follow, and nothing else in between.
func (n *Net) Show(e Event) {
	n.events[e].first = Cond(len(n.conds))
	n.shown++
}

// Give adds a condition that e gives, in the place of up (None: its cell's first).
func (n *Net) Give(e Event, cell Cell, up Cond, v Value) Cond {
	n.events[e].given++
	c := n.give(cell, e, up, v)
	if up == None && n.root[cell] == None {
		n.root[cell] = c
	}
	return c
}

// Aside adds a condition that e, of which that was foreseen, gives beside the root of a cell.
func (n *Net) Aside(e Event, cell Cell, v Value) Cond {
	n.events[e].given++
	return n.give(cell, e, None, v)
}

// Wait notes that who waits at c.
func (n *Net) Wait(c, who Cond) {
	n.waiters = append(n.waiters, waiter{who, n.more.at(c).waiting})
	n.more.at(c).waiting = int32(len(n.waiters) - 1)
}

// Waiting calls f with those who wait at c, some perhaps more than once.
func (n *Net) Waiting(c Cond, f func(who Cond)) {
	for i := n.more.at(c).waiting; i > 0; i = n.waiters[i].next {
		f(n.waiters[i].who)
	}
}
