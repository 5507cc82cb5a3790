package sched

import (
	"heddle/rt/policy"
	"heddle/trace"
)

// turns says whose turn it is, by which goroutines have made the last steps.
type turns struct {
	prev   trace.GID // made the last step
	run    int       // steps in a row by prev
	stops  int       // how often prev could not go on
	served trace.GID // has had the last turn, see fairFrom
}

func (t *turns) reset() { *t = turns{prev: trace.NoG, served: trace.NoG} }

// fairRun is how many steps in a row a goroutine may make while others are
// ready before the next one has a turn, whatever the policy says: no policy
// starves a goroutine that a polling loop waits for.
const fairRun = 4000

// fairFrom is after how many steps of an execution every goroutine that is ready has a turn now and
// then: each fairTurn-th time that the goroutine that went last has to wait, the next one has it,
// round and round. Two that talk to each other, such as a loop that asks a server for its state,
// would keep all others from what the loop waits for, where the policy prefers the two.
const (
	fairFrom = 10 * fairRun
	fairTurn = 8
)

// due returns the goroutine of ready whose turn it is after n steps, whatever the policy says; ok
// is false where none has waited for long. last: prev is ready.
func (t *turns) due(ready *policy.Ready, last bool, n int) (g trace.GID, ok bool) {
	switch {
	case ready.Len() < 2:
	case last:
		if t.run >= fairRun {
			return ready.After(t.prev), true
		}
	case n >= fairFrom && t.stops%fairTurn == 0:
		return ready.After(t.served), true
	}
	return 0, false
}

// mayBeDue reports whether due is to be asked after n steps.
func (t *turns) mayBeDue(n int) bool { return t.run >= fairRun || n >= fairFrom }

// switched notes that id makes the next step, and not the goroutine that made the one before.
func (t *turns) switched(id trace.GID, last bool) {
	if !last {
		if t.stops++; t.stops%fairTurn == 1 {
			t.served = id
		}
	}
	t.run, t.prev = 0, id
}
