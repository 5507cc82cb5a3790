package observe

import (
	"encoding/binary"
	"fmt"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// A program is what the executions so far have shown of the program under test: for each goroutine
// a tree of local states, and the objects and memory that the goroutines share.
type program struct {
	tab   *transition.Table
	nodes []node // index 0 is no node
	root  int32  // main before its first step
	kids  map[kid]int32

	items  []item // objects and allocations
	itemOf map[itemKey]int32
	cells  []cell
	cellOf map[cellKey]int32
	// versions, which are negative: of memory that was written in part, of messages, and of numbers
	mixes   map[mixed]int32
	numbers map[uint64]int32

	tails map[string]int32
	left  map[leaver]int32 // see leaves; of what is known

	readers, writers map[transition.Proc]bool // of memory without a name

	// grown: a local state that was there before can now do more than was known. What a search
	// left out because of that may matter.
	grown bool
}

// A node is a local state of a goroutine: what it was started with, and all that it has observed
// since.
type node struct {
	proc   transition.Proc
	parent int32 // the node before, or the one of the goroutine that started this one
	op     pending
	known  bool // op is
	edges  []edge
	window window // what the goroutine accessed since the operation that led here
	next   reach  // what its next step may access
	// of the first node of a goroutine: what the goroutine that started it had accessed before in
	// that step; see lesson.inherit
	before reach
	future reach // what it, and goroutines that it starts, may access from here on
	tail   int32 // equal in nodes from which a goroutine does the same whatever it observes; 0: none
}

// A kid is a goroutine that started in a local state of another one.
type kid struct {
	node int32
	n    int32
}

// A pending is the operation that a goroutine has announced.
type pending struct {
	class class
	op    trace.Op
	obj   transition.Object // of a lock, a cell and so on
	arg   int32             // of an Add
	poll  bool              // a select with default
	cases []offer           // of a communication
	site  trace.Site
	item  int32 // of obj
}

// An offer is a case of a communication.
type offer struct {
	obj  transition.Object
	item int32
	at   int16 // index + 1 in the select; 0 outside one
	send bool
}

// A class says how the state decides what a pending operation does.
type class uint8

const (
	ended   class = iota // the goroutine has ended
	free                 // always enabled; what it observes are the cells that it reads
	ruled                // a rule of package model says whether it is enabled, and its outcome
	comm                 // a send, a receive or a select
	stuck                // never enabled
	crashed              // the goroutine has ended, and will end the program
)

// An edge is a step of a goroutine from a local state with what it observed.
type edge struct {
	at      int16 // the case of a select; 0: none, -1: the default
	outcome int32
	message int32 // version of the value that was received; 0: none
	reads   []reading
	writes  []writing
	starts  []transition.Proc
	to      int32
}

// A reading is a cell that a step read, and the version that it had.
type reading struct{ cell, version int32 }

// A writing is a cell that a step wrote. part: not all of the cell, so that its version depends on
// the one before.
type writing struct {
	cell  int32
	value int32 // the version, if it goes by the value that is written; 0: by the step
	part  bool
}

// A cell is a word of memory, or the state of an object that no rule describes.
type cell struct{ item int32 }

// A cellKey names a cell: the word at an offset of an allocation.
type cellKey struct {
	item int32
	word uint32
}

type mixed struct{ before, node int32 }

// An item is an object, or an allocation.
type item struct {
	obj  transition.Object // -1 for memory
	kind trace.ObjKind
	key  itemKey
	cell bool // it consists of cells
	// offsets of the atomics in an allocation: each is a cell of its own
	atomics []uint32
}

// An itemKey names an item: an object by its number, memory by its allocation.
type itemKey struct {
	obj   transition.Object // -1 for memory
	by    transition.Proc
	made  trace.Site
	n     int32
	block uint64 // of memory older than the execution, by its address
	part  uint32 // of an allocation: see program.part
}

// A reach is a set of items that are read, one of items that are written, and one of items that are
// changed by operations that commute with each other, such as the Adds of a WaitGroup.
type reach struct{ reads, writes, adds bits }

func (r *reach) join(q *reach) (grown bool) {
	a := r.reads.join(q.reads)
	b := r.writes.join(q.writes)
	return r.adds.join(q.adds) || a || b
}

// meets reports whether a step and a future access an item in ways that conflict. It does not count
// that r adds to item but, unless that is -1, and q reads it.
func (r *reach) meets(q *reach, but int32) bool {
	return r.writes.meets(q.writes, -1) || r.writes.meets(q.reads, -1) || r.reads.meets(q.writes, -1) ||
		r.adds.meets(q.writes, -1) || r.writes.meets(q.adds, -1) || r.reads.meets(q.adds, -1) ||
		r.adds.meets(q.reads, but)
}

// has reports whether an item is accessed.
func (r *reach) has(i int32) bool { return r.reads.has(i) || r.writes.has(i) || r.adds.has(i) }

func (r *reach) add(i int32, write bool) {
	if write {
		r.writes.add(i)
	} else {
		r.reads.add(i)
	}
}

// bits is a set of small numbers.
type bits []uint64

func (b *bits) add(i int32) {
	for len(*b) <= int(i>>6) {
		*b = append(*b, 0)
	}
	(*b)[i>>6] |= 1 << (i & 63)
}

func (b bits) has(i int32) bool { return int(i>>6) < len(b) && b[i>>6]>>(i&63)&1 != 0 }

func (b *bits) join(c bits) (grown bool) {
	for i, w := range c {
		for len(*b) <= i {
			*b = append(*b, 0)
		}
		if w&^(*b)[i] != 0 {
			(*b)[i] |= w
			grown = true
		}
	}
	return grown
}

// meets reports whether b and c have a number in common beside but.
func (b bits) meets(c bits, but int32) bool {
	for i := range min(len(b), len(c)) {
		both := b[i] & c[i]
		if both != 0 && int(but>>6) == i {
			both &^= 1 << (but & 63)
		}
		if both != 0 {
			return true
		}
	}
	return false
}

// A window is the memory that a goroutine accessed within a step, for races.
type window []touch

// A touch is an access to memory within a step.
type touch struct {
	cell   int32
	write  bool
	site   trace.Site
	starts int16 // how many goroutines the step had started before
}

func newProgram(tab *transition.Table) *program {
	p := &program{tab: tab, nodes: make([]node, 1), kids: map[kid]int32{}, itemOf: map[itemKey]int32{},
		cellOf: map[cellKey]int32{}, mixes: map[mixed]int32{}, numbers: map[uint64]int32{},
		tails: map[string]int32{}, left: map[leaver]int32{},
		readers: map[transition.Proc]bool{}, writers: map[transition.Proc]bool{}}
	p.root = p.newNode(transition.Main, 0)
	return p
}

func (p *program) newNode(proc transition.Proc, parent int32) int32 {
	p.nodes = append(p.nodes, node{proc: proc, parent: parent})
	return int32(len(p.nodes) - 1)
}

// started returns the first local state of the n-th goroutine that a step started which led to at.
func (p *program) started(at, n int32, proc transition.Proc) int32 {
	k := kid{at, n}
	x, ok := p.kids[k]
	if !ok {
		x = p.newNode(proc, at)
		p.kids[k] = x
	}
	return x
}

// object returns the item of an object.
func (p *program) object(obj transition.Object) int32 {
	k := itemKey{obj: obj}
	i, ok := p.itemOf[k]
	if !ok {
		i = int32(len(p.items))
		p.items = append(p.items, item{obj: obj, key: k, kind: p.tab.Kind(obj)})
		p.itemOf[k] = i
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
		p.items = append(p.items, item{obj: -1, key: k, cell: true, kind: trace.ObjMemory})
		p.itemOf[k] = i
	}
	return i
}

// atomic returns the cell of an atomic at an offset of an allocation.
func (p *program) atomic(i int32, at uint32) int32 {
	n := len(p.cells)
	c := p.word(i, 1<<30|at)
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
		p.cells = append(p.cells, cell{p.part(i, word)})
		p.cellOf[k] = c
	}
	return c
}

