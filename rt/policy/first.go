package policy

import "heddle/trace"

// first is the non-preemptive policy: whoever runs goes on as long as it can,
// then the oldest goroutine that can. Outcomes are always the first.
type first struct{}

func (first) Name() string { return "first" }
func (first) Begin(uint64) {}

func (first) Choose(cur trace.GID, ready []trace.GID, _ []trace.Pending) trace.GID {
	if contains(ready, cur) {
		return cur
	}
	return ready[0]
}

func (first) Outcome(int) int { return 0 }

// roundRobin takes the goroutine that has made the fewest steps, the oldest of
// several. Every step is a switch where that is possible.
type roundRobin struct{ steps []uint32 }

func (*roundRobin) Name() string        { return "rr" }
func (p *roundRobin) Begin(uint64)      { p.steps = p.steps[:0] }
func (p *roundRobin) Outcome(n int) int { return 0 }

func (p *roundRobin) Choose(cur trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID {
	for len(p.steps) < len(pend) {
		p.steps = append(p.steps, 0)
	}
	best := ready[0]
	for _, g := range ready[1:] {
		if p.steps[g] < p.steps[best] {
			best = g
		}
	}
	p.steps[best]++
	return best
}

// random chooses uniformly among those who can go on.
type random struct{ r rng }

func (*random) Name() string        { return "random" }
func (p *random) Begin(seed uint64) { p.r.seed(seed) }
func (p *random) Outcome(n int) int { return p.r.below(n) }

func (p *random) Choose(_ trace.GID, ready []trace.GID, _ []trace.Pending) trace.GID {
	return ready[p.r.below(len(ready))]
}
