// Package sleepset is dynamic partial order reduction as it was when the
// unfolding paper was written, to compare with: Flanagan & Godefroid (POPL 2005)
// with clock vectors and with sleep sets (Godefroid, LNCS 1032). It needs not be
// optimal: executions in which everybody who could go on sleeps are broken off, and count.
//
// It is for programs of atomics and mutexes whose goroutines are all started in the first step.
package sleepset

import (
	"slices"

	"heddle/trace"
)

// A Strategy is an exploration in progress.
type Strategy struct {
	// Others says what a backtrack point of a goroutine that sleeps there is: all
	// others that do not (the paper's DPOR-2), or that goroutine all the same (DPOR-1).
	Others bool

	stack []node
	depth int

	// Of the execution that runs.
	clocks  [][]int32          // of each goroutine
	count   []int32            // of its transitions
	at      [][]int32          // clocks of transitions
	objects map[uintptr][]made // what was done to each, in order

	Executions, Blocked int
	schedule            trace.Schedule
}

// An operation is what a goroutine is about to do.
type operation struct {
	g   trace.GID
	op  trace.Op
	obj uintptr
}

type made struct {
	operation
	depth int
	seq   int32
}

type node struct {
	enabled   []operation
	backtrack []trace.GID
	done      []operation // what was explored from here
	sleep     []operation
	chosen    operation
}

// New begins an exploration.
func New() *Strategy { return &Strategy{} }

// Next returns the schedule of the next execution, nil when there is none.
func (s *Strategy) Next() *trace.Schedule {
	if s.Executions > 0 && !s.back() {
		return nil
	}
	s.depth, s.clocks, s.count, s.at, s.objects = 0, nil, nil, s.at[:0], map[uintptr][]made{}
	s.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Guide: s}
	return &s.schedule
}

// back goes to the last node from which something is left to explore.
func (s *Strategy) back() bool {
	for len(s.stack) > 0 {
		n := &s.stack[len(s.stack)-1]
		n.done = append(n.done, n.chosen)
		for _, g := range n.backtrack {
			if of(n.done, g) < 0 {
				n.chosen = n.enabled[of(n.enabled, g)]
				return true
			}
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
	return false
}

func of(list []operation, g trace.GID) int {
	return slices.IndexFunc(list, func(o operation) bool { return o.g == g })
}

// Done takes the trace of the last schedule.
func (s *Strategy) Done(t *trace.Trace) {
	s.Executions++
	if t.Verdict == trace.Aborted {
		s.Blocked++
		return
	}
	for i := range t.Left { // who waits for a lock for ever
		if l := &t.Left[i]; l.Obj != 0 {
			s.race(operation{l.G, l.Op, t.Objects[l.Obj].Addr})
		}
	}
}

// Choose implements trace.Guide.
func (s *Strategy) Choose(t *trace.Trace, _ trace.GID, ways []trace.Way) int {
	if s.depth == len(s.stack) {
		n := node{sleep: s.asleep()}
		for _, w := range ways {
			o := operation{w.G, w.Op, 0}
			if w.Obj != 0 {
				o.obj = t.Objects[w.Obj].Addr
			}
			n.enabled = append(n.enabled, o)
		}
		s.stack = append(s.stack, n)
		for _, o := range n.enabled {
			s.race(o)
		}
		awake := slices.IndexFunc(n.enabled, func(o operation) bool { return of(n.sleep, o.g) < 0 })
		if awake < 0 {
			s.stack = s.stack[:len(s.stack)-1]
			return -1
		}
		s.stack[s.depth].chosen = n.enabled[awake]
		s.stack[s.depth].backtrack = append(s.stack[s.depth].backtrack, n.enabled[awake].g)
	}
	n := &s.stack[s.depth]
	s.make(n.chosen)
	return slices.IndexFunc(ways, func(w trace.Way) bool { return w.G == n.chosen.g })
}

// asleep returns who sleeps at a new node: who slept or was explored at the one
// before, and does not depend on what was done there.
func (s *Strategy) asleep() (sleep []operation) {
	if s.depth == 0 {
		return nil
	}
	n := &s.stack[s.depth-1]
	for _, o := range append(n.sleep[:len(n.sleep):len(n.sleep)], n.done...) {
		if o.g != n.chosen.g && !dependent(o, n.chosen) {
			sleep = append(sleep, o)
		}
	}
	return sleep
}

func dependent(a, b operation) bool {
	return a.obj != 0 && a.obj == b.obj && (a.op != trace.OpAtomicLoad || b.op != trace.OpAtomicLoad)
}

// together reports whether two dependent operations may both be possible: not a lock and an unlock.
func together(a, b operation) bool { return a.op != trace.OpUnlock && b.op != trace.OpUnlock }

// race adds the backtrack point for o, which its goroutine has announced: before
// the last transition that depends on it, could be swapped, and does not happen before it.
func (s *Strategy) race(o operation) {
	done := s.objects[o.obj]
	for i := len(done) - 1; i >= 0 && o.obj != 0; i-- {
		u := &done[i]
		if u.g == o.g || !dependent(u.operation, o) || !together(u.operation, o) || int(o.g) < len(s.clocks) && s.clocks[o.g] != nil && s.clocks[o.g][u.g] >= u.seq {
			continue
		}
		n := &s.stack[u.depth]
		switch {
		case of(n.enabled, o.g) < 0:
			s.add(n, n.enabled)
		case s.Others && of(n.sleep, o.g) >= 0:
			s.add(n, slices.DeleteFunc(slices.Clone(n.enabled), func(e operation) bool { return of(n.sleep, e.g) >= 0 }))
		default:
			s.add(n, n.enabled[of(n.enabled, o.g):][:1])
		}
		return
	}
}

func (s *Strategy) add(n *node, os []operation) {
	for _, o := range os {
		if !slices.Contains(n.backtrack, o.g) {
			n.backtrack = append(n.backtrack, o.g)
		}
	}
}

// most is how many goroutines there may be.
const most = 64

// make makes a transition: clocks.
func (s *Strategy) make(o operation) {
	for len(s.clocks) <= int(o.g) {
		s.clocks, s.count = append(s.clocks, nil), append(s.count, 0)
	}
	if s.clocks[o.g] == nil {
		s.clocks[o.g] = make([]int32, most)
		if s.depth > 0 {
			copy(s.clocks[o.g], s.at[0]) // the first step started it
		}
	}
	c := s.clocks[o.g]
	if o.obj != 0 {
		for _, u := range s.objects[o.obj] {
			if dependent(u.operation, o) {
				for i, v := range s.at[u.depth] {
					c[i] = max(c[i], v)
				}
			}
		}
	}
	s.count[o.g]++
	c[o.g] = s.count[o.g]
	if o.obj != 0 {
		s.objects[o.obj] = append(s.objects[o.obj], made{o, s.depth, s.count[o.g]})
	}
	if s.depth < cap(s.at) {
		s.at = s.at[:s.depth+1]
	} else {
		s.at = append(s.at, nil)
	}
	s.at[s.depth] = append(s.at[s.depth][:0], c...)
	s.depth++
}
