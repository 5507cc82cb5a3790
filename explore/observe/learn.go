package observe

import (
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// A lesson is the reading of one execution: it follows the execution in a state, and adds what the
// program did not know.
type lesson struct {
	p    *program
	s    *state
	x    *search
	t    *trace.Trace
	path *transition.Path

	turns [][]int32 // by Proc: the transitions in which it takes part
	pos   []int     // by Proc: how many of them were read
	ops   [][]int32 // by transition: the communications that it performed
	event int
	plain int
	old   int32 // nodes from here on are new
	list  []step
	seg   segment
	spots []spot

	partner segment // of the other side of a communication
	turn    int32   // of segments
	news    bool    // the execution showed an edge that was not known

	// finer: words turned out to be accessed in parts, or memory of one goroutine by another one.
	// The search begins anew, and tells their bytes apart, unless it is settled by then.
	finer, settled bool

	updates int    // how many of the trace's were read
	wrong   string // why the program cannot be described, found while a segment was read
}

// A spot says, of a cell, in which segment it was read and written last, and where in the segment's
// writes it is.
type spot struct{ read, wrote, at int32 }

// A segment is what a goroutine accessed in a step.
type segment struct {
	reads   []reading
	writes  []writing
	updates []updating
	starts  []transition.Proc
	window  window
	reach   reach
}

// learn adds an execution, whose path was read. It returns the reason why the program cannot be
// described, "" if it can.
func (l *lesson) learn(t *trace.Trace, path *transition.Path) (reason string) {
	p := l.p
	l.t, l.path, l.event, l.plain, l.old, l.news = t, path, 0, 0, int32(len(p.nodes)), false
	l.updates, l.wrong = 0, ""
	l.index()
	for i := range t.Objects { // before the accesses to the memory that they are in
		if o := &t.Objects[i]; o.Kind == trace.ObjAtomic {
			if item, at, ok := l.allocation(o); ok {
				p.atomic(item, uint32(at))
			}
		}
	}
	if l.own(); l.finer {
		return ""
	}
	l.s.begin(p, path.Early())
	for proc, n := range l.s.at {
		if n != 0 {
			if reason := l.announce(n, transition.Proc(proc)); reason != "" {
				return reason
			}
		}
	}
	for l.plain < len(t.Plain) && t.Plain[l.plain].Step < 0 {
		l.plain++ // before the first step: always the same
	}
	for j := range path.Len() {
		if reason := l.transition(j); reason != "" {
			return reason
		}
	}
	return ""
}

// own finds out which memory one goroutine has for itself in all executions so far: nothing that
// others do depends on it. It must not be read as such before.
func (l *lesson) own() {
	note := func(o *trace.Object, proc transition.Proc, size uint32) {
		i, at, ok := l.allocation(o)
		if !ok {
			return
		}
		l.shared(i, proc)
		if o.G != trace.NoG {
			return
		}
		next := *o
		for end := at + uint64(size); end > 1<<blockBits; end -= 1 << blockBits {
			next.Addr += 1 << blockBits
			if i, _, ok := l.allocation(&next); ok {
				l.shared(i, proc)
			}
		}
	}
	for k := range l.t.Plain {
		if a := &l.t.Plain[k]; a.Step >= 0 {
			note(&a.Mem, l.p.tab.ProcOf(a.G), a.Size)
		}
	}
	for k := range l.t.Events {
		e := &l.t.Events[k]
		if e.Obj == 0 {
			continue
		}
		if o := &l.t.Objects[e.Obj]; o.Kind == trace.ObjMemory || o.Kind == trace.ObjAtomic {
			note(o, l.p.tab.ProcOf(e.G), transition.MemorySize(e, o.Kind))
		}
	}
}

// shared notes that a goroutine accesses an allocation.
func (l *lesson) shared(i int32, proc transition.Proc) {
	switch x := &l.p.items[i]; {
	case x.shared || x.owner == proc:
	case x.owner == transition.NoProc:
		x.owner = proc
	default:
		x.shared = true
		l.p.shared[x.key] = true
		l.finer = l.finer || x.passed
	}
}

// private reports whether only one goroutine accesses an allocation, as far as is known.
func (l *lesson) private(i int32) bool {
	x := &l.p.items[i]
	x.passed = x.passed || !x.shared
	return !x.shared
}

// index lists the transitions of each goroutine.
func (l *lesson) index() {
	for len(l.turns) < l.p.tab.Procs() {
		l.turns, l.pos = append(l.turns, nil), append(l.pos, 0)
	}
	for i := range l.turns {
		l.turns[i], l.pos[i] = l.turns[i][:0], 0
	}
	for j := range l.path.Len() {
		tr := l.path.At(j)
		l.turns[tr.Proc] = append(l.turns[tr.Proc], int32(j))
		if tr.With != transition.NoProc {
			l.turns[tr.With] = append(l.turns[tr.With], int32(j))
		}
	}
	for len(l.ops) < l.path.Len() {
		l.ops = append(l.ops, nil)
	}
	for j := range l.ops {
		l.ops[j] = l.ops[j][:0]
	}
	for k, o := range l.path.Operations() {
		if o.Done < l.path.Len() {
			l.ops[o.Done] = append(l.ops[o.Done], int32(k))
		}
	}
}

// announce fills in the pending operation of a goroutine in a node: the one that it performs next
// in the execution, or that was left.
func (l *lesson) announce(at int32, proc transition.Proc) (reason string) {
	var op pending
	if k := l.pos[proc]; k < len(l.turns[proc]) {
		op, reason = l.executed(int(l.turns[proc][k]), proc)
		op.site = l.site(int(l.turns[proc][k]), proc)
	} else {
		op, reason = l.leftover(proc)
	}
	if reason != "" {
		return reason
	}
	n := &l.p.nodes[at]
	if n.known {
		if !n.op.equal(&op) {
			return "a goroutine that observed the same announced another operation"
		}
		return ""
	}
	n.op, n.known = op, true
	switch op.class {
	case ruled:
		n.op.item = l.p.object(op.obj)
		n.op.how(&n.next).add(n.op.item)
		l.p.lose(at, n.op.item, l.old)
		switch {
		case op.op == trace.OpWGWait:
			l.wait(at)
		case op.op == trace.OpWGAdd && op.arg > 0:
			n.next.writes.add(l.p.allocation(itemKey{obj: op.obj, n: first}))
		}
	case waiting:
		n.op.item = l.p.object(op.obj)
		n.next.add(n.op.item, op.op != trace.OpCondWake)
	case comm, arriving:
		for _, c := range op.cases {
			n.next.add(c.item, true)
		}
	}
	l.p.enclose(n)
	next := n.next
	l.p.grow(at, &next, l.old)
	return ""
}

// site returns where proc made transition j.
func (l *lesson) site(j int, proc transition.Proc) trace.Site {
	if e := l.eventOf(j, proc); e != nil {
		return e.Site
	}
	return 0
}

// eventOf returns the first event of proc in transition j; nil if it has none.
func (l *lesson) eventOf(j int, proc transition.Proc) *trace.Event {
	for i := l.path.Event(j); i < len(l.t.Events) && int(l.t.Events[i].Step) == l.path.Step(j); i++ {
		if e := &l.t.Events[i]; l.p.tab.ProcOf(e.G) == proc {
			return e
		}
	}
	return nil
}

// how returns the set of r that an operation with a rule belongs to.
func (op *pending) how(r *reach) *bits {
	switch {
	case op.op == trace.OpWGWait:
		return &r.reads
	case op.sums:
		return &r.adds
	}
	return &r.writes
}

// wait makes the call of a Wait, which is pending in node at, a part of the step that led there: it
// must not be concurrent with an Add from zero, whether it returns or not.
func (l *lesson) wait(at int32) {
	n := &l.p.nodes[at]
	i := l.p.allocation(itemKey{obj: n.op.obj, n: order})
	n.window = append(n.window, touch{cell: l.p.word(i, 0), write: true, site: n.op.site,
		bytes: allBytes, group: n.op.item + 1})
	l.s.resize()
	if l.s.at[n.proc] == at {
		l.s.touch(&n.window[len(n.window)-1], 1)
	}
	n.next.adds.add(i) // Waits commute
	if from := n.parent; from != 0 && l.p.nodes[from].proc == n.proc {
		l.p.nodes[from].next.adds.add(i)
		l.p.grow(from, &reach{adds: l.p.nodes[from].next.adds}, l.old)
	}
}

func (op *pending) equal(q *pending) bool {
	return op.class == q.class && op.op == q.op && op.obj == q.obj && op.arg == q.arg && op.poll == q.poll &&
		slices.Equal(op.cases, q.cases)
}

// executed returns the operation that proc performs in transition j.
func (l *lesson) executed(j int, proc transition.Proc) (op pending, reason string) {
	tr := l.path.At(j)
	if tr.Barrier || tr.Alone() || tr.Choice >= 0 {
		return op, "time passes, or a value is drawn"
	}
	for _, k := range l.ops[j] {
		if o := &l.path.Operations()[k]; o.Proc == proc {
			return l.communication(o), ""
		}
	}
	if tr.With != transition.NoProc {
		return op, "a communication without an announcement"
	}
	if tr.Op == trace.OpArrive && len(tr.Accesses) > 0 && l.p.tab.Kind(tr.Accesses[0].Obj) == trace.ObjChan {
		return l.arrival(tr), ""
	}
	if tr.Op == trace.OpCondWake {
		if e := l.eventOf(j, proc); e != nil && l.t.Objects[e.Obj].Kind == trace.ObjCond {
			return pending{class: waiting, op: tr.Op, obj: l.p.tab.ObjectOf(l.t, e.Obj)}, ""
		}
	}
	if len(tr.Accesses) > 1 {
		return op, l.unknown(tr)
	}
	op = pending{class: free, op: tr.Op, obj: -1}
	switch tr.Op {
	case trace.OpStart, trace.OpResume, trace.OpGosched:
		if len(tr.Accesses) > 0 {
			return op, l.unknown(tr)
		}
		return op, ""
	}
	if len(tr.Accesses) == 0 {
		switch tr.Op {
		case trace.OpWGAdd, // of 0: nothing can observe it
			trace.OpSelect: // with default, and no channel but nil
			return op, ""
		}
		return op, "it has no rule for " + tr.Op.String()
	}
	a := &tr.Accesses[0]
	return l.operation(tr.Op, a.Obj, a.Arg)
}

// arrival returns the arrival at sides of channels without a buffer that are polled.
func (l *lesson) arrival(tr *transition.Transition) pending {
	op := pending{class: arriving, op: trace.OpArrive, obj: -1}
	for _, a := range tr.Accesses {
		if a.Mode == model.Arrived {
			op.cases = append(op.cases, offer{obj: a.Obj, item: l.p.object(a.Obj),
				send: trace.Op(a.Arg) == trace.OpSend})
		}
	}
	return op
}

// unknown returns the reason for a step of several operations.
func (l *lesson) unknown(tr *transition.Transition) string {
	for i := range tr.Accesses {
		if l.p.tab.Kind(tr.Accesses[i].Obj) == trace.ObjTimer {
			return "it has no rules for a timer"
		}
	}
	return "it does not know steps of several operations, such as " + tr.Op.String()
}

// operation returns a pending operation on one object.
func (l *lesson) operation(o trace.Op, obj transition.Object, arg int32) (op pending, reason string) {
	op = pending{class: ruled, op: o, obj: obj}
	kind := l.p.tab.Kind(obj)
	def, _ := l.p.tab.Model(obj)
	switch o {
	case trace.OpAwait, trace.OpSleep, trace.OpTimerStart, trace.OpTimerStop, trace.OpTimerFire,
		trace.OpNow, trace.OpIdle, trace.OpNative:
		return op, "it has no rule for " + o.String() + " of a " + kind.String()
	case trace.OpWGAdd:
		op.arg = arg
	case trace.OpArrive:
		if kind != trace.ObjRWMutex {
			return op, "the order of arrival at a channel matters"
		}
	}
	switch kind {
	case trace.ObjCond:
		op.class = waiting
	case trace.ObjMutex, trace.ObjRWMutex, trace.ObjWaitGroup, trace.ObjOnce, trace.ObjSemaphore:
		if def.Rule(&model.Object{Kind: kind}, o, 0) == nil {
			return op, "it has no rule for " + o.String() + " of a " + kind.String()
		}
		op.sums = def.Sums(o)
	case trace.ObjChan:
		if o != trace.OpClose && o != trace.OpLen {
			return op, "it has no rule for " + o.String() + " of a " + kind.String()
		}
	case trace.ObjAtomic, trace.ObjMemory, trace.ObjMap, trace.ObjModel:
		op.class = free
	default:
		return op, "it has no rules for a " + kind.String()
	}
	return op, ""
}

// communication returns a send, a receive, or a select.
func (l *lesson) communication(o *transition.Operation) (op pending) {
	op = pending{class: comm, op: o.Op, obj: -1, poll: o.Poll}
	l.path.Cases(o, func(obj transition.Object, at int16, send bool) {
		op.cases = append(op.cases, offer{obj: obj, item: l.p.object(obj), at: at, send: send})
	})
	return op
}

// leftover returns the operation that was pending when the execution ended.
func (l *lesson) leftover(proc transition.Proc) (op pending, reason string) {
	for i := range l.t.Left {
		left := &l.t.Left[i]
		if l.p.tab.ProcOf(left.G) != proc {
			continue
		}
		op.site = left.Site
		switch left.Op {
		case trace.OpSend, trace.OpRecv, trace.OpSelect:
			for k := range l.path.Operations() {
				if o := &l.path.Operations()[k]; o.Proc == proc && o.Done == l.path.Len() {
					op = l.communication(o)
					op.site = left.Site
					return op, ""
				}
			}
			return pending{class: stuck, op: left.Op, obj: -1, site: left.Site}, "" // nil channels
		}
		if left.Enabled || left.Obj == 0 {
			return op, "the execution ended before a goroutine that could go on: " + left.Op.String()
		}
		is := left.Op
		if is == trace.OpCondWait { // what it does next, once it is signalled
			is = trace.OpCondWake
		}
		op, reason = l.operation(is, l.p.tab.ObjectOf(l.t, left.Obj), 1)
		op.site = left.Site
		return op, reason
	}
	for _, g := range l.t.Crashed {
		if l.p.tab.ProcOf(g) == proc {
			return pending{class: crashed, obj: -1}, ""
		}
	}
	return pending{obj: -1}, ""
}

// transition follows transition j.
func (l *lesson) transition(j int) (reason string) {
	tr, s := l.path.At(j), l.s
	s.resize()
	x, reason := l.match(tr)
	if reason != "" {
		return reason
	}
	if reason := l.segment(j, tr); reason != "" {
		return reason
	}
	s.resize()
	at := [2]int32{s.at[tr.Proc], 0}
	if x.with != transition.NoProc {
		at[1] = s.at[x.with]
		mine, theirs := x.sides()
		l.edge(at[1], x.withBy, theirs, x.given(theirs), &l.partner)
		reason = l.edge(at[0], x.by, mine, x.given(mine), &l.seg)
	} else {
		reason = l.edge(at[0], x.by, x.outcome, x.message, &l.seg)
	}
	if reason != "" {
		return reason
	}
	s.resize()
	s.take(&x)
	l.x.races(s, &x) // it shows these
	l.pos[tr.Proc]++
	if reason := l.announce(s.at[tr.Proc], tr.Proc); reason != "" {
		return reason
	}
	if x.with != transition.NoProc {
		l.pos[x.with]++
		if reason := l.announce(s.at[x.with], x.with); reason != "" {
			return reason
		}
	}
	for k, c := range tr.Starts {
		l.inherit(s.at[tr.Proc], s.at[c], int16(k+1))
		if reason := l.announce(s.at[c], c); reason != "" {
			return reason
		}
	}
	return ""
}

// inherit makes the first step of the k-th goroutine that a step started depend on what that step
// had accessed before: from then on others may come after it.
func (l *lesson) inherit(from, to int32, k int16) {
	var before reach
	for _, a := range l.p.nodes[from].window {
		if a.starts < k {
			before.add(l.p.cells[a.cell].item, a.write)
		}
	}
	if l.p.nodes[to].before.join(&before) && to < l.old {
		l.p.grown = true
	}
}

// match returns the step of the state that a transition is.
func (l *lesson) match(tr *transition.Transition) (x step, reason string) {
	l.list = l.s.steps(l.list[:0], tr.Proc)
	op := &l.s.p.nodes[l.s.at[tr.Proc]].op
	for _, x := range l.list {
		if x.with != tr.With || op.class == comm && op.op == trace.OpSelect && x.by != chosen(tr.Case) ||
			tr.With != transition.NoProc && x.withBy != tr.WithCase {
			continue
		}
		if op.class == ruled && op.op != trace.OpArrive && x.outcome != negative &&
			(len(tr.Accesses) == 0 || x.outcome != tr.Accesses[0].Arg) {
			return x, "an outcome that the model does not expect: " + tr.Op.String()
		}
		return x, ""
	}
	return x, "a step that the model does not expect: " + tr.Op.String()
}

// chosen returns the case of a select as edges have it.
func chosen(at int16) int16 {
	if at == 0 {
		return -1
	}
	return at
}

// segment reads what transition j accesses.
func (l *lesson) segment(j int, tr *transition.Transition) (reason string) {
	g := &l.seg
	*g = segment{reads: g.reads[:0], writes: g.writes[:0], updates: g.updates[:0], starts: tr.Starts}
	l.partner = segment{}
	l.turn++
	at := int32(l.path.Step(j))
	first := l.path.Event(j)
	last := first
	for last < len(l.t.Events) && l.t.Events[last].Step == at {
		e := &l.t.Events[last]
		if p := l.p.tab.ProcOf(e.G); p != tr.Proc && p != tr.With {
			return "an event of another goroutine: " + e.Op.String()
		}
		switch e.Op {
		case trace.OpChoose, trace.OpNow, trace.OpSleep, trace.OpNative, trace.OpIdle:
			return "it has no rule for " + e.Op.String()
		}
		if !l.effectOf(e, tr, l.update(last)) {
			return "memory whose allocation is unknown"
		}
		last++
	}
	for ; l.plain < len(l.t.Plain) && l.t.Plain[l.plain].Step <= at; l.plain++ {
		a := &l.t.Plain[l.plain]
		if l.p.tab.ProcOf(a.G) != tr.Proc {
			return "an access of another goroutine"
		}
		starts := int16(0)
		for ev := first; ev < last && ev < int(a.After); ev++ {
			if l.t.Events[ev].Op == trace.OpGo {
				starts++
			}
		}
		if !l.memory(a, starts) && !l.p.nameless(tr.Proc, a.Write) {
			return "memory whose allocation is unknown"
		}
	}
	return l.wrong
}

// update returns the update that event i is, if it is one.
func (l *lesson) update(i int) (u trace.Updated) {
	for l.updates < len(l.t.Updates) && int(l.t.Updates[l.updates].Event) < i {
		l.updates++
	}
	if l.updates < len(l.t.Updates) && int(l.t.Updates[l.updates].Event) == i {
		u = l.t.Updates[l.updates]
	}
	return u
}

// effectOf is effect for an event of either side of a communication.
func (l *lesson) effectOf(e *trace.Event, tr *transition.Transition, u trace.Updated) bool {
	if l.p.tab.ProcOf(e.G) == tr.Proc {
		return l.effect(e, u)
	}
	l.seg, l.partner = l.partner, l.seg
	known := l.effect(e, u)
	l.seg, l.partner = l.partner, l.seg
	return known
}

// effect adds what an event reads and writes.
// It reports whether it is known what they are.
func (l *lesson) effect(e *trace.Event, u trace.Updated) bool {
	if e.Obj == 0 {
		return true
	}
	l.misuse(e)
	o := &l.t.Objects[e.Obj]
	switch e.Op {
	case trace.OpRead, trace.OpWrite:
		return l.memory(&trace.Plain{Mem: *o, Size: transition.MemorySize(e, o.Kind),
			Write: e.Op == trace.OpWrite, Site: e.Site}, 0)
	case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		if o.Kind == trace.ObjAtomic {
			return l.atomic(o, e, u)
		}
	}
	write := true
	switch {
	case o.Kind == trace.ObjMap || o.Kind == trace.ObjModel || o.Kind == trace.ObjAtomic:
	case !e.Quiet:
		return true
	case o.Kind == trace.ObjMutex || o.Kind == trace.ObjRWMutex:
		write = e.Op == trace.OpLock || e.Op == trace.OpTryLock
		if !write && e.Op != trace.OpRLock && e.Op != trace.OpTryRLock || watched(o) {
			return true
		}
	}
	// an object without rules, or one of the standard library: each operation may depend on those
	// before
	i := l.p.object(l.p.tab.ObjectOf(l.t, e.Obj))
	c := l.p.word(i, objectCell)
	l.read(c)
	if write {
		l.write(c, true)
	}
	return true
}

// watched reports whether the memory that a lock of the standard library guards is announced, as
// far as the place tells that made it. Else a goroutine that takes the lock may see what those did
// that held it before.
func watched(o *trace.Object) bool { return o.Made.Quiet() && o.Made.Kind() != trace.KindPC }

// misuse adds what an operation is to others that must not be concurrent with it: an Add from zero
// to the call of a Wait, a send to a close. That is like a race.
func (l *lesson) misuse(e *trace.Event) {
	write := e.Op == trace.OpClose
	if !write && e.Op != trace.OpSend && (e.Op != trace.OpWGAdd || e.Arg <= 0) {
		return
	}
	obj := l.p.tab.ObjectOf(l.t, e.Obj)
	i := l.p.allocation(itemKey{obj: obj, n: order})
	l.seg.reach.add(i, write)
	a := touch{cell: l.p.word(i, 0), write: write, site: e.Site, bytes: allBytes}
	if e.Op == trace.OpWGAdd {
		a.group = l.p.object(obj) + 1
	}
	l.seg.window = append(l.seg.window, a)
}

// Numbers of items that stand for the order of operations on an object: of those that must not be
// concurrent, and of Adds, of which one is the first from zero.
const (
	order = -1
	first = -2
)

// atomic adds an operation on an atomic.
func (l *lesson) atomic(o *trace.Object, e *trace.Event, u trace.Updated) bool {
	i, at, ok := l.allocation(o)
	if !ok {
		return false
	}
	if l.private(i) {
		return true
	}
	c := l.p.atomic(i, uint32(at))
	l.beside(i, uint32(at), e)
	if o.Number {
		l.begins(c, o, e, u)
		if u.Kind != trace.NoUpdate && !l.written(c) && l.updated([]int32{c}, u.Update, 0, u.Size) {
			return true
		}
	}
	if e.Op != trace.OpAtomicStore {
		l.read(c)
	}
	if e.Op != trace.OpAtomicLoad {
		l.write(c, false)
		if o.Number {
			l.seg.writes[l.spot(c).at].value = l.p.number(uint64(e.Arg))
		}
	}
	return true
}

// beside adds what an atomic operation is to plain accesses, with which it may race. at: where the
// atomic is in allocation i. Its first byte stands for it: atomics do not overlap.
func (l *lesson) beside(i int32, at uint32, e *trace.Event) {
	word, bytes := at/8, uint8(1)<<(at%8)
	if l.p.items[i].fine.has(int32(word)) {
		word, bytes = byteCell|at, allBytes
	}
	if _, plain := l.p.cellOf[cellKey{i, word}]; plain {
		l.mix(i, at)
	}
	if !slices.Contains(l.p.both[l.p.items[i].key], at) {
		return
	}
	a := touch{cell: l.p.word(i, word), write: e.Op != trace.OpAtomicLoad, site: e.Site, atomic: true,
		bytes: bytes}
	if a.write {
		l.seg.reach.adds.add(l.p.cells[a.cell].item)
	} else {
		l.seg.reach.reads.add(l.p.cells[a.cell].item)
	}
	l.seg.window = append(l.seg.window, a)
}

// mix notes that an atomic is accessed plainly too: the search begins anew.
func (l *lesson) mix(i int32, at uint32) {
	k := l.p.items[i].key
	if !slices.Contains(l.p.both[k], at) {
		l.p.both[k] = append(l.p.both[k], at)
		l.finer = true
	}
}

// begins learns which number an atomic has before the first operation, and checks that an update
// comes to what is expected.
func (l *lesson) begins(c int32, o *trace.Object, e *trace.Event, u trace.Updated) {
	l.s.resize()
	if l.changed(c) {
		return
	}
	if p := &l.p.cells[c].begins; l.s.seen[c] == 0 && *p != varies {
		switch v := l.p.number(o.Init); *p {
		case v:
		case 0:
			*p = v
		default: // it depends on what made it
			*p, l.p.grown = varies, true
		}
	}
	if u.Kind == trace.NoUpdate {
		return
	}
	before, ok := l.p.values[l.s.whole(&span{cells: []int32{c}})]
	if ok && u.Kind.Of(before, u.By, u.Size) != uint64(e.Arg) {
		l.wrong = "an atomic was changed by something that was not observed"
	}
}

// updated adds an update of the variable that consists of cells. at: where it is within a word. It
// returns false where the update has to be a read and a write.
func (l *lesson) updated(cells []int32, u trace.Update, at uint64, size uint32) bool {
	g := &l.seg
	writes := 0
	for _, c := range cells {
		if l.written(c) {
			writes++
		}
		// one that depends on something else than the first of them does not commute with it
		m, how := &l.p.items[l.p.cells[c].item].updated, manner{u.Kind, uint8(at), uint8(size)}
		if *m == (manner{}) {
			*m = how
		}
		if *m != how {
			return false
		}
	}
	switch writes {
	case 0:
	case len(cells): // by the same step, whose version stands for that too
		for _, c := range cells {
			l.write(c, true)
		}
		return true
	default:
		return false
	}
	s := l.p.span(cells, size)
	for _, c := range cells {
		l.seg.reach.adds.add(l.p.cells[c].item)
	}
	for i := range g.updates {
		if w := &g.updates[i]; w.span == s {
			w.By = u.Kind.Of(w.By, u.By, size)
			return true
		}
	}
	g.updates = append(g.updates, updating{s, u})
	return true
}

// changed reports whether the segment has changed a cell.
func (l *lesson) changed(c int32) bool { return l.written(c) || l.updatedIn(c) >= 0 }

// updatedIn returns the index of the update of a cell in the segment, -1 if there is none.
func (l *lesson) updatedIn(c int32) int {
	return slices.IndexFunc(l.seg.updates,
		func(u updating) bool { return slices.Contains(l.p.spans[u.span].cells, c) })
}

// written reports whether the segment has written a cell.
func (l *lesson) written(c int32) bool { return l.spot(c).wrote == l.turn }

// allocation returns the item of the memory of an object, and where the object is in it. ok is
// false if its allocation is unknown.
func (l *lesson) allocation(o *trace.Object) (i int32, at uint64, ok bool) {
	k := itemKey{obj: -1, by: transition.NoProc, made: o.Made, n: o.Nth}
	switch {
	case o.G != trace.NoG:
		k.by, at = l.p.tab.ProcOf(o.G), uint64(o.Offset)
	case !o.Static:
		return 0, 0, false
	default:
		k.block, at = uint64(o.Addr)>>blockBits, uint64(o.Addr)&(1<<blockBits-1)
	}
	return l.p.allocation(k), at, true
}

// blockBits is the size of the blocks, as items, of package-level variables.
const blockBits = 8

// memory adds an access to memory. It reports whether the memory has a name. starts is how many
// goroutines the step had started before.
func (l *lesson) memory(a *trace.Plain, starts int16) bool {
	i, at, ok := l.allocation(&a.Mem)
	if !ok {
		return false
	}
	if a.Mem.G == trace.NoG && at+uint64(a.Size) > 1<<blockBits {
		part := *a
		part.Update = trace.Update{}
		for size := a.Size; size > 0; size -= part.Size { // over several blocks
			part.Size = min(size, uint32(1<<blockBits-part.Mem.Addr&(1<<blockBits-1)))
			l.memory(&part, starts)
			part.Mem.Addr += uintptr(part.Size)
		}
		return true
	}
	if l.private(i) {
		return true
	}
	end := at + uint64(max(a.Size, 1))
	entry := a.Key != 0 && at == 0 && l.hasEntries(i)
	whole := a.Write && blind(a.Site, a.Size)
	update := a.Update.Kind != trace.NoUpdate &&
		(!a.Write && a.Update.By == 1 || whole && l.updatesAt(i, at, a.Update, a.Size))
	whole = whole && (update || a.Update.Kind == trace.NoUpdate)
	access := func(c int32, part bool, bytes uint8) {
		switch {
		case update:
		case entry:
			l.entry(i, c, a)
		case a.Write:
			if !whole {
				l.read(c)
			}
			l.write(c, part)
		default:
			l.read(c)
		}
		l.seg.window = append(l.seg.window, touch{cell: c, write: a.Write, site: a.Site, starts: starts,
			update: update, bytes: bytes})
	}
	for w := at / 8; w*8 < end; w++ {
		part := at > w*8 || end < w*8+8
		if !l.p.items[i].fine.has(int32(w)) {
			bytes := uint8(allBytes) << (max(at, w*8) - w*8) & (allBytes >> (w*8 + 8 - min(end, w*8+8)))
			access(l.p.word(i, uint32(w)), part, bytes)
			if part && w < byteCell/8 {
				l.refine(i, int32(w))
			}
			continue
		}
		for b := max(at, w*8); b < min(end, w*8+8); b++ {
			access(l.p.word(i, byteCell|uint32(b)), false, allBytes)
		}
	}
	for _, at2 := range l.p.items[i].atomics {
		if uint64(at2) < end && uint64(at2)+8 > at {
			c := l.p.atomic(i, at2)
			l.mix(i, at2)
			if !a.Write || a.Update.Kind != trace.NoUpdate {
				l.read(c)
			}
			if a.Write {
				l.write(c, true)
			}
		}
	}
	if !entry && at < 8 && l.p.items[i].fine.has(keysWord) {
		l.read(l.p.entriesOf(i))
	}
	return true
}

// refine notes what accesses to an allocation are told apart by: the search begins anew.
func (l *lesson) refine(i, what int32) {
	if !l.settled && !l.p.items[i].fine.has(what) {
		l.p.items[i].fine.add(what)
		l.finer = true
	}
}

// keysWord stands, among the words of an allocation, for the entries of a map, which has fewer
// words.
const keysWord = 63

// hasEntries reports whether the entries of the map in an allocation are told apart.
func (l *lesson) hasEntries(i int32) bool {
	l.refine(i, keysWord)
	return !l.finer && l.p.items[i].fine.has(keysWord)
}

// entry adds an access to an entry of the map in allocation i. c is the cell of the map itself:
// what changes the map as a whole changes each entry.
func (l *lesson) entry(i, c int32, a *trace.Plain) {
	e := l.p.entry(i, c, a.Key)
	if a.Write {
		l.write(e, false)
		l.seg.reach.adds.add(l.p.cells[l.p.entriesOf(i)].item)
		l.seg.reach.adds.add(l.p.cells[c].item) // for races
		return
	}
	l.read(c)
	l.read(e)
}

// updatesAt adds an update of size bytes at an offset of an allocation. It returns false where the
// update has to be a read and a write.
func (l *lesson) updatesAt(i int32, at uint64, u trace.Update, size uint32) bool {
	for _, a := range l.p.items[i].atomics {
		if uint64(a) < at+uint64(size) && uint64(a)+8 > at {
			return false
		}
	}
	var cells []int32
	switch w := at / 8; {
	case at%8+uint64(size) > 8:
		return false
	case l.p.items[i].fine.has(int32(w)):
		for b := at; b < at+uint64(size); b++ {
			cells = append(cells, l.p.word(i, byteCell|uint32(b)))
		}
	case size == 8:
		cells = append(cells, l.p.word(i, uint32(w)))
	default:
		return false
	}
	return l.updated(cells, u, at%8, size)
}

// blind reports whether what a write leaves does not depend on what was there before. That is so
// for an assignment. What the standard library announces of its own state stands for changes to it,
// and one byte of a map for a change to the map.
func blind(site trace.Site, size uint32) bool {
	kind := site.Kind()
	return !site.Quiet() && kind != trace.KindPC &&
		(size != 1 || kind != trace.KindPointer && kind != trace.KindOther)
}

func (l *lesson) read(c int32) {
	at := l.spot(c)
	if at.read == l.turn {
		return
	}
	at.read = l.turn
	l.s.resize()
	l.seg.reach.add(l.p.cells[c].item, false)
	l.seg.reads = append(l.seg.reads, reading{c, l.s.seen[c]})
}

func (l *lesson) write(c int32, part bool) {
	if i := l.updatedIn(c); i >= 0 {
		l.dissolve(i)
	}
	at := l.spot(c)
	if at.wrote == l.turn {
		w := &l.seg.writes[at.at]
		w.part, w.value = w.part && part, 0
		return
	}
	at.wrote, at.at = l.turn, int32(len(l.seg.writes))
	l.seg.reach.add(l.p.cells[c].item, true)
	l.seg.writes = append(l.seg.writes, writing{cell: c, part: part})
}

// dissolve makes an update a read and a write.
func (l *lesson) dissolve(i int) {
	cells := l.p.spans[l.seg.updates[i].span].cells
	l.seg.updates = slices.Delete(l.seg.updates, i, i+1)
	for _, c := range cells {
		l.read(c)
		l.write(c, false)
	}
}

func (l *lesson) spot(c int32) *spot {
	for len(l.spots) <= int(c) {
		l.spots = append(l.spots, spot{})
	}
	return &l.spots[c]
}

// edge adds an edge to node n, if it does not have it.
func (l *lesson) edge(n int32, at int16, outcome, message int32, g *segment) (reason string) {
	p := l.p
	if e := l.s.find(n, at, outcome, message); e != nil {
		if !same(e.reads, g.reads) || !same(e.writes, g.writes) || !same(e.updates, g.updates) ||
			!slices.Equal(e.starts, g.starts) {
			return "a goroutine that observed the same did something else"
		}
		return ""
	}
	l.news = true
	to := p.newNode(p.nodes[n].proc, n)
	x := &p.nodes[to]
	x.window = slices.Clone(g.window)
	y := &p.nodes[n]
	y.edges = append(y.edges, edge{at, outcome, message, slices.Clone(g.reads), slices.Clone(g.writes),
		slices.Clone(g.updates), slices.Clone(g.starts), to})
	p.within(y, &y.edges[len(y.edges)-1], x)
	y.next.join(&g.reach)
	next := y.next
	p.grow(n, &next, l.old)
	var bare reach
	p.guards(x, &g.reach, &bare)
	p.expose(n, &bare, l.old)
	p.keep(x)
	next = p.nodes[to].next
	p.grow(to, &next, l.old)
	return ""
}

// same reports whether a and b have the same elements, each of them once.
func same[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	if slices.Equal(a, b) {
		return true
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}
