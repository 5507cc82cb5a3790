package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// An extension is an event that is not in a sequence though all that happens
// before it is: a receiving event of the sequence with another sending partner
// from its race set (Definition 6). In Go a receiving event is the place of an
// operation among those of its object that it depends on, so an extension is a
// call, what it finds (its history), and its outcome.
type extension struct {
	history  set // events of the sequence that happen before it
	displace set // events of the sequence that are gone when it happens: its receiving event was in their control structures
	t        transition.Transition
	calls    [2]int32 // of t.Proc and t.With; -1
	slot     int32    // the receiving event: the first event that it displaces
	old      bool     // its call and its receiving event are old: another variant's business
	fixed    bool     // it would displace what must stay
	reduced  bool     // suppressed by a reduction
}

// A finder computes the extensions of a sequence.
type finder struct {
	*sequence
	found []extension
	n     int

	trace      *trace.Trace // that the sequence was read from
	old, black set
	reduce     func(*extension) bool
	expired    func() bool // asked now and then
	looked     int         // histories since it was asked
	gaveUp     string      // why not all extensions were found

	// The call at hand, and what its extensions have in common.
	call   int32
	with   int32
	first  set // happened before the call
	gone   set // may not happen before it: what completed it, and all after
	like   transition.Transition
	decide func(h set) bool // fills in like.Accesses; false if it cannot be done
	deps   []int32          // what it may depend on, in order
	excl   set
	work   arena
}

// find computes all extensions. old and black are the events that GenerateVariants
// prunes by and must not change.
func (f *finder) find(old, black set) []extension {
	f.n, f.old, f.black, f.gaveUp = 0, old, black, ""
	f.work.empty()
	f.excl = f.work.set(f.w)
	for i := range f.calls {
		c := &f.calls[i]
		f.call, f.with = int32(i), -1
		switch {
		case c.comm >= 0:
			f.communications(int32(i))
		case c.done >= 0 && f.procOf[c.done] == int32(i):
			f.operation(f.At(c.done))
		case c.left >= 0:
			f.operation(&f.Left()[c.left])
		}
	}
	return f.found[:f.n]
}

// begin prepares for extensions of a call, or of two that meet.
func (f *finder) begin(c, with int32) {
	f.call, f.with = c, with
	f.first, f.gone = f.work.copy(f.calls[c].past), f.work.set(f.w)
	if d := f.calls[c].done; d >= 0 {
		f.gone.join(f.after(d))
	}
	f.like.Accesses, f.like.Starts = f.like.Accesses[:0], f.like.Starts[:0]
	f.like = transition.Transition{Proc: f.calls[c].proc, With: transition.NoProc, Choice: -1, Op: f.calls[c].op, Accesses: f.like.Accesses, Starts: f.like.Starts}
	if with >= 0 {
		f.like.With = f.calls[with].proc
		f.first.join(f.calls[with].past)
		if d := f.calls[with].done; d >= 0 {
			f.gone.join(f.after(d))
		}
	}
}

// operation finds the extensions of a call that is no communication; t is how it was done, or would be.
func (f *finder) operation(t *transition.Transition) {
	if t.Choices > 0 {
		f.draw(t)
		return
	}
	if len(t.Accesses) == 0 || t.Op == trace.OpResume || t.Op == trace.OpCondWake {
		return // nobody races with being woken
	}
	f.begin(f.call, -1)
	as := t.Accesses
	f.collect(func(obj transition.Object, a *transition.Access) bool {
		for i := range as {
			if b := &as[i]; b.Obj == obj && (f.varies(b.Op) || f.Tab.Conflict(a, b)) || b.Obj != obj && f.Tab.Conflict(a, b) {
				return true
			}
		}
		return false
	}, as)
	if t.Op == trace.OpAtomicCAS {
		f.swap(as[0].Obj)
		return
	}
	await := t.Op == trace.OpAwait
	f.decide = func(h set) bool {
		f.like.Accesses = f.like.Accesses[:0]
		for i := range as {
			a := as[i]
			arg, ok := f.outcome(a.Op, a.Obj, a.Arg, h)
			if !ok {
				return false
			}
			if b, ok := f.Tab.Access(a.Obj, a.Op, arg); ok {
				f.like.Accesses = append(f.like.Accesses, b)
			}
		}
		return !await || f.woken(as, h)
	}
	f.search(t.Op)
}

