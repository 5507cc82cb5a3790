package branch

import (
	"sort"

	"heddle/trace"
)

// An Execution is a trace for race-equivalence: the operations that other goroutines can observe,
// and the branches that depend on values read. Accesses to memory that only one goroutine uses are
// no operations, nor are accesses to memory that is only read once others can see it (read-shared
// variables, section V.B).
type Execution struct {
	Trace    *trace.Trace
	Ops      []Op     // in the order of the trace
	Branches []Branch // in the order of the trace

	byG      [][]int32 // by goroutine: its ops, in order
	op       []int32   // by event: its op, -1
	variable []int32   // by event: the variable that it accesses, -1
	vars     []variable
	counters int    // number of counters, of all objects
	shared   []bool // by object, see Shared
	relevant []bool // by event, see findRelevant; nil: all are
	flow     *trace.FlowReader
	place    []int32   // by event: its index among those of its goroutine
	accesses [][]int32 // by variable: events
	changers [][]int32 // by counter, see bumpers
}

// An Op is an operation: an access to a shared variable, or a synchronising operation.
type Op struct {
	Event int32
	G     trace.GID
	At    int32 // index among the ops of its goroutine
	Step  int32 // ops of one step happen together

	// A version is the number of changes of a counter (Algorithm 1). An operation sees the versions
	// of some counters and changes others. With another version it counts as another operation.
	sees  []int32
	bumps []int32
	saw   []int32 // the versions that it saw, parallel to sees
}

// A Branch is a condition that was evaluated and depends on values read.
type Branch struct {
	Event   int32
	G       trace.GID
	At      int32 // number of ops of its goroutine before it
	Outcome int64
	Nth     int32 // its index among its goroutine's branches at its site, from 1

	// Check: it is no condition. An index, a pointer or the like depends on values read, so that
	// another object is accessed, or the runtime panics.
	Check bool
}

// A variable is memory, an atomic or another object with values.
type variable struct {
	objs    []trace.ObjID
	shared  bool // several goroutines use it, and not all after it was last written
	counter int32
}

// Read makes an Execution of t. The caller must not change t while it uses the Execution.
func Read(t *trace.Trace) *Execution { return newExecution(t, false, false) }

// ReadRelevant is Read with only those accesses that branches depend on.
//
// Algorithm 1 has a variant for every access that sees another version. So an order of a branch's
// operations may be in no variant, if it requires that an irrelevant access sees another version
// first. Exploration leaves such accesses out.
func ReadRelevant(t *trace.Trace) *Execution { return newExecution(t, true, false) }

// newExecution makes an Execution of t. relevant: see ReadRelevant. checks: with the branches that
// are checks.
func newExecution(t *trace.Trace, relevant, checks bool) *Execution {
	x := &Execution{Trace: t}
	if t.Flow != nil {
		x.flow = t.Flow.Reader()
	}
	x.byG = make([][]int32, max(len(t.Goroutines), maxG(t)+1))
	x.number()
	x.findVariables()
	x.findShared()
	x.findBranches(checks)
	if relevant {
		x.findRelevant()
	}
	x.makeOps()
	return x
}

// findBranches lists the branches.
func (x *Execution) findBranches(checks bool) {
	rounds := map[string]int32{}
	for i := range x.Trace.Events {
		e := &x.Trace.Events[i]
		b := Branch{Event: int32(i), G: e.G, Outcome: e.Arg, Check: e.Op != trace.OpBranch}
		if e.Op == trace.OpBranch && e.Arg == trace.Checked {
			b.Check = true
		}
		if b.Check && !(checks && x.isCheck(i)) {
			continue
		}
		key := placeOf(branchName(x.Trace, &b, 0))
		rounds[key]++
		b.Nth = rounds[key]
		x.Branches = append(x.Branches, b)
	}
}

