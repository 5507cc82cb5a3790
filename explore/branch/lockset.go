package branch

import (
	"slices"

	"heddle/trace"
)

// A Broken is a shared variable that no lock protects consistently: the locks
// that all accesses held are none, though several goroutines access it after the initialisation and one of them writes. The locking discipline is
// broken; that is no data race by itself.
type Broken struct {
	Event int // the access after which no lock was left
	Other int // one before it, by another goroutine
}

// Check is the lockset check (Savage et al., Eraser, TOCS 1997) that section
// IV.A describes: with the states virgin, exclusive, shared, shared-modified, so that initialisation needs
// no lock. Locks held for reading protect reads only. counts, if not nil, tells which accesses, by their events, are looked at. Atomic variables need no lock.
func Check(t *trace.Trace, counts func(event int) bool) (broken []Broken) {
	c := lockset{vars: map[trace.ObjID]*lockState{}, forks: newForks(placesOf(t))}
	held := make([][]holding, maxG(t)+1)
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case takes(e):
			held[e.G] = append(held[e.G], holding{e.Obj, e.Op == trace.OpLock || e.Op == trace.OpTryLock})
		case releases(e):
			if k := slices.IndexFunc(held[e.G], func(h holding) bool { return h.lock == e.Obj }); k >= 0 {
				held[e.G] = slices.Delete(held[e.G], k, k+1)
			}
		case (e.Op == trace.OpRead || e.Op == trace.OpWrite) && (counts == nil || counts(i)):
			if b := c.access(i, e, held[e.G]); b != nil {
				broken = append(broken, *b)
			}
		}
	}
	return broken
}

// A holding is a lock that a goroutine holds.
type holding struct {
	lock  trace.ObjID
	write bool // not only for reading
}

type lockset struct {
	vars  map[trace.ObjID]*lockState
	forks *forks
}

// A lockState is what is known of one variable.
type lockState struct {
	owner    trace.GID // who accessed it last
	last     int       // that access
	before   int       // the last one by another goroutine
	shared   bool
	modified bool // written since it is shared
	told     bool
	locks    []trace.ObjID // that every access held since it is shared
}

func (c *lockset) access(i int, e *trace.Event, held []holding) *Broken {
	v := c.vars[e.Obj]
	if v == nil {
		c.vars[e.Obj] = &lockState{owner: e.G, last: i}
		return nil
	}
	if !v.shared {
		if v.owner == e.G || c.forks.before(int32(v.last), int32(i)) {
			v.owner, v.last = e.G, i // still the initialisation: who it was handed to has just been started
			return nil
		}
		v.shared = true
		for _, h := range held {
			v.locks = append(v.locks, h.lock)
		}
	}
	v.modified = v.modified || e.Op == trace.OpWrite
	v.locks = slices.DeleteFunc(v.locks, func(l trace.ObjID) bool {
		return !slices.ContainsFunc(held, func(h holding) bool { return h.lock == l && (h.write || e.Op == trace.OpRead) })
	})
	other := v.other(e.G)
	if e.G != v.owner {
		v.before = v.last
	}
	v.owner, v.last = e.G, i
	if v.told || !v.modified || len(v.locks) > 0 {
		return nil
	}
	v.told = true
	return &Broken{i, other}
}

// other returns the last access by another goroutine than g.
func (v *lockState) other(g trace.GID) int {
	if v.owner == g {
		return v.before
	}
	return v.last
}

// placesOf is an Execution that knows no more than who was started when.
func placesOf(t *trace.Trace) *Execution {
	x := &Execution{Trace: t, byG: make([][]int32, max(len(t.Goroutines), maxG(t)+1))}
	x.number()
	return x
}
