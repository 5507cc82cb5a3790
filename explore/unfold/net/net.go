// Package net is contextual occurrence nets: what unfoldings of programs are made of (Esparza,
// Heljanko, "Unfoldings", 2008; with read arcs: Vogler, Semenov, Yakovlev, CONCUR 1998). It knows
// nothing of programs.
//
// A condition is a *place* (a place: a goroutine, an object) at one point of its history. An event
// takes conditions and gives new ones, reads others, and may come after still others. The
// conditions of one place form a tree: along a branch one replaces the other, and branches are
// alternatives.
//
//	takes    an ordinary arc: the condition is gone afterwards
//	reads    a read arc: it has to be there and stays; who takes it comes after all who read it
//	joins    as reads
//	seals    as takes, and those who joined it are exactly the ones the event follows
//	follows  it was there at some time before the event; no more
//	watches  of all conditions that were given beside it, those the event follows come before, all others after it
//
// A Config is a set of events closed under causality. It can happen if no condition is taken twice
// and what must come before what has no cycle: with read arcs there is that asymmetric conflict
// beside causality, and the order in which events were added need be no order in which they can
// happen.
package net

import "slices"

// A Cond is a condition, an Event an event, a Place what conditions are of.
type (
	Cond  int32
	Event int32
	Place int32
)

// None is no condition, event or place.
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

// A Value is what a condition's place holds: for whoever makes the net.
type Value = int64

// A condition is 8 bytes, for which alone many are looked at, 16 that say where it is in the tree
// of its place, and 16 more.
type condition struct {
	by    Event
	place Place
}

type position struct {
	up    Cond  // that it replaced; None if it is a first one
	jump  Cond  // one further up: see tree.go
	depth int32 // how many it comes after, of its place
	place Place
}

type more struct {
	next    list // those that replaced it, each with the first that its event takes
	waiting list // who waits at it
	value   Value
}

// A node is 28 bytes.
type node struct {
	arcs  [fewArcs]Arc // or, if there are more, the first one, and where in Net.arcs all are
	first Cond         // the first condition that is given; None if the event is only foreseen
	label int32
	group Place // given at the side: its place; None
	n     uint16
	given uint16 // number of conditions given
}

const fewArcs = 3

// A Net is an occurrence net that grows.
type Net struct {
	conds     []condition
	positions chunks[position]
	more      chunks[more]
	events    chunks[node]
	arcs      []Arc // of events that have more than a few
	blocks    blocks
	crowds    []*crowd
	past      past
	root      []Cond // of each place; None
	index     table
	shown     int
	marks     int // how many conditions are marked initially
}

// New returns a net without conditions.
func New() *Net { return &Net{} }

// NewPlace returns a place that has no condition yet.
func (n *Net) NewPlace() Place {
	n.root = append(n.root, None)
	return Place(len(n.root) - 1)
}

// Mark adds a condition that is marked initially, a place's first.
func (n *Net) Mark(place Place, v Value) Cond {
	c := n.give(place, None, None, v)
	n.root[place] = c
	n.marks++
	return c
}

// Root returns the first condition of a place, None if it has none.
func (n *Net) Root(place Place) Cond { return n.root[place] }

func (n *Net) give(place Place, by Event, up Cond, v Value) Cond {
	c := Cond(len(n.conds))
	x := position{up: up, jump: None, place: place}
	if up != None {
		x.depth, x.jump = n.position(up).depth+1, n.jumpBelow(up)
	}
	n.conds = grown(n.conds, len(n.conds)+1, condition{by, place})
	n.positions.add(x)
	n.more.add(more{value: v})
	if up != None {
		n.replace(up, c)
	}
	return c
}

// replace notes that c can replace up.
func (n *Net) replace(up, c Cond) {
	x := n.moreOf(up)
	if x.next == 0 {
		x.next = list(^c)
		return
	}
	if y := x.next.only(); y != None {
		x.next = n.blocks.add(0, y, n.with(y))
	}
	x.next = n.addTo(x.next, up, c, n.with(c))
}

// addTo returns a list of some condition, which is a crowd or has blocks, with one more: it, and
// perhaps another one without which it is not there.
func (n *Net) addTo(l list, of Cond, xs ...Cond) list {
	if k := l.crowd(); k != None {
		w := n.crowds[k]
		w.rest = append(w.rest, entry{xs[0], xs[len(xs)-1]})
		return l
	}
	if l = n.blocks.add(l, xs...); n.blocks.full(l) {
		return n.gather(l, of, len(xs))
	}
	return l
}

