package predict

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// The partial order relation (Definition 1), by the Go memory model. Few events order goroutines.
// Between two of them the clock of a goroutine is constant for others: a segment. Whether one node
// happens before another is computed from the segments.

// A segment is a part of a goroutine with one clock.
type segment struct {
	from  int32       // index of its first node in the goroutine
	clock trace.Clock // by chain: number of nodes that happen before it
}

// A place is the position of a goroutine in its chain: the number of nodes of the chain before its
// own.
type place struct {
	chain trace.Chain // noChain: it has no nodes
	after uint32
}

const noChain trace.Chain = -1

// join joins d into c, and reports whether that changed c.
func join(c, d trace.Clock) (trace.Clock, bool) {
	for k, v := range d {
		if v > c.At(trace.Chain(k)) {
			return c.Join(d), true
		}
	}
	return c, false
}

// Before reports whether node a happens before node b (a → b): POR.
func (g *Graph) Before(a, b int32) bool {
	x, y := &g.Nodes[a], &g.Nodes[b]
	if a >= b {
		return false
	}
	if x.G == y.G || x.epoch < y.epoch || x.With == y.G {
		return true
	}
	at := g.places[x.G]
	return g.segs[y.G][y.seg].clock.At(at.chain) > at.after+uint32(x.Pos)
}

// Unordered reports whether two nodes are concurrent.
func (g *Graph) Unordered(a, b int32) bool { return !g.Before(a, b) && !g.Before(b, a) }

// segment begins a segment of id at its node with index pos.
func (b *builder) segment(id trace.GID, pos int32) {
	x := &b.gs[id]
	x.dirty = false
	segs := b.g.segs[id]
	clock := slices.Clone(x.clock)
	if last := &segs[len(segs)-1]; last.from == pos {
		last.clock = clock
		return
	}
	b.g.segs[id] = append(segs, segment{pos, clock})
}

// objState is what an object passes from releases to acquisitions.
type objState struct {
	clock trace.Clock
	sent  int           // number of values sent to a channel with a buffer
	freed []trace.Clock // the clocks of the receives from a channel with a buffer
}

func (b *builder) obj(id trace.ObjID) *objState {
	o := b.objs[id]
	if o == nil {
		o = new(objState)
		b.objs[id] = o
	}
	return o
}

// learn joins c into the clock of event e's goroutine, from e's node n on.
func (b *builder) learn(e *trace.Event, n int32, c trace.Clock) {
	x := &b.gs[e.G]
	var more bool
	if x.clock, more = join(x.clock, c); !more {
		return
	}
	nd := &b.g.Nodes[n]
	if nd.G != e.G {
		x.dirty = true // from its next node on
		return
	}
	b.segment(e.G, nd.Pos)
	nd.seg = int32(len(b.g.segs[e.G]) - 1)
}

// tell joins the clock of e's goroutine into o's.
func (b *builder) tell(e *trace.Event, o *objState) { o.clock, _ = join(o.clock, b.gs[e.G].clock) }

// order applies the order that event ev, e, gives. Operations of the standard library on its own
// locks and atomics give none: if their order matters, the schedule will not fit.
func (b *builder) order(ev int32, e *trace.Event, n int32) {
	switch e.Op {
	case trace.OpGo:
		b.birth(e, n)
	case trace.OpEnd:
		if at := b.g.places[e.G]; at.chain != noChain {
			all := at.after + uint32(len(b.g.seqs[e.G]))
			b.chains.End(at.chain, all, all)
		}
	case trace.OpSend:
		if !b.weak[e.Obj] {
			b.send(ev, e, n)
		}
	case trace.OpRecv:
		if e.Arg == 0 || !b.weak[e.Obj] {
			b.recv(ev, e, n)
		}
	case trace.OpSignal, trace.OpBroadcast:
		b.sent[ev] = slices.Clone(b.gs[e.G].clock)
	case trace.OpCondWake:
		b.learn(e, n, b.sent[e.Partner])
	case trace.OpTimerFire, trace.OpIdle:
		// No goroutine was enabled: everything before happens before everything after.
		b.epoch++
		b.learn(e, n, b.obj(e.Obj).clock)
	default:
		b.synchronise(e, n)
	}
}

