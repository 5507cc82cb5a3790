package branch

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// A Broken is a shared variable that no lock protects consistently: several goroutines access it
// after the initialisation, one of them writes, and no lock is in the lockset of every access. That
// breaks the locking discipline; it is no data race by itself.
type Broken struct {
	Event int // the access that left no common lock
	Other int // an earlier access by another goroutine
}

// Check is the lockset check of section IV.A (Savage et al., Eraser, TOCS 1997). Accesses before
// the other goroutines were started are initialisation and need no lock; in Eraser that is
// everything before the first access of a second goroutine. Locks held for reading protect reads
// only. Atomics need no lock. counts, if not nil, selects accesses by their events.
func Check(t *trace.Trace, counts func(event int) bool) (broken []Broken) {
	c := lockset{vars: map[trace.ObjID]*lockState{}, forks: newForks(placesOf(t))}
	held := make([][]holding, maxG(t)+1)
	for i := range t.Events {
		e := &t.Events[i]
		switch section := sectionOf(t, e); {
		case section.Enters():
			held[e.G] = append(held[e.G], holding{e.Obj, section == model.Enter})
		case section.Leaves():
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
	write bool // held for writing
}

type lockset struct {
	vars  map[trace.ObjID]*lockState
	forks *forks
}

// A lockState is the state of the check for one variable.
type lockState struct {
	owner    trace.GID // the goroutine of the last access
	last     int       // the last access
	before   int       // the last access by another goroutine
	shared   bool
	modified bool // written since the initialisation
	told     bool
	locks    []trace.ObjID // the locks held at all accesses since then
}

func (c *lockset) access(i int, e *trace.Event, held []holding) *Broken {
	v := c.vars[e.Obj]
	if v == nil || !v.shared && v.owner != e.G && c.forks.before(int32(v.last), int32(i)) {
		// The initialisation is over: a goroutine that was started after it owns the variable now.
		v = &lockState{owner: e.G, before: -1}
		for _, h := range held {
			v.locks = append(v.locks, h.lock)
		}
		c.vars[e.Obj] = v
	}
	v.locks = slices.DeleteFunc(v.locks, func(l trace.ObjID) bool {
		return !slices.ContainsFunc(held, func(h holding) bool {
			return h.lock == l &&
				(h.write || e.Op == trace.OpRead)
		})
	})
	v.modified = v.modified || e.Op == trace.OpWrite
	other := v.before
	if e.G != v.owner {
		v.shared = true
		other, v.before = v.last, v.last
	}
	v.owner, v.last = e.G, i
	if v.told || !v.shared || !v.modified || len(v.locks) > 0 {
		return nil
	}
	v.told = true
	return &Broken{i, other}
}

// placesOf returns an Execution that has only the starts of goroutines.
func placesOf(t *trace.Trace) *Execution {
	x := &Execution{Trace: t, byG: make([][]int32, max(len(t.Goroutines), maxG(t)+1))}
	x.number()
	return x
}
