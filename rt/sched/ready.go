package sched

import "heddle/trace"

// A readyList holds the goroutines that are enabled, in order of creation.
type readyList []trace.GID

func (r readyList) has(id trace.GID) bool {
	lo, hi := 0, len(r)
	for lo < hi {
		m := (lo + hi) / 2
		if r[m] < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(r) && r[lo] == id
}

// insert adds id, which is not in r.
func (r *readyList) insert(id trace.GID) {
	l := append(*r, id)
	i := len(l) - 1
	for i > 0 && l[i-1] > id {
		l[i] = l[i-1]
		i--
	}
	l[i] = id
	*r = l
}

func (r *readyList) remove(id trace.GID) {
	l := *r
	for i, x := range l {
		if x == id {
			copy(l[i:], l[i+1:])
			*r = l[:len(l)-1]
			return
		}
	}
}

// after returns the next one after g in round-robin order.
func (r readyList) after(g trace.GID) trace.GID {
	for _, id := range r {
		if id > g {
			return id
		}
	}
	return r[0]
}

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
func (t *turns) due(ready readyList, last bool, n int) (g trace.GID, ok bool) {
	switch {
	case len(ready) < 2:
	case last:
		return ready.after(t.prev), t.run >= fairRun
	case n >= fairFrom && t.stops%fairTurn == 0:
		return ready.after(t.served), true
	}
	return 0, false
}

// made notes that id makes the next step, and reports whether another goroutine made the one
// before.
func (t *turns) made(id trace.GID, last bool) (switched bool) {
	if !last {
		if t.stops++; t.stops%fairTurn == 1 {
			t.served = id
		}
	}
	if id == t.prev {
		t.run++
		return false
	}
	t.run, t.prev = 0, id
	return true
}
