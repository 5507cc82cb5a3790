package predict

import (
	"cmp"
	"slices"
	"sort"

	"heddle/model"
	"heddle/trace"
)

// Preserving is the Scheduler that keeps synchronisation as it was: the operations that a goal
// needs before it, and no others, in the order of the trace. They are a closed set: with an
// operation all that precede it in its goroutine and by the order relation; with a read the write
// that it reads from; and of two critical sections of one lock the earlier is complete
// (sync-preserving races: Mathur, Pavlogiannis & Viswanathan, POPL 2021; deadlocks: Tunç et al.,
// PLDI 2023). A section that the goal leaves open comes after all others of its lock instead,
// whatever the trace says (sync-reversal: Shi, Mathur & Pavlogiannis, ICSE 2024).
//
// The set is computed in time that is linear in its size, and the schedule is as short as the set.
// A schedule that it makes is a correct order of the trace; that there is none proves nothing.
type Preserving struct{}

// Schedules implements Scheduler.
func (Preserving) Schedules(g *Graph, goal Goal) ([]*trace.Schedule, *Refutation) {
	orders, why := Preserving{}.Orders(g, goal)
	var schedules []*trace.Schedule
	for _, o := range orders {
		schedules = append(schedules, g.Schedule(o))
	}
	return schedules, why
}

// Orders returns the orders of those schedules: for a race one for each order of its accesses.
func (Preserving) Orders(g *Graph, goal Goal) ([]Order, *Refutation) {
	if goal.Take != nil || goal.Below || !goal.Adjacent && !goal.Reach && !goal.Last {
		return nil, &Refutation{Reason: "its operations conflict, so that their order cannot be kept"}
	}
	c, why := g.closureOf(goal)
	if why != nil {
		return nil, why
	}
	o, why := c.order()
	if why != nil {
		return nil, why
	}
	switch {
	case goal.Adjacent:
		a, b := goal.Nodes[0], goal.Nodes[1]
		return []Order{append(slices.Clone(o), b, a), append(o, a, b)}, nil
	case goal.Last:
		return []Order{append(o, goal.Nodes[len(goal.Nodes)-1])}, nil
	}
	return []Order{o}, nil
}

// A dependence is what a node needs beside what precedes it in its goroutine and by the order
// relation.
type dependence struct{ node, needs int32 }

// needs has, for all closures of a graph, what nodes need of others.
type needs struct {
	deps []dependence // sorted by node
	// by effect: the node that ends the section that it begins; -1: none does; within: the section
	// began with the arrival of its writer
	ends []int32
	// of channels with room: sends with their receives, and receives, sorted by node
	passed []message
}

// of returns what node n needs.
func (x *needs) of(n int32) []dependence {
	from := sort.Search(len(x.deps), func(i int) bool { return x.deps[i].node >= n })
	to := from
	for to < len(x.deps) && x.deps[to].node == n {
		to++
	}
	return x.deps[from:to]
}

// A message is a send over a channel with room, and the node that receives it; or, with -1, a
// receive.
type message struct {
	node, recv int32
	obj        trace.ObjID
}

// A queue is the messages of one channel in a closure: values leave it in their order.
type queue struct {
	latest  int32   // the latest receive
	pending []int32 // receives, not demanded, of the sends
}

const within = -2

// A section is a critical section of a closure.
type section struct {
	begin, end int32 // nodes; end -1: it does not end
	g          trace.GID
	write      bool
}

// A sections is the critical sections of one lock in a closure.
type sections struct {
	pending [2][]section // whose end was not demanded: of readers, of writers
	latest  [2]int32     // the latest node that begins one: of any, of a writer
	open    []section    // that the goal leaves open: they come after the others
}

// A closure is a set of nodes, of each goroutine its first ones.
type closure struct {
	g     *Graph
	need  *needs
	cut   []int32 // by goroutine: how many of its nodes are in the set
	done  []int32 // by goroutine: of how many the needs were added
	stop  []int32 // by goroutine: where the goal stops it; -1: nowhere
	at    []int32 // by goroutine: the goal's node there, for a refutation; -1: none
	todo  []trace.GID
	wait  []bool // by goroutine: it is in todo
	lock  map[trace.ObjID]*sections
	chans map[trace.ObjID]*queue
	// the number of jumps of the clock before the nodes: all that precede one precede what follows
	epoch int32
	over  trace.GID // a goroutine that would have to pass its stop; NoG: none
}

