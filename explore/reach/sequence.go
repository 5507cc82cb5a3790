package reach

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// A sequence is the SYN-sequence that an execution exercised (Definition 1),
// seen as events: synchronisation pairs, of a call (the sending event) and
// what completed it (the receiving event). In Go that is a transition.
type sequence struct {
	*transition.Path
	n, w   int
	past   []uint64 // w words an event: what happened before it, and itself
	future []uint64 // likewise
	calls  []call
	procOf []int32 // of each event: the call of its Proc, and that of its With or -1
	withOf []int32
	alive  arena
}

// A call is an operation that a goroutine announced: a sending event. What
// happened before it is its control structure (Definition 3).
type call struct {
	proc transition.Proc
	op   trace.Op
	past set // what happened before it was announced
	done int // the event that completed it, -1 if none did
	left int // index in Path.Left, -1
	comm int // index in Path.Operations, -1

	// Where it stands and what it is about, if twins are looked for.
	place  trace.Site
	target transition.Object
}

func (q *sequence) before(i int) set { return q.past[i*q.w : (i+1)*q.w] }
func (q *sequence) after(i int) set  { return q.future[i*q.w : (i+1)*q.w] }

// read takes in the execution that the path has read.
func (q *sequence) read() {
	q.n = q.Len()
	q.w = words(q.n)
	q.alive.empty()
	size := q.n * q.w
	if cap(q.past) < size {
		q.past, q.future = make([]uint64, 2*size), make([]uint64, 2*size)
	}
	q.past, q.future = q.past[:size], q.future[:size]
	clear(q.past)
	clear(q.future)
	for j := range q.n {
		past := q.before(j)
		for i := j; i >= 0; i-- {
			if !past.has(i) && q.Before(i, j) {
				past.join(q.before(i))
				past.add(i)
			}
		}
		for i := past.next(0); i >= 0; i = past.next(i + 1) {
			q.after(i).add(j)
		}
	}
	q.readCalls()
}

func (q *sequence) readCalls() {
	q.calls, q.procOf, q.withOf = q.calls[:0], q.procOf[:0], q.withOf[:0]
	for i := range q.n {
		t := q.At(i)
		q.procOf, q.withOf = append(q.procOf, -1), append(q.withOf, -1)
		if t.Barrier {
			continue
		}
		a, b := q.Calls(i)
		q.procOf[i] = q.addCall(call{proc: t.Proc, op: t.Op, past: q.announced(a), done: i, left: -1, comm: -1})
		if t.With != transition.NoProc {
			q.withOf[i] = q.addCall(call{proc: t.With, op: t.Op, past: q.announced(b), done: i, left: -1, comm: -1})
		}
	}
	for i, ops := 0, q.Operations(); i < len(ops); i++ {
		o := &ops[i]
		if o.Done == q.n {
			q.addCall(call{proc: o.Proc, op: o.Op, past: q.announced(o.Announced), done: -1, left: -1, comm: i})
		} else if c := q.callOf(o.Done, o.Proc); c >= 0 {
			q.calls[c].comm, q.calls[c].op = i, o.Op
		}
	}
	for i, left := 0, q.Left(); i < len(left); i++ {
		q.addCall(call{proc: left[i].Proc, op: left[i].Op, past: q.announced(q.Previous(left[i].Proc)), done: -1, left: i, comm: -1})
	}
}

func (q *sequence) addCall(c call) int32 {
	q.calls = append(q.calls, c)
	return int32(len(q.calls) - 1)
}

// announced is what happened before a call announced at the end of event i.
func (q *sequence) announced(i int) set {
	if i < 0 {
		return q.alive.set(q.w)
	}
	return q.before(i)
}

// callOf returns the call of g that event i completed, or -1.
func (q *sequence) callOf(i int, g transition.Proc) int32 {
	switch t := q.At(i); g {
	case t.Proc:
		return q.procOf[i]
	case t.With:
		return q.withOf[i]
	}
	return -1
}
