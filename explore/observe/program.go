package observe

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A program is what the executions so far have shown of the program under test: for each goroutine
// a tree of local states, and the objects and memory that the goroutines share.
type program struct {
	spots   [3][]fullWord // see upwards
	climbed int           // how many nodes it has gone through in that

	// memory of the edges, and of the windows of nodes
	readings keeper[reading]
	writings keeper[writing]
	windows  keeper[touch]
	text     []byte // memory for tie

	free  bool // in free time; then clock is the item of the clock, and now the cell of the time
	clock int32
	now   int32
	rest  int32 // the item of idles, -1 if no goroutine waits for that
	// the goroutines that know what another one has accessed, by number; 0: none
	knowers   [][]transition.Proc
	knowersOf map[string]int32
	tab       *transition.Table
	nodes     []*[nodesTogether]node // index 0 is no node
	known     int32                  // how many nodes there are
	root      int32                  // main before its first step
	kids      map[kid]child

	kin    *kin
	others map[int32][]way  // of a node with several parents: those beside node.parent
	met    map[string]int32 // nodes by their keys, see lesson.meeting
	joins  int              // edges that lead to a node that was known
	old    int32            // nodes from here on are new
	// goroutines that have to be told apart from those that are like them; see apart
	separate []transition.Proc

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

	tails     map[string]int32
	late      map[int32][]int32 // by item: nodes whose losses are to be found, see settle
	unsettled unsettled
	*found
	allShared bool // all allocations count as shared

	unnamed map[uintptr]*unnamed // memory without a name, by word
	turn    int32                // of executions that are read
	loud    users                // of what the program itself accesses of it
	used    users                // of all of it
	// elsewhere: other processes make executions too
	elsewhere bool

	// grown: a local state that was there before can now do more than was known. What a search
	// left out because of that may matter.
	grown bool
}

// found is what a search that begins anew has found out.
type found struct {
	fine    map[itemKey]*bits          // words of allocations that have a cell for each byte
	shared  map[itemKey]bool           // allocations that several goroutines access
	both    map[itemKey][]uint32       // offsets of the atomics, by allocation, that are accessed plainly too
	byState map[transition.Object]bool // channels whose values go by the local state of the sender
	byStep  map[itemKey]bool           // words whose values go by the step that wrote them
	// of what accesses within steps may race, though it did not seem so
	contested map[itemKey]bool
}

func newFound() *found {
	return &found{map[itemKey]*bits{}, map[itemKey]bool{}, map[itemKey][]uint32{},
		map[transition.Object]bool{}, map[itemKey]bool{}, map[itemKey]bool{}}
}

// A node is a local state of a goroutine: what it was started with, and all that it has observed
// since.
type node struct {
	// what a state looks at when a goroutine comes to the node and leaves it is first: it is near
	edges  []edge
	window window // what the goroutine accessed since the operation that led here
	worst  []loss
	proc   transition.Proc
	parent int32           // the node before, or that of the goroutine that started it
	by     transition.Proc // whose node parent is
	tail   int32           // equal in nodes from which a goroutine does the same whatever happens; 0: none
	holds  int32           // the lock, as item + 1, of the section that it is in
	digest digest          // what it is in that of a state, once it was asked for
	summed int32           // the tail that digest is of

	arrives int32 // the RWMutex, as item + 1, whose Lock it has called
	shared  bool  // it holds the lock of holds for reading
	many    bool  // it has other parents beside that
	joined  bool  // they are of the same goroutine, see program.join
	loops   *loop // that the goroutine is in
	// how many goroutines and timers it has started: others have their names by that
	goes, arms int32
	known      bool // op is
	op         pending
	awaits     bits  // the WaitGroups for which it, or a goroutine that it starts, may wait first
	future     reach // what it, and goroutines that it starts, may access from here on
	soon       reach // what of future it may access before it has passed one of awaits; see soon.go
	bare       reach // what of future it accesses without the lock that guards it
	// of the first node of a goroutine: what the goroutine that started it had accessed before in
	// that step; see lesson.inherit
	before reach
	next   reach     // what its next step may access
	sends  []sending // of those that executions have shown
	// of the first edges, if there are many; and how many of them these are
	forks   map[outcome]*fork
	indexed int
}

// A way leads to a node: from the node before, along the edge to the node through. That is another
// one for the first node of a goroutine: the step that starts it leads there.
type way struct{ from, through int32 }

// A kid is a goroutine that started in a local state of another one.
type kid struct {
	node int32
	n    int32
}

// A child is its first local state, and the goroutine.
type child struct {
	node int32
	proc transition.Proc
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

	timer        transition.Proc // for which it sleeps
	still, sleep bool            // of a timer: it is never early; it wakes a goroutine that sleeps
	every        int64           // of a ticker: how long it runs for each time; else 0
}

