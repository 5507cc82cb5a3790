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

func (first) Choose(cur trace.GID, ready *Ready, pend []trace.Pending) trace.GID {
	if !ready.Has(cur) {
		return ready.First()
	}
	if op := pend[cur].Op; op == trace.OpGosched || op == trace.OpIdle {
		return ready.After(cur) // an early timer never has a turn
	}
	return cur
}
