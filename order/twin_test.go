package order

import (
	"math/rand"
	"slices"
	"strconv"

	"heddle/trace"
)

// The twin answers the same questions by trying every order. It shares nothing with the solver but
// the types of package trace: objects are carried out here, one operation after the other.

// A script is a small program: what each goroutine does, whatever it reads.
// Goroutine 0 starts the others.
type script struct {
	objects []trace.Object
	values  []bool // by object: the values of its accesses are recorded
	ops     [][]scriptOp
}

type scriptOp struct {
	op   trace.Op
	obj  trace.ObjID
	arg  int
	poll bool        // a receive of a select with default
	also trace.ObjID // with poll: another channel that the select receives from, 0
}

func randomScript(r *rand.Rand) *script {
	s := &script{objects: make([]trace.Object, 1), values: []bool{false}}
	kinds := []trace.ObjKind{
		trace.ObjMutex, trace.ObjMemory, trace.ObjMemory, trace.ObjChan, trace.ObjChan, trace.ObjRWMutex,
		trace.ObjWaitGroup,
		trace.ObjAtomic, trace.ObjCond, trace.ObjOnce, trace.ObjSemaphore, trace.ObjMap,
	}
	if r.Intn(6) == 0 {
		kinds = []trace.ObjKind{trace.ObjChan, trace.ObjChan, trace.ObjMemory}
	}
	for range 2 + r.Intn(2) {
		o := trace.Object{Kind: kinds[r.Intn(len(kinds))], Addr: uintptr(len(s.objects) * 64), Init: 7}
		if o.Kind == trace.ObjChan {
			o.Cap = int32(r.Intn(3))
		}
		s.objects = append(s.objects, o)
		s.values = append(s.values, r.Intn(2) == 0)
	}
	s.objects = append(s.objects, trace.Object{Kind: trace.ObjMemory, Addr: 64 * 20})
	s.values = append(s.values, r.Intn(2) == 0)
	n := 2 + r.Intn(2)
	for g := range n {
		s.ops = append(s.ops, append(s.randomBody(r, 3+r.Intn(7-2*n)), scriptOp{op: trace.OpEnd}))
		if g > 0 {
			at := r.Intn(min(2, len(s.ops[0])) + 1)
			s.ops[0] = slices.Insert(s.ops[0], at, scriptOp{op: trace.OpGo, arg: g})
		}
	}
	return s
}

