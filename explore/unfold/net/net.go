// Package net implements contextual occurrence nets, of which unfoldings of programs are made
// (Esparza, Heljanko, "Unfoldings", 2008; with read arcs: Vogler, Semenov, Yakovlev, CONCUR 1998).
// It does not depend on what the nets stand for.
//
// A condition is a place, such as a goroutine or an object, at one point of its history. An event
// takes conditions and gives new ones. It can also read conditions and follow conditions. The
// conditions of one place form a tree: along a branch each replaces the one before, and branches
// are alternatives.
//
//	takes    an ordinary arc: the event consumes the condition
//	reads    a read arc: the condition stays; an event that takes it comes after all that read it
//	joins    as reads
//	seals    as takes, and the events that joined the condition are those that the event follows
//	follows  the condition was marked at some time before the event
//	watches  of the conditions given beside it, those that the event follows come before, others after
//
// A Config is a causally closed set of events. It is a configuration if no condition is taken twice
// and the order has no cycle: read arcs give asymmetric conflict in addition to causality. So the
// order in which events were added need not be an order in which they can happen.
package net

import "slices"

type (
	// A Cond is the index of a condition.
	Cond int32
	// An Event is the index of an event.
	Event int32
	// A Place is the index of a place.
	Place int32
)

// None is no condition, event or place.
const None = -1

// A Use is the kind of an arc.
type Use uint8

// The kinds of arcs; see the package comment.
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

// To returns an arc from c.
func To(c Cond, u Use) Arc { return Arc(c)<<3 | Arc(u) }

// Cond returns the condition that the arc comes from.
func (a Arc) Cond() Cond { return Cond(a >> 3) }

// Use returns the kind of the arc.
func (a Arc) Use() Use { return Use(a & 7) }

// takes reports whether the event consumes the condition.
func (a Arc) takes() bool { return a.Use() == Takes || a.Use() == Seals }

// A Value belongs to a condition. The package's user decides what it means.
type Value = int64

// A condition has 8 bytes, which are all that many searches read, 16 in position and 16 in more.
type condition struct {
	by    Event
	place Place
}

type position struct {
	up    Cond  // the condition that it replaced; None for a root
	jump  Cond  // an ancestor, see tree.go
	depth int32 // number of ancestors
	place Place
}

type more struct {
	next    list // the conditions that replace it, each with the first condition that its event takes
	waiting list // the conditions registered by Wait
	value   Value
}

// A node is an event, in 28 bytes.
type node struct {
	arcs  [fewArcs]Arc // or, if there are more, the first one and the index of all in Net.arcs
	first Cond         // the first condition that it gives; None if it is a possible extension
	label int32
	group Place // the place beside whose root it gives a condition; None
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
	arcs      []Arc // of events with more than fewArcs
	blocks    blocks
	crowds    []*crowd
	past      past
	merged    merged
	root      []Cond // by place: its root, or None
	index     table
	shown     int
	marks     int // number of conditions that are marked initially
}

// New returns a net without conditions.
func New() *Net { return &Net{} }

// NewPlace returns a place that has no condition yet.
func (n *Net) NewPlace() Place {
	n.root = append(n.root, None)
	return Place(len(n.root) - 1)
}

// Mark adds the root of a place: a condition that is marked initially.
func (n *Net) Mark(place Place, v Value) Cond {
	c := n.give(place, None, None, v)
	n.root[place] = c
	n.marks++
	return c
}

// Root returns the root of a place, None if it has none.
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

// replace records that c can replace up.
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

// addTo returns list l of condition of with xs added: a condition, and perhaps another one without
// which it is not marked. A list consists of blocks, or is a crowd.
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

// with returns the first condition that the event that gives c takes.
func (n *Net) with(c Cond) Cond { return n.event(n.conds[c].by).arcs[0].Cond() }

func (n *Net) position(c Cond) *position { return n.positions.at(int32(c)) }
func (n *Net) moreOf(c Cond) *more       { return n.more.at(int32(c)) }
func (n *Net) event(e Event) *node       { return n.events.at(int32(e)) }

// Events returns the number of events that were shown.
func (n *Net) Events() int { return n.shown }

// Len returns the number of events, possible extensions included.
func (n *Net) Len() int { return n.events.n }

// Conds returns the number of conditions.
func (n *Net) Conds() int { return len(n.conds) }

// Places returns the number of places.
func (n *Net) Places() int { return len(n.root) }

// By returns the event that gave a condition, None for a root that is marked initially.
func (n *Net) By(c Cond) Event { return n.conds[c].by }

// Place returns the place of a condition.
func (n *Net) Place(c Cond) Place { return n.conds[c].place }

// Up returns the condition that c replaced, None for a root.
func (n *Net) Up(c Cond) Cond { return n.position(c).up }

// Depth returns the number of conditions on the branch before c.
func (n *Net) Depth(c Cond) int { return int(n.position(c).depth) }

// Value returns the value of a condition.
func (n *Net) Value(c Cond) Value { return n.moreOf(c).value }

// SetValue sets the value of a condition.
func (n *Net) SetValue(c Cond, v Value) { n.moreOf(c).value = v }

// Label returns the label of e, which distinguishes events with the same arcs.
func (n *Net) Label(e Event) int32 { return n.event(e).label }

// Shown reports whether an execution has shown e.
func (n *Net) Shown(e Event) bool { return n.event(e).first != None }

// Arcs returns the arcs of e. The caller must not change them.
func (n *Net) Arcs(e Event) []Arc {
	x := n.event(e)
	if x.n <= fewArcs {
		return x.arcs[:x.n]
	}
	at := uint32(x.arcs[1])
	return n.arcs[at : at+uint32(x.n)]
}

// Given returns the first condition that e gave, and their number; they are consecutive.
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

// Foresee adds a possible extension. It gives a condition beside the root of a place, unless beside
// is None. There must be no event with this label and these arcs.
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

// Show begins to add what e gives. Only calls of Give and Aside for e may follow until it is
// complete.
func (n *Net) Show(e Event) {
	n.event(e).first = Cond(len(n.conds))
	n.shown++
}

// Give adds a condition that e gives: it replaces up, or is a root if up is None.
func (n *Net) Give(e Event, place Place, up Cond, v Value) Cond {
	n.event(e).given++
	c := n.give(place, e, up, v)
	if up == None && n.root[place] == None {
		n.root[place] = c
	}
	return c
}

// Aside adds a condition that e gives beside the root of a place, which Foresee has named.
func (n *Net) Aside(e Event, place Place, v Value) Cond {
	n.event(e).given++
	return n.give(place, e, None, v)
}

// Wait registers waiter at c.
func (n *Net) Wait(c, waiter Cond) {
	x := n.moreOf(c)
	if x.waiting == 0 {
		x.waiting = list(^waiter)
		return
	}
	if y := x.waiting.only(); y != None {
		x.waiting = n.blocks.add(0, y)
	}
	x.waiting = n.addTo(x.waiting, c, waiter)
}