// closureOf returns the least closed set before a goal, or why there is none.
func (g *Graph) closureOf(goal Goal) (*closure, *Refutation) {
	n := len(g.seqs)
	c := &closure{g: g, need: g.needsOf(), cut: make([]int32, n), done: make([]int32, n),
		stop: make([]int32, n), at: make([]int32, n), wait: make([]bool, n),
		lock:  make(map[trace.ObjID]*sections),
		chans: make(map[trace.ObjID]*queue), over: trace.NoG}
	for i := range c.stop {
		c.stop[i], c.at[i] = -1, -1
	}
	keep := goal.Nodes
	if goal.Last {
		keep = keep[:len(keep)-1]
	} else {
		keep = nil
	}
	for _, x := range goal.Nodes[len(keep):] {
		c.stopAt(g.Nodes[x].G, g.Nodes[x].Pos, x)
	}
	for _, e := range goal.Events {
		id, pos, ok := g.stopBefore(e)
		if !ok {
			return nil, &Refutation{Reason: "it has no place of its own in the trace"}
		}
		c.stopAt(id, pos, -1)
	}
	for _, x := range keep {
		c.include(x)
	}
	for id := range c.stop {
		switch {
		case c.stop[id] > 0:
			c.include(g.seqs[id][c.stop[id]-1])
		case c.stop[id] == 0 && g.births[id] >= 0:
			c.include(g.births[id])
		}
	}
	c.close()
	if c.over != trace.NoG {
		if at := c.at[c.over]; at >= 0 {
			return nil, &Refutation{Reason: "%s comes before what the others need", Nodes: []int32{at}}
		}
		return nil, &Refutation{Reason: "it comes before what the others need"}
	}
	return c, nil
}

// stopBefore returns the goroutine of an event, or of a leftover, and how many nodes it has before.
func (g *Graph) stopBefore(e int32) (id trace.GID, pos int32, ok bool) {
	t := g.Trace
	if k := int(e) - len(t.Events); k >= 0 {
		id = t.Left[k].G
		return id, int32(len(g.seqs[id])), true
	}
	ev := &t.Events[e]
	if ev.Step < 0 {
		return 0, 0, false
	}
	seq := g.seqs[ev.G]
	n := sort.Search(len(seq), func(i int) bool { return g.Nodes[seq[i]].Step >= ev.Step })
	return ev.G, int32(n), true
}

func (c *closure) stopAt(id trace.GID, pos, node int32) {
	if c.stop[id] < 0 || pos < c.stop[id] {
		c.stop[id], c.at[id] = pos, node
	}
}

// include adds node n, and what precedes it in its goroutine.
func (c *closure) include(n int32) {
	nd := &c.g.Nodes[n]
	c.reach(nd.G, nd.Pos+1)
}

// reach adds the first n nodes of a goroutine.
func (c *closure) reach(id trace.GID, n int32) {
	if c.cut[id] >= n {
		return
	}
	c.cut[id] = n
	if c.stop[id] >= 0 && n > c.stop[id] {
		c.over = id
	}
	if !c.wait[id] {
		c.wait[id] = true
		c.todo = append(c.todo, id)
	}
}

// close adds what the nodes need, until the goal's own nodes are needed.
func (c *closure) close() {
	for len(c.todo) > 0 && c.over == trace.NoG {
		id := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		c.wait[id] = false
		for c.done[id] < c.cut[id] && c.over == trace.NoG {
			c.g.Limit.Check()
			c.done[id]++
			c.needsOf(c.g.seqs[id][c.done[id]-1])
		}
	}
}

// needsOf adds what node n needs.
func (c *closure) needsOf(n int32) {
	g := c.g
	nd := &g.Nodes[n]
	if b := g.births[nd.G]; nd.Pos == 0 && b >= 0 {
		c.include(b)
	}
	if seg := &g.segs[nd.G][nd.seg]; seg.from == nd.Pos {
		for k, count := range seg.clock {
			if count == 0 {
				continue
			}
			if h, nodes := g.ownerOf(trace.Chain(k), count); h != nd.G {
				c.reach(h, nodes)
			}
		}
	}
	if nd.epoch > c.epoch {
		c.epoch = nd.epoch
		for id, seq := range g.seqs {
			n := sort.Search(len(seq), func(i int) bool { return g.Nodes[seq[i]].epoch >= nd.epoch })
			c.reach(trace.GID(id), int32(n))
		}
	}
	for _, d := range c.need.of(n) {
		c.include(d.needs)
	}
	for k := nd.effect; int(k) < len(g.effects) && g.effects[k].node == n; k++ {
		c.locks(k)
	}
	passed := c.need.passed
	for i := sort.Search(len(passed), func(i int) bool { return passed[i].node >= n }); i < len(passed) &&
		passed[i].node == n; i++ {
		c.passes(&passed[i])
	}
}

