package pcr

import (
	"slices"

	"heddle/order"
	"heddle/trace"
)

// Cores. A goal that is refuted in one trace is refuted in every trace with the same constraints
// (Algorithm 4). So a core is kept in terms that mean the same in every trace: events by their
// histories and, for constraints on all operations on an object, a hash of these.

// A term is a constraint in such terms.
type term uint64

// A core is parts of a goal and constraints of a trace that contradict each other.
type core struct {
	goal  []term
	facts []fact
}

// A fact is a constraint of every trace that has these events and this content of the object.
type fact struct {
	events  []uint64 // by their histories
	content uint64   // of the object; 0: irrelevant
}

// cores are the cores found so far (Φ_u), by the first part of the goal.
type cores struct {
	by map[term][]core
	n  int
}

func newCores() *cores { return &cores{by: make(map[term][]core)} }

// parts returns the parts of a goal as terms, in the order of order's numbering.
func (n *named) parts(g *order.Goal) []term {
	var ts []term
	for _, e := range g.At {
		ts = append(ts, n.part(1, e))
	}
	for _, e := range g.Keep {
		ts = append(ts, n.part(2, e))
	}
	for _, x := range g.Before {
		ts = append(ts, n.part(3, x[0], x[1]))
	}
	for _, x := range g.Sees {
		ts = append(ts, n.part(4, x[0], x[1]))
	}
	return ts
}

func (n *named) part(kind uint64, events ...int) term {
	h := kind
	for _, e := range events {
		if e >= 0 {
			h = mix(h, n.name[e])
		} else {
			h = mix(h, 1)
		}
	}
	return term(h)
}

// named has the events of a trace as cores refer to them.
type named struct {
	t       *trace.Trace
	name    []uint64
	index   map[uint64]int32
	content []uint64 // by object: a hash of all operations on it
	uses    []uint64 // by variable: a hash of all accesses to it
	c       *creation
	at      []int32 // by event: its first access
}

func newNamed(x *extension) *named {
	n := &named{t: x.v.t, name: x.names.name, index: make(map[uint64]int32, len(x.names.name)),
		content: make([]uint64, len(x.v.t.Objects)), c: x.c, at: x.at}
	for e, h := range n.name {
		n.index[h] = int32(e)
		if o := n.t.Events[e].Obj; o > 0 {
			n.content[o] += mix(h, 13)
		}
	}
	n.uses = make([]uint64, len(n.c.as.Vars))
	for i := range n.c.as.All {
		a := &n.c.as.All[i]
		n.uses[a.Var] += mix(n.name[a.Event], 17)
	}
	return n
}

// contentOf hashes the operations on the object of event e, or the accesses to all its variables.
func (n *named) contentOf(e int) uint64 {
	i := n.at[e]
	if i < 0 {
		return n.content[n.t.Events[e].Obj] | 1
	}
	h := uint64(0)
	for ; int(i) < len(n.c.as.All) && n.c.as.All[i].Event == e; i++ {
		h += n.uses[n.c.as.All[i].Var]
	}
	return h | 1
}

// keep adds the core of a refuted goal, unless it refers to leftovers or to the clock: such a core
// is of no use for other traces.
func (cs *cores) keep(n *named, g *order.Goal, cons []order.Constraint) {
	var k core
	for _, c := range cons {
		for _, e := range c.Events {
			if e >= len(n.name) {
				return
			}
		}
		switch c.Kind {
		case order.Target:
			k.goal = append(k.goal, n.target(g, c.Events)...)
		case order.Sees:
			k.goal = append(k.goal, n.part(4, c.Events[0], c.Events[1]))
			k.facts = append(k.facts, fact{[]uint64{n.nameOf(c.Events[2])}, n.contentOf(c.Events[0])})
		case order.Clock:
			return
		default:
			f := fact{}
			for _, e := range c.Events {
				f.events = append(f.events, n.nameOf(e))
			}
			if local := c.Kind <= order.MustBefore || c.Kind == order.Lock && n.isMutex(c.Events[0]); !local {
				f.content = n.contentOf(c.Events[0])
			}
			k.facts = append(k.facts, f)
		}
	}
	if len(k.goal) == 0 {
		return
	}
	slices.Sort(k.goal)
	k.goal = slices.Compact(k.goal)
	cs.by[k.goal[0]] = append(cs.by[k.goal[0]], k)
	cs.n++
}

func (n *named) isMutex(e int) bool {
	return n.t.Objects[n.t.Events[e].Obj].Kind == trace.ObjMutex
}

func (n *named) nameOf(e int) uint64 {
	if e < 0 {
		return 0
	}
	return n.name[e]
}

// target returns the parts of the goal that order numbers by these events.
func (n *named) target(g *order.Goal, events []int) (ts []term) {
	if len(events) == 2 {
		if slices.Contains(g.Sees, [2]int{events[0], events[1]}) { // Before has the write first
			return []term{n.part(4, events[0], events[1])}
		}
		return []term{n.part(3, events[0], events[1])}
	}
	e := events[0]
	if slices.Contains(g.At, e) {
		ts = append(ts, n.part(1, e))
	}
	if slices.Contains(g.Keep, e) {
		ts = append(ts, n.part(2, e))
	}
	return ts
}

// refute reports whether a core is a subset of a goal with the constraints of its trace.
func (cs *cores) refute(n *named, g *order.Goal) bool {
	ts := n.parts(g)
	for _, t := range ts {
		for i := range cs.by[t] {
			if k := &cs.by[t][i]; !slices.ContainsFunc(k.goal,
				func(x term) bool { return !slices.Contains(ts, x) }) && n.has(k) {
				return true
			}
		}
	}
	return false
}

// has reports whether the trace has all facts of k.
func (n *named) has(k *core) bool {
	for i := range k.facts {
		f := &k.facts[i]
		for j, h := range f.events {
			e, ok := n.index[h]
			if !ok && h != 0 {
				return false
			}
			if j == 0 && f.content != 0 && (!ok || n.contentOf(int(e)) != f.content) {
				return false
			}
		}
	}
	return true
}
