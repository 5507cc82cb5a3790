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
	forks   numbers[fork]
	forked  []int32 // by number of a fork - 1: the number of the goroutine, 0 for none yet
	objects numbers[objectName]
	hashes  []uint64 // of objects, by number - 1
	steps   numbers[Step]
	recent  [256]namedStep          // steps and their numbers, at hashes of the steps
	kinds   map[int32]trace.ObjKind // of objects that are variables
	scratch reader
}

// A fork is a goroutine by the number of its parent's fork, 0 for none, and its number among those
// that the parent started.
type fork struct{ parent, n int32 }

type namedStep struct {
	step Step
	id   int32
}

// A reader has the memory that Read needs.
type reader struct {
	vars    touch.Variables
	uses    []usage
	touches []touching
	index   []int32 // by use: index + 1 of a variable
	threads []int32 // by GID, 0 for none yet
	nth     map[trace.Site]int32
}

// A touching is an event that accesses a variable, by its index among the uses.
type touching struct {
	event int
	use   int32
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
	by     int32 // the number of the goroutine's fork, 0 for none
	n      int32
	offset uint32
	site   trace.Site
}

// NewNames returns an empty set of names.
func NewNames() *Names {
	return &Names{kinds: make(map[int32]trace.ObjKind),
		scratch: reader{nth: make(map[trace.Site]int32)}}
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

// Sites returns the places of all steps, ascending.
func (n *Names) Sites() []trace.Site {
	sites := make([]trace.Site, len(n.steps.list))
	for i := range n.steps.list {
		sites[i] = trace.Site(n.steps.list[i].Site)
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}

// Key returns the key of a pattern.
func (n *Names) Key(p *Pattern) (k Key) {
	for i := range p.Len() {
		k[i] = n.step(&p.Steps[i])
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

// step returns the number of a step.
func (n *Names) step(s *Step) int32 {
	h := (uint64(s.Site) + uint64(s.Var)<<32 + uint64(s.Thread)<<48) * 0x9e3779b97f4a7c15
	if s.Write {
		h = ^h
	}
	r := &n.recent[h>>56]
	if r.id == 0 || r.step != *s {
		*r = namedStep{*s, n.steps.of(*s)}
	}
	return r.id
}

// Thread returns the number of a goroutine.
func (n *Names) Thread(t *trace.Trace, g trace.GID) int32 {
	f := n.fork(t, g)
	for int(f) > len(n.forked) {
		n.forked = append(n.forked, 0)
	}
	if n.forked[f-1] == 0 {
		n.forked[f-1] = n.threads.of(t.Name(g))
	}
	return n.forked[f-1]
}

// fork returns the number of a goroutine's fork. Those that have equal names have equal ones.
func (n *Names) fork(t *trace.Trace, g trace.GID) int32 {
	if g < 0 || int(g) >= len(t.Goroutines) {
		return n.forks.of(fork{n: -1})
	}
	r := &t.Goroutines[g]
	if r.Parent == trace.NoG {
		return n.forks.of(fork{n: min(r.N, 1)})
	}
	return n.forks.of(fork{n.fork(t, r.Parent), r.N})
}

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

// hash returns a hash of the object; by is the name of its goroutine.
func (o *objectName) hash(by string) uint64 {
	return hash(fmt.Sprint(by, "\x00", o.n, o.offset, uint64(o.site)))
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
	return n.objectsIn(t, nil)
}

// objectsIn is Objects in the memory of ids.
func (n *Names) objectsIn(t *trace.Trace, ids []int32) []int32 {
	ids = append(ids[:0], 0)
	nth := n.scratch.nth
	clear(nth)
	for o := 1; o < len(t.Objects); o++ {
		x := &t.Objects[o]
		name := objectName{n: x.N, offset: x.Offset}
		known := x.G != trace.NoG && x.N != 0
		if known {
			name.by = n.fork(t, x.G)
		} else {
			site := x.Site.Plain()
			nth[site]++
			name = objectName{n: nth[site], site: site}
		}
		ids = append(ids, n.objects.of(name))
		if int(ids[o]) > len(n.hashes) {
			by := ""
			if known {
				by = t.Name(x.G)
			}
			n.hashes = append(n.hashes, name.hash(by))
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

// A Var is memory that is read and written as a whole, an atomic variable, a lock, a channel or a
// sync.Map, that at least two goroutines use in the trace and at least one writes. Taking a lock,
// sending and receiving are writes: what counts is their order.
type Var struct {
	ID   int32 // its number in Names
	Obj  trace.ObjID
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
	legs    legs       // memory of each
}

// Step returns access i as a step of a pattern.
func (as *Accesses) Step(i int32, write bool) Step {
	a := &as.All[i]
	return Step{Thread: a.Thread, Var: as.Vars[a.Var].ID, Write: write, Site: a.Site}
}

// Read returns the accesses of t.
func (n *Names) Read(t *trace.Trace) *Accesses {
	as := new(Accesses)
	n.read(t, as)
	return as
}

// read sets as to the accesses of t, in the memory that as has.
func (n *Names) read(t *trace.Trace, as *Accesses) {
	r := &n.scratch
	r.vars.Read(t, func(k trace.ObjKind) bool { return k == trace.ObjMemory || k == trace.ObjAtomic })
	memory := int32(len(r.vars.Objs)) // numbers from there on are objects that are no memory
	r.uses = zeroes(r.uses, len(r.vars.Objs)+len(t.Objects))
	r.touches = r.touches[:0]
	add := func(i int, p int32) {
		r.uses[p].add(&t.Events[i])
		r.touches = append(r.touches, touching{i, p})
	}
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case !isAccess(t, e):
		case syncs(t.Objects[e.Obj].Kind):
			add(i, memory+int32(e.Obj))
		default:
			for p := range r.vars.By(e.Obj, e.Bytes()) {
				add(i, p)
			}
		}
	}
	as.Trace, as.Objects, as.names = t, n.objectsIn(t, as.Objects), n
	as.All, as.Vars, as.steps = as.All[:0], as.Vars[:0], as.steps[:0]
	r.index, r.threads = zeroes(r.index, len(r.uses)), zeroes(r.threads, len(t.Goroutines))
	for _, x := range r.touches {
		if !r.uses[x.use].shared {
			continue
		}
		if r.index[x.use] == 0 {
			o := trace.ObjID(x.use - memory)
			if x.use < memory {
				o = r.vars.Objs[x.use]
			}
			as.variable(o)
			r.index[x.use] = int32(len(as.Vars))
		}
		e := &t.Events[x.event]
		if r.threads[e.G] == 0 {
			r.threads[e.G] = n.Thread(t, e.G)
		}
		as.access(Access{Event: x.event, G: e.G, Thread: r.threads[e.G], Var: int(r.index[x.use] - 1),
			Site: placeOf(e.Site)}, e.Op)
	}
}

// variable adds object o as a variable.
func (as *Accesses) variable(o trace.ObjID) {
	id, kind := as.Objects[o], as.Trace.Objects[o].Kind
	as.names.kinds[id] = kind
	i := len(as.Vars)
	as.Vars = slices.Grow(as.Vars, 1)[:i+1]
	v := &as.Vars[i]
	*v = Var{ID: id, Obj: o, Sync: syncs(kind), All: v.All[:0], ByG: v.ByG[:0], Gs: v.Gs[:0]}
}

// access adds an access by op to a variable.
func (as *Accesses) access(a Access, op trace.Op) {
	a.Read, a.Write = effect(op)
	v := &as.Vars[a.Var]
	var steps [2]int32
	step := Step{Thread: a.Thread, Var: v.ID, Site: a.Site}
	if a.Read {
		steps[0] = as.names.step(&step)
	}
	if step.Write = true; a.Write {
		steps[1] = as.names.step(&step)
	}
	as.All, as.steps = append(as.All, a), append(as.steps, steps)
	v.add(a.G, int32(len(as.All)-1))
}

// zeroes returns n zeroes, in the memory of s if that has room.
func zeroes[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
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
		v.Gs, v.ByG = append(v.Gs, g), slices.Grow(v.ByG, 1)[:i+1]
		v.ByG[i] = v.ByG[i][:0]
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
