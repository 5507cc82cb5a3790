package observe

import (
	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// Objects and allocations, and the cells that they consist of.

// An item is an object, or an allocation.
type item struct {
	obj  transition.Object // -1 for memory
	kind trace.ObjKind
	key  itemKey
	cell bool // it consists of cells
	// offsets of the atomics in an allocation: each is a cell of its own
	atomics []uint32
	fine    *bits  // of memory: words that have a cell for each byte
	updated manner // of memory: how it is updated
	entries bool   // of a map whose entries are told apart by their keys

	// Of an allocation of one goroutine alone nothing is kept. passed: something was not.
	owner          transition.Proc
	shared, passed bool

	// of what is in windows: the goroutine that accesses it within steps, and that writes it.
	// leftOut: the key of a local state is without such an access
	accessed, written transition.Proc
	leftOut           bool
}

// An itemKey names an item: an object by its number, memory by its allocation.
type itemKey struct {
	obj   transition.Object // -1 for memory
	by    transition.Proc
	made  trace.Site
	n     int32
	block uint64 // of memory older than the execution, by its address
	entry uint64 // of an entry of a map: a hash of its key
	part  uint32 // of an allocation: see program.part
}

// A cell is a word of memory, a byte of one that is accessed in parts, or the state of an object
// that no rule describes.
type cell struct {
	item int32
	// begins is the version of the number that an atomic has before the first operation; 0: unknown
	begins int32
	// of an entry of a map: the cell that stands for all entries, as cell + 1, and the map's own;
	// else 0
	entries, of int32
}

// varies is the begins of an atomic for which several versions were seen.
const varies = -1 << 31

// A cellKey names a cell: the word at an offset of an allocation, or one of these with an offset.
type cellKey struct {
	item int32
	word uint32
}

const (
	byteCell   = 1 << 29
	atomicCell = 1 << 30
	objectCell = 1 << 31
)

// object returns the item of an object.
func (p *program) object(obj transition.Object) int32 {
	k := itemKey{obj: obj}
	i, ok := p.itemOf[k]
	if !ok {
		i = int32(len(p.items))
		p.items = append(p.items, item{obj: obj, key: k, kind: p.tab.Kind(obj)})
		p.itemOf[k] = i
		p.apart(p.tab.Maker(obj))
	}
	return i
}

// model returns the definition of an object.
func (p *program) model(i int32) (*model.Primitive, *model.Object) {
	return p.tab.Model(p.items[i].obj)
}

// allocation returns the item of an allocation.
func (p *program) allocation(k itemKey) int32 {
	i, ok := p.itemOf[k]
	if !ok {
		i = int32(len(p.items))
		if p.fine[k] == nil {
			p.fine[k] = new(bits)
		}
		p.items = append(p.items, item{obj: -1, key: k, cell: true, kind: trace.ObjMemory, fine: p.fine[k],
			owner: transition.NoProc, shared: p.allShared || p.shared[k],
			accessed: transition.NoProc, written: transition.NoProc})
		p.itemOf[k] = i
		for _, at := range p.both[k] {
			p.atomic(i, at)
		}
	}
	return i
}

// atomic returns the cell of an atomic at an offset of an allocation.
func (p *program) atomic(i int32, at uint32) int32 {
	n := len(p.cells)
	c := p.word(i, atomicCell|at)
	if int(c) == n {
		p.items[i].atomics = append(p.items[i].atomics, at)
	}
	return c
}

// word returns a cell of an item.
func (p *program) word(i int32, word uint32) int32 {
	k := cellKey{i, word}
	c, ok := p.cellOf[k]
	if !ok {
		c = int32(len(p.cells))
		p.cells = append(p.cells, cell{item: p.part(i, word)})
		p.cellOf[k] = c
	}
	return c
}

// part returns the item that a cell of item i belongs to: each atomic is one, and each of the first
// words of an allocation, or their bytes; later ones are together by 64.
func (p *program) part(i int32, word uint32) int32 {
	k := p.items[i].key
	switch {
	case k.obj >= 0:
		return i
	case word >= atomicCell || word < apart || word >= byteCell && word < byteCell+apart*8:
		k.part = word + 1
	case word >= byteCell:
		k.part = (word-byteCell)/(64*8) + apart
	default:
		k.part = word/64 + apart
	}
	return p.allocation(k)
}

// apart is how many words of an allocation are items of their own.
const apart = 1024

// nameless records an access to memory whose allocation is unknown. Two executions cannot agree on
// it, so it must be one goroutine's own, or never written. It reports whether that may be so.
//
// Inside the standard library it is asked of each word in each execution. Beside that, what is
// older than the execution, such as the values of flags, stays where it is: what a goroutine reads
// there, though the execution has not written it, no other goroutine may write in any execution.
// Where other processes make executions too, whose addresses are others, only the first rule holds.
func (p *program) nameless(proc transition.Proc, a *trace.Plain) bool {
	for w := a.Mem.Addr >> 3; w <= (a.Mem.Addr+uintptr(max(a.Size, 1))-1)>>3; w++ {
		u := p.wordAt(w, !a.Write)
		if u == nil {
			return false
		}
		u.plain = true
		if !u.now.use(proc, a.Write) {
			return false
		}
		if a.Write {
			u.writers.use(proc, false)
		} else if u.older {
			u.readers.use(proc, false)
		}
		if r, w := &u.readers, &u.writers; r.some && w.some && (r.one != w.one || r.others || w.others) {
			return false
		}
	}
	loud, all := true, p.used.use(proc, a.Write)
	if !a.Site.Quiet() {
		loud = p.loud.use(proc, a.Write)
	}
	return loud && (all || !p.elsewhere)
}

// namelessAtomic records an operation on an atomic whose allocation is unknown. It reports whether
// no other goroutine accesses its memory plainly in this execution.
func (p *program) namelessAtomic(proc transition.Proc, at uintptr, size int64) bool {
	for w := at >> 3; w <= (at+uintptr(max(size, 1))-1)>>3; w++ {
		u := p.wordAt(w, false)
		if u == nil || !u.now.use(proc, true) && u.plain {
			return false
		}
	}
	return true
}

// wordAt returns a word of memory without a name, nil if there are too many. older: what comes
// first in this execution reads it.
func (p *program) wordAt(w uintptr, older bool) *unnamed {
	u := p.unnamed[w]
	if u == nil {
		if len(p.unnamed) == mostUnnamed {
			return nil
		}
		u = &unnamed{}
		p.unnamed[w] = u
	}
	if u.turn != p.turn {
		u.turn, u.now, u.older, u.plain = p.turn, users{}, older, false
	}
	return u
}

// mostUnnamed bounds the words of memory without a name that are kept.
const mostUnnamed = 1 << 18

// An unnamed is a word of memory without a name.
type unnamed struct {
	turn             int32 // the execution that now and older are of
	now              users
	older            bool // the first access reads it
	plain            bool // it was accessed plainly in that execution
	readers, writers users
}

// users are the goroutines that access some memory.
type users struct {
	some, written bool
	one           transition.Proc // the first of them
	others        bool            // there are others
}

// use adds an access. It reports whether one goroutine alone accesses the memory, or none writes
// it.
func (u *users) use(proc transition.Proc, write bool) bool {
	if !u.some {
		u.some, u.one = true, proc
	}
	u.written = u.written || write
	u.others = u.others || proc != u.one
	return !u.written || !u.others
}