// An offer is a case of a communication.
type offer struct {
	obj  transition.Object
	item int32
	at   int16 // index + 1 in the select; 0 outside one
	send bool
	// gives is the item that sends to the channel, and its close, add to; see state.settled
	gives int32
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
	clocked               // about the clock; see clock.go
	firing                // a timer that fires
	hushed                // a receive inside the standard library waits; see quiet.go
	asleep                // a goroutine that sleeps goes on
	idling                // it waits until all others are blocked; see idle.go
	stuck                 // never enabled
	crashed               // the goroutine has ended, and will end the program
)

// An edge is a step of a goroutine from a local state with what it observed.
type edge struct {
	at      int16 // the case of a select; 0: none, -1: the default
	outcome int32
	message int32 // version of the value that was received; 0: none
	reads   []reading
	writes  []writing
	updates []updating
	starts  []transition.Proc
	quiet   []quietly
	timings []timing // of those timers that it starts, which are among starts, and stops
	to      int32
	// as is the version of what it writes: another one for each edge. It is to, but where several
	// edges lead there
	as int32
}

// A reading is a cell that a step read, and the version that it had.
type reading struct{ cell, version int32 }

// A writing is a cell that a step wrote. part: not all of the cell, so that its version depends on
// the one before.
type writing struct {
	cell  int32
	value int32 // the version, if it goes by the value that is written; 0: by the step
	part  bool
	// of an entry of a map that has this after the step, by all writes of it; else 0. The step has
	// not written the map as a whole
	leaves trace.Leaves
}

// An updating is an update that a step made, all those of a variable in one.
type updating struct {
	span int32
	trace.Update
}

func newProgram(tab *transition.Table, f *found, kin *kin) *program {
	p := &program{tab: tab, kids: map[kid]child{}, kin: kin, found: f,
		others: map[int32][]way{}, met: map[string]int32{}, itemOf: map[itemKey]int32{},
		cellOf: map[cellKey]int32{}, mixes: map[mixed]int32{}, numbers: map[uint64]int32{},
		values: map[int32]uint64{}, sums: map[sum]int32{}, sumOf: map[int32]sum{},
		several: map[string]int32{}, digests: map[digest]int32{}, spanOf: map[spanKey]int32{},
		tails: map[string]int32{}, late: map[int32][]int32{},
		unnamed: map[uintptr]*unnamed{},
		rest:    -1, knowers: make([][]transition.Proc, 1), knowersOf: map[string]int32{}}
	p.newNode(transition.Main, 0)
	p.root = p.newNode(transition.Main, 0)
	return p
}

// nodesTogether is how many nodes are allocated at a time. They stay where they are.
const nodesTogether = 16

func (p *program) node(i int32) *node { return &p.nodes[i/nodesTogether][i%nodesTogether] }

func (p *program) newNode(proc transition.Proc, parent int32) int32 {
	n := p.known
	if n%nodesTogether == 0 {
		p.nodes = append(p.nodes, new([nodesTogether]node))
	}
	p.known++
	x := p.node(n)
	x.proc, x.parent, x.by = proc, parent, p.node(parent).proc
	return n
}

// A keeper has copies of many short lists in few pieces of memory.
type keeper[T any] struct{ free []T }

// keep returns a copy of a list, nil of an empty one.
func (k *keeper[T]) keep(list []T) []T {
	n := len(list)
	if n == 0 {
		return nil
	}
	if len(k.free) < n {
		k.free = make([]T, max(n, 256))
	}
	c := k.free[:n:n]
	copy(c, list)
	k.free = k.free[n:]
	return c
}

// started returns the first local state of the n-th goroutine that a step started which led to at.
// It is that of the one before that is like it, which the same steps of the parent started.
func (p *program) started(at, n int32, proc transition.Proc) int32 {
	k := kid{at, n}
	c, ok := p.kids[k]
	if ok {
		return c.node
	}
	if elder, ok := p.elder(k, proc, nil); ok {
		p.kids[k] = child{elder, proc}
		p.adopt(elder, at)
		return elder
	}
	x := p.newNode(proc, at)
	p.kids[k] = child{x, proc}
	return x
}

// adopt makes the step that led to node at another one that starts the goroutines of a first node.
func (p *program) adopt(x, at int32) {
	n := p.node(x)
	n.many = true
	from := p.node(at).parent
	p.others[x] = append(p.others[x], way{from, at})
	p.inherits(from, n)
}

// inherits tells a node, and those before it, what may be done from one on to which a step of it
// leads.
func (p *program) inherits(from int32, n *node) {
	p.upwards(from, &n.future, p.old, futureOf, false)
	p.upwards(from, &n.bare, p.old, bareOf, false)
	if !p.node(from).pauses() {
		p.upwards(from, &n.soon, p.old, soonOf, true)
		for g := range n.awaits.all {
			p.await(from, g, p.old)
		}
	}
	for _, w := range n.worst {
		p.lose(from, w.item)
	}
}