// randomBody makes about n operations. What is locked is mostly unlocked again.
func (s *script) randomBody(r *rand.Rand, n int) (body []scriptOp) {
	var open []scriptOp
	for len(body) < n {
		if len(open) > 0 && r.Intn(3) == 0 {
			body = append(body, open[len(open)-1])
			open = open[:len(open)-1]
			continue
		}
		o := trace.ObjID(1 + r.Intn(len(s.objects)-1))
		add := func(op trace.Op, arg int) { body = append(body, scriptOp{op: op, obj: o, arg: arg}) }
		switch s.objects[o].Kind {
		case trace.ObjMutex:
			add([]trace.Op{trace.OpLock, trace.OpLock, trace.OpTryLock}[r.Intn(3)], 0)
			open = append(open, scriptOp{op: trace.OpUnlock, obj: o})
		case trace.ObjRWMutex:
			if r.Intn(2) == 0 {
				add([]trace.Op{trace.OpRLock, trace.OpTryRLock}[r.Intn(2)], 0)
				open = append(open, scriptOp{op: trace.OpRUnlock, obj: o})
				break
			}
			if r.Intn(3) > 0 {
				add(trace.OpArrive, int(trace.OpLock))
				add(trace.OpLock, 0)
			} else {
				add(trace.OpTryLock, 0)
			}
			open = append(open, scriptOp{op: trace.OpUnlock, obj: o})
		case trace.ObjMemory:
			add([]trace.Op{trace.OpRead, trace.OpWrite}[r.Intn(2)], r.Intn(2))
		case trace.ObjChan:
			switch r.Intn(8) {
			case 0:
				add(trace.OpClose, 0)
			case 1:
				add(trace.OpLen, 0)
			case 2:
				poll := scriptOp{op: trace.OpRecv, obj: o, poll: true}
				i := trace.ObjID(1 + r.Intn(len(s.objects)-1))
				if i != o && s.objects[i].Kind == trace.ObjChan {
					poll.also = i
				}
				body = append(body, poll)
			case 3, 4, 5:
				add(trace.OpSend, r.Intn(2))
			default:
				add(trace.OpRecv, 0)
			}
		case trace.ObjWaitGroup:
			switch r.Intn(3) {
			case 0:
				add(trace.OpWGWait, 0)
			case 1:
				add(trace.OpWGAdd, 1)
			default:
				add(trace.OpWGAdd, 1)
				open = append(open, scriptOp{op: trace.OpWGAdd, obj: o, arg: -1})
			}
		case trace.ObjSemaphore:
			add([]trace.Op{trace.OpAcquire, trace.OpRelease}[r.Intn(2)], 0)
		case trace.ObjAtomic:
			switch r.Intn(4) {
			case 0:
				add(trace.OpAtomicLoad, 0)
			case 1:
				add(trace.OpAtomicStore, 1+r.Intn(2))
			case 2:
				add(trace.OpAtomicRMW, 1)
			default:
				add(trace.OpAtomicCAS, 1+r.Intn(2))
			}
		case trace.ObjCond:
			switch r.Intn(3) {
			case 0:
				add(trace.OpCondWait, 0)
				add(trace.OpCondWake, 0)
			case 1:
				add(trace.OpSignal, 0)
			default:
				add(trace.OpBroadcast, 0)
			}
		case trace.ObjOnce:
			add(trace.OpOnce, 0)
			open = append(open, scriptOp{op: trace.OpOnceDone, obj: o})
		case trace.ObjMap:
			add([]trace.Op{trace.OpMapLoad, trace.OpMapStore}[r.Intn(2)], 0)
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		body = append(body, open[i])
	}
	return body
}

// object is the state of one.
type object struct {
	locked, closed, ran, done bool
	holder, wants             int // goroutine, -1
	readers, count            int
	queue                     []int // values in a channel: sends; goroutines that wait at a Cond
	woken                     []int
	writer                    int // event that wrote last, -1
	bits                      int
}

type state struct {
	objs []object
	pos  []int
	odd  []bool // by goroutine: it saw what it had not seen, and does not go on
}

func newState(s *script) *state {
	st := &state{objs: make([]object, len(s.objects)), pos: make([]int, len(s.ops)),
		odd: make([]bool, len(s.ops))}
	for i := range st.objs {
		st.objs[i] = object{holder: -1, wants: -1, writer: -1, bits: int(s.objects[i].Init)}
	}
	return st
}

func (st *state) clone() *state {
	c := &state{objs: slices.Clone(st.objs), pos: slices.Clone(st.pos), odd: slices.Clone(st.odd)}
	for i := range c.objs {
		c.objs[i].queue, c.objs[i].woken = slices.Clone(c.objs[i].queue), slices.Clone(c.objs[i].woken)
	}
	return c
}

// key is the same for states that no operation can tell apart.
func (st *state) key() string {
	var b []byte
	num := func(n int) { b = append(b, byte(n), byte(n>>8)) }
	flags := func(fs ...bool) {
		for _, f := range fs {
			if f {
				b = append(b, 1)
			} else {
				b = append(b, 0)
			}
		}
	}
	for _, n := range st.pos {
		num(n)
	}
	flags(st.odd...)
	for i := range st.objs {
		o := &st.objs[i]
		flags(o.locked, o.closed, o.ran, o.done)
		for _, n := range []int{o.holder, o.wants, o.readers, o.count, o.writer, o.bits, len(o.queue)} {
			num(n)
		}
		for _, n := range append(slices.Clone(o.queue), o.woken...) {
			num(n)
		}
	}
	return string(b)
}

// execute performs a script at random and returns its trace.
func (s *script) execute(r *rand.Rand) *trace.Trace {
	t := &trace.Trace{Objects: slices.Clone(s.objects)}
	st := newState(s)
	started := make([]bool, len(s.ops))
	skip := make([][]bool, len(s.ops)) // operations that are left out: the TryLock failed, Once had run
	for g := range s.ops {
		t.Goroutines = append(t.Goroutines, trace.Goroutine{Parent: trace.NoG})
		skip[g] = make([]bool, len(s.ops[g]))
	}
	started[0] = true
	for {
		var ways []func()
		for g := range s.ops {
			for started[g] && st.pos[g] < len(s.ops[g]) && skip[g][st.pos[g]] {
				st.pos[g]++
			}
			if !started[g] || st.pos[g] == len(s.ops[g]) {
				continue
			}
			op := s.ops[g][st.pos[g]]
			if op.op == trace.OpGo {
				ways = append(ways, func() {
					t.Events = append(t.Events, trace.Event{G: trace.GID(g), Op: trace.OpGo,
						Arg: int64(op.arg), Partner: -1, Step: int32(len(t.Steps))})
					t.Steps = append(t.Steps, trace.Step{G: trace.GID(g), Op: trace.OpGo})
					st.pos[g]++
					started[op.arg] = true
				})
				continue
			}
			ways = append(ways, s.ways(t, st, g, op, skip, started)...)
		}
		if len(ways) == 0 {
			break
		}
		ways[r.Intn(len(ways))]()
	}
	for g := range s.ops {
		if started[g] && st.pos[g] < len(s.ops[g]) {
			op := s.ops[g][st.pos[g]]
			op.offer(t, g)
			t.Left = append(t.Left, trace.Left{G: trace.GID(g),
				Pending: trace.Pending{Op: op.op, Obj: op.obj}, Step: int32(len(t.Steps)) - 1})
		}
	}
	return t
}

// offer records what goroutine g announces before a channel operation.
func (op scriptOp) offer(t *trace.Trace, g int) {
	if op.op != trace.OpSend && op.op != trace.OpRecv {
		return
	}
	o := trace.Offer{G: trace.GID(g), Step: int32(len(t.Steps)) - 1, Send: op.op == trace.OpSend, Obj: op.obj}
	if op.poll {
		o.Case, o.Poll = 1, true
	}
	t.Offers = append(t.Offers, o)
	if op.also > 0 {
		o.Case, o.Obj = 2, op.also
		t.Offers = append(t.Offers, o)
	}
}

// record appends an event and makes it happen.
func (s *script) record(t *trace.Trace, st *state, g int, op trace.Op, o trace.ObjID, arg int,
	val string) int {
	e := len(t.Events)
	ev := trace.Event{G: trace.GID(g), Op: op, Obj: o, Arg: int64(arg), Partner: -1,
		Step: int32(len(t.Steps))}
	if val != "" && s.values[o] {
		t.Values = append(t.Values, val)
		ev.Val = int32(len(t.Values))
	}
	t.Events = append(t.Events, ev)
	t.Steps = append(t.Steps, trace.Step{G: trace.GID(g), Op: op})
	st.pos[g]++
	return e
}

// ways returns what goroutine g can do with op now.
func (s *script) ways(t *trace.Trace, st *state, g int, op scriptOp, skip [][]bool, started []bool) []func() {
	o := &st.objs[op.obj]
	simple := func(ok bool, kind trace.Op, arg int, val string) []func() {
		if !ok {
			return nil
		}
		obj, o := op.obj, o
		return []func(){func() {
			s.ops[g][st.pos[g]].offer(t, g)
			e := s.record(t, st, g, kind, obj, arg, val)
			if kind == trace.OpRecv && arg == 1 {
				sent := o.queue[0]
				t.Events[e].Partner, t.Events[sent].Partner = int32(sent), int32(e)
				t.Events[e].Val = t.Events[sent].Val
			}
			if kind == trace.OpAtomicLoad && op.op == trace.OpAtomicCAS {
				t.Compares = append(t.Compares, trace.Compare{Event: int32(e), Old: uint64(op.arg)})
			}
			apply(t, s, st, e)
		}}
	}
	// leave skips the operation that would undo this one.
	leave := func(undo trace.Op) {
		depth := 0
		for k := st.pos[g]; k < len(s.ops[g]); k++ {
			switch x := s.ops[g][k]; {
			case x.obj == op.obj && x.op == undo && depth == 0:
				skip[g][k] = true
				return
			case x.obj == op.obj && x.op == undo:
				depth--
			case x.obj == op.obj && (x.op == trace.OpLock || x.op == trace.OpTryLock) &&
				undo == trace.OpUnlock,
				x.obj == op.obj && (x.op == trace.OpRLock || x.op == trace.OpTryRLock) &&
					undo == trace.OpRUnlock,
				x.obj == op.obj && x.op == trace.OpOnce && undo == trace.OpOnceDone:
				depth++
			}
		}
	}
	switch op.op {
	case trace.OpTryLock, trace.OpTryRLock:
		undo := trace.OpUnlock
		if op.op == trace.OpTryRLock {
			undo = trace.OpRUnlock
		}
		if free(o, op.op) {
			return simple(true, op.op, 1, "")
		}
		return []func(){func() { simple(true, op.op, 0, "")[0](); leave(undo) }}
	case trace.OpOnce:
		switch {
		case o.done:
			return []func(){func() { simple(true, op.op, 0, "")[0](); leave(trace.OpOnceDone) }}
		case o.ran:
			return nil
		}
		return simple(true, op.op, 1, "")
	case trace.OpRead:
		return simple(true, op.op, 8, strconv.Itoa(o.bits))
	case trace.OpWrite:
		return []func(){func() { o.bits = op.arg; simple(true, op.op, 8, strconv.Itoa(op.arg))[0]() }}
	case trace.OpAtomicLoad:
		return simple(true, op.op, o.bits, "")
	case trace.OpAtomicStore:
		return simple(true, op.op, op.arg, "")
	case trace.OpAtomicRMW:
		return simple(true, op.op, o.bits+1, "")
	case trace.OpAtomicCAS:
		if o.bits == op.arg {
			return simple(true, trace.OpAtomicRMW, op.arg+1, "")
		}
		return simple(true, trace.OpAtomicLoad, o.bits, "")
	case trace.OpSend:
		if s.objects[op.obj].Cap == 0 {
			return s.meetings(t, st, g, op, started, skip)
		}
		return simple(!o.closed && len(o.queue) < int(s.objects[op.obj].Cap), op.op, 0, strconv.Itoa(op.arg))
	case trace.OpRecv:
		var ready []func()
		for _, from := range []trace.ObjID{op.obj, op.also} {
			op.obj, o = from, &st.objs[from]
			switch {
			case from == 0:
			case len(o.queue) > 0:
				ready = append(ready, simple(true, op.op, 1, "")...)
			case o.closed:
				ready = append(ready, simple(true, op.op, 0, "")...)
			}
		}
		if len(ready) == 0 && op.poll {
			op.obj = s.ops[g][st.pos[g]].obj
			return simple(true, trace.OpSelect, -1, "")
		}
		return ready
	case trace.OpClose:
		return simple(!o.closed, op.op, 0, "")
	case trace.OpLen:
		return simple(true, op.op, len(o.queue), "")
	case trace.OpWGAdd:
		return simple(o.count+op.arg >= 0, op.op, op.arg, "")
	}
	return simple(free(o, op.op) && able(o, op.op, g), op.op, 0, "")
}

// meetings returns the goroutines that the sender g can meet.
func (s *script) meetings(t *trace.Trace, st *state, g int, op scriptOp, started []bool,
	skip [][]bool) (ways []func()) {
	if st.objs[op.obj].closed {
		return nil
	}
	for h := range s.ops {
		for started[h] && st.pos[h] < len(s.ops[h]) && skip[h][st.pos[h]] {
			st.pos[h]++
		}
		if h == g || !started[h] || st.pos[h] == len(s.ops[h]) {
			continue
		}
		if x := s.ops[h][st.pos[h]]; x.op == trace.OpRecv && x.obj == op.obj && !x.poll {
			ways = append(ways, func() {
				op.offer(t, g)
				x.offer(t, h)
				a := s.record(t, st, g, trace.OpSend, op.obj, 0, strconv.Itoa(op.arg))
				b := s.record(t, st, h, trace.OpRecv, op.obj, 1, "")
				t.Events[a].Partner, t.Events[b].Partner = int32(b), int32(a)
				t.Events[b].Val, t.Events[b].Step = t.Events[a].Val, t.Events[a].Step
			})
		}
	}
	return ways
}

// free reports whether a lock can be taken.
func free(o *object, op trace.Op) bool {
	switch op {
	case trace.OpLock:
		return !o.locked && o.readers == 0
	case trace.OpTryLock:
		return !o.locked && o.readers == 0 && o.wants < 0
	case trace.OpRLock, trace.OpTryRLock, trace.OpArrive:
		return !o.locked && o.wants < 0
	}
	return true
}

// able reports whether the other operations that may block can be done.
func able(o *object, op trace.Op, g int) bool {
	switch op {
	case trace.OpWGWait:
		return o.count == 0
	case trace.OpAcquire:
		return o.count > 0
	case trace.OpCondWake:
		return slices.Contains(o.woken, g)
	}
	return true
}

// apply changes the object of event e as e does.
func apply(t *trace.Trace, s *script, st *state, e int) {
	ev := &t.Events[e]
	o := &st.objs[ev.Obj]
	switch ev.Op {
	case trace.OpLock:
		o.locked, o.holder, o.wants = true, int(ev.G), -1
	case trace.OpTryLock:
		if ev.Arg == 1 {
			o.locked, o.holder = true, int(ev.G)
		}
	case trace.OpUnlock:
		o.locked, o.holder = false, -1
	case trace.OpArrive:
		o.wants = int(ev.G)
	case trace.OpRLock:
		o.readers++
	case trace.OpTryRLock:
		o.readers += int(ev.Arg)
	case trace.OpRUnlock:
		o.readers--
	case trace.OpWGAdd:
		o.count += int(ev.Arg)
	case trace.OpAcquire:
		o.count--
	case trace.OpRelease:
		o.count++
	case trace.OpSend:
		if t.Objects[ev.Obj].Cap > 0 {
			o.queue = append(o.queue, e)
		}
	case trace.OpRecv:
		if ev.Arg == 1 && t.Objects[ev.Obj].Cap > 0 {
			o.queue = o.queue[1:]
		}
	case trace.OpClose:
		o.closed = true
	case trace.OpOnce:
		o.ran = true
	case trace.OpOnceDone:
		o.done = true
	case trace.OpCondWait:
		o.queue = append(o.queue, int(ev.G))
	case trace.OpCondWake:
		o.woken = slices.DeleteFunc(o.woken, func(g int) bool { return g == int(ev.G) })
	case trace.OpSignal:
		if len(o.queue) > 0 {
			o.woken = append(o.woken, o.queue[0])
			slices.Sort(o.woken)
			o.queue = o.queue[1:]
		}
	case trace.OpBroadcast:
		o.woken = append(o.woken, o.queue...)
		slices.Sort(o.woken)
		o.queue = nil
	case trace.OpWrite, trace.OpMapStore:
		o.writer = e
	case trace.OpAtomicStore, trace.OpAtomicRMW:
		o.writer, o.bits = e, int(ev.Arg)
	}
}

// A twin tries orders of a trace.
type twin struct {
	t      *trace.Trace
	s      *script
	byG    [][]int // events, then those left
	place  []int
	free   bool  // nothing depends on what is read
	source []int // by event: the write that it saw
	before []int // by event of an atomic: its bits before
	first  []bool
}

func newTwin(s *script, t *trace.Trace) *twin {
	w := &twin{t: t, s: s, byG: make([][]int, len(s.ops)), source: make([]int, len(t.Events)),
		before: make([]int, len(t.Events)), first: make([]bool, len(s.objects))}
	st := newState(s)
	for e := range t.Events {
		ev := &t.Events[e]
		w.place = append(w.place, len(w.byG[ev.G]))
		w.byG[ev.G] = append(w.byG[ev.G], e)
		w.source[e], w.before[e] = st.objs[ev.Obj].writer, st.objs[ev.Obj].bits
		if ev.Op == trace.OpRead && w.source[e] < 0 && ev.Val > 0 {
			w.first[ev.Obj] = true // what was there first is known
		}
		apply(t, s, st, e)
	}
	for i := range t.Left {
		g := t.Left[i].G
		w.place = append(w.place, len(w.byG[g]))
		w.byG[g] = append(w.byG[g], len(t.Events)+i)
	}
	return w
}

func (w *twin) next(st *state, g int) int {
	if st.pos[g] == len(w.byG[g]) {
		return -1
	}
	return w.byG[g][st.pos[g]]
}

func (w *twin) event(e int) trace.Event {
	if e < len(w.t.Events) {
		return w.t.Events[e]
	}
	l := w.t.Left[e-len(w.t.Events)]
	return trace.Event{G: l.G, Op: l.Op, Obj: l.Obj, Partner: -1}
}

func (w *twin) started(st *state, g int) bool {
	if g == 0 {
		return true
	}
	for e := range w.t.Events {
		if ev := &w.t.Events[e]; ev.Op == trace.OpGo && int(ev.Arg) == g {
			return w.place[e] < st.pos[ev.G]
		}
	}
	return false
}

// steps calls f for everything that can be done next, with the state after it and the events done.
func (w *twin) steps(st *state, f func(st *state, events ...int)) {
	for g := range w.byG {
		e := w.next(st, g)
		if e < 0 || e >= len(w.t.Events) || st.odd[g] || !w.started(st, g) {
			continue
		}
		ev := &w.t.Events[e]
		if ev.Op == trace.OpSend && w.t.Objects[ev.Obj].Cap == 0 {
			w.meet(st, e, f)
			continue
		}
		if ok, same := w.can(st, e); ok {
			c := st.clone()
			c.odd[g] = !same && !w.free
			apply(w.t, w.s, c, e)
			c.pos[g]++
			f(c, e)
		}
	}
}

func (w *twin) meet(st *state, e int, f func(*state, ...int)) {
	ev := &w.t.Events[e]
	if st.objs[ev.Obj].closed {
		return
	}
	for h := range w.byG {
		r := w.next(st, h)
		if h == int(ev.G) || r < 0 || r >= len(w.t.Events) || st.odd[h] || !w.started(st, h) {
			continue
		}
		if x := &w.t.Events[r]; x.Op == trace.OpRecv && x.Obj == ev.Obj && x.Arg == 1 {
			c := st.clone()
			c.pos[ev.G]++
			c.pos[h]++
			c.odd[h] = !w.same(e, int(x.Partner)) && !w.free
			f(c, e, r)
		}
	}
}

func (w *twin) same(a, b int) bool {
	va, vb := w.t.Events[a].Val, w.t.Events[b].Val
	return a == b || va > 0 && vb > 0 && w.t.Values[va-1] == w.t.Values[vb-1]
}

// can reports whether e can be done, and if so whether it sees what it saw.
func (w *twin) can(st *state, e int) (ok, same bool) {
	ev := &w.t.Events[e]
	o := &st.objs[ev.Obj]
	room := int(w.t.Objects[ev.Obj].Cap)
	switch ev.Op {
	case trace.OpLock:
		return !o.locked && o.readers == 0, true
	case trace.OpTryLock, trace.OpTryRLock:
		return free(o, ev.Op) == (ev.Arg == 1), true
	case trace.OpSend:
		return !o.closed && len(o.queue) < room, true
	case trace.OpRecv:
		if ev.Arg == 0 {
			return o.closed && len(o.queue) == 0, true
		}
		return len(o.queue) > 0, len(o.queue) > 0 && w.same(o.queue[0], int(ev.Partner))
	case trace.OpSelect:
		for _, f := range w.t.Offers {
			c := &st.objs[f.Obj]
			if f.G == ev.G && f.Step == ev.Step-1 && (c.closed || len(c.queue) > 0) {
				return false, true
			}
		}
		return !o.closed && len(o.queue) == 0, true
	case trace.OpLen:
		return true, len(o.queue) == int(ev.Arg)
	case trace.OpClose:
		return !o.closed, true
	case trace.OpOnce:
		return (ev.Arg == 1) == !o.ran && (ev.Arg == 1 || o.done), true
	case trace.OpWGAdd:
		return o.count+int(ev.Arg) >= 0, true
	case trace.OpRead:
		return true, o.writer == w.source[e] || ev.Val > 0 &&
			w.written(ev.Obj, o.writer) == w.t.Values[ev.Val-1]
	case trace.OpAtomicLoad:
		for _, c := range w.t.Compares {
			if int(c.Event) == e {
				return true, o.bits != int(c.Old)
			}
		}
		return true, o.bits == int(ev.Arg)
	case trace.OpAtomicRMW:
		return o.bits == w.before[e], true
	case trace.OpMapLoad:
		return true, o.writer == w.source[e]
	case trace.OpMapStore:
		return o.writer == w.source[e], true
	}
	return free(o, ev.Op) && able(o, ev.Op, int(ev.G)), true
}

// written is the value, as far as it is known, that a write left.
func (w *twin) written(o trace.ObjID, e int) string {
	switch {
	case e < 0 && w.first[o]:
		return strconv.Itoa(int(w.s.objects[o].Init))
	case e >= 0 && w.t.Events[e].Val > 0:
		return w.t.Values[w.t.Events[e].Val-1]
	}
	return "unknown"
}

// search visits all states that correct orders lead to, with how far the goal's
// pattern has come: the number of its events done, in their order.
func (w *twin) search(goal Goal, found func(*state) bool) bool {
	type visit struct {
		st   *state
		done int
	}
	pattern := patternOf(goal)
	seen := map[string]bool{}
	todo := []visit{{newState(w.s), 0}}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		k := strconv.Itoa(v.done) + v.st.key()
		if seen[k] {
			continue
		}
		seen[k] = true
		if v.done == len(pattern) && found(v.st) {
			return true
		}
		w.steps(v.st, func(c *state, events ...int) {
			done, ok := advance(pattern, v.done, events)
			if ok && w.sees(v.st, goal, events) {
				todo = append(todo, visit{c, done})
			}
		})
	}
	return false
}

