package policy

import "heddle/trace"

// pct is probabilistic concurrency testing: goroutines have random priorities,
// the highest goes, and at d-1 steps chosen beforehand whoever runs drops to a
// priority below all others, so that a bug of depth d in a program of n
// goroutines and k steps is hit with probability at least 1/(n*k^(d-1))
// (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010, section 3).
//
// We differ from the paper where it leaves a choice: k is the largest number
// of steps seen so far; goroutines created later get a random priority among
// the others, as the paper's threads do; and one that gives way (runtime.Gosched,
// a polling loop that reads nothing new) drops below all others, or the policy
// would spin.
type pct struct {
	r       rng
	depth   int
	length  int // k
	step    int
	changes []int // steps at which a priority drops, ascending; the first done of them are over
	done    int
	prio    []uint64 // 0: none yet; dropped ones count down from lowest
	low     uint64
}

const lowest = 1 << 32 // random priorities are above, dropped ones below

func newPCT(depth int) *pct {
	if depth <= 0 {
		depth = 3
	}
	return &pct{depth: depth, length: 16}
}

func (*pct) Name() string        { return "pct" }
func (p *pct) Outcome(n int) int { return p.r.below(n) }

// Length returns k, the length that change points are spread over.
func (p *pct) Length() int { return p.length }

// SetLength sets k: with the same seed the policy then makes the same choices.
func (p *pct) SetLength(k int) { p.length = max(1, k) }

func (p *pct) Begin(seed uint64) {
	p.length = max(p.length, p.step)
	p.r.seed(seed)
	p.step = 0
	p.low = lowest - 1
	p.prio = p.prio[:0]
	p.changes, p.done = p.changes[:0], 0
	for range p.depth - 1 {
		c := 1 + p.r.below(p.length)
		i := len(p.changes)
		p.changes = append(p.changes, c)
		for i > 0 && p.changes[i-1] > c {
			p.changes[i] = p.changes[i-1]
			i--
		}
		p.changes[i] = c
	}
}

func (p *pct) Choose(cur trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID {
	for len(p.prio) < len(pend) {
		p.prio = append(p.prio, 0)
	}
	p.step++
	if cur >= 0 && int(cur) < len(pend) && pend[cur].Op == trace.OpGosched {
		p.drop(cur)
	}
	best := p.highest(ready)
	for p.done < len(p.changes) && p.step >= p.changes[p.done] {
		p.done++
		p.drop(best)
		best = p.highest(ready)
	}
	return best
}

func (p *pct) highest(ready []trace.GID) trace.GID {
	best := trace.NoG
	for _, g := range ready {
		if p.prio[g] == 0 {
			p.prio[g] = lowest + p.r.next()>>1
		}
		if best < 0 || p.prio[g] > p.prio[best] {
			best = g
		}
	}
	return best
}

func (p *pct) drop(g trace.GID) {
	p.prio[g] = p.low
	p.low--
}