// swap finds the extensions of the CompareAndSwap at hand: reads where it
// fails, and writes where it succeeds.
func (f *finder) swap(obj transition.Object) {
	done := f.calls[f.call].done
	if done < 0 {
		done = f.sequence.n
	}
	for _, op := range [2]trace.Op{trace.OpAtomicLoad, trace.OpAtomicRMW} {
		f.begin(f.call, -1)
		a, _ := f.Tab.Access(obj, op, 0)
		f.like.Accesses = append(f.like.Accesses[:0], a)
		f.collect(func(_ transition.Object, b *transition.Access) bool { return f.Tab.Conflict(&a, b) }, f.like.Accesses)
		f.decide = func(h set) bool { return f.Succeeds(done, f.lastWrite(obj, h)) == (op == trace.OpAtomicRMW) }
		f.search(op)
	}
}

// lastWrite returns the last event of h that writes obj, or -1.
func (f *finder) lastWrite(obj transition.Object, h set) int {
	last := -1
	f.each(obj, h, func(at int, a *transition.Access) {
		if a.Mode == transition.Write {
			last = at
		}
	})
	return last
}

// varies reports whether operations of that kind differ by what they find.
func (f *finder) varies(op trace.Op) bool {
	switch op {
	case trace.OpTryLock, trace.OpTryRLock, trace.OpOnce, trace.OpSignal, trace.OpBroadcast:
		return true
	}
	return false
}

// woken reports whether something that a polling loop looked at was changed.
func (f *finder) woken(as []transition.Access, h set) bool {
	found := false
	for i := range as {
		f.each(as[i].Obj, h, func(at int, a *transition.Access) {
			found = found || !f.first.has(at) && f.Tab.Conflict(a, &as[i])
		})
	}
	return found
}

// draw finds the other outcomes of a draw.
func (f *finder) draw(t *transition.Transition) {
	for c := range t.Choices {
		if c == t.Choice {
			continue
		}
		f.begin(f.call, -1)
		f.like.Choice, f.like.Choices = c, t.Choices
		f.add(f.first)
	}
}

// collect lists what an operation may depend on: uses of the objects in as
// (and of memory that overlaps) for which dep says so, and barriers.
func (f *finder) collect(dep func(obj transition.Object, a *transition.Access) bool, as []transition.Access) {
	f.deps = f.deps[:0]
	take := func(obj transition.Object) {
		f.Uses(obj, func(at int, a *transition.Access) {
			if !f.first.has(at) && !f.gone.has(at) && dep(obj, a) {
				f.deps = append(f.deps, int32(at))
			}
		})
	}
	for i := range as {
		take(as[i].Obj)
		for _, o := range f.Tab.Overlaps(as[i].Obj) {
			take(o)
		}
	}
	f.barriers()
	f.sortDeps()
}

func (f *finder) barriers() {
	for i := range f.sequence.n {
		if f.At(i).Barrier && !f.first.has(i) && !f.gone.has(i) {
			f.deps = append(f.deps, int32(i))
		}
	}
}

// sortDeps sorts deps and drops what is there twice.
func (f *finder) sortDeps() {
	d := f.deps
	for i := 1; i < len(d); i++ {
		for j := i; j > 0 && d[j-1] > d[j]; j-- {
			d[j-1], d[j] = d[j], d[j-1]
		}
	}
	n := 0
	for i := range d {
		if i == 0 || d[i] != d[i-1] {
			d[n] = d[i]
			n++
		}
	}
	f.deps = d[:n]
}

// search tries every history: the downward closed choices among deps.
func (f *finder) search(op trace.Op) {
	clear(f.excl)
	f.walk(0, f.first, op)
}

func (f *finder) walk(k int, h set, op trace.Op) {
	if f.gaveUp != "" {
		return
	}
	for ; k < len(f.deps) && h.has(int(f.deps[k])); k++ {
	}
	if k == len(f.deps) {
		f.leaf(h)
		return
	}
	i := int(f.deps[k])
	past := f.before(i)
	if !past.meets(f.excl) && !past.meets(f.gone) {
		mark := f.work.used
		g := f.work.copy(h)
		g.join(past)
		f.walk(k+1, g, op)
		if f.work.used >= mark {
			f.work.used = mark
		}
	}
	f.excl.add(i)
	if f.possible(k+1, h, op) {
		f.walk(k+1, h, op)
	}
	f.excl.remove(i)
}