// sees reports whether the reads among events, which are done now, see what the goal wants.
func (w *twin) sees(before *state, goal Goal, events []int) bool {
	for _, x := range goal.Sees {
		if slices.Contains(events, x[0]) && before.objs[w.event(x[0]).Obj].writer != x[1] {
			return false
		}
	}
	return true
}

// advance: events that happen at the same time come in no order.
func advance(pattern []int, done int, events []int) (int, bool) {
	n := done
	for _, e := range events {
		if i := slices.Index(pattern, e); i >= 0 {
			if i != n || n > done {
				return 0, false
			}
			n++
		}
	}
	return n, true
}

func patternOf(g Goal) []int {
	p := slices.Clone(g.Keep)
	for _, b := range g.Before {
		p = append(p, b[1])
	}
	return p
}

// shows reports whether a state is one that the goal asks for.
func (w *twin) shows(st *state, goal Goal) bool {
	for _, e := range goal.At {
		if !w.sees(st, goal, []int{e}) {
			return false
		}
		g := int(w.event(e).G)
		if st.odd[g] || !w.started(st, g) || w.next(st, g) != e {
			return false
		}
		if goal.Blocked && (!w.stuck(st, e) || w.helped(st, e, goal.At)) {
			return false
		}
	}
	if goal.Blocked {
		return !w.meeting(goal.At)
	}
	return true
}

