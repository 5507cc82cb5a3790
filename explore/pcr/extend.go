package pcr

import (
	"heddle/explore/mapcov"
	"heddle/model"
	"heddle/trace"
)

// An extension performs an order of a trace's events on a model of memory and locks, then the
// events that are sure to come as in the trace. What the formula left open stays as it was. So
// consecutive schedules get further away from the first execution, instead of undoing what the
// earlier ones reached.
type extension struct {
	v     *view
	c     *creation
	byG   [][]int32 // events of each goroutine
	place []int32   // by event: index in byG
	pos   []int32   // by goroutine: number of events performed
	limit []int32   // by goroutine: number of events that can be predicted
	born  []bool

	at      []int32       // by event: its first access in c.as.All, or -1
	last    []int32       // by variable: its last write, or -1
	tainted []bool        // by variable: the last write's value cannot be predicted
	locks   []model.State // by object, of mutexes
	byObj   [][]int32

	compares map[int]bool // events that are CompareAndSwaps: one that failed may succeed
	objDone  []int32
	done     []bool
	held     int          // an event that is held back, or -1
	holding  map[int]bool // the variables that held accesses: they are not written meanwhile
	order    []int
	names    *histories
	vars     *mapcov.Names
}

func newExtension(v *view, c *creation, names *mapcov.Names) *extension {
	t := v.t
	n, objs := len(t.Goroutines), len(t.Objects)
	x := &extension{
		v: v, c: c, byG: make([][]int32, n), place: make([]int32, len(t.Events)), pos: make([]int32, n),
		limit: make([]int32, n), born: make([]bool, n),
		at: make([]int32, len(t.Events)), last: make([]int32, len(c.as.Vars)),
		tainted: make([]bool, len(c.as.Vars)), locks: make([]model.State, objs),
		held: -1, compares: make(map[int]bool), byObj: make([][]int32, objs), objDone: make([]int32, objs),
		done: make([]bool, len(t.Events)), names: newHistories(c.as, names), vars: names,
	}
	for o := range x.locks {
		def, m := model.ObjectOf(t, trace.ObjID(o))
		x.locks[o] = def.Start(&m)
	}
	for i := range x.last {
		x.last[i] = -1
	}
	for _, c := range t.Compares {
		x.compares[int(c.Event)] = true
	}
	for i := range x.born {
		x.born[i] = true
	}
	for i := range t.Events {
		e := &t.Events[i]
		x.at[i] = -1
		x.place[i] = int32(len(x.byG[e.G]))
		x.byG[e.G] = append(x.byG[e.G], int32(i))
		if e.Op == trace.OpGo && e.Arg >= 0 && int(e.Arg) < n {
			x.born[e.Arg] = false
		}
		if e.Obj > 0 {
			x.byObj[e.Obj] = append(x.byObj[e.Obj], int32(i))
		}
	}
	for g := range x.limit {
		x.limit[g] = int32(len(x.byG[g]))
	}
	for i := len(c.as.All) - 1; i >= 0; i-- {
		x.at[c.as.All[i].Event] = int32(i)
	}
	return x
}

// do performs events in this order.
func (x *extension) do(order []int) {
	for _, e := range order {
		x.event(e)
	}
}

// bring performs, one after the other, the goroutines' events up to these, as far as possible.
func (x *extension) bring(events []int) {
	for _, e := range events {
		g := x.v.t.Events[e].G
		for !x.done[e] && x.pos[g] <= x.place[e] {
			x.event(int(x.byG[g][x.pos[g]]))
		}
	}
}

// hold holds an event back: the variables that it accesses are not written. -1 ends that.
func (x *extension) hold(e int) {
	x.held, x.holding = e, make(map[int]bool)
	for i := x.firstAt(e); x.isOf(i, e); i++ {
		x.holding[x.c.as.All[i].Var] = true
	}
}

// firstAt and isOf iterate over the accesses of an event.
func (x *extension) firstAt(e int) int32 {
	if e < 0 {
		return -1
	}
	return x.at[e]
}

func (x *extension) isOf(i int32, e int) bool {
	return i >= 0 && int(i) < len(x.c.as.All) && x.c.as.All[i].Event == e
}

// spoils reports whether e writes a variable that the held event accesses.
func (x *extension) spoils(e int) bool {
	for i := x.firstAt(e); x.isOf(i, e); i++ {
		if a := &x.c.as.All[i]; a.Write && x.holding[a.Var] {
			return true
		}
	}
	return false
}

// differs reports whether e would see another value than it saw.
func (x *extension) differs(e int) bool {
	for i := x.firstAt(e); x.isOf(i, e); i++ {
		if x.changed(i) {
			return true
		}
	}
	return false
}

// goOn performs the events that are sure to come.
func (x *extension) goOn() {
	for range maxPasses {
		n := len(x.order)
		for e := range x.v.t.Events {
			x.try(e)
		}
		if len(x.order) == n {
			break
		}
	}
}

// maxPasses bounds the passes over a trace: a goroutine that is blocked at a lock continues in a
// later pass.
const maxPasses = 8

