package policy

import "heddle/trace"

// first is the non-preemptive policy: the goroutine that runs goes on as long as it can,
// then the oldest goroutine that can. Outcomes are always the first.
//
// One that gives way (runtime.Gosched) is followed by the next in order of
// creation, round and round, or two that wait for a third by giving way would starve it.
type first struct{}

func (first) Name() string    { return "first" }
func (first) Begin(uint64)    {}
func (first) Outcome(int) int { return 0 }

func (first) Choose(cur trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID {
	if !contains(ready, cur) {
		return ready[0]
	}
	if op := pend[cur].Op; op == trace.OpGosched || op == trace.OpIdle {
		return after(cur, ready, pend)
	}
	return cur
}

// after returns the goroutine that comes after cur. An early timer never has a turn.
func after(cur trace.GID, ready []trace.GID, pend []trace.Pending) trace.GID {
	for _, g := range ready {
		if g > cur && pend[g].Op != trace.OpTimerFire {
			return g
		}
	}
	return ready[0]
}
