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
	threads numbers[string]
	objects numbers[objectName]
	hashes  []uint64 // of objects, by number - 1
	steps   numbers[Step]
	kinds   map[int32]trace.ObjKind // of objects that are variables
}

// numbers gives things numbers from 1, in the order in which it meets them.
type numbers[T comparable] struct {
	ids  map[T]int32
	list []T // by number - 1
}

func (n *numbers[T]) of(x T) int32 {
	id, ok := n.ids[x]
	if !ok {
		if n.ids == nil {
			n.ids = make(map[T]int32)
		}
		n.list = append(n.list, x)
		id = int32(len(n.list))
		n.ids[x] = id
	}
	return id
}

// with returns what has a number.
func (n *numbers[T]) with(id int32) T { return n.list[id-1] }

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
	return &Names{kinds: make(map[int32]trace.ObjKind)}
}

// Kind returns the kind of a variable by its number.
func (n *Names) Kind(v int32) trace.ObjKind { return n.kinds[v] }

// Syncs reports whether a pattern has a variable that is no memory: a lock, a channel, a sync.Map.
func (n *Names) Syncs(k Key) bool {
	for i := 0; i < MaxSteps && k[i] > 0; i++ {
		if syncs(n.kinds[n.steps.with(k[i]).Var]) {
			return true
		}
	}
	return false
}

// syncs reports whether objects of a kind are variables that are no memory.
func syncs(k trace.ObjKind) bool {
	switch k {
	case trace.ObjMutex, trace.ObjRWMutex, trace.ObjChan, trace.ObjMap:
		return true
	}
	return false
}

// A Key is a pattern by the numbers of its steps in Names, 0 for no step. It is much smaller than
// the pattern.
type Key [MaxSteps]int32

// Key returns the key of a pattern.
func (n *Names) Key(p *Pattern) (k Key) {
	for i := range p.Len() {
		k[i] = n.steps.of(p.Steps[i])
	}
	return k
}

// Pattern returns the pattern of a key.
func (n *Names) Pattern(k Key) Pattern {
	var steps [MaxSteps]Step
	i := 0
	for ; i < MaxSteps && k[i] > 0; i++ {
		steps[i] = n.steps.with(k[i])
	}
	return MakePattern(steps[:i]...)
}

// Thread returns the number of a goroutine.
func (n *Names) Thread(t *trace.Trace, g trace.GID) int32 { return n.threads.of(t.Name(g)) }

// ThreadHash returns a hash of the goroutine with that number. Numbers hold within one Names,
// hashes hold in other processes too.
func (n *Names) ThreadHash(id int32) uint64 { return hash(n.threads.with(id)) }

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
func (n *Names) ThreadName(id int32) string { return n.threads.with(id) }

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
		if ids[o] = n.objects.of(name); int(ids[o]) > len(n.hashes) {
			n.hashes = append(n.hashes, name.hash())
		}
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

// A Var is memory that is read and written as a whole, an atomic variable, a lock, a channel or a
// sync.Map, that at least two goroutines use in the trace and at least one writes. Taking a lock,
// sending and receiving are writes: what counts is their order.
type Var struct {
	ID   int32   // its number in Names
	Sync bool    // it is no memory
	All  []int32 // indices in Accesses.All, in the order of the trace
	ByG  [][]int32
	Gs   []trace.GID // the goroutines that use it, in the order of ByG
}

// Accesses are the accesses of a trace to shared variables.
type Accesses struct {
	Trace   *trace.Trace
	Objects []int32  // their numbers in Names, by ObjID
	All     []Access // in the order of the trace
	Vars    []Var
	names   *Names
	steps   [][2]int32 // by access: the numbers of its steps as a read and as a write
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
	memory := int32(len(v.Objs)) // numbers from there on are objects that are no memory
	uses := make([]usage, len(v.Objs)+len(t.Objects))
	each := func(f func(i int, p int32)) {
		for i := range t.Events {
			e := &t.Events[i]
			switch {
			case !isAccess(t, e):
			case syncs(t.Objects[e.Obj].Kind):
				f(i, memory+int32(e.Obj))
			default:
				for p := range v.By(e.Obj, e.Bytes()) {
					f(i, p)
				}
			}
		}
	}
	each(func(i int, p int32) { uses[p].add(&t.Events[i]) })
	as := &Accesses{Trace: t, Objects: n.Objects(t), names: n}
	index := make([]int32, len(uses)) // index + 1 of a variable
	threads := make([]int32, len(t.Goroutines))
	each(func(i int, p int32) {
		if !uses[p].shared {
			return
		}
		if index[p] == 0 {
			o := trace.ObjID(p - memory)
			if p < memory {
				o = v.Objs[p]
			}
			id, kind := as.Objects[o], t.Objects[o].Kind
			n.kinds[id] = kind
			as.Vars = append(as.Vars, Var{ID: id, Sync: syncs(kind)})
			index[p] = int32(len(as.Vars))
		}
		e := &t.Events[i]
		if threads[e.G] == 0 {
			threads[e.G] = n.Thread(t, e.G)
		}
		r, w := effect(e.Op)
		as.All = append(as.All, Access{Event: i, G: e.G, Thread: threads[e.G], Var: int(index[p] - 1),
			Site: placeOf(e.Site), Read: r, Write: w})
		as.Vars[index[p]-1].add(e.G, int32(len(as.All)-1))
	})
	as.steps = make([][2]int32, len(as.All))
	for i := range as.All {
		a := &as.All[i]
		if a.Read {
			as.steps[i][0] = n.steps.of(as.Step(int32(i), false))
		}
		if a.Write {
			as.steps[i][1] = n.steps.of(as.Step(int32(i), true))
		}
	}
	return as
}

// Key returns the key of the pattern of which these accesses are an instance, with the row of
// Table 1; the row is 0 if that has none. write says which accesses count as writes.
func (as *Accesses) Key(accesses []int32, write []bool) (k Key, row uint8) {
	var s shape
	first := &as.All[accesses[0]]
	for i, x := range accesses {
		a := &as.All[x]
		s = s.step(i, a.Thread != first.Thread, write[i], a.Var != first.Var)
		if write[i] {
			k[i] = as.steps[x][1]
		} else {
			k[i] = as.steps[x][0]
		}
	}
	return k, rowOf(s)
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

// isAccess reports whether e is a step that accesses a variable.
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
	case trace.OpRead, trace.OpAtomicLoad, trace.OpMapLoad, trace.OpMapRange, trace.OpRLock,
		trace.OpLen:
		return true, false
	case trace.OpWrite, trace.OpAtomicStore, trace.OpMapStore, trace.OpLock, trace.OpSend, trace.OpRecv:
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
