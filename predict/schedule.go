package predict

import (
	"fmt"
	"slices"

	"heddle/trace"
)

// A Goal is what a schedule must bring about: nodes in this order.
type Goal struct {
	Nodes    []int32
	Adjacent bool // adjacent, in any order
	Reach    bool // the nodes need only be next, in any order, all of different goroutines
	// the last node need only be next when the others are done: the operation may then be another
	// one
	Last bool

	// Only a Solver takes these.
	Events  []int32 // events of the trace instead of nodes
	Blocked bool    // with Reach: the reached operations stay blocked
	Below   bool    // with Last, an Add to a WaitGroup: it makes the count negative
	Take    *Take   // with Last: another outcome for it
}

// An Order is a schedule as nodes of a graph, in order of execution.
type Order []int32

// A Scheduler makes schedules that bring a goal about, best first. If there are none, why says what
// prevents it. A schedule need not be possible: it is executed, and must fit. Moves is the paper's;
// Solver is complete for the trace.
type Scheduler interface {
	Schedules(g *Graph, goal Goal) (schedules []*trace.Schedule, why *Refutation)
}

// A Refutation says why no order brings a goal about.
type Refutation struct {
	Reason string
	Nodes  []int32 // the nodes of the %s in Reason, in order
	Events []int32 // or events, instead of nodes
	Proof  bool    // no correct order of the trace brings the goal about
	Values bool    // the proof needs that reads, or receives, get the values that they got
	Open   bool    // undecided: the time was up
}

// Moves is ScheduleGeneration (Algorithms 3 and 4), for patterns of any length.
//
// The paper moves the operations that depend on the outermost lock before a violation node behind
// everything else. Moves does the reverse: it replays the trace, in its order, on a model of its
// locks and its order relation, and holds every goroutine of the pattern back before the outermost
// lock that protects its first event. What depends on that stays behind by itself. Then the
// goroutines continue as far as the events need. Three points differ from the printed algorithms:
//
//   - For a race both orders of the two accesses are generated (the algorithm as printed gives
//     one, section 2 of the paper the other).
//   - The lock branch of Algorithm 4 must move v_x to v_j behind v_k as well.
//   - "Before v_j" cannot mean immediately before if v_j's own critical section shares a
//     nested lock with the one that is moved: either goroutine is brought to its event first.
//     (T1: lock a; lock m; unlock m; write x; unlock a. T2: lock m; read x; unlock m.)
type Moves struct {
	// Lean: only what the goal needs is performed, with the writes that its reads read from. The
	// schedule is short. Without, everything is performed that does not depend on what is held
	// back.
	Lean bool
}

// Schedules implements Scheduler.
func (m Moves) Schedules(g *Graph, goal Goal) (schedules []*trace.Schedule, why *Refutation) {
	if goal.Events != nil || goal.Take != nil || goal.Below {
		return nil, &Refutation{Reason: "moving operations does not show it"}
	}
	orders, why := m.Orders(g, goal)
	for _, o := range orders {
		schedules = append(schedules, g.Schedule(o))
	}
	return schedules, why
}

// Orders returns the orders of those schedules.
func (m Moves) Orders(g *Graph, goal Goal) (orders []Order, why *Refutation) {
	threads := g.threads(goal)
	try := func(goal Goal, first []trace.GID) {
		r := newReplay(g, goal)
		if m.Lean {
			r.need = g.needsOf()
		}
		if refuted := r.carryOut(first); refuted == nil {
			orders = append(orders, r.order)
		} else if why == nil {
			why = refuted
		}
	}
	if goal.Reach {
		for i := range threads {
			try(goal, append(slices.Clone(threads[i:]), threads[:i]...))
		}
		for i := range threads {
			first := append(slices.Clone(threads[i:]), threads[:i]...)
			slices.Reverse(first)
			try(goal, first)
		}
		return firstFew(orders), why
	}
	if !goal.Adjacent {
		try(goal, nil)
		if len(orders) == 0 {
			for _, t := range threads[1:] {
				try(goal, []trace.GID{t})
			}
		}
		return orders, why
	}
	back := goal
	back.Nodes = []int32{goal.Nodes[1], goal.Nodes[0]}
	for _, first := range [][]trace.GID{threads, {threads[1], threads[0]}} {
		try(back, first)
		try(goal, first)
		if len(orders) > 0 {
			return orders, nil
		}
	}
	return orders, why
}

