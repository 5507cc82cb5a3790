package predict

import (
	"slices"

	"heddle/rt/limit"
	"heddle/trace"
)

// A Graph is the partial and temporal order graph of a trace (Definition 3), encoded as in section
// 5.1: only the order between goroutines is kept (see order.go), with indices of the accesses by
// goroutine and by location (see access.go).
type Graph struct {
	Trace *trace.Trace
	// Nodes are the units of a reordering: the steps of the trace in their order, without accesses
	// to memory that only one goroutine uses. Such an access belongs to the node before.
	Nodes []Node

	seqs    [][]int32     // by goroutine: its nodes, in program order
	segs    [][]segment   // by goroutine, see order.go
	places  []place       // by goroutine
	chains  [][]trace.GID // by chain: its goroutines, in order
	effects []effect      // of all nodes, sorted by node
	access  index

	locksets []lockset
	needs    *needs  // see Preserving; nil: none were asked for
	waits    *waits  // see waiting; nil: they were not asked for
	births   []int32 // by goroutine: the node that starts it; -1: none

	visible []trace.Site // sites of the accesses that are nodes

	// Limit, if not nil, ends searches for candidates, which then return those found so far, and by
	// Check the generation of schedules.
	Limit *limit.Limit
}

// A Node is a step with its attributes (section 4.1).
type Node struct {
	G    trace.GID
	With trace.GID // receiver of an unbuffered communication, else NoG
	Op   trace.Op
	Obj  trace.ObjID
	Site trace.Site
	Step int32 // index of its step in the trace; draws after it belong to the node

	Pos    int32 // index among the nodes of G
	seg    int32 // index among the segments of G
	locks  int32 // index of the lockset held before it
	outer  int32 // the node at which G took the first lock of its lockset; -1: the set is empty
	Region int32 // number of its atomic region; 0: the node is a region by itself
	size   int32 // of a memory access, in bytes
	epoch  int32 // number of jumps of the clock before it
	effect int32 // index of its first effect
}

// An effect is what a node does to a lock or a goroutine, for a replay.
type effect struct {
	node int32
	g    trace.GID
	kind effectKind
	obj  trace.ObjID // or the goroutine that it starts
}

type effectKind uint8

const (
	effGo effectKind = iota
	effLock
	effUnlock
	effRLock
	effRUnlock
	effArrive // a writer, at an RWMutex
	effDone   // the goroutine ended
	effAwait  // a call of a Once whose function another goroutine runs, or has run
)

// Regions says what the atomic regions of a trace are.
type Regions uint8

const (
	// Locks: the outermost critical sections. Operations on channels, go statements, and all
	// operations that wait end a region (section 4.1).
	Locks Regions = iota
	// Goroutines: everything that a goroutine does from one such operation to the next, with or
	// without locks.
	Goroutines
)

// String returns the word for r in pattern files and on the command line.
func (r Regions) String() string { return [...]string{"locks", "goroutines"}[r] }

// ParseRegions is the inverse of String.
func ParseRegions(s string) (Regions, bool) {
	for _, r := range []Regions{Locks, Goroutines} {
		if s == r.String() {
			return r, true
		}
	}
	return 0, false
}

// NewGraph computes the attributes of the events of t, and their order. Only accesses to memory
// that are steps of t can be found.
func NewGraph(t *trace.Trace, r Regions) *Graph { return NewGraphWithin(t, r, nil) }

// NewGraphWithin is NewGraph with a limit that ends it (limit.Limit.Check) and becomes the graph's.
func NewGraphWithin(t *trace.Trace, r Regions, l *limit.Limit) *Graph {
	g := &Graph{Trace: t, Limit: l}
	locs := locate(t, l)
	b := newBuilder(g, r, locs)
	b.build()
	g.indexAccesses(locs)
	return g
}

// Visible returns the sites of the accesses that are nodes: exactly these must be scheduling points
// when a schedule of this graph is executed.
func (g *Graph) Visible() []trace.Site { return g.visible }

// A builder makes a Graph in one pass over a trace.
type builder struct {
	g       *Graph
	t       *trace.Trace
	regions Regions
	locs    *locations
	nodeOf  []int32 // by step
	gs      []gstate
	objs    map[trace.ObjID]*objState
	sent    map[int32]trace.Clock // by send event: the clock of its goroutine
	chains  trace.Chains
	epoch   int32
	nextReg int32
	weak    map[trace.ObjID]bool // objects whose messages give no order, see WeakRaces
	intern  map[string]int32
}

// gstate is the builder's state of a goroutine.
type gstate struct {
	clock  trace.Clock // how many nodes of each chain happened before
	dirty  bool        // clock has changed since the last segment began
	held   []held
	locks  int32
	outer  int32
	loud   int   // number of held locks that make a region
	region int32 // 0: none
}

type held struct {
	obj   trace.ObjID
	write bool
	loud  bool
}

