package observe

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// Ownership: which memory one goroutine has for itself, and which allocation an access is to.

// own finds out which memory one goroutine has for itself in all executions so far: nothing that
// others do depends on it. It must not be read as such before. What comes before these events and
// accesses was looked at.
func (l *lesson) own(event, plain int) {
	note := func(o *trace.Object, proc transition.Proc, size uint32) {
		i, at, ok := l.allocation(o)
		if !ok {
			return
		}
		l.shared(i, proc)
		if o.G != trace.NoG {
			return
		}
		next := *o
		for end := at + uint64(size); end > 1<<blockBits; end -= 1 << blockBits {
			next.Addr += 1 << blockBits
			if i, _, ok := l.allocation(&next); ok {
				l.shared(i, proc)
			}
		}
	}
	for k := plain; k < len(l.t.Plain); k++ {
		if a := &l.t.Plain[k]; a.Step >= 0 {
			note(&a.Mem, l.p.tab.ProcOf(a.G), a.Size)
		}
	}
	for k := event; k < len(l.t.Events); k++ {
		e := &l.t.Events[k]
		if e.Obj == 0 {
			continue
		}
		if o := &l.t.Objects[e.Obj]; o.Kind == trace.ObjMemory || o.Kind == trace.ObjAtomic {
			note(o, l.p.tab.ProcOf(e.G), transition.MemorySize(e, o.Kind))
		}
	}
}

// shared notes that a goroutine accesses an allocation.
func (l *lesson) shared(i int32, proc transition.Proc) {
	switch x := &l.p.items[i]; {
	case x.shared:
	case x.owner != proc && x.owner != transition.NoProc || x.key.by != proc && l.p.kin.alike(proc):
		// what one of several that are alike accesses another one may, but for what it allocated
		x.shared = true
		l.p.shared[x.key] = true
		l.finer = l.finer || x.passed
	default:
		x.owner = proc
	}
}

// private reports whether only one goroutine accesses an allocation, as far as is known. Memory
// that several access has a name that tells which goroutine made it.
func (l *lesson) private(i int32) bool {
	x := &l.p.items[i]
	x.passed = x.passed || !x.shared
	if x.shared {
		l.p.apart(x.key.by)
	}
	return !x.shared
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