// maxOrders bounds the orders for one goal.
const maxOrders = 2

func firstFew(orders []Order) []Order { return orders[:min(len(orders), maxOrders)] }

// threads returns the goroutines of a goal, in the order of their first nodes.
func (g *Graph) threads(goal Goal) []trace.GID {
	var ts []trace.GID
	for _, n := range goal.Nodes {
		known := false
		for _, t := range ts {
			known = known || t == g.Nodes[n].G
		}
		if !known {
			ts = append(ts, g.Nodes[n].G)
		}
	}
	return ts
}

// A replay performs a trace in another order, on a model.
type replay struct {
	g     *Graph
	goal  Goal
	due   int          // index of the goal's next node
	pos   []int32      // by goroutine: its next node
	entry []int32      // by goroutine: where it is held back at first; -1: nowhere
	alive []bool       // the goroutine was started
	locks []*lockState // by object
	left  []int32      // by epoch (between two jumps of the clock): nodes not performed
	epoch int32        // the first epoch with such nodes
	order Order
	busy  map[trace.GID]bool // goroutines that are being advanced, since another one waits for them
	depth int
	need  *needs // of a lean order, else nil
}

// A lockState is the state of a lock.
type lockState struct {
	owner   trace.GID // the writer; NoG: none
	arrived trace.GID // a waiting writer, which blocks new readers; NoG: none
	readers []trace.GID
}

func newReplay(g *Graph, goal Goal) *replay {
	n := len(g.seqs)
	r := &replay{
		g: g, goal: goal, pos: make([]int32, n), entry: make([]int32, n), alive: make([]bool, n),
		locks: make([]*lockState, len(g.Trace.Objects)), busy: make(map[trace.GID]bool),
	}
	for i := range r.entry {
		r.entry[i] = -1
		r.alive[i] = g.births[i] < 0
	}
	for i := len(goal.Nodes) - 1; i >= 0; i-- {
		n := goal.Nodes[i]
		e := n
		if o := g.Nodes[n].outer; o >= 0 {
			e = o
		}
		if g.Nodes[e].G != g.Nodes[n].G {
			e = n // another goroutine took it
		}
		r.entry[g.Nodes[n].G] = g.arrival(e)
	}
	end := r.end()
	r.order = make(Order, 0, end+1)
	for i := int32(0); i <= end; i++ {
		for int(g.Nodes[i].epoch) >= len(r.left) {
			r.left = append(r.left, 0)
		}
		r.left[g.Nodes[i].epoch]++
	}
	return r
}

// arrival returns the node at which a goroutine arrives at the RWMutex that node n locks for
// writing, which blocks readers. It is n if there is no such node.
func (g *Graph) arrival(n int32) int32 {
	nd := &g.Nodes[n]
	if nd.Pos == 0 {
		return n
	}
	before := g.seqs[nd.G][nd.Pos-1]
	for _, a := range g.effectsOf(before) {
		for _, l := range g.effectsOf(n) {
			if a.kind == effArrive && l.kind == effLock && a.obj == l.obj {
				return before
			}
		}
	}
	return n
}

// end returns the last node of the trace that matters.
func (r *replay) end() int32 {
	last := int32(0)
	for _, n := range r.goal.Nodes {
		last = max(last, n)
	}
	return last
}

// carryOut makes an order that brings the goal about. The goroutines first are brought to their
// first events before others.
func (r *replay) carryOut(first []trace.GID) *Refutation {
	if r.need == nil {
		r.prefix()
	}
	for _, t := range first {
		for _, n := range r.goal.Nodes {
			if r.g.Nodes[n].G == t {
				if why := r.before(n); why != nil {
					return why
				}
				break
			}
		}
	}
	for !r.goal.Reach && r.due < len(r.goal.Nodes) {
		n := r.goal.Nodes[r.due]
		if why := r.before(n); why != nil {
			return why
		}
		r.due++
		if why := r.perform(n); why != nil {
			return why
		}
	}
	return nil
}