func newBuilder(g *Graph, r Regions, locs *locations) *builder {
	n := len(g.Trace.Goroutines)
	b := &builder{
		g: g, t: g.Trace, regions: r, locs: locs,
		nodeOf: make([]int32, len(g.Trace.Steps)), gs: make([]gstate, n),
		objs: make(map[trace.ObjID]*objState), sent: make(map[int32]trace.Clock),
		intern: map[string]int32{"": 0},
	}
	g.seqs, g.segs = make([][]int32, n), make([][]segment, n)
	g.births, g.places = make([]int32, n), make([]place, n)
	g.locksets = []lockset{nil}
	for i := range b.gs {
		b.gs[i].outer, g.births[i], g.places[i].chain = -1, -1, noChain
		g.segs[i] = []segment{{}}
		if r == Goroutines {
			b.newRegion(&b.gs[i])
		}
	}
	return b
}

// build makes the nodes, step by step, with their events.
func (b *builder) build() {
	b.g.Nodes = make([]Node, 0, len(b.t.Steps)-b.locs.private)
	ev := 0
	for s := range b.t.Steps {
		b.g.Limit.Check()
		ev = b.events(ev, int32(s)) // the events between two steps
		b.step(int32(s))
	}
	b.events(ev, int32(len(b.t.Steps)))
	// Effects of accesses that are no nodes were added late: sort them to their nodes.
	slices.SortStableFunc(b.g.effects, func(x, y effect) int { return int(x.node - y.node) })
	k := 0
	for i := range b.g.Nodes {
		b.g.Nodes[i].effect = int32(k)
		for k < len(b.g.effects) && b.g.effects[k].node == int32(i) {
			k++
		}
	}
}

// effectsOf returns the effects of node i.
func (g *Graph) effectsOf(i int32) []effect {
	from, to := g.Nodes[i].effect, int32(len(g.effects))
	if int(i)+1 < len(g.Nodes) {
		to = g.Nodes[i+1].effect
	}
	return g.effects[from:to]
}

// step makes the node of step s, or adds the step to the node before.
func (b *builder) step(s int32) {
	st := &b.t.Steps[s]
	seq := b.g.seqs[st.G]
	private := (st.Op == trace.OpRead || st.Op == trace.OpWrite) && !b.locs.visible[st.Site.Plain()]
	if len(seq) > 0 && (private || st.Op == trace.OpChoose) {
		b.nodeOf[s] = seq[len(seq)-1]
		return
	}
	i := int32(len(b.g.Nodes))
	x := &b.gs[st.G]
	b.placed(st.G)
	n := Node{
		G: st.G, With: trace.NoG, Op: st.Op, Site: st.Site, Step: s, Pos: int32(len(seq)), epoch: b.epoch,
		locks: x.locks, outer: x.outer, Region: x.region,
	}
	if st.With > 0 && st.Op != trace.OpChoose {
		n.With = trace.GID(st.With - 1)
	}
	if x.dirty {
		b.segment(st.G, n.Pos)
	}
	n.seg = int32(len(b.g.segs[st.G]) - 1)
	b.g.seqs[st.G] = append(seq, i)
	b.g.Nodes = append(b.g.Nodes, n)
	b.nodeOf[s] = i
	at := b.g.places[st.G]
	x.clock = x.clock.Set(at.chain, at.after+uint32(n.Pos)+1)
}

// events applies the events from index ev on that precede step s, and returns the index of the next
// one.
func (b *builder) events(ev int, s int32) int {
	for ; ev < len(b.t.Events) && b.t.Events[ev].Step < s; ev++ {
		b.g.Limit.Check()
		e := &b.t.Events[ev]
		if e.Step < 0 {
			continue
		}
		n := b.nodeOf[e.Step]
		nd := &b.g.Nodes[n]
		if nd.Obj == 0 && e.G == nd.G && (e.Op == nd.Op || nd.Op == trace.OpSelect) {
			nd.Obj = e.Obj
			if accessOf(e.Op) {
				nd.size = int32(e.Arg)
			}
		}
		b.order(int32(ev), e, n)
		b.locking(e, n)
		b.boundary(e)
	}
	return ev
}

func accessOf(op trace.Op) bool { return op == trace.OpRead || op == trace.OpWrite }

// effect records an effect of a node.
func (b *builder) effect(n int32, g trace.GID, kind effectKind, obj trace.ObjID) {
	b.g.effects = append(b.g.effects, effect{n, g, kind, obj})
}

// newRegion begins an atomic region.
func (b *builder) newRegion(x *gstate) {
	b.nextReg++
	x.region = b.nextReg
}

// boundary ends the region of a goroutine at an operation that may enable others or wait for them.
func (b *builder) boundary(e *trace.Event) {
	if e.Quiet {
		return
	}
	switch e.Op {
	case trace.OpGo, trace.OpStart, trace.OpEnd, trace.OpSend, trace.OpRecv, trace.OpClose, trace.OpSelect,
		trace.OpArrive,
		trace.OpCondWait, trace.OpCondWake, trace.OpSignal, trace.OpBroadcast, trace.OpWGWait,
		trace.OpSleep, trace.OpTimerFire,
		trace.OpAwait, trace.OpIdle, trace.OpNative, trace.OpModel, trace.OpAcquire, trace.OpRelease:
		if e.Op == trace.OpArrive && trace.Op(e.Arg) == trace.OpLock {
			return
		}
		if x := &b.gs[e.G]; x.region != 0 {
			b.newRegion(x)
		}
	}
}
