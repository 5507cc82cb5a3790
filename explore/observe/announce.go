package observe

import (
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// The operation that a goroutine announces: from what it did next, or from what was left.

// announce fills in the pending operation of a goroutine in a node: the one that it performs next
// in the execution, or that was left.
func (l *lesson) announce(at int32, proc transition.Proc) (reason string) {
	var op pending
	if l.p.node(at).op.every > 0 { // a ticker fires again
		return ""
	}
	if l.sleeper != transition.NoProc {
		op = pending{class: asleep, op: trace.OpResume, obj: -1, timer: l.sleeper}
		if k := l.pos[proc]; k < len(l.turns[proc]) {
			op.site = l.site(int(l.turns[proc][k]), proc)
		}
	} else if k := l.pos[proc]; k < len(l.turns[proc]) {
		op, reason = l.executed(int(l.turns[proc][k]), proc)
		op.site = l.site(int(l.turns[proc][k]), proc)
	} else {
		op, reason = l.leftover(proc)
	}
	if reason != "" {
		return reason
	}
	n := l.p.node(at)
	if n.known {
		if !n.op.equal(&op) {
			return "a goroutine that observed the same announced another operation"
		}
		return ""
	}
	n.op, n.known = op, true
	if op.class == waiting || op.class == arriving || op.class == idling { // kept by name
		l.p.apart(proc)
	}
	switch op.class {
	case ruled:
		n.op.item = l.p.object(op.obj)
		n.op.how(&n.next).add(n.op.item)
		if k := l.p.items[n.op.item].kind; k != trace.ObjMutex && k != trace.ObjOnce { // they do not count
			l.p.lose(at, n.op.item)
		}
		switch {
		case op.op == trace.OpWGWait:
			l.wait(at)
			l.p.await(at, n.op.item, l.old)
		case op.op == trace.OpClose:
			n.next.adds.add(l.p.allocation(itemKey{obj: op.obj, n: giving}))
		case op.op == trace.OpWGAdd && op.arg > 0:
			n.next.writes.add(l.p.allocation(itemKey{obj: op.obj, n: first}))
		}
	case idling:
		l.p.await(at, l.p.idles(), l.old)
		n = l.p.node(at)
	case clocked:
		n.next.reads.add(l.p.clock)
		if op.obj >= 0 {
			n.op.item = l.p.object(op.obj)
			n.next.writes.add(n.op.item)
		}
	case hushed:
		n.op.item = l.p.object(op.obj)
		n.next.add(n.op.item, true)
	case asleep:
		n.next.reads.add(l.p.firings(op.timer))
	case waiting:
		n.op.item = l.p.object(op.obj)
		n.next.add(n.op.item, op.op != trace.OpCondWake)
	case comm, arriving:
		if op.class == comm {
			l.passing(at)
			n = l.p.node(at)
		}
		for _, c := range op.cases {
			n.op.how(&n.next).add(c.item)
			if !c.send {
				continue
			}
			n.next.adds.add(c.gives)
			if !l.p.tab.Flat(c.obj) {
				l.p.apart(proc)
			}
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
	last := l.lastEvent(j)
	for i := l.path.Event(j); i < last; i++ {
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
	n := l.p.node(at)
	i := l.p.allocation(itemKey{obj: n.op.obj, n: order})
	n.window = append(n.window, touch{cell: l.p.word(i, 0), write: true, site: n.op.site,
		bytes: allBytes, group: n.op.item + 1})
	l.s.resize()
	for _, other := range l.s.at {
		if other == at {
			l.s.touch(&n.window[len(n.window)-1], 1)
		}
	}
	n.next.adds.add(i) // Waits commute
	if from := n.parent; from != 0 && l.p.node(from).proc == n.proc {
		l.p.callsWait(from, n)
	}
}

// callsWait notes that a step from a node calls the Wait that is pending in n.
func (p *program) callsWait(from int32, n *node) {
	next := &p.node(from).next
	next.adds.add(p.allocation(itemKey{obj: n.op.obj, n: order}))
	p.passed(from, &reach{adds: next.adds}, p.old)
}

func (op *pending) equal(q *pending) bool {
	return op.class == q.class && op.op == q.op && op.obj == q.obj && op.arg == q.arg && op.poll == q.poll &&
		op.timer == q.timer && op.still == q.still && op.sleep == q.sleep && op.every == q.every &&
		slices.Equal(op.cases, q.cases)
}

// executed returns the operation that proc performs in transition j.
func (l *lesson) executed(j int, proc transition.Proc) (op pending, reason string) {
	tr := l.path.At(j)
	if tr.Op == trace.OpIdle && !tr.Barrier {
		return pending{class: idling, op: tr.Op, obj: -1}, ""
	}
	if tr.Barrier && l.firedIn(j, l.path.Event(j)) == nil || tr.Alone() || tr.Choice >= 0 {
		return op, "time passes, or a value is drawn"
	}
	if l.p.free && tr.Op.Timed() && l.clockIn(j) {
		return l.timedOperation(j, proc)
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
	if len(tr.Accesses) > 1 && !l.onFiles(tr) {
		return op, l.unknown(tr)
	}
	op = pending{class: free, op: tr.Op, obj: -1}
	switch tr.Op {
	case trace.OpStart, trace.OpResume, trace.OpGosched, trace.OpSleep: // for no time
		if len(tr.Accesses) > 0 {
			return op, l.unknown(tr)
		}
		return op, ""
	}
	if len(tr.Accesses) == 0 {
		if e := l.eventOf(j, proc); e != nil && e.Quiet {
			if op, ok := l.waitsQuietly(tr.Op, e.Obj); ok {
				return op, ""
			}
		}
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

// onFiles reports whether a step of several operations is one on files: it loads the folders above
// each. What it reads and writes the events tell, as of a sync.Map.
func (l *lesson) onFiles(tr *transition.Transition) bool {
	return !slices.ContainsFunc(tr.Accesses,
		func(a transition.Access) bool { return l.p.tab.Kind(a.Obj) != trace.ObjMap })
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
		trace.OpNow, trace.OpNative:
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
	case trace.ObjAtomic, trace.ObjMemory, trace.ObjMap, trace.ObjPool, trace.ObjModel:
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
		op.cases = append(op.cases, offer{obj: obj, item: l.p.object(obj), at: at, send: send,
			gives: l.p.allocation(itemKey{obj: obj, n: giving})})
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
			if op, ok := l.waitsQuietly(left.Op, left.Obj); ok {
				op.site = left.Site
				return op, ""
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
