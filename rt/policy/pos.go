package policy

import "heddle/trace"

// pos is partial order sampling: every pending operation has a random
// priority and the highest goes; then those that conflict with it get fresh
// ones (Yuan, Yang and Gu, "Partial Order Aware Concurrency Sampling", CAV
// 2018, Algorithm 2). We differ in one thing: whether operations conflict is
// judged by Pending.Conflict, on the objects that they announce, so a select
// counts with its first channel only.
type pos struct {
	r    rng
	prio []uint64
	seq  []uint32 // Pending.Seq that prio belongs to
}

func (*pos) Name() string        { return "pos" }
func (p *pos) Outcome(n int) int { return p.r.below(n) }

func (p *pos) Begin(seed uint64) {
	p.r.seed(seed)
	p.prio, p.seq = p.prio[:0], p.seq[:0]
}

func (p *pos) Choose(_ trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID {
	for len(p.prio) < len(pend) {
		p.prio = append(p.prio, 0)
		p.seq = append(p.seq, 0)
	}
	best := trace.NoG
	for _, g := range ready {
		if p.seq[g] != pend[g].Seq {
			p.seq[g], p.prio[g] = pend[g].Seq, p.r.next()
		}
		if best < 0 || p.prio[g] > p.prio[best] {
			best = g
		}
	}
	for _, g := range ready {
		if g != best && pend[g].Conflict(pend[best]) {
			p.prio[g] = p.r.next()
		}
	}
	return best
}
