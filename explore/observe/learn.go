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
	news  bool // the execution showed an edge that was not known
}

// A segment is what a goroutine accessed in a step.
type segment struct {
	reads  []reading
	writes []writing
	starts []transition.Proc
	window window
	reach  reach
}

// learn adds an execution, whose path was read. It returns the reason why the program cannot be
// described, "" if it can.
func (l *lesson) learn(t *trace.Trace, path *transition.Path) (reason string) {
	p := l.p
	l.t, l.path, l.event, l.plain, l.old, l.news = t, path, 0, 0, int32(len(p.nodes)), false
	clear(p.left)
	l.index()
	for i := range t.Objects { // before the accesses to the memory that they are in
		if o := &t.Objects[i]; o.Kind == trace.ObjAtomic {
			if item, at, ok := l.allocation(o); ok {
				p.atomic(item, uint32(at))
			}
		}
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
		l.how(&n.op, &n.next).add(n.op.item)
	case comm:
		for _, c := range op.cases {
			n.next.add(c.item, true)
		}
	}
	next := n.next
	l.p.grow(at, &next, l.old)
	return ""
}

// site returns where proc made transition j.
func (l *lesson) site(j int, proc transition.Proc) trace.Site {
	for i := l.path.Event(j); i < len(l.t.Events) && int(l.t.Events[i].Step) == l.path.Step(j); i++ {
		if e := &l.t.Events[i]; l.p.tab.ProcOf(e.G) == proc {
			return e.Site
		}
	}
	return 0
}

// how returns the set of r that an operation with a rule belongs to.
func (l *lesson) how(op *pending, r *reach) *bits {
	switch op.op {
	case trace.OpWGWait:
		return &r.reads
	case trace.OpWGAdd, trace.OpRLock, trace.OpRUnlock:
		if !l.p.tab.Ordered(op.obj) {
			return &r.adds
		}
	}
	return &r.writes
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
			return l.communication(o)
		}
	}
	if tr.With != transition.NoProc {
		return op, "a communication without an announcement"
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
	case trace.OpAwait, trace.OpCondWait, trace.OpCondWake, trace.OpSignal, trace.OpBroadcast,
		trace.OpSleep, trace.OpTimerStart, trace.OpTimerStop, trace.OpTimerFire, trace.OpNow, trace.OpIdle,
		trace.OpNative:
		return op, "it has no rule for " + o.String() + " of a " + kind.String()
	case trace.OpWGAdd:
		op.arg = arg
	case trace.OpArrive:
		if kind != trace.ObjRWMutex {
			return op, "the order of arrival at a channel matters"
		}
	}
	switch kind {
	case trace.ObjMutex, trace.ObjRWMutex, trace.ObjWaitGroup, trace.ObjOnce, trace.ObjSemaphore:
		if def.Rule(&model.Object{Kind: kind}, o, 0) == nil {
			return op, "it has no rule for " + o.String() + " of a " + kind.String()
		}
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
func (l *lesson) communication(o *transition.Operation) (op pending, reason string) {
	op = pending{class: comm, op: o.Op, obj: -1, poll: o.Poll}
	l.path.Cases(o, func(obj transition.Object, at int16, send bool) {
		op.cases = append(op.cases, offer{obj: obj, item: l.p.object(obj), at: at, send: send})
		if o.Poll && l.p.tab.Cap(obj) == 0 {
			reason = "a channel without a buffer is polled"
		}
	})
	return op, reason
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
					op, reason = l.communication(o)
					op.site = left.Site
					return op, reason
				}
			}
			return pending{class: stuck, op: left.Op, obj: -1, site: left.Site}, "" // nil channels
		}
		if left.Enabled || left.Obj == 0 {
			return op, "the execution ended before a goroutine that could go on: " + left.Op.String()
		}
		op, reason = l.operation(left.Op, l.p.tab.ObjectOf(l.t, left.Obj), 1)
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
		l.edge(at[1], x.withBy, 1, x.message, &segment{})
		reason = l.edge(at[0], x.by, 0, 0, &l.seg)
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
	before := &l.p.nodes[to].before
	for _, a := range l.p.nodes[from].window {
		if a.starts < k {
			before.add(l.p.cells[a.cell].item, a.write)
		}
	}
	r := *before
	l.p.grow(to, &r, l.old)
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
		if op.class == ruled && op.op != trace.OpArrive &&
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
	*g = segment{reads: g.reads[:0], writes: g.writes[:0], starts: tr.Starts}
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
		if !l.effect(e) {
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
		if !l.memory(&a.Mem, a.Size, a.Write, a.Site, starts, true) && !l.p.nameless(tr.Proc, a.Write) {
			return "memory whose allocation is unknown"
		}
	}
	return ""
}

