package mapcov

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"heddle/trace"
	"heddle/trace/touch"
)

// Names numbers goroutines and objects from 1, with the same numbers in every execution.
type Names struct {
	threads map[string]int32
	objects map[objectName]int32
	list    []string // threads, by number - 1
	hashes  []uint64 // of objects, by number - 1
}

// An objectName identifies an object: the goroutine that made it, and its index among that
// goroutine's allocations. If the allocation is unknown, it is the index among the objects first
// used at a place. (Addresses differ between executions.)
type objectName struct {
	by     string
	n      int32
	offset uint32
	site   trace.Site
}

// NewNames returns an empty set of names.
func NewNames() *Names {
	return &Names{threads: make(map[string]int32), objects: make(map[objectName]int32)}
}

// Thread returns the number of a goroutine.
func (n *Names) Thread(t *trace.Trace, g trace.GID) int32 {
	name := t.Name(g)
	id, ok := n.threads[name]
	if !ok {
		n.list = append(n.list, name)
		id = int32(len(n.list))
		n.threads[name] = id
	}
	return id
}

// ThreadHash returns a hash of the goroutine with that number. Numbers hold within one Names,
// hashes hold in other processes too.
func (n *Names) ThreadHash(id int32) uint64 { return hash(n.list[id-1]) }

// ObjectHash returns a hash of the object with that number, 0 for no object. See ThreadHash.
func (n *Names) ObjectHash(id int32) uint64 {
	if id == 0 {
		return 0
	}
	return n.hashes[id-1]
}

func (o *objectName) hash() uint64 {
	return hash(fmt.Sprint(o.by, "\x00", o.n, o.offset, uint64(o.site)))
}

func hash(s string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, s)
	return h.Sum64()
}

// ThreadName returns the name of a goroutine by its number.
func (n *Names) ThreadName(id int32) string { return n.list[id-1] }

// Objects returns the numbers of the objects of a trace, by ObjID; 0 is none.
func (n *Names) Objects(t *trace.Trace) []int32 {
	ids := make([]int32, max(len(t.Objects), 1))
	nth := make(map[trace.Site]int32)
	for o := 1; o < len(t.Objects); o++ {
		x := &t.Objects[o]
		name := objectName{n: x.N, offset: x.Offset}
		if x.G == trace.NoG || x.N == 0 {
			site := x.Site.Plain()
			nth[site]++
			name = objectName{n: nth[site], site: site}
		} else {
			name.by = t.Name(x.G)
		}
		id, ok := n.objects[name]
		if !ok {
			id = int32(len(n.objects)) + 1
			n.objects[name] = id
			n.hashes = append(n.hashes, name.hash())
		}
		ids[o] = id
	}
	return ids
}

// An Access is an event that reads a variable, writes it, or both (an atomic Add, Swap,
// CompareAndSwap). An event on several variables is several Accesses.
type Access struct {
	Event       int // index in the trace
	G           trace.GID
	Thread      int32 // its number in Names
	Var         int   // index in Accesses.Vars
	Site        Place
	Read, Write bool
}

// step returns the access as a step of a pattern, as a read or as a write.
func (a *Access) step(v *Var, write bool) Step {
	return Step{Thread: a.Thread, Var: v.ID, Write: write, Site: a.Site}
}

// A Var is memory that is read and written as a whole, or an atomic variable, that at least two
// goroutines use in the trace and at least one writes.
type Var struct {
	ID  int32   // its number in Names
	All []int32 // indices in Accesses.All, in the order of the trace
	ByG [][]int32
	Gs  []trace.GID // the goroutines that use it, in the order of ByG
}

// Accesses are the accesses of a trace to shared variables.
type Accesses struct {
	Trace   *trace.Trace
	Objects []int32  // their numbers in Names, by ObjID
	All     []Access // in the order of the trace
	Vars    []Var
}

// Sites returns the places of all accesses, ascending.
func (as *Accesses) Sites() []trace.Site {
	var sites []trace.Site
	for i := range as.All {
		sites = append(sites, trace.Site(as.All[i].Site))
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}

// Step returns access i as a step of a pattern.
func (as *Accesses) Step(i int32, write bool) Step {
	a := &as.All[i]
	return a.step(&as.Vars[a.Var], write)
}

// Read returns the accesses of t.
func (n *Names) Read(t *trace.Trace) *Accesses {
	v := touch.In(t, func(k trace.ObjKind) bool { return k == trace.ObjMemory || k == trace.ObjAtomic })
	uses := make([]usage, len(v.Objs))
	each := func(f func(i int, p int32)) {
		for i := range t.Events {
			if e := &t.Events[i]; isAccess(t, e) {
				for p := range v.By(e.Obj, e.Arg) {
					f(i, p)
				}
			}
		}
	}
	each(func(i int, p int32) { uses[p].add(&t.Events[i]) })
	as := &Accesses{Trace: t, Objects: n.Objects(t)}
	index := make([]int32, len(v.Objs)) // index + 1 of a variable
	threads := make([]int32, len(t.Goroutines))
	each(func(i int, p int32) {
		if !uses[p].shared {
			return
		}
		if index[p] == 0 {
			as.Vars = append(as.Vars, Var{ID: as.Objects[v.Objs[p]]})
			index[p] = int32(len(as.Vars))
		}
		e := &t.Events[i]
		if threads[e.G] == 0 {
			threads[e.G] = n.Thread(t, e.G)
		}
		r, w := effect(e.Op)
		as.All = append(as.All, Access{Event: i, G: e.G, Thread: threads[e.G], Var: int(index[p] - 1),
			Site: Place(e.Site.Plain()), Read: r, Write: w})
		as.Vars[index[p]-1].add(e.G, int32(len(as.All)-1))
	})
	return as
}

func (v *Var) add(g trace.GID, a int32) {
	v.All = append(v.All, a)
	i := slices.Index(v.Gs, g)
	if i < 0 {
		i = len(v.Gs)
		v.Gs, v.ByG = append(v.Gs, g), append(v.ByG, nil)
	}
	v.ByG[i] = append(v.ByG[i], a)
}

// isAccess reports whether e is a step that accesses memory or an atomic.
func isAccess(t *trace.Trace, e *trace.Event) bool {
	if e.Quiet || e.Step < 0 || e.Obj <= 0 || int(e.Obj) >= len(t.Objects) {
		return false
	}
	r, w := effect(e.Op)
	return r || w
}

// effect reports whether an operation reads or writes its variable.
func effect(op trace.Op) (reads, writes bool) {
	switch op {
	case trace.OpRead, trace.OpAtomicLoad:
		return true, false
	case trace.OpWrite, trace.OpAtomicStore:
		return false, true
	case trace.OpAtomicRMW:
		return true, true
	}
	return false, false
}

// A usage says which goroutines use an object.
type usage struct {
	g           trace.GID // the first goroutine + 1
	two, writes bool
	shared      bool
}

func (u *usage) add(e *trace.Event) {
	_, w := effect(e.Op)
	u.two = u.two || u.g != 0 && u.g != e.G+1
	u.g, u.writes = e.G+1, u.writes || w
	u.shared = u.two && u.writes
}
