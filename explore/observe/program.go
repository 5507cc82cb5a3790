package observe

import (
	"encoding/binary"
	"fmt"
	mathbits "math/bits"
	"slices"

	"heddle/explore/transition"
	"heddle/model"
	"heddle/trace"
)

// A program is what the executions so far have shown of the program under test: for each goroutine
// a tree of local states, and the objects and memory that the goroutines share.
type program struct {
	spots [3][]fullWord // see upwards

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
	values  map[int32]uint64 // the numbers of versions
	sums    map[sum]int32
	sumOf   map[int32]sum
	several map[string]int32 // versions of variables whose cells have different versions
	digests map[digest]int32 // versions of all entries of a map
	spans   []span
	spanOf  map[spanKey]int32

	isOpen bits    // locks that have a section that is not closed
	guard  []int32 // by item: the lock that guards it, see guardOf

	tails map[string]int32
	late  map[int32][]int32 // by item: nodes whose losses are to be found, see settle
	fine  map[itemKey]*bits // words of allocations that have a cell for each byte
	// allocations that several goroutines access; all count as such if allShared
	shared    map[itemKey]bool
	allShared bool
	// offsets of the atomics, by allocation, that are accessed plainly too
	both map[itemKey][]uint32

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
	soon   reach // what of future it may access before it has passed one of awaits; see soon.go
	awaits bits  // the WaitGroups for which it, or a goroutine that it starts, may wait first
	tail   int32 // equal in nodes from which a goroutine does the same whatever it observes; 0: none
	worst  []loss

	holds   int32 // the lock, as item + 1, of the section that it is in
	shared  bool  // it holds that for reading
	arrives int32 // the RWMutex, as item + 1, whose Lock it has called
	bare    reach // what of future it accesses without the lock that guards it
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
	sums  bool  // it adds to a counter, as others do; see model.Primitive.Sums
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
	ended    class = iota // the goroutine has ended
	free                  // always enabled; what it observes are the cells that it reads
	ruled                 // a rule of package model says whether it is enabled, and its outcome
	comm                  // a send, a receive or a select
	arriving              // an arrival at channels without a buffer that are polled; see state.steps
	waiting               // of a Cond; see state.attends
	stuck                 // never enabled
	crashed               // the goroutine has ended, and will end the program
)

// A loss is how much, at most, a goroutine and those that it starts take off the counter of a
// WaitGroup at any time from a node on, or off the number of readers of a RWMutex.
type loss struct{ item, most int32 }