// with returns the first condition that what gives c takes.
func (n *Net) with(c Cond) Cond { return n.event(n.conds[c].by).arcs[0].Cond() }

func (n *Net) position(c Cond) *position { return n.positions.at(int32(c)) }
func (n *Net) moreOf(c Cond) *more       { return n.more.at(int32(c)) }
func (n *Net) event(e Event) *node       { return n.events.at(int32(e)) }

// Events returns how many events were shown.
func (n *Net) Events() int { return n.shown }

// Len returns how many events there are, those that are foreseen among them;
// Conds how many conditions, Places how many places.
func (n *Net) Len() int    { return n.events.n }
func (n *Net) Conds() int  { return len(n.conds) }
func (n *Net) Places() int { return len(n.root) }

// By returns the event that gave a condition, None for one marked initially.
func (n *Net) By(c Cond) Event { return n.conds[c].by }

// Place returns what c is a condition of.
func (n *Net) Place(c Cond) Place { return n.conds[c].place }

// Up returns the condition that c replaced, None for a first one.
func (n *Net) Up(c Cond) Cond { return n.position(c).up }

// Depth returns how many conditions of its place came before c.
func (n *Net) Depth(c Cond) int { return int(n.position(c).depth) }

// Value returns what c's place holds.
func (n *Net) Value(c Cond) Value { return n.moreOf(c).value }

// SetValue changes it.
func (n *Net) SetValue(c Cond, v Value) { n.moreOf(c).value = v }

// Label returns what tells e from other events with the same preset.
func (n *Net) Label(e Event) int32 { return n.event(e).label }

// Shown reports whether an execution has shown e.
func (n *Net) Shown(e Event) bool { return n.event(e).first != None }

// Arcs returns e's arcs. They must not be changed.
func (n *Net) Arcs(e Event) []Arc {
	x := n.event(e)
	if x.n <= fewArcs {
		return x.arcs[:x.n]
	}
	at := uint32(x.arcs[1])
	return n.arcs[at : at+uint32(x.n)]
}

// Given returns the first condition that e gave, and how many; the others follow it.
func (n *Net) Given(e Event) (first Cond, k int) { return n.event(e).first, int(n.event(e).given) }

// Find returns the event with these arcs and this label, None if there is none.
func (n *Net) Find(label int32, arcs []Arc) Event {
	if len(n.index.slots) == 0 {
		return None
	}
	tag := hash(label, arcs)
	for i := n.index.start(tag); ; i = n.index.next(i) {
		s := n.index.slots[i]
		if s.e == 0 {
			return None
		}
		if e := s.e - 1; s.tag == tag && n.Label(e) == label && slices.Equal(n.Arcs(e), arcs) {
			return e
		}
	}
}

// Foresee adds an event that no execution has shown yet, and that gives
// something beside the root of a place, if that is not None. There must be none like it.
func (n *Net) Foresee(label int32, arcs []Arc, beside Place) Event {
	e := Event(n.events.n)
	x := node{n: uint16(len(arcs)), first: None, label: label, group: beside}
	if copy(x.arcs[:], arcs); len(arcs) > fewArcs {
		x.arcs[1] = Arc(len(n.arcs))
		n.arcs = append(n.arcs, arcs...)
	}
	n.events.add(x)
	n.index.add(hash(label, arcs), e)
	return e
}

// Show begins to add what e gives: Give and Aside follow, and nothing else in between.
func (n *Net) Show(e Event) {
	n.event(e).first = Cond(len(n.conds))
	n.shown++
}

// Give adds a condition that e gives, in place of up (None: its place's first).
func (n *Net) Give(e Event, place Place, up Cond, v Value) Cond {
	n.event(e).given++
	c := n.give(place, e, up, v)
	if up == None && n.root[place] == None {
		n.root[place] = c
	}
	return c
}

// Aside adds a condition that e, of which that was foreseen, gives beside the root of a place.
func (n *Net) Aside(e Event, place Place, v Value) Cond {
	n.event(e).given++
	return n.give(place, e, None, v)
}

// Wait notes that who waits at c.
func (n *Net) Wait(c, who Cond) {
	x := n.moreOf(c)
	if x.waiting == 0 {
		x.waiting = list(^who)
		return
	}
	if y := x.waiting.only(); y != None {
		x.waiting = n.blocks.add(0, y)
	}
	x.waiting = n.addTo(x.waiting, c, who)
}