// nameless records an access to memory whose allocation is unknown. Two executions cannot
// agree on it, so it must be one goroutine's own, or never written. It reports whether that
// may be so.
func (p *program) nameless(proc transition.Proc, write bool) bool {
	if write {
		p.writers[proc] = true
	} else {
		p.readers[proc] = true
	}
	for w := range p.writers {
		for r := range p.readers {
			if r != w {
				return false
			}
		}
	}
	return len(p.writers) < 2
}

// leaves returns how much, at most, a goroutine takes off the counter of a WaitGroup from a node
// on, with the goroutines that it starts.
func (p *program) leaves(at, group int32) (most int32) {
	n := &p.nodes[at]
	if !n.future.adds.has(group) && !n.future.writes.has(group) {
		return 0
	}
	k := leaver{at, group}
	if most, ok := p.left[k]; ok {
		return most
	}
	for i := range n.edges {
		e := &n.edges[i]
		sum := p.leaves(e.to, group)
		for c := range e.starts {
			sum += p.leaves(p.kids[kid{e.to, int32(c + 1)}], group)
		}
		most = max(most, sum)
	}
	if n.op.op == trace.OpWGAdd && n.op.class == ruled && n.op.item == group {
		most += max(-n.op.arg, 0)
	}
	p.left[k] = most
	return most
}

