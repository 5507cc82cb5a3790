package transition

import (
	"heddle/model"
	"heddle/trace"
)

// Questions about a path that concern one object or one operation.

// Kind returns what kind of object obj is.
func (tab *Table) Kind(obj Object) trace.ObjKind { return tab.objects[obj].kind }

// ProcOf returns the goroutine that is g in the trace that was read last.
func (tab *Table) ProcOf(g trace.GID) Proc { return tab.procOfGID(g) }

// Parent returns who started p, and as the how manieth goroutine.
func (tab *Table) Parent(p Proc) (parent Proc, n int) {
	return tab.procs[p].parent, int(tab.procs[p].n)
}

// ObjectOf returns the object that is id in t, which was read last: one that is no memory.
func (tab *Table) ObjectOf(t *trace.Trace, id trace.ObjID) Object { return tab.object(t, id, 0) }

// Looked returns the object that id is in t, which was read last, as one that a polling loop looked at.
func (tab *Table) Looked(t *trace.Trace, id trace.ObjID) Object {
	return tab.object(t, id, MemorySize(&trace.Event{Op: trace.OpAwait}, t.Objects[id].Kind))
}

// Number returns which goroutine of t, which ReadGoroutines was called for, p is; NoG if none.
func (tab *Table) Number(t *trace.Trace, p Proc) trace.GID {
	for i := range t.Goroutines {
		if p != NoProc && tab.gids[i].proc == p {
			return trace.GID(i)
		}
	}
	return trace.NoG
}

// Size returns how many bytes obj has if it is memory, else 0.
func (tab *Table) Size(obj Object) uint32 { return tab.objects[obj].size }

// Cap returns the capacity of a channel.
func (tab *Table) Cap(obj Object) int { return int(tab.objects[obj].Cap) }

// Ordered reports whether accesses of obj turned out to conflict that commute as
// a rule: over a channel, because who comes there first is served first.
func (tab *Table) Ordered(obj Object) bool { return tab.objects[obj].Ordered }

// Overlaps returns the other objects that overlap obj, which is memory.
func (tab *Table) Overlaps(obj Object) []Object { return tab.objects[obj].overlaps }

// Access returns what op does to obj when arg is its outcome; ok is false if nobody can notice it.
func (tab *Table) Access(obj Object, op trace.Op, arg int32) (a Access, ok bool) {
	m, ok := tab.mode(obj, op, arg)
	return Access{obj, m, op, arg}, ok
}

// mode returns what an operation with that outcome does to obj, as far as others can notice; ok is false if they cannot.
func (tab *Table) mode(obj Object, op trace.Op, arg int32) (m model.Mode, ok bool) {
	o := &tab.objects[obj]
	return o.def.Mode(&o.Object, op, arg)
}

// Model returns the definition of obj, and what its rules must know of it.
func (tab *Table) Model(obj Object) (*model.Primitive, *model.Object) {
	o := &tab.objects[obj]
	return o.def, &o.Object
}

// PollOf returns the access of a select that finds no case of obj ready.
func PollOf(obj Object) Access {
	return Access{Obj: obj, Mode: model.Poll, Op: trace.OpSelect, Arg: -1}
}

// Uses calls f with every access to obj, in order, and the transition that made it.
func (p *Path) Uses(obj Object, f func(at int, a *Access)) {
	if int(obj) >= len(p.uses) {
		return
	}
	us := p.uses[obj]
	for i := range us {
		f(int(us[i].at), &us[i].Access)
	}
}

// Calls returns, for the two goroutines that take part in transition i, the
// transition at whose end each announced what it did, or -1. The second is -1
// too if only one takes part.
func (p *Path) Calls(i int) (proc, with int) { return int(p.rows[i].prev), int(p.rows[i].prevWith) }

// Step returns the index in trace.Steps of transition i; of a barrier that of the step before.
func (p *Path) Step(i int) int { return int(p.rows[i].step) }

// Era returns the last barrier before o was announced, or -1: who waits since an
// earlier era is served before those who came later.
func (o *Operation) Era() int { return o.era }

// Succeeds reports whether the CompareAndSwap that transition j did (Len() and
// above: one that was left over) would swap right after transition at, the last
// to write its variable, -1 for none. Where that is not known it is said to.
func (p *Path) Succeeds(j, at int) bool {
	if j >= p.n || !p.rows[j].compares {
		return true
	}
	if at < 0 {
		return p.Tab.objects[p.steps[j].Accesses[0].Obj].Init == p.rows[j].want
	}
	return p.rows[at].value == p.rows[j].want
}

// Cases calls f with the cases of an operation.
func (p *Path) Cases(o *Operation, f func(obj Object, at int16, send bool)) {
	for i := o.first; i < o.first+o.n; i++ {
		c := &p.offers[i]
		f(c.obj, c.at, c.send)
	}
}

// Senior reports whether o, which offers that side of obj, is known to have come there before q.
func (p *Path) Senior(o, q *Operation, obj Object, send bool) bool { return p.senior(o, q, obj, send) }

// Choosy reports whether o and q, who can meet over an unbuffered channel, do
// only if one of them waits: has no other case that can be done alone.
func (p *Path) Choosy(o, q *Operation) bool { return p.choosy(o, q) }

// SeeCases adds to as that it matters which cases of o can be done alone.
func (p *Path) SeeCases(as []Access, o *Operation) []Access {
	p.seeCases(&as, o)
	return as
}

// CaseSeen is the Arg of an OpSelect event about a channel of which it mattered
// whether somebody's case could be done alone.
const CaseSeen = -2

// SeenOf returns the access of who depends on whether a case of obj can be done alone.
func SeenOf(obj Object) Access {
	return Access{Obj: obj, Mode: model.Seen, Op: trace.OpSelect, Arg: CaseSeen}
}

// Facing calls f with every other operation of several cases that has the other
// side of one of o's cases, over an unbuffered channel, and waits there rather than polls.
func (p *Path) Facing(o *Operation, f func(q *Operation)) {
	last := int32(-1)
	for i := range p.offers {
		k := &p.offers[i]
		q := &p.ops[k.op]
		if k.op != last && q.n > 1 && !q.Poll && q.Proc != o.Proc && p.faces(o, k) {
			last = k.op
			f(q)
		}
	}
}

// Single reports whether o is a send, a receive, or a select with one case and no default.
func (o *Operation) Single() bool { return o.n == 1 && !o.Poll }

// LeftOf returns the access of who had arrived at a polled channel and communicates elsewhere.
func LeftOf(obj Object) Access { return Access{Obj: obj, Mode: model.Left, Op: trace.OpArrive} }

// Event returns the index in trace.Events of the first event of transition i.
func (p *Path) Event(i int) int { return int(p.rows[i].event) }

// Compared returns what the CompareAndSwap that transition i did compared with,
// if that is known.
func (p *Path) Compared(i int) (want uint64, ok bool) { return p.rows[i].want, p.rows[i].compares }

// Init returns what an object was before its first operation in the execution that was read last: see trace.Object.
func (tab *Table) Init(obj Object) uint64 { return tab.objects[obj].Init }