// possible reports whether operations that wait for many others may still be
// done, with what was left out so far: without it a Wait for n Dones would
// take 2^n attempts.
func (f *finder) possible(k int, h set, op trace.Op) bool {
	if op != trace.OpWGWait && op != trace.OpLock || len(f.deps) < 3 {
		return true
	}
	var t *transition.Transition
	if c := &f.calls[f.call]; c.done >= 0 {
		t = f.At(c.done)
	} else {
		t = &f.Left()[c.left]
	}
	obj := t.Accesses[0].Obj
	rest := 0
	f.Uses(obj, func(at int, a *transition.Access) {
		in := h.has(at)
		may := in || !f.excl.has(at) && !f.gone.has(at)
		switch {
		case a.Op == trace.OpWGAdd && (in || may && a.Arg < 0):
			rest += int(a.Arg)
		case in && (a.Op == trace.OpRLock || a.Op == trace.OpTryRLock && a.Arg != 0):
			rest++
		case may && a.Op == trace.OpRUnlock:
			rest--
		}
	})
	return rest <= 0
}

// maxExtensions bounds how many extensions one sequence may have: there is one
// for each set of readers that a writer may come after.
const maxExtensions = 1 << 13

// leaf looks at one history.
func (f *finder) leaf(h set) {
	if f.looked++; f.looked > 1<<12 && f.expired != nil {
		f.looked = 0
		if f.expired() {
			f.gaveUp = "the budget was spent"
		}
	}
	if f.n >= maxExtensions {
		f.gaveUp = "more races in one execution than can be kept"
	}
	if !f.decide(h) {
		return
	}
	// It must be the history: all that the extension depends on, and no more.
	mark := f.work.used
	own := f.work.copy(f.first)
	for _, i := range f.deps {
		if h.has(int(i)) && f.dependsOn(int(i)) {
			own.join(f.before(int(i)))
		}
	}
	f.joinBuffer(own, h)
	if own.equal(h) {
		f.add(h)
	}
	if f.work.used >= mark {
		f.work.used = mark
	}
}

// dependsOn reports whether the extension at hand comes after event i if both happen.
func (f *finder) dependsOn(i int) bool {
	t := f.At(i)
	if t.Barrier {
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

// add keeps the extension at hand, with history h, unless it is an event of the sequence.
func (f *finder) add(h set) {
	if d := f.calls[f.call].done; d >= 0 && (f.with < 0 || f.calls[f.with].done == d) && f.same(d) {
		past := f.work.copy(f.before(d))
		past.remove(d)
		if past.equal(h) {
			return
		}
	}
	if f.n == len(f.found) {
		f.found = append(f.found, extension{})
	}
	x := &f.found[f.n]
	x.history = f.alive.copy(h)
	x.displace = f.alive.set(f.w)
	x.t.Set(&f.like)
	x.calls = [2]int32{f.call, f.with}
	x.slot = -1
	for i := range f.sequence.n {
		if h.has(i) || x.displace.has(i) {
			continue
		}
		if f.shares(i) || f.dependsOn(i) {
			x.displace.join(f.after(i))
			if x.slot < 0 {
				x.slot = int32(i)
			}
		}
	}
	x.old = h.within(f.old)
	x.fixed = x.displace.meets(f.black)
	x.reduced = f.reduce != nil && f.reduce(x)
	f.n++
}

// same reports whether event d is the extension at hand but for its history.
func (f *finder) same(d int) bool {
	t := f.At(d)
	if t.Op == trace.OpAtomicCAS && t.Accesses[0].Mode != f.like.Accesses[0].Mode {
		return false
	}
	return t.Proc == f.like.Proc && t.With == f.like.With && t.Case == f.like.Case && t.WithCase == f.like.WithCase && t.Choice == f.like.Choice
}

// shares reports whether event i completed one of the calls at hand.
func (f *finder) shares(i int) bool {
	return f.calls[f.call].done == i || f.with >= 0 && f.calls[f.with].done == i
}
