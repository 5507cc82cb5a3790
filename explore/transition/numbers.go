package transition

import "heddle/trace"

// Numbers are the numbers that goroutines will have in an execution, while its schedule is made:
// they count the go statements in the order of the execution to come.
type Numbers struct {
	gids []trace.GID // by Proc
	next trace.GID
}

// Begin begins a schedule. early are the goroutines that are started before the first step.
func (n *Numbers) Begin(early []Proc) {
	n.gids, n.next = n.gids[:0], 0
	n.Start([]Proc{Main, Timers})
	n.Start(early)
}

// Start numbers goroutines that the last step starts.
func (n *Numbers) Start(ps []Proc) {
	for _, p := range ps {
		for int(p) >= len(n.gids) {
			n.gids = append(n.gids, trace.NoG)
		}
		n.gids[p] = n.next
		n.next++
	}
}

// Of returns the number of a goroutine; NoG if it was not started, or p is NoProc.
func (n *Numbers) Of(p Proc) trace.GID {
	if p < 0 || int(p) >= len(n.gids) {
		return trace.NoG
	}
	return n.gids[p]
}

// Step returns t as a step of the schedule. Of t its identity and its operation count.
func (n *Numbers) Step(t *Transition) trace.Step {
	return trace.Step{G: n.Of(t.Proc), Op: t.Op, Choice: t.Choice, With: int32(n.Of(t.With)) + 1,
		Case: t.Case, WithCase: t.WithCase}
}
