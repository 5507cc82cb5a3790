package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A walk enumerates the histories of a shape: the causally closed subsets of the events on which it
// may depend. A superset precedes its subsets. There may be many (a write that races with n reads
// has 2^n), so a walk makes one at a time and keeps only its position.
type walk struct {
	in    []choice // by index in finder.deps, so far
	begun bool
}

type choice uint8

const (
	implied choice = iota // it happens before an event that was taken, or must be taken
	taken
	leftOut // although it could be taken
	cannot  // it comes after an excluded event, or after removed events
)

// next sets f.h to the next history, and reports whether there is one. f was opened for the walk's
// shape, under the same conditions as before.
func (f *finder) next(w *walk) bool {
	if !w.begun {
		w.begun, w.in = true, w.in[:0]
		f.replay(w)
		if f.forward(w) {
			return true
		}
	}
	for f.back(w) {
		if f.forward(w) {
			return true
		}
	}
	return false
}

// back excludes the last event that was taken by choice.
func (f *finder) back(w *walk) bool {
	for k := len(w.in) - 1; k >= 0; k-- {
		if w.in[k] != taken {
			continue
		}
		if w.in = w.in[:k]; f.stays(int(f.deps[k])) {
			continue
		}
		f.replay(w)
		if f.leaveOut(w, k, leftOut) {
			return true
		}
	}
	return false
}

// replay sets f.h and f.excl from the choices so far.
func (f *finder) replay(w *walk) {
	copy(f.h, f.first)
	clear(f.excl)
	for k, c := range w.in {
		switch i := int(f.deps[k]); c {
		case taken:
			f.h.join(f.before(i))
		case leftOut, cannot:
			f.excl.add(i)
		}
	}
}

// forward decides about the other events; false if no history begins like that.
func (f *finder) forward(w *walk) bool {
	for k := len(w.in); k < len(f.deps); k++ {
		i := int(f.deps[k])
		past := f.before(i)
		switch {
		case f.h.has(i):
			w.in = append(w.in, implied)
		case !past.meets(f.excl) && !past.meets(f.gone):
			f.h.join(past)
			w.in = append(w.in, taken)
		case !f.leaveOut(w, k, cannot):
			return false
		}
	}
	f.looked++
	return true
}

// leaveOut excludes the k-th event, unless that is useless: it would remove an event that must
// stay, or disable the call.
func (f *finder) leaveOut(w *walk, k int, why choice) bool {
	i := int(f.deps[k])
	if f.stays(i) {
		return false
	}
	f.excl.add(i)
	if f.many && f.rest(f.h) > 0 {
		f.excl.remove(i)
		return false
	}
	w.in = append(w.in, why)
	return true
}

// stays reports whether no history leaves out event i: that would remove an event that must stay,
// or disable the call.
func (f *finder) stays(i int) bool {
	if f.exact && f.after(i).meets(f.must) {
		return true
	}
	least := f.least
	for k, as := 0, f.At(i).Accesses; f.many && k < len(as); k++ {
		if a := &as[k]; a.Obj == f.as[0].Obj {
			least += takes(a)
		}
	}
	return f.many && least > 0
}

// rest returns how much the operations that the current one waits for leave undone at least, with
// the exclusions so far; with more than 0 it is not enabled. Without this test a Wait for n Dones
// would take 2^n attempts.
func (f *finder) rest(h set) (n int) {
	f.Uses(f.as[0].Obj, func(at int, a *transition.Access) {
		in := h.has(at)
		switch {
		case in && a.Op == trace.OpWGAdd && a.Arg > 0:
			n += int(a.Arg)
		case in && (a.Op == trace.OpRLock || a.Op == trace.OpTryRLock && a.Arg != 0):
			n++
		case in || !f.excl.has(at) && !f.gone.has(at):
			n -= takes(a)
		}
	})
	return n
}

// takes returns by how much an access lets those go on that wait for others.
func takes(a *transition.Access) int {
	switch {
	case a.Op == trace.OpWGAdd && a.Arg < 0:
		return -int(a.Arg)
	case a.Op == trace.OpRUnlock:
		return 1
	}
	return 0
}

// takeAll sets f.h to the largest history.
func (f *finder) takeAll() {
	copy(f.h, f.first)
	for _, i := range f.deps {
		f.h.join(f.before(int(i)))
	}
}