// synchronise applies the order of e with the other operations on its object. Locks give none here:
// their critical sections may be swapped (Definition 1).
func (b *builder) synchronise(e *trace.Event, n int32) {
	if e.Obj == 0 && e.Op != trace.OpNative {
		return
	}
	def, o := model.ObjectOf(b.t, e.Obj)
	switch o.Kind {
	case trace.ObjMutex, trace.ObjRWMutex:
		return
	case trace.ObjOnce, trace.ObjWaitGroup, trace.ObjChan, trace.ObjTimer:
	default:
		if e.Quiet || b.weak[e.Obj] {
			return
		}
	}
	order := def.Orders(&o, e.Op, int32(e.Arg))
	if order&model.Acquires != 0 {
		b.learn(e, n, b.obj(e.Obj).clock)
	}
	switch {
	case order&model.Replaces != 0:
		x := b.obj(e.Obj)
		x.clock = x.clock.Copy(b.gs[e.G].clock)
	case order&model.Releases != 0:
		b.tell(e, b.obj(e.Obj))
	}
}

// place gives goroutine id its place in a chain; clock is that of the goroutine which starts it.
func (b *builder) place(id trace.GID, clock trace.Clock) {
	k, first := b.chains.Begin(clock.Vector())
	b.g.places[id] = place{k, first - 1}
	if int(k) == len(b.g.chains) {
		b.g.chains = append(b.g.chains, nil)
	}
	b.g.chains[k] = append(b.g.chains[k], id)
}

// placed gives a goroutine that no go statement started a place.
func (b *builder) placed(id trace.GID) {
	if b.g.places[id].chain == noChain {
		b.place(id, nil)
	}
}

// ownerOf returns the goroutine of the c-th node of chain k, and the index of that node among its
// own.
func (g *Graph) ownerOf(k trace.Chain, c uint32) (id trace.GID, nodes int32) {
	ids := g.chains[k]
	for i := len(ids) - 1; ; i-- {
		if at := g.places[ids[i]]; at.after < c || i == 0 {
			return ids[i], int32(c - at.after)
		}
	}
}

// birth gives the goroutine that node n starts its parent's clock.
func (b *builder) birth(e *trace.Event, n int32) {
	child := trace.GID(e.Arg)
	if child < 0 || int(child) >= len(b.gs) {
		return
	}
	b.effect(n, e.G, effGo, trace.ObjID(child))
	b.g.births[child] = n
	b.place(child, b.gs[e.G].clock)
	x := &b.gs[child]
	x.clock, _ = join(x.clock, b.gs[e.G].clock)
	x.dirty = true
}

// send: a send happens before its receive completes. Without a buffer the send completes after the
// receive; into a full buffer, after the receive that made room.
func (b *builder) send(ev int32, e *trace.Event, n int32) {
	if e.Arg < 0 {
		return
	}
	if b.rendezvous(e) {
		if e.Partner > ev { // else meet was called for the receive
			b.meet(e, &b.t.Events[e.Partner], n)
		}
		return
	}
	o := b.obj(e.Obj)
	if c := b.capacity(e); c > 0 && o.sent >= c && o.sent-c < len(o.freed) {
		b.learn(e, n, o.freed[o.sent-c])
	}
	o.sent++
	b.sent[ev] = slices.Clone(b.gs[e.G].clock)
}

func (b *builder) recv(ev int32, e *trace.Event, n int32) {
	switch {
	case e.Arg == 0: // closed
		b.learn(e, n, b.obj(e.Obj).clock)
	case b.rendezvous(e):
		if e.Partner > ev {
			b.meet(e, &b.t.Events[e.Partner], n)
		}
	case e.Partner >= 0:
		b.learn(e, n, b.sent[e.Partner])
		delete(b.sent, e.Partner)
		o := b.obj(e.Obj)
		o.freed = append(o.freed, slices.Clone(b.gs[e.G].clock))
	}
}

// rendezvous reports whether e is half of a communication without a buffer, one step of both.
func (b *builder) rendezvous(e *trace.Event) bool {
	return e.Partner >= 0 && b.t.Events[e.Partner].Step == e.Step
}

func (b *builder) capacity(e *trace.Event) int {
	if int(e.Obj) < len(b.t.Objects) {
		return int(b.t.Objects[e.Obj].Cap)
	}
	return 0
}

// meet joins the clocks of both sides of a communication.
func (b *builder) meet(e, f *trace.Event, n int32) {
	c := slices.Clone(b.gs[e.G].clock)
	b.learn(e, n, b.gs[f.G].clock)
	b.learn(f, n, c)
}