// stuck reports whether the operation of e cannot be done, whatever comes of it.
func (w *twin) stuck(st *state, e int) bool {
	ev := w.event(e)
	o := &st.objs[ev.Obj]
	room := int(w.t.Objects[ev.Obj].Cap)
	switch ev.Op {
	case trace.OpEnd:
		return false
	case trace.OpSend:
		return !o.closed && (room == 0 || len(o.queue) == room)
	case trace.OpRecv:
		return !o.closed && len(o.queue) == 0 && !w.polls(e)
	case trace.OpOnce:
		return o.ran && !o.done
	case trace.OpLock, trace.OpRLock, trace.OpArrive:
		return !free(o, ev.Op)
	}
	return !able(o, ev.Op, int(ev.G))
}

// polls reports whether e is a receive of a select with default, which does not wait.
func (w *twin) polls(e int) bool {
	return e < len(w.t.Events) && slices.ContainsFunc(w.t.Offers, func(o trace.Offer) bool {
		ev := &w.t.Events[e]
		return o.Poll && o.G == ev.G && o.Step == ev.Step-1
	})
}

// helped reports whether a goroutine that is not in the set could still do what e waits for.
func (w *twin) helped(st *state, e int, set []int) bool {
	ev := w.event(e)
	inSet := func(g int) bool {
		return slices.ContainsFunc(set,
			func(y int) bool { return int(w.event(y).G) == g })
	}
	switch ev.Op {
	case trace.OpLock, trace.OpRLock, trace.OpArrive, trace.OpOnce:
		for g := range w.byG {
			if w.keepsOut(st, g, e) && (inSet(g) || w.gone(st, g, ev.Obj)) {
				return false
			}
		}
		return true
	}
	for x := range w.t.Events {
		h := &w.t.Events[x]
		if h.Obj != ev.Obj || w.place[x] < st.pos[h.G] || inSet(int(h.G)) {
			continue
		}
		helps := false
		switch ev.Op {
		case trace.OpWGWait:
			helps = h.Op == trace.OpWGAdd && h.Arg < 0
		case trace.OpAcquire:
			helps = h.Op == trace.OpRelease
		case trace.OpCondWake:
			helps = h.Op == trace.OpSignal || h.Op == trace.OpBroadcast
		case trace.OpSend:
			helps = h.Op == trace.OpClose || h.Op == trace.OpRecv && h.Arg == 1
		case trace.OpRecv:
			helps = h.Op == trace.OpClose || h.Op == trace.OpSend
		}
		if helps {
			return true
		}
	}
	return false
}

