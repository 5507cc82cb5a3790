package sched

import (
	"heddle/rt/flow"
	"heddle/trace"
)

// A timer of the program, or what wakes a goroutine that sleeps.
type timer struct {
	when, period int64
	label, every flow.Label // of these two
	seq          uint32
	pos          int   // index in the heap, -1 when not active
	started      int32 // virtualTime.rests then, or when it last ticked
	d            int64 // how long it was to run
	f            func(any, uintptr, int64)
	arg          any
	ch           *object
	sleeper      *G
	clock        trace.Vector
	site         trace.Site
	by           trace.GID // armed it
	origin       []uintptr // the stack there, if the execution records
	library      bool      // the standard library armed it for itself; known in free time

	// in exhaustive executions in free time
	still  bool  // it is never early
	bubble bool  // a bubble of testing/synctest started it
	armed  int32 // the event that started it last, -1
}

// never is what a deadline that does not fit becomes.
const never = 1<<63 - 1

func addTime(a, d int64) int64 {
	if a > 0 && d > never-a {
		return never
	}
	return a + d
}

// looks reports whether t is no timer of the program: a goroutine that looks at the clock again and
// again is kept waiting by it, and the time that passes so is heddle's. That goroutine goes on by
// itself.
func (t *timer) looks() bool { return t.sleeper != nil && t.site == 0 }

// timers are those that run: a heap ordered by deadline, then by order of starting.
type timers struct {
	heap   []*timer
	seq    uint32
	firing *timer // whose function runs
}

func (h *timers) reset() {
	clear(h.heap)
	h.heap, h.seq, h.firing = h.heap[:0], 0, nil
}

func (h *timers) start(t *timer) {
	h.seq++
	t.seq = h.seq
	t.pos = len(h.heap)
	h.heap = append(h.heap, t)
	h.up(t.pos)
}

// restart is told that the deadline of t, which runs, has changed.
func (h *timers) restart(t *timer) {
	h.seq++
	t.seq = h.seq
	h.up(t.pos)
	h.down(t.pos)
}

func (h *timers) remove(t *timer) {
	i := t.pos
	last := len(h.heap) - 1
	h.swap(i, last)
	h.heap[last] = nil
	h.heap = h.heap[:last]
	t.pos = -1
	if i < last {
		h.up(i)
		h.down(i)
	}
}

func (t *timer) before(u *timer) bool { return t.when < u.when || t.when == u.when && t.seq < u.seq }

func (h *timers) swap(i, j int) {
	l := h.heap
	l[i], l[j] = l[j], l[i]
	l[i].pos, l[j].pos = i, j
}

func (h *timers) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if !h.heap[i].before(h.heap[p]) {
			return
		}
		h.swap(i, p)
		i = p
	}
}

func (h *timers) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.heap) {
			return
		}
		if c+1 < len(h.heap) && h.heap[c+1].before(h.heap[c]) {
			c++
		}
		if !h.heap[c].before(h.heap[i]) {
			return
		}
		h.swap(i, c)
		i = c
	}
}