// passes adds what a send or receive needs: a value that was sent before one that is received was
// received before.
func (c *closure) passes(m *message) {
	q := c.chans[m.obj]
	if q == nil {
		q = &queue{latest: -1}
		c.chans[m.obj] = q
	}
	if m.recv >= 0 {
		if m.recv < q.latest {
			c.include(m.recv)
		} else {
			q.pending = append(q.pending, m.recv)
		}
		return
	}
	if m.node < q.latest {
		return
	}
	q.latest = m.node
	q.pending = slices.DeleteFunc(q.pending, func(r int32) bool {
		if r < q.latest {
			c.include(r)
		}
		return r <= q.latest
	})
}

// locks adds what the k-th effect needs: that sections of its lock exclude each other.
func (c *closure) locks(k int32) {
	e := &c.g.effects[k]
	switch e.kind {
	case effLock, effRLock, effArrive:
	default:
		return
	}
	if c.need.ends[k] == within {
		return
	}
	s := c.lock[e.obj]
	if s == nil {
		s = &sections{latest: [2]int32{-1, -1}}
		c.lock[e.obj] = s
	}
	x := section{begin: e.node, end: c.need.ends[k], g: e.g, write: e.kind != effRLock}
	if c.staysOpen(&x) {
		if slices.ContainsFunc(s.open, func(y section) bool { return y.g != x.g && (x.write || y.write) }) {
			c.over = x.g
		}
		s.open = append(s.open, x)
	} else {
		kind := 0
		if x.write {
			kind = 1
		}
		s.pending[kind] = append(s.pending[kind], x)
	}
	s.latest[0] = max(s.latest[0], x.begin)
	if x.write {
		s.latest[1] = max(s.latest[1], x.begin)
	}
	c.demand(s, 1)
	if x.write || len(s.open) > 0 || s.latest[1] > x.begin {
		c.demand(s, 0)
	}
}

// staysOpen reports whether the goal stops the goroutine of x within it.
func (c *closure) staysOpen(x *section) bool {
	stop := c.stop[x.g]
	return stop >= 0 && (x.end < 0 || c.g.Nodes[x.end].G == x.g && c.g.Nodes[x.end].Pos >= stop)
}

// demand adds the ends of the sections, of readers (0) or writers (1), that have to be complete
// since another one comes later, or stays open.
func (c *closure) demand(s *sections, kind int) {
	left := s.pending[kind][:0]
	for _, y := range s.pending[kind] {
		must := s.latest[1-kind] > y.begin || slices.ContainsFunc(s.open, func(x section) bool {
			return x.g != y.g && (x.write || y.write)
		})
		switch {
		case !must:
			left = append(left, y)
		case y.end < 0:
			c.over = y.g
		default:
			c.include(y.end)
		}
	}
	s.pending[kind] = left
}

// needsOf returns what nodes need of others, for all closures.
func (g *Graph) needsOf() *needs {
	if g.needs == nil {
		b := &needsBuilder{g: g, by: make(map[trace.ObjID]*uses)}
		b.n.ends = make([]int32, len(g.effects))
		b.sections()
		b.reads()
		b.objects()
		slices.SortFunc(b.n.passed, func(x, y message) int { return cmp.Compare(x.node, y.node) })
		slices.SortFunc(b.n.deps, func(x, y dependence) int { return cmp.Compare(x.node, y.node) })
		b.n.deps = slices.Compact(b.n.deps)
		g.needs = &b.n
	}
	return g.needs
}

type needsBuilder struct {
	g  *Graph
	n  needs
	by map[trace.ObjID]*uses
}

// uses are the last nodes that used an object.
type uses struct {
	last map[trace.GID]int32 // by goroutine
	any  int32               // of all
}

func (b *needsBuilder) needs(n, other int32) {
	if other >= 0 && other != n {
		b.n.deps = append(b.n.deps, dependence{n, other})
	}
}

