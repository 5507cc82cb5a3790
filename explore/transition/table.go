package transition

import (
	"strconv"

	"heddle/model"
	"heddle/trace"
)

// A Proc is a goroutine by its path in the tree of go statements. It is the same in every
// execution, in whatever order goroutines were started.
type Proc int32

const (
	NoProc Proc = iota - 1
	Main
	Timers // the pseudo goroutine that starts functions of time.AfterFunc
)

// An Object is an object by its creation: the goroutine that made it, the place, the number of the
// allocation there, and the offset within. An object that is older than the execution goes by its
// address. Memory goes by its size too.
//
// The place is part of the name because what a goroutine allocates may depend on the schedule: of
// the goroutines that ask a context for its Done only the first makes the channel. Allocations at
// other places keep their names all the same.
type Object int32

// A Table names goroutines and objects. It grows with the program under test, not with the number
// of executions.
type Table struct {
	procs   []procRow
	procOf  map[procRow]Proc
	objects []objectRow
	objOf   map[objectKey]Object
	Changed bool // see order

	places  Places // see Between
	unnamed bool

	twins twins

	counters []Object // WaitGroups and RWMutexes: see checkCounters

	alarms *alarms // see TellTimers

	// The names of the last execution's rows: executions differ little.
	gids []gidRow
	objs []objRow
}

type procRow struct {
	parent Proc
	n      int32
}

type objectRow struct {
	objectKey
	model.Object
	overlaps []Object
	// of memory: how many bytes the widest access has; more than size only of an atomic
	extent uint32
	// of an atomic: it is accessed as a part of other atomics, or they are, or it with several
	// widths; it is written plainly
	torn, plainly bool
	def           *model.Primitive
	static        bool // a package-level variable, or part of one
	empty         bool // a channel whose values have no size
	flat          bool // a channel whose values have no pointers
}

// An objectKey identifies an object. by is NoProc for objects older than the execution.
type objectKey struct {
	by     Proc
	made   trace.Site
	n      int32
	offset uint32
	addr   uintptr
	kind   trace.ObjKind
	size   uint32 // of memory; of an atomic 1, whatever the widths of its operations are
}

type gidRow struct {
	row  procRow
	proc Proc
}

type objRow struct {
	key objectKey
	obj Object
}

// NewTable returns a table that knows main and the timers.
func NewTable() *Table {
	t := &Table{procOf: make(map[procRow]Proc), objOf: make(map[objectKey]Object)}
	t.proc(procRow{NoProc, 0})
	t.proc(procRow{NoProc, 1})
	return t
}

func (tab *Table) proc(r procRow) Proc {
	p, ok := tab.procOf[r]
	if !ok {
		p = Proc(len(tab.procs))
		tab.procs = append(tab.procs, r)
		tab.procOf[r] = p
	}
	return p
}

// Procs returns the number of goroutines with a name.
func (tab *Table) Procs() int { return len(tab.procs) }

// Name returns a goroutine's name as trace.Trace.Name does: "main/2/1".
func (tab *Table) Name(p Proc) string {
	switch p {
	case NoProc:
		return "none"
	case Main:
		return "main"
	case Timers:
		return "timers"
	}
	r := tab.procs[p]
	return tab.Name(r.parent) + "/" + strconv.Itoa(int(r.n))
}

// ReadGoroutines names the goroutines of an execution, for procOfGID.
func (tab *Table) ReadGoroutines(t *trace.Trace) {
	tab.alarms.read(t)
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		r := procRow{NoProc, g.N}
		if g.Parent != trace.NoG {
			r.parent = tab.gids[g.Parent].proc
		}
		if r.parent == Timers {
			r = tab.startedBy(t, trace.GID(i), r)
		}
		if i == len(tab.gids) {
			tab.gids = append(tab.gids, gidRow{r, tab.proc(r)})
		} else if tab.gids[i].row != r {
			tab.gids[i] = gidRow{r, tab.proc(r)}
		}
	}
	tab.nameTimers(t)
}

// Proc returns the name of a goroutine of the execution that ReadGoroutines or Path.Read took last.
func (tab *Table) Proc(g trace.GID) Proc { return tab.procOfGID(g) }

func (tab *Table) procOfGID(g trace.GID) Proc {
	if g < 0 {
		return NoProc
	}
	return tab.gids[g].proc
}

// object returns the object with number id in t; size is that of the access, for memory.
func (tab *Table) object(t *trace.Trace, id trace.ObjID, size uint32) Object {
	o := &t.Objects[id]
	k := tab.keyOf(t, id, size)
	for len(tab.objs) <= int(id) {
		tab.objs = append(tab.objs, objRow{})
	}
	c := &tab.objs[id]
	if c.key != k || c.key == (objectKey{}) {
		*c = objRow{k, tab.internWide(k, size)}
	}
	if k.kind == trace.ObjAtomic && size > 1 && tab.objects[c.obj].extent != size {
		tab.widen(c.obj, size)
	}
	row := &tab.objects[c.obj]
	row.Cap, row.Init = max(row.Cap, o.Cap), o.Init // only communications record the capacity
	row.static = row.static || o.Static
	row.empty = row.empty || o.Kind == trace.ObjChan && o.Number
	row.flat = row.flat || o.Flat
	if k.kind == trace.ObjWaitGroup && o.Init != 0 {
		// another goroutine than the one that called Add may call Done: the counter could become
		// negative
		row.Ordered = true
	}
	return c.obj
}