// A leaver is a node and the item of a WaitGroup.
type leaver struct{ node, group int32 }

// tie finds the tails of the nodes from index from on. In a tail a goroutine observes nothing and
// leaves nothing that others can observe, but that it was there: locks, a WaitGroup, its end.
func (p *program) tie(from int32) {
	for i := int32(len(p.nodes)) - 1; i >= from; i-- {
		n := &p.nodes[i]
		next := int32(0)
		switch {
		case !n.known || n.tail != 0:
			continue
		case n.op.class == ended || n.op.class == stuck:
		case len(n.edges) != 1 || !n.op.certain():
			continue
		default:
			e := &n.edges[0]
			if next = p.nodes[e.to].tail; next == 0 || len(e.reads)+len(e.writes)+len(e.starts) > 0 {
				continue
			}
		}
		b := binary.AppendUvarint(nil, uint64(n.proc))
		b = binary.AppendUvarint(b, uint64(next))
		b = append(b, byte(n.op.class), byte(n.op.op))
		b = binary.AppendVarint(b, int64(n.op.obj))
		b = binary.AppendVarint(b, int64(n.op.arg))
		b = binary.AppendUvarint(b, uint64(n.op.site))
		for _, t := range n.window {
			b = fmt.Append(b, t)
		}
		k, ok := p.tails[string(b)]
		if !ok {
			k = int32(len(p.tails)) + 1
			p.tails[string(b)] = k
		}
		n.tail = k
	}
}

// certain reports whether an operation has one outcome, if it is enabled.
func (op *pending) certain() bool {
	switch op.op {
	case trace.OpStart, trace.OpResume, trace.OpGosched, trace.OpLock, trace.OpRLock, trace.OpWGWait:
		return op.class == free || op.class == ruled
	case trace.OpUnlock, trace.OpRUnlock, trace.OpWGAdd: // another outcome ends the goroutine
		return op.class == ruled
	}
	return false
}

// part returns the item that a cell of item i belongs to: each atomic is one, and each of the first
// words of an allocation; later ones are together by 64.
func (p *program) part(i int32, word uint32) int32 {
	k := p.items[i].key
	switch {
	case k.obj >= 0:
		return i
	case word >= 1<<30 || word < 64:
		k.part = word + 1
	default:
		k.part = word/64 + 64
	}
	return p.allocation(k)
}

// mix returns the version of a cell with version before of which a step to node wrote a part.
func (p *program) mix(before, at int32) int32 {
	k := mixed{before, at}
	v, ok := p.mixes[k]
	if !ok {
		v = p.version()
		p.mixes[k] = v
	}
	return v
}

// version returns a new version.
func (p *program) version() int32 { return -int32(len(p.mixes)+len(p.numbers)) - 1 }

// number returns the version of an atomic that holds a number.
func (p *program) number(value uint64) int32 {
	v, ok := p.numbers[value]
	if !ok {
		v = p.version()
		p.numbers[value] = v
	}
	return v
}

// sent returns the version of the value that a goroutine sends in a node by that case.
func (p *program) sent(at int32, by int16) int32 { return p.mix(at, -int32(by)-1) }

// grow adds to what may be accessed from a node on, and from those before it.
func (p *program) grow(at int32, r *reach, old int32) {
	for ; at != 0; at = p.nodes[at].parent {
		if !p.nodes[at].future.join(r) {
			return
		}
		p.grown = p.grown || at < old
	}
}
