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
	def      *model.Primitive
	static   bool // a package-level variable, or part of one
	empty    bool // a channel whose values have no size
	flat     bool // a channel whose values have no pointers
}

// An objectKey identifies an object. by is NoProc for objects older than the execution.
type objectKey struct {
	by     Proc
	made   trace.Site
	n      int32
	offset uint32
	addr   uintptr
	kind   trace.ObjKind
	size   uint32 // of memory
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
		*c = objRow{k, tab.intern(k)}
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
	if o.G != trace.NoG {
		k.by = tab.gids[o.G].proc
	} else {
		k.addr = o.Addr
	}
	return k
}

func (tab *Table) intern(k objectKey) Object {
	if obj, ok := tab.objOf[k]; ok {
		return obj
	}
	obj := Object(len(tab.objects))
	row := objectRow{objectKey: k, Object: model.Object{Kind: k.kind}, def: model.Of(k.kind)}
	if k.size > 0 {
		for i := range tab.objects {
			if o := &tab.objects[i]; o.meets(&k) {
				o.overlaps = append(o.overlaps, obj)
				row.overlaps = append(row.overlaps, Object(i))
			}
		}
	}
	if k.kind == trace.ObjWaitGroup || k.kind == trace.ObjRWMutex {
		tab.counters = append(tab.counters, obj)
	}
	tab.objects = append(tab.objects, row)
	tab.objOf[k] = obj
	return obj
}

// meets reports whether two pieces of memory overlap.
func (k *objectKey) meets(l *objectKey) bool {
	if k.size == 0 || l.size == 0 || k.by != l.by || k.made != l.made || k.n != l.n {
		return false
	}
	a, b := uint64(k.offset), uint64(l.offset)
	if k.by == NoProc {
		a, b = uint64(k.addr), uint64(l.addr)
	}
	return a < b+uint64(l.size) && b < a+uint64(k.size)
}

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
