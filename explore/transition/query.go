package transition

import (
	"sort"

	"heddle/model"
	"heddle/trace"
)

// Questions about one object or one operation of a path.

// Kind returns the kind of obj.
func (tab *Table) Kind(obj Object) trace.ObjKind { return tab.objects[obj].kind }

// Maker returns the goroutine that made an object, NoProc for one older than the execution.
func (tab *Table) Maker(obj Object) Proc { return tab.objects[obj].by }

// ProcOf returns the goroutine with number g in the trace that was read last.
func (tab *Table) ProcOf(g trace.GID) Proc { return tab.procOfGID(g) }

// Parent returns the goroutine that started p, and the index of p among the goroutines that it
// started, from 1.
func (tab *Table) Parent(p Proc) (parent Proc, n int) {
	return tab.procs[p].parent, int(tab.procs[p].n)
}

// ObjectOf returns the object with number id in t, the trace that was read last. It must not be
// memory.
func (tab *Table) ObjectOf(t *trace.Trace, id trace.ObjID) Object { return tab.object(t, id, 0) }

// Looked returns the object with number id in t, the trace that was read last, as an object that a
// polling loop read.
func (tab *Table) Looked(t *trace.Trace, id trace.ObjID) Object {
	return tab.object(t, id, MemorySize(&trace.Event{Op: trace.OpAwait}, t.Objects[id].Kind))
}

// Number returns the number of p in t, for which ReadGoroutines was called; NoG if there is none.
func (tab *Table) Number(t *trace.Trace, p Proc) trace.GID {
	for i := range t.Goroutines {
		if p != NoProc && tab.gids[i].proc == p {
			return trace.GID(i)
		}
	}
	return trace.NoG
}

// Size returns the number of bytes of obj if it is memory, else 0.
func (tab *Table) Size(obj Object) uint32 { return tab.objects[obj].extent }

// Cap returns the capacity of a channel.
func (tab *Table) Cap(obj Object) int { return int(tab.objects[obj].Cap) }

// Empty reports whether the values of a channel have no size.
func (tab *Table) Empty(obj Object) bool { return tab.objects[obj].empty }

// Flat reports whether the values of a channel are known to have no pointers.
func (tab *Table) Flat(obj Object) bool { return tab.objects[obj].flat }

// Addressed returns the number of objects that are known by an address which may be another one in
// the next execution. A package-level variable stays where it is.
func (tab *Table) Addressed() (n int) {
	for i := range tab.objects {
		if o := &tab.objects[i]; o.by == NoProc && !o.static {
			n++
		}
	}
	return n
}

// Ordered reports whether accesses to obj conflict that commute by default: at a channel, because
// arrival order decides which goroutine is served.
func (tab *Table) Ordered(obj Object) bool { return tab.objects[obj].Ordered }

// Overlaps returns the other objects that overlap obj, which is memory.
func (tab *Table) Overlaps(obj Object) []Object { return tab.objects[obj].overlaps }

// Access returns the access of op to obj with outcome arg; ok is false if no other goroutine can
// observe it.
func (tab *Table) Access(obj Object, op trace.Op, arg int32) (a Access, ok bool) {
	m, ok := tab.mode(obj, op, arg)
	return Access{obj, m, op, arg}, ok
}

// mode returns the mode of an operation with that outcome; ok is false if no other goroutine can
// observe it.
func (tab *Table) mode(obj Object, op trace.Op, arg int32) (m model.Mode, ok bool) {
	o := &tab.objects[obj]
	return o.def.Mode(&o.Object, op, arg)
}

// Model returns the definition of obj, and its properties that the rules need.
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

// UsesBetween calls f with the accesses to obj, the latest first, of transitions in neither of two
// sets: old has with a transition all before it, gone all after it. Where f returns false it leaves
// out those with the same mode that come directly before.
func (p *Path) UsesBetween(obj Object, old, gone func(at int) bool, f func(at int, a *Access) bool) {
	us := p.used(obj)
	for k := len(us) - 1; k >= 0; k-- {
		u := &us[k]
		switch at, first := int(u.at), int(u.chain); {
		case old(at):
			k = first
		case gone(at):
			k = first + sort.Search(k-first, func(i int) bool { return gone(int(us[first+i].at)) })
		case !f(at, &u.Access):
			k = int(u.run)
		}
	}
}

// Calls returns, for the two goroutines of transition i, the transitions at whose ends they
// announced their operations, or -1. The second is -1 if only one goroutine takes part.
func (p *Path) Calls(i int) (proc, with int) { return int(p.rows[i].prev), int(p.rows[i].prevWith) }

// Step returns the index in trace.Steps of transition i; for a barrier that of the step before.
func (p *Path) Step(i int) int { return int(p.rows[i].step) }

// BarrierBefore returns the last transition before i, which may be Len(), that is Alone; -1 if
// there is none.
func (p *Path) BarrierBefore(i int) int {
	if i == p.n {
		return int(p.barrier)
	}
	return int(p.rows[i].barrier)
}

// Era returns the last barrier before the announcement of o, or -1. A goroutine that waits since an
// earlier era is served before those that came later.
func (o *Operation) Era() int { return o.era }

// Succeeds reports whether the CompareAndSwap of transition j (a leftover from Len() on) would swap
// right after transition at, the last write to its variable, -1 for none. It returns true if that
// is unknown.
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

// Senior reports whether o, which offers that side of obj, is known to have arrived there before q.
func (p *Path) Senior(o, q *Operation, obj Object, send bool) bool { return p.senior(o, q, obj, send) }

// Choosy reports whether o and q, which can meet over an unbuffered channel, meet only if one of
// them waits: no other case of it is ready.
func (p *Path) Choosy(o, q *Operation) bool { return p.choosy(o, q) }

// SeeCases adds accesses to as for the channels of o: it matters which of its cases are ready.
func (p *Path) SeeCases(as []Access, o *Operation) []Access {
	p.seeCases(&as, o)
	return as
}

// CaseSeen is the Arg of an OpSelect access to a channel for which it mattered whether a case was
// ready without a partner.
const CaseSeen = -2

// SeenOf returns the access of an operation that depends on whether a case of obj is ready.
func SeenOf(obj Object) Access {
	return Access{Obj: obj, Mode: model.Seen, Op: trace.OpSelect, Arg: CaseSeen}
}

// Facing calls f with every other operation of several cases that waits, does not poll, and has the
// other side of one of o's cases over an unbuffered channel.
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

// LeftOf returns the access of a goroutine that had arrived at a polled channel and communicates
// elsewhere.
func LeftOf(obj Object) Access { return Access{Obj: obj, Mode: model.Left, Op: trace.OpArrive} }

// Event returns the index in trace.Events of the first event of transition i.
func (p *Path) Event(i int) int { return int(p.rows[i].event) }

// Compared returns the old value of the CompareAndSwap of transition i; ok is false if it is
// unknown.
func (p *Path) Compared(i int) (want uint64, ok bool) { return p.rows[i].want, p.rows[i].compares }

// Init returns the initial state of an object in the execution that was read last: see
// trace.Object.
func (tab *Table) Init(obj Object) uint64 { return tab.objects[obj].Init }