// prefix performs, in the order of the trace, everything that is not held back and does not depend
// on something held back.
func (r *replay) prefix() {
	stopped := make([]bool, len(r.pos))
	for i, end := int32(0), r.end(); i <= end; i++ {
		r.g.Limit.Check()
		n := &r.g.Nodes[i]
		if stopped[n.G] {
			continue
		}
		if r.entry[n.G] == i || r.pos[n.G] != n.Pos || r.blocked(i) != nil {
			stopped[n.G] = true
			continue
		}
		r.do(i)
	}
}

// before brings the goroutine of n to n.
func (r *replay) before(n int32) *Refutation {
	g := r.g.Nodes[n].G
	for r.pos[g] < r.g.Nodes[n].Pos {
		r.g.Limit.Check()
		if why := r.perform(r.next(g)); why != nil {
			return why
		}
	}
	if r.pos[g] > r.g.Nodes[n].Pos {
		return &Refutation{Reason: "%s comes before what it would have to come after", Nodes: []int32{n}}
	}
	return nil
}

func (r *replay) next(g trace.GID) int32 { return r.g.seqs[g][r.pos[g]] }

// held reports whether node n is held back.
func (r *replay) held(n int32) bool {
	for _, m := range r.goal.Nodes[min(r.due, len(r.goal.Nodes)):] {
		if m == n {
			return true
		}
	}
	return false
}

// maxDepth bounds the chain of goroutines that wait for each other while they are advanced.
const maxDepth = 64

// perform performs node n, the next of its goroutine, after everything that it waits for.
func (r *replay) perform(n int32) *Refutation {
	g := r.g.Nodes[n].G
	if r.held(n) {
		return &Refutation{Reason: "%s would have to come first", Nodes: []int32{n}}
	}
	if r.busy[g] || r.depth > maxDepth {
		return &Refutation{Reason: "%s and what it waits for wait for each other", Nodes: []int32{n}}
	}
	r.busy[g] = true
	r.depth++
	defer func() { delete(r.busy, g); r.depth-- }()
	for {
		b := r.blocked(n)
		if b == nil {
			r.do(n)
			return nil
		}
		if b.g == trace.NoG || int(r.pos[b.g]) >= len(r.g.seqs[b.g]) {
			return &Refutation{Reason: "%s cannot go on: " + b.why, Nodes: []int32{n}}
		}
		m := r.next(b.g)
		if r.held(m) {
			return &Refutation{Reason: "%s cannot go on before %s: " + b.why, Nodes: []int32{n, m}}
		}
		if why := r.perform(m); why != nil {
			return why
		}
	}
}

// A blocker is a goroutine that must continue first.
type blocker struct {
	g   trace.GID // NoG: none can help
	why string
}

// blocked returns the goroutine that must continue before node n can be performed; nil if there is
// none.
func (r *replay) blocked(n int32) *blocker {
	nd := &r.g.Nodes[n]
	if !r.alive[nd.G] {
		return &blocker{r.g.Nodes[r.g.births[nd.G]].G, "its goroutine is started later"}
	}
	for r.epoch < nd.epoch && r.left[r.epoch] == 0 {
		r.epoch++
	}
	if r.epoch < nd.epoch {
		return r.clockWaits(nd.epoch)
	}
	seg := &r.g.segs[nd.G][nd.seg]
	if seg.from == nd.Pos {
		for k, c := range seg.clock {
			if c == 0 {
				continue
			}
			if h, n := r.g.ownerOf(trace.Chain(k), c); r.pos[h] < n && h != nd.G {
				return &blocker{h, "it is ordered after it"}
			}
		}
	}
	if r.need != nil {
		for _, d := range r.need.of(n) {
			if !r.did(d.needs) {
				return &blocker{r.g.Nodes[d.needs].G, "it sees what that did"}
			}
		}
	}
	for _, e := range r.g.effectsOf(n) {
		if b := r.lockBlocks(e); b != nil {
			return b
		}
	}
	return nil
}