// sections finds the ends of critical sections.
func (b *needsBuilder) sections() {
	type key struct {
		obj   trace.ObjID
		write bool
	}
	open := make(map[key][]int32) // the effects that began sections
	arrived := make(map[trace.ObjID]map[trace.GID]int32)
	for k := range b.g.effects {
		b.n.ends[k] = -1
		e := &b.g.effects[k]
		switch e.kind {
		case effArrive:
			if arrived[e.obj] == nil {
				arrived[e.obj] = make(map[trace.GID]int32)
			}
			arrived[e.obj][e.g] = int32(k)
		case effLock, effRLock:
			x := key{e.obj, e.kind == effLock}
			if a, ok := arrived[e.obj][e.g]; ok && x.write {
				b.n.ends[k] = within
				delete(arrived[e.obj], e.g)
				k = int(a)
			}
			open[x] = append(open[x], int32(k))
		case effUnlock, effRUnlock:
			x := key{e.obj, e.kind == effUnlock}
			at := open[x]
			i := len(at) - 1
			for i > 0 && b.g.effects[at[i]].g != e.g {
				i--
			}
			if i < 0 {
				continue
			}
			b.n.ends[at[i]] = e.node
			open[x] = slices.Delete(at, i, i+1)
		}
	}
}

// reads: a read needs the write that it reads from, at each location that it touches.
func (b *needsBuilder) reads() {
	g := b.g
	last := make([]int32, len(g.access.locs))
	for i := range last {
		last[i] = -1
	}
	for i := range g.Nodes {
		g.Limit.Check()
		for _, l := range g.access.touches(int32(i)) {
			if g.Nodes[i].Op == trace.OpWrite {
				last[l] = int32(i)
			} else if w := last[l]; w >= 0 && g.Nodes[w].G != g.Nodes[i].G {
				b.needs(int32(i), w)
			}
		}
	}
}

// objects: what an operation sees of an object, its count, its queue or its state, depends on
// operations that the order relation does not put before it.
func (b *needsBuilder) objects() {
	t := b.g.Trace
	for i := range t.Events {
		b.g.Limit.Check()
		e := &t.Events[i]
		if e.Step < 0 || e.Obj <= 0 || e.Quiet || accessOf(e.Op) {
			continue
		}
		n := b.g.nodeAt(e.Step)
		if n < 0 {
			continue
		}
		b.object(e, n)
	}
}

func (b *needsBuilder) object(e *trace.Event, n int32) {
	_, o := model.ObjectOf(b.g.Trace, e.Obj)
	switch o.Kind {
	case trace.ObjMutex, trace.ObjRWMutex:
		if e.Op != trace.OpTryLock && e.Op != trace.OpTryRLock || e.Arg == 1 {
			if e.Op == trace.OpArrive {
				return
			}
			b.use(e, n)
			return
		}
		b.all(e, n)
		return
	case trace.ObjAtomic, trace.ObjOnce, trace.ObjTimer, trace.ObjMemory:
		return
	case trace.ObjChan:
		b.use(e, n)
		switch {
		case e.Op == trace.OpSend && e.Arg >= 0 && o.Cap > 0:
			if p := e.Partner; p >= 0 {
				if r := b.g.nodeAt(b.g.Trace.Events[p].Step); r > n {
					b.n.passed = append(b.n.passed, message{n, r, e.Obj})
				}
			}
		case e.Op == trace.OpRecv && e.Arg > 0 && o.Cap > 0:
			b.n.passed = append(b.n.passed, message{n, -1, e.Obj})
			if p := e.Partner; p >= 0 { // of a trace without the other direction
				sent := &b.g.Trace.Events[p]
				if s := b.g.nodeAt(sent.Step); s >= 0 && s < n && sent.Partner < 0 {
					b.n.passed = append(b.n.passed, message{s, n, e.Obj})
				}
			}
		case e.Op == trace.OpSend || e.Op == trace.OpRecv && e.Arg > 0 || e.Op == trace.OpClose:
		default:
			b.all(e, n) // a poll, a length, a receive from a closed channel
		}
		return
	case trace.ObjWaitGroup:
		if e.Op == trace.OpWGWait {
			b.all(e, n)
		}
		b.use(e, n)
		return
	}
	u := b.use(e, n)
	b.needs(n, u.any)
	u.any = n
}

func (b *needsBuilder) use(e *trace.Event, n int32) *uses {
	u := b.by[e.Obj]
	if u == nil {
		u = &uses{last: make(map[trace.GID]int32), any: -1}
		b.by[e.Obj] = u
	}
	u.last[e.G] = n
	return u
}