// keepsOut reports whether g has what e waits for.
func (w *twin) keepsOut(st *state, g, e int) bool {
	ev := w.event(e)
	held := w.held(st, g, ev.Obj)
	switch ev.Op {
	case trace.OpOnce:
		return held > 0
	case trace.OpLock:
		return held != 0
	}
	return held > 0 && st.objs[ev.Obj].holder == g || st.objs[ev.Obj].wants == g
}

// held counts what g took of an object and did not give back.
func (w *twin) held(st *state, g int, o trace.ObjID) (n int) {
	for _, x := range w.byG[g][:st.pos[g]] {
		if h := w.event(x); h.Obj == o {
			n += taken(h)
		}
	}
	return n
}

func taken(h trace.Event) int {
	switch h.Op {
	case trace.OpOnce, trace.OpTryLock, trace.OpTryRLock:
		return int(h.Arg)
	case trace.OpLock, trace.OpRLock:
		return 1
	case trace.OpOnceDone, trace.OpUnlock, trace.OpRUnlock:
		return -1
	}
	return 0
}

// gone reports whether g ended in the trace with the object as it has it now.
func (w *twin) gone(st *state, g int, o trace.ObjID) bool {
	es := w.byG[g]
	if es[len(es)-1] >= len(w.t.Events) || st.objs[o].wants == g {
		return false
	}
	low, n := 0, 0
	for _, x := range es[st.pos[g]:] {
		if h := w.event(x); h.Obj == o {
			n += taken(h)
			low = min(low, n)
		}
	}
	return low == 0
}

// meeting reports whether two of the set would meet.
func (w *twin) meeting(set []int) bool {
	for _, a := range set {
		for _, b := range set {
			x, y := w.event(a), w.event(b)
			if x.Op == trace.OpSend && y.Op == trace.OpRecv && x.Obj == y.Obj &&
				w.t.Objects[x.Obj].Cap == 0 && x.G != y.G {
				return true
			}
		}
	}
	return false
}

// follow carries out an order and returns the state after it, nil where it is not correct.
func (w *twin) follow(order []int) *state {
	st := newState(w.s)
	for len(order) > 0 {
		var then *state
		n := 0
		w.steps(st, func(c *state, events ...int) {
			if then == nil && len(order) >= len(events) && slices.Equal(order[:len(events)], events) {
				then, n = c, len(events)
			}
		})
		if then == nil {
			return nil
		}
		st, order = then, order[n:]
	}
	return st
}