// clockWaits returns a goroutine that must continue before the clock can jump.
func (r *replay) clockWaits(epoch int32) *blocker {
	for g := range r.pos {
		if seq := r.g.seqs[g]; int(r.pos[g]) < len(seq) && r.g.Nodes[seq[r.pos[g]]].epoch < epoch {
			return &blocker{trace.GID(g), "the clock stands still until then"}
		}
	}
	return nil
}

// lockBlocks returns the holder of a lock that effect e needs. A lock that the goroutine holds
// itself it releases within the node, since the trace was possible.
func (r *replay) lockBlocks(e effect) *blocker {
	switch e.kind {
	case effLock, effRLock, effArrive, effAwait:
	default:
		return nil
	}
	if r.locks[e.obj] == nil {
		return nil
	}
	l := r.locks[e.obj]
	const held, waits = "the lock is held", "a writer waits for the lock"
	switch {
	case l.owner != trace.NoG && l.owner != e.g:
		return &blocker{l.owner, held}
	case l.arrived != trace.NoG && l.arrived != e.g:
		return &blocker{l.arrived, waits}
	case e.kind == effLock && len(l.readers) > 0 && l.readers[0] != e.g:
		return &blocker{l.readers[0], held}
	}
	return nil
}

// do performs node n on the model.
func (r *replay) do(n int32) {
	nd := &r.g.Nodes[n]
	r.pos[nd.G]++
	if int(nd.epoch) < len(r.left) {
		r.left[nd.epoch]--
	}
	r.order = append(r.order, n)
	for _, e := range r.g.effectsOf(n) {
		switch e.kind {
		case effGo:
			r.alive[e.obj] = true
			continue
		case effAwait:
			continue
		}
		l := r.locks[e.obj]
		if l == nil {
			l = &lockState{owner: trace.NoG, arrived: trace.NoG}
			r.locks[e.obj] = l
		}
		l.apply(e)
	}
}

func (l *lockState) apply(e effect) {
	switch e.kind {
	case effLock:
		l.owner, l.arrived = e.g, trace.NoG
	case effUnlock:
		l.owner = trace.NoG
	case effArrive:
		l.arrived = e.g
	case effRLock:
		l.readers = append(l.readers, e.g)
	case effRUnlock:
		for i := len(l.readers) - 1; i >= 0; i-- {
			if l.readers[i] == e.g || i == 0 {
				l.readers = append(l.readers[:i], l.readers[i+1:]...)
				break
			}
		}
	}
}

// Schedule returns the schedule that executes an order strictly, with the site of every operation.
// Goroutines have the numbers of that order. The policy continues after the last node.
func (g *Graph) Schedule(o Order) *trace.Schedule {
	s := &trace.Schedule{Exhaustive: true, Strict: true, Sites: true}
	ids := make([]trace.GID, len(g.seqs))
	next := trace.GID(0)
	for i := range ids {
		if g.births[i] < 0 {
			ids[i] = next
			next++
		}
	}
	for _, n := range o {
		g.Limit.Check()
		nd := &g.Nodes[n]
		for i := nd.Step; i < int32(len(g.Trace.Steps)); i++ {
			st := g.Trace.Steps[i]
			if i > nd.Step && (st.Op != trace.OpChoose || st.G != nd.G) {
				break
			}
			st.G = ids[st.G]
			if st.Op != trace.OpChoose {
				st.Choice = -1
				if nd.With != trace.NoG {
					st.With = int32(ids[nd.With]) + 1
				}
			}
			s.Steps = append(s.Steps, st)
		}
		for _, e := range g.effectsOf(n) {
			if e.kind == effGo {
				ids[e.obj] = next
				next++
			}
		}
	}
	return s
}

// Explain puts the sites of nodes into a refutation's Reason; event returns those of events.
func (r *Refutation) Explain(place, event func(n int32) string) string {
	args := make([]any, 0, len(r.Nodes)+len(r.Events))
	for _, n := range r.Nodes {
		args = append(args, place(n))
	}
	for _, e := range r.Events {
		args = append(args, event(e))
	}
	return fmt.Sprintf(r.Reason, args...)
}
