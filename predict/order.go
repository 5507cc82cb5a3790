package predict

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// The partial order relation (Definition 1), by the Go memory model. Order
// between goroutines comes from few events. From one of them to the next a
// goroutine knows the same of the others: that is a segment, with one clock.
// Whether one node happens before another is computed from that when asked.

// A segment is a part of a goroutine throughout which it knows the same.
type segment struct {
	from  int32       // position of its first node
	clock trace.Clock // how many nodes of every chain happened before it
}

// A place is that of a goroutine in its chain: how many nodes there were before its own.
type place struct {
	chain trace.Chain // noChain: it has no nodes
	after uint32
}

const noChain trace.Chain = -1

// join adds to c what d knows, and reports whether that was more.
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

// Unordered reports whether neither of two nodes happens before the other.
func (g *Graph) Unordered(a, b int32) bool { return !g.Before(a, b) && !g.Before(b, a) }

// segment begins a segment of id at its pos-th node.
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

// objState is what an object passes from those who release it to those who acquire it.
type objState struct {
	clock trace.Clock
	sent  int           // to a channel with a buffer
	freed []trace.Clock // what the receivers of a channel with a buffer knew
}

func (b *builder) obj(id trace.ObjID) *objState {
	o := b.objs[id]
	if o == nil {
		o = new(objState)
		b.objs[id] = o
	}
	return o
}

// learn lets the goroutine of event e know what c says, from the node n of that event on.
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

// tell adds what the goroutine of e knows to o.
func (b *builder) tell(e *trace.Event, o *objState) { o.clock, _ = join(o.clock, b.gs[e.G].clock) }

// order applies what event ev, e, adds to the order relation. What the standard
// library does inside with locks and atomics of its own gives none: if it
// matters, the schedule will not fit.
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
		b.send(ev, e, n)
	case trace.OpRecv:
		b.recv(ev, e, n)
	case trace.OpSignal, trace.OpBroadcast:
		b.sent[ev] = slices.Clone(b.gs[e.G].clock)
	case trace.OpCondWake:
		b.learn(e, n, b.sent[e.Partner])
	case trace.OpTimerFire, trace.OpIdle:
		// Nobody else could go on: all that was done comes before what follows.
		b.epoch++
		b.learn(e, n, b.obj(e.Obj).clock)
	default:
		b.synchronise(e, n)
	}
}

// synchronise applies the order that e gives with all others on its object. Locks give none here:
// their critical sections may come in another order (Definition 1).
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
		if e.Quiet {
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

// place gives goroutine id, started by somebody who knows clock, its place in a chain.
func (b *builder) place(id trace.GID, clock trace.Clock) {
	k, first := b.chains.Begin(clock)
	b.g.places[id] = place{k, first - 1}
	if int(k) == len(b.g.chains) {
		b.g.chains = append(b.g.chains, nil)
	}
	b.g.chains[k] = append(b.g.chains[k], id)
}

// placed gives goroutine id, which nobody started, a place.
func (b *builder) placed(id trace.GID) {
	if b.g.places[id].chain == noChain {
		b.place(id, nil)
	}
}

// who returns the goroutine whose node is the c-th of chain k, and how many of its own that one
// makes.
func (g *Graph) who(k trace.Chain, c uint32) (id trace.GID, nodes int32) {
	ids := g.chains[k]
	for i := len(ids) - 1; ; i-- {
		if at := g.places[ids[i]]; at.after < c || i == 0 {
			return ids[i], int32(c - at.after)
		}
	}
}

// birth lets the goroutine that node n starts know what its parent knows.
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

// send: a send happens before its receive completes; one over a channel without
// a buffer completes after the receive, and one into a full buffer after the
// receive that made room.
func (b *builder) send(ev int32, e *trace.Event, n int32) {
	if e.Arg < 0 {
		return
	}
	if b.rendezvous(e) {
		if e.Partner > ev { // else the receive's event has done it
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

// meet lets both sides of a communication know what the other knows.
func (b *builder) meet(e, f *trace.Event, n int32) {
	c := slices.Clone(b.gs[e.G].clock)
	b.learn(e, n, b.gs[f.G].clock)
	b.learn(f, n, c)
}
