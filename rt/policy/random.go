package policy

import "heddle/trace"

// random chooses uniformly among the goroutines that can go on: a random walk.
type random struct{ r rng }

func (*random) Name() string        { return "random" }
func (p *random) Begin(seed uint64) { p.r.seed(seed) }
func (p *random) Outcome(n int) int { return p.r.below(n) }

func (p *random) Choose(_ trace.GID, ready *Ready, _ []trace.Pending) trace.GID {
	return ready.Nth(p.r.below(ready.Len()))
}
