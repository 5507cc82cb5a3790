package policy

import (
	"math/bits"

	"heddle/model"
	"heddle/trace"
)

// pos is partial order sampling: every pending operation has a random priority and the highest
// goes; those that conflict with it then get fresh ones (Yuan, Yang and Gu, "Partial Order Aware
// Concurrency Sampling", CAV 2018). Independent operations keep theirs, so the walk is over partial
// orders rather than over interleavings: that one goroutine does n things that concern no other one
// makes the order of two events unlikely by 1/n only, where a random walk has 2^-n.
//
// We differ in two things. Whether operations conflict is judged by
// model.MayConflict and the objects that they announce, so a select counts with its first
// channel only. And an operation that could not go on gets a fresh priority when it can again:
// whatever enabled it conflicts with it, and so we need not look at those that are blocked.
//
// Where goroutines are many a step costs a look at each word of ready, at the goroutines that are
// ready anew and at those whose operation conflicts with the one that was chosen: only these draw.
type pos struct {
	r      rng
	prio   heights
	seq    []uint32 // by GID: the announcement that the priority belongs to
	places []place  // by GID
	about  []about  // by object
	timers bool     // they could go on at the last step
	many   bool     // see chooseOfFew

	// The goroutines that draw for the operation that was chosen last. They draw when the next one
	// is chosen, from where the stream was: most of those that wait for a lock are not ready then.
	late Bits
	from rng
}

// A place is what an operation is about: an object, and whether it only looks at it.
type place struct {
	obj   trace.ObjID // 0: none
	looks bool        // it does not conflict with other looks
}

// about are the goroutines whose operations are about an object, as they were when they were looked
// at last: those that change it, and those that look at it.
type about struct{ changes, looks group }

func (a *about) group(looks bool) *group {
	if looks {
		return &a.looks
	}
	return &a.changes
}

// A group is a set of goroutines: a list of them or, if they are many, a bit each.
type group struct {
	few  []trace.GID
	many Bits
}

const mostFew = 16

func (x *group) add(g trace.GID) {
	switch {
	case len(x.many) > 0:
		x.many.Set(g)
	case len(x.few) < mostFew:
		x.few = append(x.few, g)
	default:
		x.many.Set(g)
		for _, g := range x.few {
			x.many.Set(g)
		}
		x.few = x.few[:0]
	}
}

func (x *group) remove(g trace.GID) {
	if len(x.many) > 0 {
		x.many.Unset(g)
		return
	}
	for i, h := range x.few {
		if last := len(x.few) - 1; h == g {
			x.few[i], x.few = x.few[last], x.few[:last]
			return
		}
	}
}

func (x *group) clear() {
	x.few = x.few[:0]
	x.many.Clear()
}

// ready adds the goroutines of x that are ready to set.
func (x *group) ready(set *Bits, ready *Ready) {
	for _, g := range x.few {
		if ready.Has(g) {
			set.Set(g)
		}
	}
	for i, w := range x.many {
		if w &= ready.word(i); w != 0 {
			*set = atLeast(*set, i+1)
			(*set)[i] |= w
		}
	}
}

func (*pos) Name() string        { return "pos" }
func (p *pos) Outcome(n int) int { return p.r.below(n) }

func (p *pos) Begin(seed uint64) {
	p.r.seed(seed)
	for g := range p.places {
		if x := p.places[g]; x.obj != 0 {
			p.about[x.obj].group(x.looks).clear()
		}
	}
	p.prio.reset()
	p.late.Clear()
	p.seq, p.places, p.timers, p.many = p.seq[:0], p.places[:0], false, false
}

// few is up to how many goroutines pos looks at each of them, which is quicker then.
const few = 64

// chooseOfFew is Choose for few goroutines. What it leaves is good for Choose, but for the objects.
func (p *pos) chooseOfFew(ready *Ready, pend []trace.Pending) trace.GID {
	was, now, timers := p.prio.was[0], ready.word(0), ready.timers-1
	best := ready.First()
	for w := now; w != 0; w &= w - 1 {
		g := trace.GID(bits.TrailingZeros64(w))
		if was>>g&1 == 0 || p.seq[g] != pend[g].Seq {
			p.seq[g], p.prio.of[g] = pend[g].Seq, p.r.Next()
		}
		if p.prio.of[g] > p.prio.of[best] {
			best = g
		}
	}
	p.prio.was[0] = now
	if p.drawTimers(timers, pend) && p.prio.of[timers] > p.prio.of[best] {
		best = timers
	}
	q := &pend[best]
	if q.Obj == 0 {
		return best
	}
	for w := now; w != 0; w &= w - 1 {
		g := trace.GID(bits.TrailingZeros64(w))
		if x := &pend[g]; x.Obj == q.Obj && g != best && model.MayConflict(x.Op, q.Op) {
			p.prio.of[g] = p.r.Next()
		}
	}
	return best
}