// reached are the operations on an object that an address or a channel leads to. Of a write the
// trace has a check of its own, since its data flow is that of the value too, and of a send.
var reached = [trace.OpMax]bool{
	trace.OpRead: true, trace.OpAtomicLoad: true, trace.OpRecv: true, trace.OpClose: true,
	trace.OpLock: true, trace.OpUnlock: true, trace.OpRLock: true, trace.OpRUnlock: true,
	trace.OpTryLock: true, trace.OpTryRLock: true,
}

// isCheck reports whether event i, which is no condition, is a check or implies one: if the
// operation had come to another object, or to none, its goroutine might have gone another way.
func (x *Execution) isCheck(i int) bool {
	switch e := &x.Trace.Events[i]; {
	case e.Op == trace.OpBranch:
		return true
	case !reached[e.Op] || x.flow == nil:
		return false
	}
	reads, all := x.flow.Deps(i)
	return all || len(reads) > 0
}

// findRelevant finds the accesses that affect a branch. If a branch depends on a read, all writes
// of that variable are relevant.
func (x *Execution) findRelevant() {
	x.relevant = make([]bool, len(x.Trace.Events))
	vars := make([]bool, len(x.vars))
	f := x.newFollow()
	change := func(v int32) {
		if v < 0 || vars[v] {
			return
		}
		vars[v] = true
		for _, w := range x.accesses[v] {
			if changes[x.Trace.Events[w].Op] {
				x.relevant[w] = true
				f.from(w)
				if gives[x.Trace.Events[w].Op] {
					f.work = append(f.work, w)
				}
			}
		}
	}
	for b := range x.Branches {
		f.from(x.Branches[b].Event)
	}
	for i, v := range x.variable {
		if x.Trace.Events[i].Op == trace.OpOnce {
			change(v)
		}
	}
	seen := make([]bool, len(x.Trace.Events))
	for len(f.work) > 0 {
		use := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		if seen[use] {
			continue
		}
		seen[use], x.relevant[use] = true, true
		f.from(use)
		change(x.variable[use])
	}
}

// number numbers the events of each goroutine.
func (x *Execution) number() {
	x.place = make([]int32, len(x.Trace.Events))
	seen := make([]int32, len(x.byG))
	for i := range x.Trace.Events {
		g := x.Trace.Events[i].G
		x.place[i] = seen[g]
		seen[g]++
	}
}

// gives has the operations whose value depends on other operations on the object, and changes has
// those that change it. Of locks only TryLock has a value.
var gives, changes = [trace.OpMax]bool{
	trace.OpRead: true, trace.OpAtomicLoad: true, trace.OpAtomicRMW: true, trace.OpMapLoad: true,
	trace.OpMapRange: true, trace.OpMapStore: true,
	trace.OpPoolGet: true, trace.OpRecv: true, trace.OpLen: true, trace.OpSelect: true,
	trace.OpTryLock: true, trace.OpTryRLock: true,
	trace.OpOnce: true, trace.OpModel: true, trace.OpTimerStop: true,
}, [trace.OpMax]bool{
	trace.OpWrite: true, trace.OpAtomicStore: true, trace.OpAtomicRMW: true, trace.OpMapStore: true,
	trace.OpPoolGet: true, trace.OpPoolPut: true, trace.OpRecv: true, trace.OpSend: true, trace.OpClose: true,
	trace.OpLock: true, trace.OpUnlock: true, trace.OpRLock: true, trace.OpRUnlock: true,
	trace.OpTryLock: true, trace.OpTryRLock: true,
	trace.OpOnce: true, trace.OpModel: true, trace.OpTimerStart: true, trace.OpTimerStop: true,
}

// IsAccess reports whether an operation reads or writes memory, plain or atomic, which a lock may
// protect.
func IsAccess(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		return true
	}
	return false
}

