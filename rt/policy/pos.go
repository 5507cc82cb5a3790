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
type pos struct {
	r    rng
	of   []posEntry // by GID
	step uint32
}

type posEntry struct {
	prio uint64
	seq  uint32 // the announcement that prio belongs to
	step uint32 // when it was last ready; 0: never
}

func (*pos) Name() string        { return "pos" }
func (p *pos) Outcome(n int) int { return p.r.below(n) }

func (p *pos) Begin(seed uint64) {
	p.r.seed(seed)
	p.of, p.step = p.of[:0], 1
}

func (p *pos) Choose(_ trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	p.of = atLeast(p.of, len(pend))
	p.step++
	best := ready.First()
	for i, w := range ready.words {
		for ; w != 0; w &= w - 1 {
			best = p.higher(best, trace.GID(i<<6+bits.TrailingZeros64(w)), pend)
		}
	}
	if ready.timers != 0 {
		best = p.higher(best, ready.timers-1, pend)
	}
	if pend[best].Obj == 0 {
		return best
	}
	for i, w := range ready.words {
		for ; w != 0; w &= w - 1 {
			g := trace.GID(i<<6 + bits.TrailingZeros64(w))
			if g != best && conflict(&pend[g], &pend[best]) {
				p.of[g].prio = p.r.Next()
			}
		}
	}
	return best
}

// higher returns the one of best and g with the higher priority; g draws one for a new operation.
func (p *pos) higher(best, g trace.GID, pend []trace.Pending) trace.GID {
	e := &p.of[g]
	if e.seq != pend[g].Seq || e.step != p.step-1 {
		e.seq, e.prio = pend[g].Seq, p.r.Next()
	}
	e.step = p.step
	if e.prio > p.of[best].prio {
		return g
	}
	return best
}

// conflict reports whether two pending operations may not commute.
func conflict(p, q *trace.Pending) bool {
	return p.Obj != 0 && p.Obj == q.Obj && model.MayConflict(p.Op, q.Op)
}
