package predict

import (
	"slices"

	"heddle/trace"
)

// A lockset is the locks that a goroutine holds, sorted by number; the lowest bit of an entry says
// that it is held for writing.
type lockset []int32

// excludes reports whether two goroutines cannot have the locksets x and y at the same time.
func (x lockset) excludes(y lockset) bool {
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch a, b := x[i]>>1, y[j]>>1; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			if x[i]&1 == 1 || y[j]&1 == 1 {
				return true
			}
			i, j = i+1, j+1
		}
	}
	return false
}

// exclude reports whether the locksets before nodes a and b exclude each other: l(a) ∩ l(b) ≠ ∅,
// except for read locks.
func (g *Graph) exclude(a, b int32) bool { return g.excludeSets(g.Nodes[a].locks, g.Nodes[b].locks) }

func (g *Graph) excludeSets(a, b int32) bool {
	return a != 0 && b != 0 && (g.locksets[a].excludes(g.locksets[b]))
}

// locking updates the locksets. A Go mutex is not re-entrant. RLock is, and the lock is held until
// every RLock has its RUnlock. A Once whose function runs excludes others like a lock.
func (b *builder) locking(e *trace.Event, n int32) {
	switch e.Op {
	case trace.OpLock:
		b.take(e, n, true)
	case trace.OpRLock:
		b.take(e, n, false)
	case trace.OpTryLock, trace.OpTryRLock:
		if e.Arg == 1 {
			b.take(e, n, e.Op == trace.OpTryLock)
		}
	case trace.OpOnce:
		if e.Arg == 1 {
			b.take(e, n, true)
		} else if !e.Quiet {
			b.effect(n, e.G, effAwait, e.Obj)
		}
	case trace.OpArrive:
		if trace.Op(e.Arg) == trace.OpLock {
			b.effect(n, e.G, effArrive, e.Obj)
		}
	case trace.OpUnlock, trace.OpOnceDone:
		b.give(e, n, true)
	case trace.OpRUnlock:
		b.give(e, n, false)
	}
}

func (b *builder) take(e *trace.Event, n int32, write bool) {
	x := &b.gs[e.G]
	kind := effRLock
	if write {
		kind = effLock
	}
	b.effect(n, e.G, kind, e.Obj)
	if len(x.held) == 0 {
		x.outer = n
	}
	loud := !e.Quiet && e.Op != trace.OpOnce
	if loud {
		if x.loud++; x.loud == 1 && b.regions == Locks {
			b.newRegion(x)
		}
	}
	x.held = append(x.held, held{e.Obj, write, loud})
	x.locks = b.lockset(x.held)
}

// give removes a lock from the goroutine that holds it, which need not be the one that unlocks.
func (b *builder) give(e *trace.Event, n int32, write bool) {
	if e.Arg < 0 {
		return // it was not locked: misuse
	}
	kind := effRUnlock
	if write {
		kind = effUnlock
	}
	b.effect(n, e.G, kind, e.Obj)
	if b.drop(&b.gs[e.G], e.Obj, write) {
		return
	}
	for i := range b.gs {
		if b.drop(&b.gs[i], e.Obj, write) {
			return
		}
	}
}

// drop removes the last equal lock that x took, if x holds one.
func (b *builder) drop(x *gstate, obj trace.ObjID, write bool) bool {
	for i := len(x.held) - 1; i >= 0; i-- {
		h := x.held[i]
		if h.obj != obj || h.write != write {
			continue
		}
		x.held = slices.Delete(x.held, i, i+1)
		x.locks = b.lockset(x.held)
		if len(x.held) == 0 {
			x.outer = -1
		}
		if h.loud {
			if x.loud--; x.loud == 0 && b.regions == Locks {
				x.region = 0
			}
		}
		return true
	}
	return false
}

// lockset returns the number of the set of these locks.
func (b *builder) lockset(hs []held) int32 {
	if len(hs) == 0 {
		return 0
	}
	var fixed [8]int32
	set := lockset(fixed[:0])
	for _, h := range hs {
		v := int32(h.obj) << 1
		if h.write {
			v |= 1
		}
		set = append(set, v)
	}
	slices.Sort(set)
	set = slices.Compact(set)
	var key [64]byte
	k := key[:0]
	for _, v := range set {
		k = append(k, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	id, ok := b.intern[string(k)]
	if !ok {
		id = int32(len(b.g.locksets))
		b.intern[string(k)] = id
		b.g.locksets = append(b.g.locksets, slices.Clone(set))
	}
	return id
}
