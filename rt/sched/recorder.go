package sched

import (
	"heddle/rt/wire"
	"heddle/trace"
)

// recorder is the trace of the running execution. Its steps and goroutines are in the memory of the
// log, if there is one, so that keeping them for the case of a crash costs nothing.
type recorder struct {
	trace.Trace
	log       Log
	counts    *wire.CrashCounts // of log, or read by nothing
	longSteps []trace.Step      // of an execution that the log had no room for
}

// A Log is memory that outlives a process that dies. The goroutines and steps
// of the running execution are kept in it as long as it has room.
type Log interface {
	// Goroutines and Steps return the memory, of at least n if there is that
	// much: always the same, with more behind it.
	Goroutines(n int) []trace.Goroutine
	Steps(n int) []trace.Step
	Counts() *wire.CrashCounts
}

// SetLog sets where a process that may die leaves what it has done so far; nil: nowhere.
func (s *Sched) SetLog(log Log) { s.t.setLog(log) }

func (t *recorder) setLog(log Log) {
	t.log, t.counts = log, new(wire.CrashCounts)
	if log != nil {
		t.counts = log.Counts()
	}
	t.Steps, t.Goroutines, t.longSteps = nil, nil, nil
}

// reset begins an execution.
func (t *recorder) reset() {
	t.Events, t.Values, t.Objects, t.Plain, t.Ways = t.Events[:0], t.Values[:0], t.Objects[:0],
		t.Plain[:0], t.Ways[:0]
	t.Offers, t.Left, t.Compares, t.Twins, t.Crashed = t.Offers[:0], t.Left[:0], t.Compares[:0],
		t.Twins[:0], t.Crashed[:0]
	t.Updates, t.Sent, t.Heads, t.Calm = t.Updates[:0], t.Sent[:0], t.Heads[:0], t.Calm[:0]
	t.Spun, t.Untimed, t.Calls = false, trace.Timed, t.Calls[:0]
	t.Steps, t.Goroutines = t.Steps[:0], t.Goroutines[:0]
	if t.log != nil {
		t.Steps, t.Goroutines = t.log.Steps(0)[:0], t.log.Goroutines(0)[:0]
	}
	*t.counts = wire.CrashCounts{}
}

// newStep adds a step, which the caller fills: what it was before is still in it.
func (s *Sched) newStep() *trace.Step {
	endReads()
	t := &s.t
	n := len(t.Steps)
	if n == cap(t.Steps) {
		t.moreSteps(n)
	}
	t.Steps = t.Steps[:n+1]
	t.counts.Steps++
	return &t.Steps[n]
}

func (t *recorder) moreSteps(n int) {
	if t.log != nil && t.counts.Lost == 0 {
		if m := t.log.Steps(n + 1); len(m) > n {
			t.Steps = m[:n]
			return
		}
		t.counts.Lost = 1
		t.Steps = append(t.longSteps[:0], t.Steps...)
	}
	t.Steps = append(t.Steps, trace.Step{})[:n]
	t.longSteps = t.Steps
}

func (t *recorder) newGoroutine(g trace.Goroutine) {
	n := len(t.Goroutines)
	if n == cap(t.Goroutines) && t.log != nil && t.counts.Lost == 0 {
		if m := t.log.Goroutines(n + 1); len(m) > n {
			t.Goroutines = m[:n]
		} else {
			t.counts.Lost = 1
		}
	}
	t.Goroutines = append(t.Goroutines, g)
	t.counts.Goroutines++
}

// pair makes two events partners: a send and the receive of its value.
func (t *recorder) pair(a, b int32) {
	if a == b {
		return // see moreEvents
	}
	t.Events[a].Partner, t.Events[b].Partner = b, a
}

// value keeps the value that an event moved, unless it has one.
func (t *recorder) value(ev int32, text string) {
	if t.Events[ev].Val != 0 {
		return
	}
	t.Values = append(t.Values, text)
	t.Events[ev].Val = int32(len(t.Values))
}

// nameLess orders goroutines by their place in the tree of go statements.
func (t *recorder) nameLess(a, b trace.GID) bool {
	da, db := t.depth(a), t.depth(b)
	for x := da; x > db; x-- {
		a = t.Goroutines[a].Parent
	}
	for x := db; x > da; x-- {
		b = t.Goroutines[b].Parent
	}
	if a == b {
		return da < db
	}
	for t.Goroutines[a].Parent != t.Goroutines[b].Parent {
		a, b = t.Goroutines[a].Parent, t.Goroutines[b].Parent
	}
	return t.Goroutines[a].N < t.Goroutines[b].N
}

func (t *recorder) depth(g trace.GID) int {
	n := 0
	for g = t.Goroutines[g].Parent; g != trace.NoG; g = t.Goroutines[g].Parent {
		n++
	}
	return n
}

// lastStep returns the index of the last step that g took part in, -1 if there is none.
func (t *recorder) lastStep(g trace.GID) int32 {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		st := &t.Steps[i]
		if st.G == g || st.Op != trace.OpChoose && st.With == int32(g)+1 {
			return int32(i)
		}
	}
	return -1
}