// all: n needs every earlier operation on its object.
func (b *needsBuilder) all(e *trace.Event, n int32) {
	if u := b.by[e.Obj]; u != nil {
		for _, x := range u.last {
			b.needs(n, x)
		}
	}
}

// order returns the nodes of a closure in the order of the trace, but for sections that the goal
// leaves open: these come after all others of their lock.
func (c *closure) order() (Order, *Refutation) {
	var all Order
	for id, n := range c.cut {
		all = append(all, c.g.seqs[id][:n]...)
	}
	slices.Sort(all)
	later := false
	for _, s := range c.lock {
		for _, x := range s.open {
			later = later || x.begin < s.latest[1] || x.write && x.begin < s.latest[0]
		}
	}
	if !later {
		return all, nil
	}
	return c.reversed(all)
}

// maxPasses bounds how often reversed goes through what is left.
const maxPasses = 64

// reversed orders nodes so that sections that stay open come last of their lock. Conflicting
// accesses stay in their order.
func (c *closure) reversed(all Order) (Order, *Refutation) {
	g := c.g
	r := newReplay(g, Goal{Nodes: all[len(all)-1:]})
	last := make(map[int32][]trace.ObjID) // by node: the locks that it must be the last to take
	for obj, s := range c.lock {
		for i := range s.open {
			last[s.open[i].begin] = append(last[s.open[i].begin], obj)
		}
	}
	type user struct {
		obj trace.ObjID
		g   trace.GID
	}
	left := make(map[user]int) // sections that did not begin; of g NoG: of all goroutines
	take := func(n int32, add int) {
		for k := g.Nodes[n].effect; int(k) < len(g.effects) && g.effects[k].node == n; k++ {
			e := &g.effects[k]
			if (e.kind == effLock || e.kind == effRLock || e.kind == effArrive) && c.need.ends[k] != within {
				left[user{e.obj, trace.NoG}] += add
				left[user{e.obj, e.g}] += add
			}
		}
	}
	// Accesses of a location, and writes, that were passed.
	pass := func(at map[int32][2]int32, n int32, add int32) (conflicts int32) {
		for _, l := range g.access.touches(n) {
			x := at[l]
			if g.Nodes[n].Op == trace.OpWrite {
				conflicts += x[0]
				x[1] += add
			} else {
				conflicts += x[1]
			}
			x[0] += add
			at[l] = x
		}
		return conflicts
	}
	before := make([]int32, len(all)) // by index: the conflicting accesses before it
	seen, done := make(map[int32][2]int32), make(map[int32][2]int32)
	rest, index := all, make([]int32, len(all))
	for i, n := range all {
		index[i], before[i] = int32(i), pass(seen, n, 1)
		take(n, 1)
	}
	waits := func(k int) bool {
		n := rest[k]
		if r.blocked(n) != nil || pass(done, n, 0) < before[index[k]] {
			return true
		}
		id := g.Nodes[n].G
		for _, obj := range last[n] {
			others := left[user{obj, trace.NoG}] - left[user{obj, id}]
			for _, x := range c.lock[obj].open {
				if x.g != id && !r.did(x.begin) {
					others--
				}
			}
			if others > 0 {
				return true
			}
		}
		return false
	}
	var out Order
	for round := 0; len(rest) > 0; round++ {
		var later Order
		var laterIndex []int32
		stopped := make(map[trace.GID]bool)
		for k, n := range rest {
			g.Limit.Check()
			id := g.Nodes[n].G
			if stopped[id] || waits(k) {
				stopped[id] = true
				later, laterIndex = append(later, n), append(laterIndex, index[k])
				continue
			}
			r.do(n)
			pass(done, n, 1)
			take(n, -1)
			out = append(out, n)
		}
		if len(later) == len(rest) || round == maxPasses {
			return nil, &Refutation{Reason: "%s and what it waits for wait for each other",
				Nodes: []int32{later[0]}}
		}
		rest, index = later, laterIndex
	}
	return out, nil
}

// did reports whether node n was performed.
func (r *replay) did(n int32) bool { return r.pos[r.g.Nodes[n].G] > r.g.Nodes[n].Pos }

// nodeAt returns the node of a step.
func (g *Graph) nodeAt(step int32) int32 {
	i := sort.Search(len(g.Nodes), func(i int) bool { return g.Nodes[i].Step > step })
	return int32(i) - 1
}
