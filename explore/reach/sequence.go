package reach

import (
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// A sequence is the SYN-sequence of an execution (Definition 1). Its events are synchronisation
// pairs: a call (the sending event) and what completed it (the receiving event). In Go such a pair
// is a transition.
type sequence struct {
	*transition.Path
	n, w   int
	past   []uint64 // w words per event: the event and what happened before it
	future []uint64 // the event and what happens after it
	// for each event a smallest set of predecessors such that all others happened before one of
	// these
	causes []int32
	from   []int32 // by event: the index in causes of its first
	lone   []int32 // events that are Alone
	joined []int32 // see order
	calls  []call
	procOf []int32 // by event: the call of its Proc, and that of its With or -1
	withOf []int32
	alive  arena

	// Names of events, if they are needed.
	named bool
	ids   []id
	index map[id]int32
	rest  set // see nameOf
}

// A call is an operation that a goroutine announced: a sending event. Its control structure
// (Definition 3) is what happened before it.
type call struct {
	proc transition.Proc
	op   trace.Op
	past set // what happened before the announcement
	done int // the event that completed it, -1 if there is none
	left int // index in Path.Left, -1
	comm int // index in Path.Operations, -1
	from int // the event at whose end it was announced, -1

	// Its place and its object, if twins are used.
	place  trace.Site
	target transition.Object
}

func (q *sequence) before(i int) set { return q.past[i*q.w : (i+1)*q.w] }
func (q *sequence) after(i int) set  { return q.future[i*q.w : (i+1)*q.w] }

// read takes the execution from the path.
func (q *sequence) read() {
	q.n = q.Len()
	q.w, q.named = words(q.n), false
	q.alive.empty()
	size := q.n * q.w
	if cap(q.past) < size {
		q.past, q.future = make([]uint64, size+size/8), make([]uint64, size+size/8)
	}
	q.past, q.future = q.past[:size], q.future[:size]
	clear(q.past)
	clear(q.future)
	q.order()
	q.readCalls()
}

// order computes what happened before and after each event, from the events that the path has
// joined to get its clock.
func (q *sequence) order() {
	q.causes, q.from, q.lone = q.causes[:0], q.from[:0], q.lone[:0]
	for j := range q.n {
		past := q.before(j)
		q.from = append(q.from, int32(len(q.causes)))
		q.joined = append(q.joined[:0], q.Joined(j)...)
		slices.Sort(q.joined)
		for _, i := range slices.Backward(q.joined) { // those before i happened after it in no case
			if !past.has(int(i)) {
				past.joinTo(q.before(int(i)), int(i))
				q.causes = append(q.causes, i)
			}
		}
		past.add(j)
		if q.At(j).Alone() {
			q.lone = append(q.lone, int32(j))
		}
	}
	q.from = append(q.from, int32(len(q.causes)))
	for j := q.n - 1; j >= 0; j-- {
		future := q.after(j)
		future.add(j)
		for _, i := range q.causes[q.from[j]:q.from[j+1]] {
			q.after(int(i)).joinFrom(future, j)
		}
	}
}

func (q *sequence) readCalls() {
	q.calls, q.procOf, q.withOf = q.calls[:0], q.procOf[:0], q.withOf[:0]
	for i := range q.n {
		t := q.At(i)
		q.procOf, q.withOf = append(q.procOf, -1), append(q.withOf, -1)
		if t.Alone() { // no other outcome is possible
			continue
		}
		a, b := q.Calls(i)
		q.procOf[i] = q.addCall(call{proc: t.Proc, op: t.Op, past: q.announced(a), done: i, left: -1,
			comm: -1, from: a})
		if t.With != transition.NoProc {
			q.withOf[i] = q.addCall(call{proc: t.With, op: t.Op, past: q.announced(b), done: i, left: -1,
				comm: -1, from: b})
		}
	}
	for i, ops := 0, q.Operations(); i < len(ops); i++ {
		o := &ops[i]
		if o.Done == q.n {
			q.addCall(call{proc: o.Proc, op: o.Op, past: q.announced(o.Announced), done: -1, left: -1,
				comm: i, from: o.Announced})
		} else if c := q.callOf(o.Done, o.Proc); c >= 0 {
			q.calls[c].comm, q.calls[c].op = i, o.Op
		}
	}
	for i, left := 0, q.Left(); i < len(left); i++ {
		if left[i].Alone() {
			continue
		}
		q.addCall(call{proc: left[i].Proc, op: left[i].Op, past: q.announced(q.Previous(left[i].Proc)),
			done: -1, left: i, comm: -1, from: q.Previous(left[i].Proc)})
	}
}

func (q *sequence) addCall(c call) int32 {
	q.calls = append(q.calls, c)
	return int32(len(q.calls) - 1)
}

// announced returns what happened before a call that was announced at the end of event i.
func (q *sequence) announced(i int) set {
	if i < 0 {
		return q.alive.set(q.w)
	}
	return q.before(i)
}

// wait adds to h what happened before call c can be completed because its goroutine waits for its
// elder; with is the other goroutine. It returns false if that never happened.
func (q *sequence) wait(h set, c int32, with transition.Proc) bool {
	at := q.Awaited(q.calls[c].proc, with, q.calls[c].from)
	if at >= 0 && at < q.n {
		h.join(q.before(at))
	}
	return at < q.n
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
