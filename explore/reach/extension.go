package reach

import (
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// An extension is an event that is not in the sequence although all that happens before it is: a
// receiving event with another sending partner from its race set (Definition 6). In Go a receiving
// event is the position of an operation among the accesses on which it depends. So an extension is
// a call, the events before it (its history), and its outcome.
type extension struct {
	event
	history set // events of the sequence that happen before it
	// events of the sequence that it removes: its receiving event was in their control structures
	displace set
	accesses []transition.Access
	calls    [2]int32 // the calls of Proc and With; -1
	slot     int32    // the receiving event: the first event that it removes; -1
	after    int32    // for a draw: the event that it follows directly; otherwise last
}

// last is the place of an extension that is no draw: after everything else.
const last = -2

// A finder computes the extensions of a sequence, one at a time.
type finder struct {
	*sequence
	node       *node
	old, black set
	reduce     func(*extension) bool
	expired    func() bool // asked once in a while
	looked     int         // histories and shapes since expired was asked
	late       bool        // expired returned true
	ways       int         // bound on the extensions in a row; 0: none

	// The current shape, and what its extensions have in common; see open.
	shape *shape
	must  set // may not be removed
	// may not happen before it: the events that completed its calls, and all after these
	gone   set
	first  set                 // happened before its calls
	deps   []int32             // events on which it may depend, in order
	exact  bool                // it depends on all of deps
	many   bool                // see function rest
	least  int                 // what rest returns at least, if many
	as     []transition.Access // accesses of an operation, as executed
	like   transition.Transition
	decide func(h set) bool // sets like.Accesses; false if the call is not enabled
	h      set              // the current history
	excl   set              // the events excluded from it
	own    set              // see function is
	none   set              // always empty
	work   arena
}

// look makes f compute the extensions of n's sequence.
func (f *finder) look(n *node) {
	f.sequence, f.node, f.old, f.black = &n.seq, n, n.old, n.black
	for len(f.none) < f.w {
		f.none = append(f.none, 0)
	}
}

// spent reports whether expired returned true.
func (f *finder) spent() bool {
	if f.looked > 1<<12 && f.expired != nil {
		f.looked = 0
		f.late = f.late || f.expired()
	}
	return f.late
}

// openOperation is open for a call that is no communication.
func (f *finder) openOperation() {
	t := f.done()
	f.as = t.Accesses
	f.exact = t.Op != trace.OpAwait && !slices.ContainsFunc(f.as,
		func(a transition.Access) bool { return !f.constant(&a) })
	if f.exact {
		f.like.Accesses = append(f.like.Accesses, f.as...)
	}
	f.collect(f.mayDepend, f.as)
	waits := t.Op == trace.OpWGWait || t.Op == trace.OpLock && f.Tab.Kind(f.as[0].Obj) == trace.ObjRWMutex
	if f.many = waits && len(f.deps) > 2; f.many {
		f.least = f.rest(f.first)
	}
	f.decide = f.asBefore
}

// done returns the transition that completed the current call, or would.
func (f *finder) done() *transition.Transition {
	if c := &f.calls[f.shape.call]; c.done < 0 {
		return &f.Left()[c.left]
	} else {
		return f.At(c.done)
	}
}

// mayDepend reports whether the current operation may depend on an access to obj.
func (f *finder) mayDepend(obj transition.Object, a *transition.Access) bool {
	for i := range f.as {
		if b := &f.as[i]; b.Obj == obj && varies(b.Op) || f.Tab.Conflict(a, b) {
			return true
		}
	}
	return false
}

// asBefore is the decide of operations whose accesses do not depend on the history.
func (f *finder) asBefore(h set) bool {
	f.like.Accesses = f.like.Accesses[:0]
	for i := range f.as {
		a := &f.as[i]
		arg, ok := f.outcome(a.Op, a.Obj, a.Arg, h)
		if !ok {
			return false
		}
		if b, ok := f.Tab.Access(a.Obj, a.Op, arg); ok {
			f.like.Accesses = append(f.like.Accesses, b)
		}
	}
	return f.like.Op != trace.OpAwait || f.woken(f.as, h)
}

// openCompared is open for a CompareAndSwap: a read if it fails, a write if it succeeds.
func (f *finder) openCompared() {
	done := f.calls[f.shape.call].done
	obj, op := f.done().Accesses[0].Obj, trace.OpAtomicLoad
	if done < 0 {
		done = f.sequence.n
	}
	if f.shape.send {
		op = trace.OpAtomicRMW
	}
	a, _ := f.Tab.Access(obj, op, 0)
	f.like.Accesses = append(f.like.Accesses, a)
	f.exact = true
	f.collect(func(_ transition.Object, b *transition.Access) bool { return f.Tab.Conflict(&a, b) },
		f.like.Accesses)
	f.decide = func(h set) bool { return f.Succeeds(done, f.lastWrite(obj, h)) == f.shape.send }
}

// lastWrite returns the last event of h that writes obj, or -1.
func (f *finder) lastWrite(obj transition.Object, h set) int {
	last := -1
	f.each(obj, h, func(at int, a *transition.Access) {
		if a.Mode == model.Write {
			last = at
		}
	})
	return last
}

// varies reports whether the effect of such an operation depends on the state of its object.
func varies(op trace.Op) bool {
	switch op {
	case trace.OpTryLock, trace.OpTryRLock, trace.OpOnce, trace.OpSignal, trace.OpBroadcast:
		return true
	}
	return false
}

// constant reports whether such an operation does the same in every state of its object.
func (f *finder) constant(a *transition.Access) bool {
	switch f.Tab.Kind(a.Obj) {
	case trace.ObjMemory, trace.ObjAtomic, trace.ObjMutex, trace.ObjMap, trace.ObjModel, trace.ObjSemaphore:
		return !varies(a.Op)
	}
	return false
}

// woken reports whether, after the events of h, an object has changed since an iteration of a
// polling loop read it.
func (f *finder) woken(as []transition.Access, h set) bool {
	end := f.calls[f.shape.call].done
	if end < 0 {
		end = f.Len()
	}
	for i := range as {
		looked, changed := f.FirstLook(f.like.Proc, &as[i], end), false
		look := func(obj transition.Object) {
			f.each(obj, h, func(at int, a *transition.Access) {
				changed = changed || at > looked && f.At(at).Proc != f.like.Proc && f.Tab.Conflict(a, &as[i])
			})
		}
		look(as[i].Obj)
		for _, obj := range f.Tab.Overlaps(as[i].Obj) {
			look(obj)
		}
		if changed {
			return true
		}
	}
	return false
}

// collect lists the events on which an operation may depend: barriers, and uses of the objects in
// as (and of overlapping memory) for which dep returns true, which depends on the mode alone.
func (f *finder) collect(dep func(obj transition.Object, a *transition.Access) bool, as []transition.Access) {
	take := func(obj transition.Object) {
		f.UsesBetween(obj, f.first.has, f.gone.has, func(at int, a *transition.Access) bool {
			ok := dep(obj, a)
			if ok {
				f.deps = append(f.deps, int32(at))
			}
			return ok
		})
	}
	for i := range as {
		take(as[i].Obj)
		for _, o := range f.Tab.Overlaps(as[i].Obj) {
			take(o)
		}
	}
	for _, i := range f.lone {
		if !f.first.has(int(i)) && !f.gone.has(int(i)) {
			f.deps = append(f.deps, i)
		}
	}
	slices.Sort(f.deps)
	f.deps = slices.Compact(f.deps)
}

// make makes x the current extension with history h, and reports whether it exists.
func (f *finder) make(x *extension, h set) bool {
	if f.happened(h) || !f.decide(h) || !f.is(h) {
		return false
	}
	f.fill(x, h)
	return true
}

// fill makes x the current extension, which decide allowed, with history h.
func (f *finder) fill(x *extension, h set) {
	x.event = eventOf(&f.like)
	x.calls, x.after = [2]int32{f.shape.call, f.shape.with}, last
	if f.like.Choices > 0 {
		a, _ := f.Calls(f.calls[f.shape.call].done)
		x.after, x.op = int32(a), trace.OpChoose
	}
	x.accesses = append(x.accesses[:0], f.like.Accesses...)
	x.history = append(x.history[:0], h...)
	x.displace, x.slot = append(x.displace[:0], h...), -1
	clear(x.displace)
	for i := range f.sequence.n {
		if !h.has(i) && !x.displace.has(i) && (f.shares(i) || f.dependsOn(i)) {
			x.displace.join(f.after(i))
			if x.slot < 0 {
				x.slot = int32(i)
			}
		}
	}
}

// may reports whether x may be chosen: its call or an event that it removes is new (Fig. 10, lines
// 1 and 2), it removes nothing black, and no reduction suppresses it.
func (f *finder) may(x *extension) bool {
	return !f.isOld(x) && !x.displace.meets(f.black) && (f.reduce == nil || !f.reduce(x))
}

// is reports whether h is a history of the current extension: exactly the events on which it
// depends.
func (f *finder) is(h set) bool {
	copy(f.own, f.first)
	for _, i := range f.deps {
		if h.has(int(i)) && f.dependsOn(int(i)) {
			f.own.join(f.before(int(i)))
		}
	}
	f.joinBuffer(f.own, h)
	return f.own.equal(h)
}

// dependsOn reports whether the current extension comes after event i if both happen.
func (f *finder) dependsOn(i int) bool {
	t := f.At(i)
	if t.Alone() {
		return true
	}
	for k := range t.Accesses {
		for j := range f.like.Accesses {
			if f.Tab.Conflict(&t.Accesses[k], &f.like.Accesses[j]) {
				return true
			}
		}
	}
	return false
}

// happened reports whether the current extension, with history h, is an event of the sequence.
func (f *finder) happened(h set) bool {
	d := f.calls[f.shape.call].done
	if d < 0 || f.shape.with >= 0 && f.calls[f.shape.with].done != d || !f.same(d) {
		return false
	}
	past := f.before(d)
	for i, x := range past {
		if i == d>>6 {
			x &^= 1 << (d & 63)
		}
		if x != h[i] {
			return false
		}
	}
	return true
}

// same reports whether event d is the current extension, except for its history.
func (f *finder) same(d int) bool {
	t := f.At(d)
	if t.Op == trace.OpAtomicCAS && t.Accesses[0].Mode != f.like.Accesses[0].Mode {
		return false
	}
	return t.Same(&f.like)
}

// shares reports whether event i completed one of the current calls.
func (f *finder) shares(i int) bool {
	return f.calls[f.shape.call].done == i || f.shape.with >= 0 && f.calls[f.shape.with].done == i
}
