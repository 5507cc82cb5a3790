package policy

import "heddle/trace"

// roundRobin takes the goroutine that has made the fewest steps, the oldest of several: every step
// is a switch where that is possible. Outcomes take turns as well. The seed does not matter.
type roundRobin struct {
	steps    []uint32
	outcomes int
}

func (*roundRobin) Name() string { return "rr" }

func (p *roundRobin) Begin(uint64) { p.steps, p.outcomes = p.steps[:0], 0 }

func (p *roundRobin) Outcome(n int) int {
	p.outcomes++
	return (p.outcomes - 1) % n
}

func (p *roundRobin) Choose(_ trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	p.steps = atLeast(p.steps, len(pend))
	best := ready.First()
	for g := range ready.All {
		if p.steps[g] < p.steps[best] {
			best = g
		}
	}
	p.steps[best]++
	return best
}