// effect adds what an event reads and writes.
// It reports whether it is known what they are.
func (l *lesson) effect(e *trace.Event) bool {
	if e.Obj == 0 {
		return true
	}
	l.misuse(e)
	o := &l.t.Objects[e.Obj]
	switch e.Op {
	case trace.OpRead, trace.OpWrite:
		return l.memory(o, transition.MemorySize(e, o.Kind), e.Op == trace.OpWrite, e.Site, 0, true)
	case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		if o.Kind == trace.ObjAtomic {
			return l.atomic(o, e)
		}
	}
	switch {
	case o.Kind == trace.ObjMap || o.Kind == trace.ObjModel || o.Kind == trace.ObjAtomic:
	case !e.Quiet, o.Kind == trace.ObjMutex, o.Kind == trace.ObjRWMutex:
		return true
	}
	// an object without rules, or one of the standard library: each operation may depend on those
	// before
	i := l.p.object(l.p.tab.ObjectOf(l.t, e.Obj))
	c := l.p.word(i, 1<<31)
	l.read(c)
	l.write(c, true)
	return true
}

// misuse adds what an operation is to others that must not be concurrent with it: an Add from zero
// and a Wait, a send and a close. That is like a race.
func (l *lesson) misuse(e *trace.Event) {
	write := e.Op == trace.OpWGWait || e.Op == trace.OpClose
	if !write && e.Op != trace.OpSend && (e.Op != trace.OpWGAdd || e.Arg <= 0) {
		return
	}
	i := l.p.allocation(itemKey{obj: l.p.tab.ObjectOf(l.t, e.Obj), n: order})
	switch {
	case e.Op == trace.OpWGWait: // Waits commute
		l.seg.reach.adds.add(i)
	default:
		l.seg.reach.add(i, write)
	}
	l.seg.window = append(l.seg.window, touch{cell: l.p.word(i, 0), write: write, site: e.Site})
}

// order, as the number of an item, stands for the order of operations on an object.
const order = -1

// atomic adds an operation on an atomic.
func (l *lesson) atomic(o *trace.Object, e *trace.Event) bool {
	i, at, ok := l.allocation(o)
	if !ok {
		return false
	}
	c := l.p.atomic(i, uint32(at))
	if e.Op != trace.OpAtomicStore {
		l.read(c)
	}
	if e.Op != trace.OpAtomicLoad {
		l.write(c, false)
		if o.Number {
			l.seg.writes[l.written(c)].value = l.p.number(uint64(e.Arg))
		}
	}
	return true
}

// written returns the index of a cell that the segment has written.
func (l *lesson) written(c int32) int {
	return slices.IndexFunc(l.seg.writes, func(w writing) bool { return w.cell == c })
}

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

// memory adds an access to memory. It reports whether the memory has a name.
func (l *lesson) memory(o *trace.Object, size uint32, write bool, site trace.Site, starts int16,
	races bool) bool {
	i, at, ok := l.allocation(o)
	if !ok {
		return false
	}
	if o.G == trace.NoG && at+uint64(size) > 1<<blockBits {
		part := *o
		for size > 0 { // over several blocks
			n := min(size, uint32(1<<blockBits-part.Addr&(1<<blockBits-1)))
			l.memory(&part, n, write, site, starts, races)
			part.Addr += uintptr(n)
			size -= n
		}
		return true
	}
	end := at + uint64(max(size, 1))
	for w := at / 8; w*8 < end; w++ {
		c := l.p.word(i, uint32(w))
		if write {
			l.write(c, at > w*8 || end < w*8+8)
		} else {
			l.read(c)
		}
		if races {
			l.seg.window = append(l.seg.window, touch{cell: c, write: write, site: site, starts: starts})
		}
	}
	for _, a := range l.p.items[i].atomics {
		if uint64(a) < end && uint64(a)+8 > at {
			if c := l.p.atomic(i, a); write {
				l.write(c, true)
			} else {
				l.read(c)
			}
		}
	}
	return true
}

func (l *lesson) read(c int32) {
	l.s.resize()
	l.seg.reach.add(l.p.cells[c].item, false)
	r := reading{c, l.s.seen[c]}
	if !slices.Contains(l.seg.reads, r) {
		l.seg.reads = append(l.seg.reads, r)
	}
}

func (l *lesson) write(c int32, part bool) {
	l.seg.reach.add(l.p.cells[c].item, true)
	for i := range l.seg.writes {
		if w := &l.seg.writes[i]; w.cell == c {
			w.part, w.value = w.part && part, 0
			return
		}
	}
	l.seg.writes = append(l.seg.writes, writing{cell: c, part: part})
}

// edge adds an edge to node n, if it does not have it.
func (l *lesson) edge(n int32, at int16, outcome, message int32, g *segment) (reason string) {
	p := l.p
	if e := l.s.find(n, at, outcome, message); e != nil {
		if !same(e.reads, g.reads) || !same(e.writes, g.writes) || !slices.Equal(e.starts, g.starts) {
			return "a goroutine that observed the same did something else"
		}
		return ""
	}
	l.news = true
	to := p.newNode(p.nodes[n].proc, n)
	x := &p.nodes[to]
	x.window = slices.Clone(g.window)
	for _, a := range x.window {
		x.next.add(p.cells[a.cell].item, a.write)
	}
	y := &p.nodes[n]
	y.edges = append(y.edges, edge{at, outcome, message, slices.Clone(g.reads), slices.Clone(g.writes),
		slices.Clone(g.starts), to})
	y.next.join(&g.reach)
	next := y.next
	p.grow(n, &next, l.old)
	next = p.nodes[to].next
	p.grow(to, &next, l.old)
	return ""
}

// same reports whether a and b have the same elements, each of them once.
func same[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}