// keyOf returns the key of an object of t.
func (tab *Table) keyOf(t *trace.Trace, id trace.ObjID, size uint32) objectKey {
	o := &t.Objects[id]
	k := objectKey{by: NoProc, made: o.Made, n: o.Nth, offset: o.Offset, kind: o.Kind, size: size}
	if o.Kind == trace.ObjAtomic {
		k.size = 1
	}
	if o.G != trace.NoG {
		k.by = tab.gids[o.G].proc
	} else {
		k.addr = o.Addr
	}
	return k
}

// intern returns the object with a key.
func (tab *Table) intern(k objectKey) Object { return tab.internWide(k, k.size) }

// internWide is intern for an object that has an access to so many bytes.
func (tab *Table) internWide(k objectKey, bytes uint32) Object {
	if obj, ok := tab.objOf[k]; ok {
		return obj
	}
	obj := Object(len(tab.objects))
	if k.kind == trace.ObjWaitGroup || k.kind == trace.ObjRWMutex {
		tab.counters = append(tab.counters, obj)
	}
	tab.objects = append(tab.objects,
		objectRow{objectKey: k, Object: model.Object{Kind: k.kind}, def: model.Of(k.kind),
			extent: max(k.size, bytes)})
	tab.objOf[k] = obj
	tab.meet(obj)
	return obj
}

// meet finds the objects that overlap obj, as far as it is not known of them. It reports whether
// there are any.
func (tab *Table) meet(obj Object) (any bool) {
	row := &tab.objects[obj]
	if row.extent == 0 {
		return false
	}
	for i := range tab.objects {
		if o := &tab.objects[i]; Object(i) != obj && o.meets(row) && !tab.overlap(obj, Object(i)) {
			o.overlaps, row.overlaps = append(o.overlaps, obj), append(row.overlaps, Object(i))
			if any = true; o.kind == trace.ObjAtomic && row.kind == trace.ObjAtomic {
				tab.mark(obj, &row.torn)
				tab.mark(Object(i), &o.torn)
			}
		}
	}
	return any
}

// meets reports whether two pieces of memory overlap.
func (r *objectRow) meets(l *objectRow) bool {
	if r.extent == 0 || l.extent == 0 || r.by != l.by || r.made != l.made || r.n != l.n {
		return false
	}
	a, b := uint64(r.offset), uint64(l.offset)
	if r.by == NoProc {
		a, b = uint64(r.addr), uint64(l.addr)
	}
	return a < b+uint64(l.extent) && b < a+uint64(r.extent)
}

// widen notes an operation on an atomic that has another width than those before.
func (tab *Table) widen(obj Object, width uint32) {
	row := &tab.objects[obj]
	if row.extent > 1 {
		tab.mark(obj, &row.torn)
	}
	if row.extent < width {
		row.extent = width
		// what else accessed that memory was not ordered with it
		tab.Changed = tab.meet(obj) || tab.Changed
	}
}

// mark sets a flag of an atomic, after which its value does not follow from the operations on it
// alone: a CompareAndSwap counts as one that writes. Results before that are void.
func (tab *Table) mark(obj Object, flag *bool) {
	if tab.objects[obj].kind == trace.ObjAtomic && !*flag {
		*flag, tab.Changed = true, true
	}
}

// Torn reports whether bytes of an atomic, the object with number id in t, are accessed as part of
// another atomic, or by operations of several widths.
func (tab *Table) Torn(t *trace.Trace, id trace.ObjID) bool {
	return tab.objects[tab.object(t, id, 1)].torn
}

// knows reports whether the value of an atomic follows from the operations on it.
func (tab *Table) knows(obj Object) bool { return !tab.objects[obj].torn && !tab.objects[obj].plainly }

func (tab *Table) overlap(a, b Object) bool {
	for _, c := range tab.objects[a].overlaps {
		if c == b {
			return true
		}
	}
	return false
}

// order makes more accesses to an object conflict from now on: the Adds of a WaitGroup whose
// counter may become negative, the readers of an RWMutex that may be unlocked too often, and the
// communications over a channel where arrival order matters (senior.go). Results with the old modes
// are void then. Changed says so until the user resets it.
func (tab *Table) order(obj Object) {
	if !tab.objects[obj].Ordered {
		tab.objects[obj].Ordered = true
		tab.Changed = true
	}
}

// ObjectName describes an object, for tests: "mutex main/1#2@80a+8".
func (tab *Table) ObjectName(obj Object) string {
	o := &tab.objects[obj]
	s := o.kind.String() + " "
	if o.by == NoProc {
		s += strconv.FormatUint(uint64(o.addr), 16)
	} else {
		s += tab.Name(o.by) + "#" + strconv.Itoa(int(o.n)) + "@" + strconv.FormatUint(uint64(o.made), 16) +
			"+" + strconv.Itoa(int(o.offset))
	}
	if o.size > 0 {
		s += ":" + strconv.Itoa(int(o.size))
	}
	return s
}