// drawTimers reports whether timers is a goroutine; it draws for a new operation.
func (p *pos) drawTimers(timers trace.GID, pend []trace.Pending) bool {
	was := p.timers
	if p.timers = timers != trace.NoG; p.timers && (!was || p.seq[timers] != pend[timers].Seq) {
		p.seq[timers], p.prio.of[timers] = pend[timers].Seq, p.r.Next()
	}
	return p.timers
}

func (p *pos) Choose(cur trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	if len(p.seq) < len(pend) {
		p.seq, p.places = atLeast(p.seq, len(pend)), atLeast(p.places, len(pend))
		p.prio.grow(len(pend), 1)
	}
	if len(pend) <= few {
		return p.chooseOfFew(ready, pend)
	}
	p.prio.grow(0, len(ready.words))
	if !p.many {
		p.many = true
		for g := range pend {
			if p.seq[g] == pend[g].Seq { // else it settles below
				p.settle(trace.GID(g), &pend[g])
			}
		}
		ready.passed = atLeast(ready.passed, 1)
		ready.passed[0] = ^uint64(0) // all are looked at
	}
	if cur != trace.NoG {
		ready.passed.Set(cur)
	}
	for i, was := range p.prio.was {
		w, change := ready.word(i), false
		if i < len(p.late) && p.late[i] != 0 {
			p.drawLate(i, w&was)
			change = true
		}
		fresh := w &^ was
		if i < len(ready.passed) {
			fresh |= w & ready.passed[i]
			ready.passed[i] = 0
		}
		for f := fresh; f != 0; f &= f - 1 {
			g := trace.GID(i<<6 + bits.TrailingZeros64(f))
			if q := &pend[g]; p.seq[g] != q.Seq {
				p.prio.of[g], p.seq[g] = p.r.Next(), q.Seq
				p.settle(g, q)
			} else if was>>(g&63)&1 == 0 {
				p.prio.of[g] = p.r.Next()
			}
		}
		if w != was || fresh != 0 || change {
			p.prio.look(i, w)
		}
	}
	timers := ready.timers - 1
	p.drawTimers(timers, pend)
	best := p.prio.highest(timers)
	if p.late.Clear(); p.places[best].obj != 0 {
		p.redraw(best, ready)
	}
	return best
}

// drawLate draws for the goroutines of word i of late; those of ready keep it.
func (p *pos) drawLate(i int, ready uint64) {
	late := p.late[i]
	if late&ready == 0 {
		p.from.Skip(bits.OnesCount64(late))
		return
	}
	for ; late != 0; late &= late - 1 {
		x := p.from.Next()
		if b := late & -late; b&ready != 0 {
			p.prio.of[i<<6+bits.TrailingZeros64(b)] = x
		}
	}
}

// settle notes what the operation of g is about.
func (p *pos) settle(g trace.GID, q *trace.Pending) {
	x, old := place{q.Obj, !model.MayConflict(q.Op, q.Op)}, p.places[g]
	if x == old {
		return
	}
	if p.places[g] = x; old.obj != 0 {
		p.about[old.obj].group(old.looks).remove(g)
	}
	if x.obj != 0 {
		p.about = atLeast(p.about, int(x.obj)+1)
		p.about[x.obj].group(x.looks).add(g)
	}
}

// redraw lets the goroutines draw that are ready and whose operations conflict with that of best.
func (p *pos) redraw(best trace.GID, ready *Ready) {
	x := p.places[best]
	a := &p.about[x.obj]
	a.changes.ready(&p.late, ready)
	if !x.looks {
		a.looks.ready(&p.late, ready)
		p.late.Unset(best)
	}
	n := 0
	for _, w := range p.late {
		n += bits.OnesCount64(w)
	}
	p.from = p.r
	p.r.Skip(n)
}