// try performs the step of e, if e begins one and it is possible.
func (x *extension) try(e int) {
	if x.done[e] || e == x.held || !x.can(e) || x.spoils(e) || x.differs(e) {
		return
	}
	ev := &x.v.t.Events[e]
	if p := int(ev.Partner); p >= 0 && x.v.t.Events[p].Step == ev.Step && x.v.t.Events[p].G != ev.G {
		if x.done[p] || !x.can(p) {
			return
		}
		defer x.event(p)
	}
	x.event(e)
}

// can reports whether e is next in its goroutine, can be predicted and has the outcome of the
// trace.
func (x *extension) can(e int) bool {
	ev := &x.v.t.Events[e]
	g := ev.G
	if x.place[e] != x.pos[g] || x.pos[g] >= x.limit[g] || !x.born[g] {
		return false
	}
	switch ev.Op {
	case trace.OpTimerFire, trace.OpIdle: // no goroutine was enabled
		return x.allBefore(e)
	}
	if ev.Obj <= 0 || x.at[e] >= 0 {
		return true
	}
	def, o := model.ObjectOf(x.v.t, ev.Obj)
	switch o.Kind {
	case trace.ObjMemory, trace.ObjAtomic:
		return true
	case trace.ObjMutex, trace.ObjRWMutex:
		r, outcome, _ := def.Step(&o, x.locks[ev.Obj], ev.Op, int32(ev.Arg))
		return r != nil && outcome == int32(ev.Arg)
	}
	// An object without a model needs exactly the operations that preceded e in the trace.
	n := x.objDone[ev.Obj]
	list := x.byObj[ev.Obj]
	if int(n) >= len(list) {
		return false
	}
	if list[n] != int32(e) && (ev.Partner < 0 || list[n] != ev.Partner) {
		return false
	}
	for _, f := range list[:n] {
		if !x.done[f] {
			return false
		}
	}
	return true
}

func (x *extension) allBefore(e int) bool {
	for f := range x.done[:e] {
		if !x.done[f] {
			return false
		}
	}
	return true
}

// event performs e.
func (x *extension) event(e int) {
	ev := &x.v.t.Events[e]
	x.done[e] = true
	x.order = append(x.order, e)
	x.pos[ev.G]++
	if ev.Op == trace.OpGo && ev.Arg >= 0 && int(ev.Arg) < len(x.born) {
		x.born[ev.Arg] = true
	}
	if ev.Obj > 0 {
		x.objDone[ev.Obj]++
		def, o := model.ObjectOf(x.v.t, ev.Obj)
		x.locks[ev.Obj] = def.After(&o, x.locks[ev.Obj], ev.Op, int32(ev.Arg))
	}
	x.names.add(e)
	for i := x.firstAt(e); x.isOf(i, e); i++ {
		x.access(i)
	}
}

// access performs access i. A goroutine that sees another value than in the trace can be predicted
// only as far as it does not depend on the value.
func (x *extension) access(i int32) {
	a := &x.c.as.All[i]
	now := x.last[a.Var]
	changed := x.changed(i)
	if changed {
		to := int32(len(x.byG[a.G]))
		if d := x.v.dependent(a.Event); d >= 0 {
			to = x.place[d]
		}
		x.limit[a.G] = min(x.limit[a.G], to)
	}
	if a.Read {
		x.names.saw(a.Event, x.valueOf(i, now, changed))
	}
	if a.Write || changed && x.compares[a.Event] { // the value of a read-modify-write depends on what it read
		x.last[a.Var], x.tainted[a.Var] = i, changed
	}
}

// changed reports whether access i would now see another value than in the trace.
func (x *extension) changed(i int32) bool {
	a := &x.c.as.All[i]
	now, was := x.last[a.Var], x.c.source[i]
	switch {
	case !a.Read:
		return false
	case x.tainted[a.Var]:
		return true
	case now == was:
		return false
	case now < 0 || was < 0:
		return true
	}
	v := x.c.seen(i)
	return v == "" || v != x.c.left(now)
}

// valueOf identifies the value that access i reads: by its text, or by its write.
func (x *extension) valueOf(i, from int32, changed bool) uint64 {
	text := ""
	switch {
	case x.tainted[x.c.as.All[i].Var]:
	case !changed:
		text = x.c.seen(i)
	case from >= 0:
		text = x.c.left(from)
	}
	switch {
	case text != "":
		return hash(text)
	case from >= 0:
		return x.names.name[x.c.as.All[from].Event]
	}
	return 7
}

// key is equal for extensions that leave goroutines and memory in the same state, as far as that
// can be told.
func (x *extension) key() uint64 {
	h := uint64(0)
	for g := range x.pos {
		h += mix(x.names.of[g], x.names.thread[g])
	}
	for v, i := range x.last {
		if i >= 0 {
			h += mix(x.vars.ObjectHash(x.c.as.Vars[v].ID), x.names.name[x.c.as.All[i].Event])
		}
	}
	return h
}