// An edge is a step of a goroutine from a local state with what it observed.
type edge struct {
	at      int16 // the case of a select; 0: none, -1: the default
	outcome int32
	message int32 // version of the value that was received; 0: none
	reads   []reading
	writes  []writing
	updates []updating
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

// An updating is an update that a step made, all those of a variable in one.
type updating struct {
	span int32
	trace.Update
}

// A span is the cells of an integer variable.
type span struct {
	cells []int32
	size  uint32 // in bytes
}

// A spanKey names a span: by its first cell, which no span of another length has.
type spanKey struct {
	cell int32
	size uint32
}

// A sum is the version of a variable after updates: what it had before them, and their operand.
type sum struct {
	before int32
	by     trace.Update
	size   uint32
}

// A manner is how an item is updated. Updates of one manner commute.
type manner struct {
	kind     trace.UpdateKind
	at, size uint8 // within a word
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

type mixed struct{ before, node int32 }

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

// A reach is a set of items that are read, one of items that are written, and one of items that are
// changed by operations that commute with each other, such as the Adds of a WaitGroup.
type reach struct{ reads, writes, adds bits }

func (r *reach) join(q *reach) (grown bool) {
	a := r.reads.join(q.reads)
	b := r.writes.join(q.writes)
	return r.adds.join(q.adds) || a || b
}

// An exception says which accesses of a step do not conflict in a state, or do. -1: none.
type exception struct {
	summed  int32 // reads of this item do not conflict with what the step adds to it
	firsts  int32 // the step's write of this item does not conflict with other writes
	ordered int32 // additions to this item conflict with what the step adds to it
}

var nothingElse = exception{-1, -1, -1}

// meets reports whether a step and a future access an item in ways that conflict.
func (r *reach) meets(q *reach) bool {
	return r.writes.meets(q.writes) || r.writes.meets(q.reads) || r.reads.meets(q.writes) ||
		r.adds.meets(q.writes) || r.writes.meets(q.adds) || r.reads.meets(q.adds) || r.adds.meets(q.reads)
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
	if len(*b) < len(c) {
		*b = append(*b, make(bits, len(c)-len(*b))...)
	}
	in := (*b)[:len(c)]
	for i, w := range c {
		if w != 0 && w&^in[i] != 0 {
			in[i] |= w
			grown = true
		}
	}
	return grown
}

// A fullWord is a word of bits that is not empty, by its index.
type fullWord struct {
	i int
	w uint64
}

// spots returns the words of b that are not empty, in the memory of to.
func (b bits) spots(to []fullWord) []fullWord {
	to = to[:0]
	for i, w := range b {
		if w != 0 {
			to = append(to, fullWord{i, w})
		}
	}
	return to
}

// joinFew is join with the words of a set that are not empty.
func (b *bits) joinFew(few []fullWord) (grown bool) {
	if n := len(few); n > 0 && few[n-1].i >= len(*b) {
		*b = append(*b, make(bits, few[n-1].i+1-len(*b))...)
	}
	for _, s := range few {
		if s.w&^(*b)[s.i] != 0 {
			(*b)[s.i] |= s.w
			grown = true
		}
	}
	return grown
}

// meets reports whether b and c have a number in common.
func (b bits) meets(c bits) bool {
	for i := range min(len(b), len(c)) {
		if b[i]&c[i] != 0 {
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
	update bool  // it is the read, or the write, of an update
	atomic bool  // it is that of an atomic operation
	bytes  uint8 // of the cell that it accesses, a bit each
	group  int32 // of an Add and a Wait: the WaitGroup, as item + 1; else 0
}

// allBytes are those of a cell that is accessed as a whole.
const allBytes = 0xff

// races reports whether two accesses, of two goroutines, are a data race if nothing is between
// them.
func (a *touch) races(b *touch) bool {
	return a.cell == b.cell && (a.write || b.write) && a.bytes&b.bytes != 0 && !(a.atomic && b.atomic)
}

func newProgram(tab *transition.Table, fine map[itemKey]*bits, shared map[itemKey]bool,
	both map[itemKey][]uint32) *program {
	p := &program{tab: tab, nodes: make([]node, 1), kids: map[kid]int32{}, itemOf: map[itemKey]int32{},
		cellOf: map[cellKey]int32{}, mixes: map[mixed]int32{}, numbers: map[uint64]int32{},
		values: map[int32]uint64{}, sums: map[sum]int32{}, sumOf: map[int32]sum{},
		several: map[string]int32{}, digests: map[digest]int32{}, spanOf: map[spanKey]int32{},
		tails: map[string]int32{}, late: map[int32][]int32{}, fine: fine, shared: shared, both: both,
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
		if p.fine[k] == nil {
			p.fine[k] = new(bits)
		}
		p.items = append(p.items, item{obj: -1, key: k, cell: true, kind: trace.ObjMemory, fine: p.fine[k],
			owner: transition.NoProc, shared: p.allShared || p.shared[k]})
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

// worst returns the loss of an item from a node on.
func (p *program) worst(at, item int32) int32 {
	for _, w := range p.nodes[at].worst {
		if w.item == item {
			return w.most
		}
	}
	return 0
}

// lose notes that the loss of an item from a node on may be greater than was known; see settle.
func (p *program) lose(at, item int32) { p.late[item] = append(p.late[item], at) }

// settle finds the losses from the nodes that were noted on, and from those before them. old: nodes
// from there on are new. A node comes after those that it depends on: their numbers are greater. So
// each is looked at once.
func (p *program) settle(old int32) {
	var dirty bits
	for item, nodes := range p.late {
		dirty = dirty[:0]
		for _, at := range nodes {
			dirty.add(at)
		}
		for k := len(dirty) - 1; k >= 0; k-- {
			for dirty[k] != 0 {
				bit := 63 - mathbits.LeadingZeros64(dirty[k])
				dirty[k] &^= 1 << bit
				if before := p.loss(int32(k<<6+bit), item, old); before != 0 {
					dirty.add(before)
				}
			}
		}
	}
	clear(p.late)
}

// loss finds the loss of an item from a node on. It returns the node that depends on it, 0 if it is
// what it was.
func (p *program) loss(at, item, old int32) (before int32) {
	n := &p.nodes[at]
	most := p.atMost(n, item)
	for i := range n.edges {
		e := &n.edges[i]
		after := p.worst(e.to, item)
		for k := range e.starts {
			after += p.worst(p.kids[kid{e.to, int32(k + 1)}], item)
		}
		most = max(most, after-p.adds(&n.op, item, e.at, e.outcome))
	}
	if most == p.worst(at, item) {
		return 0
	}
	p.grown = p.grown || at < old
	if i := slices.IndexFunc(n.worst, func(w loss) bool { return w.item == item }); i >= 0 {
		n.worst[i].most = most
	} else {
		n.worst = append(n.worst, loss{item, most})
	}
	before = n.parent
	if n.proc != p.nodes[before].proc { // at is its first node: the step that led to before started it
		before = p.nodes[before].parent
	}
	return before
}

// atMost returns how much the next step of a node takes off the counter of an item at most,
// whichever outcome executions have shown.
func (p *program) atMost(n *node, item int32) (most int32) {
	switch {
	case n.op.class == comm:
		for i := range n.op.cases {
			c := &n.op.cases[i]
			most = max(most, -p.passes(c, item, 1))
		}
	case n.op.sums:
		most = max(0, -p.adds(&n.op, item, 0, 0))
	}
	return most
}

// adds returns what an operation with that outcome, by the case at of a select, adds to the counter
// of an item.
func (p *program) adds(op *pending, item int32, at int16, outcome int32) int32 {
	if op.class == comm {
		for i := range op.cases {
			if c := &op.cases[i]; c.at == at {
				return p.passes(c, item, outcome)
			}
		}
		return 0
	}
	if op.class != ruled || op.item != item {
		return 0
	}
	if op.op == trace.OpWGAdd {
		outcome = op.arg
	}
	def, o := p.model(item)
	_, n, _ := def.Sum(o, op.op, outcome)
	return n
}

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
			if next = p.nodes[e.to].tail; next == 0 ||
				len(e.reads)+len(e.writes)+len(e.updates)+len(e.starts) > 0 {
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
func (p *program) version() int32 {
	return -int32(len(p.mixes)+len(p.numbers)+len(p.sums)+len(p.several)+len(p.digests)) - 1
}

// number returns the version of an atomic that holds a number.
func (p *program) number(value uint64) int32 {
	v, ok := p.numbers[value]
	if !ok {
		v = p.version()
		p.numbers[value] = v
		p.values[v] = value
	}
	return v
}

// span returns the number of the span of some cells.
func (p *program) span(cells []int32, size uint32) int32 {
	k := spanKey{cells[0], size}
	i, ok := p.spanOf[k]
	if !ok {
		i = int32(len(p.spans))
		p.spans = append(p.spans, span{slices.Clone(cells), size})
		p.spanOf[k] = i
	}
	return i
}

// summed returns the version of a variable with version before after an update. It does not depend
// on the order of updates of one kind.
func (p *program) summed(before int32, u trace.Update, size uint32) int32 {
	if v, ok := p.values[before]; ok {
		return p.number(u.Kind.Of(v, u.By, size))
	}
	if s, ok := p.sumOf[before]; ok && s.by.Kind == u.Kind && s.size == size {
		before, u.By = s.before, u.Kind.Of(s.by.By, u.By, size)
	}
	if u.By == 0 && u.Kind != trace.UpdateAnd {
		return before
	}
	k := sum{before, u, size}
	v, ok := p.sums[k]
	if !ok {
		v = p.version()
		p.sums[k] = v
		p.sumOf[v] = k
	}
	return v
}

// entriesOf returns the cell that stands for all entries of the map in allocation i that are known
// by their keys.
func (p *program) entriesOf(i int32) int32 {
	k := p.items[i].key
	k.entry = allEntries
	return p.word(p.allocation(k), 0)
}

// allEntries stands for the keys of all entries. Hashes are odd.
const allEntries = 2

// entry returns the cell of an entry of the map in allocation i, whose own cell is of.
func (p *program) entry(i, of int32, key uint64) int32 {
	k := p.items[i].key
	k.entry = key
	c := p.word(p.allocation(k), 0)
	all := p.entriesOf(i)
	p.cells[c].entries, p.cells[c].of = all+1, of
	p.items[p.cells[of].item].entries = true
	return c
}

// digested returns the version of the entries of a map, by the digest of their versions.
func (p *program) digested(d digest) int32 {
	if d == (digest{}) {
		return 0
	}
	v, ok := p.digests[d]
	if !ok {
		v = p.version()
		p.digests[d] = v
	}
	return v
}

// together returns the version of a variable whose cells have these versions.
func (p *program) together(versions []byte) int32 {
	v, ok := p.several[string(versions)]
	if !ok {
		v = p.version()
		p.several[string(versions)] = v
	}
	return v
}

// sent returns the version of the value that a goroutine sends to a channel in a node by that case.
func (p *program) sent(i, at int32, by int16) int32 {
	if p.tab.Empty(p.items[i].obj) {
		at, by = 0, -1
	}
	return p.mix(at, -int32(by)-1)
}

// grow adds to what may be accessed from a node on, and from those before it.
func (p *program) grow(at int32, r *reach, old int32) {
	p.upwards(at, r, old, func(n *node) *reach { return &n.future }, p.before)
	p.upwards(at, r, old, func(n *node) *reach { return &n.soon }, p.beforeWait)
}

// before returns the node before one; 0: there is none.
func (p *program) before(at int32) int32 { return p.nodes[at].parent }

// expose is grow for what is accessed without the lock that guards it.
func (p *program) expose(at int32, r *reach, old int32) {
	p.upwards(at, r, old, func(n *node) *reach { return &n.bare }, p.before)
}

// upwards joins r to a set of a node and of those before it. The way is long, and r has few numbers
// in many words: it looks at its words that are not empty.
func (p *program) upwards(at int32, r *reach, old int32, of func(*node) *reach,
	before func(int32) int32) {
	var few [3][]fullWord
	few[0], few[1], few[2] = r.reads.spots(p.spots[0]), r.writes.spots(p.spots[1]), r.adds.spots(p.spots[2])
	p.spots = few
	for ; at != 0; at = before(at) {
		q := of(&p.nodes[at])
		a, b, c := q.reads.joinFew(few[0]), q.writes.joinFew(few[1]), q.adds.joinFew(few[2])
		if !a && !b && !c {
			return
		}
		p.grown = p.grown || at < old
	}
}