// findVariables assigns events to variables. Ranges of memory that overlap are one variable.
func (x *Execution) findVariables() {
	t := x.Trace
	size := make([]uintptr, len(t.Objects))
	used := make([]bool, len(t.Objects))
	for i := range t.Events {
		if e := &t.Events[i]; e.Obj > 0 && (gives[e.Op] || changes[e.Op]) {
			used[e.Obj] = true
			if IsAccess(e.Op) {
				size[e.Obj] = max(size[e.Obj], uintptr(e.Bytes()))
			}
		}
	}
	of := make([]int32, len(t.Objects))
	var memory []trace.ObjID
	for o := 1; o < len(used); o++ {
		kind := t.Objects[o].Kind
		switch {
		case !used[o]:
		case (kind == trace.ObjMemory || kind == trace.ObjAtomic) && t.Objects[o].Addr != 0:
			memory = append(memory, trace.ObjID(o))
		default:
			of[o] = int32(len(x.vars))
			x.vars = append(x.vars, variable{objs: []trace.ObjID{trace.ObjID(o)}})
		}
	}
	sort.Slice(memory, func(i, j int) bool { return t.Objects[memory[i]].Addr < t.Objects[memory[j]].Addr })
	var end uintptr
	for i, o := range memory {
		if at := t.Objects[o].Addr; i == 0 || at >= end {
			x.vars = append(x.vars, variable{})
			end = at
		}
		v := &x.vars[len(x.vars)-1]
		v.objs = append(v.objs, o)
		of[o] = int32(len(x.vars) - 1)
		end = max(end, t.Objects[o].Addr+size[o])
	}
	x.variable = make([]int32, len(t.Events))
	x.accesses = make([][]int32, len(x.vars))
	for i := range t.Events {
		x.variable[i] = -1
		if e := &t.Events[i]; e.Obj > 0 && (gives[e.Op] || changes[e.Op]) {
			v := of[e.Obj]
			x.variable[i] = v
			x.accesses[v] = append(x.accesses[v], int32(i))
		}
	}
}

// findShared finds the shared variables: several goroutines use them, and not all writes came
// before the other goroutines were started.
func (x *Execution) findShared() {
	f := newForks(x)
	for v := range x.vars {
		first := map[trace.GID]int32{} // by goroutine: its first access
		last := map[trace.GID]int32{}  // its last change
		for _, e := range x.accesses[v] {
			ev := &x.Trace.Events[e]
			if _, ok := first[ev.G]; !ok {
				first[ev.G] = e
			}
			if changes[ev.Op] {
				last[ev.G] = e
			}
		}
		for g, w := range last {
			for h, a := range first {
				if g != h && !f.before(w, a) {
					x.vars[v].shared = true
				}
			}
		}
	}
}

// Shared reports whether an object of the trace is a shared variable, or part of one.
func (x *Execution) Shared(o trace.ObjID) bool {
	if x.shared == nil {
		x.shared = make([]bool, len(x.Trace.Objects))
		for v := range x.vars {
			for _, o := range x.vars[v].objs {
				x.shared[o] = x.vars[v].shared
			}
		}
	}
	return x.shared[o]
}

// forks has the go statements of an execution.
type forks struct {
	x  *Execution
	by []int32 // by goroutine: the event of its go statement, -1
}

func newForks(x *Execution) *forks {
	f := &forks{x, make([]int32, len(x.byG))}
	for g := range f.by {
		f.by[g] = -1
	}
	for i := range x.Trace.Events {
		if e := &x.Trace.Events[i]; e.Op == trace.OpGo && e.Arg >= 0 && int(e.Arg) < len(f.by) {
			f.by[e.Arg] = int32(i)
		}
	}
	return f
}

// before reports whether event b is in a goroutine that was started, by some way, after event a.
func (f *forks) before(a, b int32) bool {
	events := f.x.Trace.Events
	for g := events[b].G; f.by[g] >= 0; g = events[f.by[g]].G {
		if by := f.by[g]; events[by].G == events[a].G {
			return f.x.place[by] > f.x.place[a]
		}
	}
	return false
}

// makeOps makes the operations with the versions that they saw, and the branches.
func (x *Execution) makeOps() {
	t := x.Trace
	tried := make([]bool, len(t.Objects))
	for i := range t.Events {
		if e := &t.Events[i]; e.Op == trace.OpTryLock || e.Op == trace.OpTryRLock {
			tried[e.Obj] = true
		}
	}
	for v := range x.vars {
		x.vars[v].counter = int32(x.counters)
		x.counters += countersOf(t.Objects[x.vars[v].objs[0]].Kind)
	}
	clock := int32(x.counters) // the counter of operations without an object
	x.counters++
	now := make([]int32, x.counters)
	branch := 0
	x.op = make([]int32, len(t.Events))
	for i := range t.Events {
		e := &t.Events[i]
		x.op[i] = -1
		if branch < len(x.Branches) && x.Branches[branch].Event == int32(i) {
			x.Branches[branch].At = int32(len(x.byG[e.G]))
			branch++
		}
		if e.Op == trace.OpBranch {
			continue
		}
		if !x.isOp(i) {
			continue
		}
		op := Op{Event: int32(i), G: e.G, At: int32(len(x.byG[e.G])), Step: e.Step}
		if v := x.variable[i]; v >= 0 && x.Relevant(i) {
			op.sees, op.bumps = versions(e, x.vars[v].counter, tried[e.Obj])
		} else if ofClock(e.Op) {
			op.sees, op.bumps = []int32{clock}, []int32{clock}
		}
		for _, c := range op.sees {
			op.saw = append(op.saw, now[c])
		}
		for _, c := range op.bumps {
			now[c]++
		}
		x.op[i] = int32(len(x.Ops))
		x.byG[e.G] = append(x.byG[e.G], int32(len(x.Ops)))
		x.Ops = append(x.Ops, op)
	}
}

// isOp reports whether event i is an operation that other goroutines can observe.
func (x *Execution) isOp(i int) bool {
	e := &x.Trace.Events[i]
	switch e.Op {
	case trace.OpGosched, trace.OpResume, trace.OpNow, trace.OpChoose, trace.OpEnd, trace.OpAwait:
		return false
	case trace.OpSelect:
		return e.Arg == -1 && e.Obj > 0
	}
	if IsAccess(e.Op) {
		return x.vars[x.variable[i]].shared && x.Relevant(i)
	}
	return true
}

// Relevant reports whether a branch depends on the version that an event sees.
func (x *Execution) Relevant(event int) bool { return x.relevant == nil || x.relevant[event] }

// countersOf returns the number of counters of an object: a channel has two, values sent and values
// received.
func countersOf(k trace.ObjKind) int {
	if k == trace.ObjChan {
		return 2
	}
	return 1
}

// versions returns the counters that an event sees and changes; c is the first of its object.
func versions(e *trace.Event, c int32, tried bool) (sees, bumps []int32) {
	switch e.Op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange:
		return []int32{c}, nil
	case trace.OpSend:
		return []int32{c}, []int32{c}
	case trace.OpRecv:
		if e.Arg == 0 { // closed and empty
			return []int32{c}, nil
		}
		return []int32{c + 1}, []int32{c + 1}
	case trace.OpLen, trace.OpSelect:
		return []int32{c, c + 1}, nil
	case trace.OpClose:
		return nil, nil
	case trace.OpLock, trace.OpUnlock, trace.OpRLock, trace.OpRUnlock:
		if tried {
			return nil, []int32{c}
		}
		return nil, nil
	case trace.OpTryLock, trace.OpTryRLock:
		if e.Arg == 0 {
			return []int32{c}, nil
		}
		return []int32{c}, []int32{c}
	}
	return []int32{c}, []int32{c} // writes see versions too (Algorithm 1)
}

// ofClock reports whether an operation keeps its order, because time or something outside control
// decides it.
func ofClock(op trace.Op) bool {
	switch op {
	case trace.OpSleep, trace.OpTimerFire, trace.OpNative, trace.OpIdle:
		return true
	}
	return false
}
