// Package sleepset is dynamic partial-order reduction at the time of the unfolding paper, as a
// baseline: Flanagan & Godefroid (POPL 2005) with clock vectors and with sleep sets (Godefroid,
// LNCS 1032). It is not optimal: executions in which every enabled goroutine sleeps are aborted,
// and count.
//
// It works for programs of atomics and mutexes that start all goroutines in the first step.
package sleepset

import (
	"slices"

	"heddle/trace"
)

// A Strategy is an exploration in progress.
type Strategy struct {
	// Others selects what a backtrack point adds if its goroutine sleeps: all other goroutines
	// that do not sleep (the paper's DPOR-2), or that goroutine all the same (DPOR-1).
	Others bool

	stack []node
	depth int

	// Of the current execution.
	clocks  [][]int32       // by goroutine; empty before its first transition
	at      [][]int32       // clocks of transitions
	number  map[uintptr]int // of objects, by address
	objects [][]made        // by object: its operations in order

	Executions, Blocked int
	schedule            trace.Schedule
}

// An operation is the pending operation of a goroutine.
type operation struct {
	g   trace.GID
	op  trace.Op
	obj int // 0: none
}

type made struct {
	operation
	depth int
	seq   int32
}

type node struct {
	enabled   []operation
	backtrack []trace.GID
	done      []operation // explored from here
	sleep     []operation
	chosen    operation
}

// New begins an exploration.
func New() *Strategy { return &Strategy{number: map[uintptr]int{}, objects: make([][]made, 1)} }

// Next returns the schedule of the next execution, or nil if there is none.
func (s *Strategy) Next() *trace.Schedule {
	if s.Executions > 0 && !s.back() {
		return nil
	}
	s.depth = 0
	for g := range s.clocks {
		s.clocks[g] = s.clocks[g][:0]
	}
	for i := range s.objects {
		s.objects[i] = s.objects[i][:0]
	}
	s.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Guide: s}
	return &s.schedule
}

// back returns to the last node with a transition left to explore.
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
	for i := range t.Left { // goroutines that wait for a lock forever
		if l := &t.Left[i]; l.Obj != 0 {
			s.race(operation{l.G, l.Op, s.object(t, l.Obj)})
		}
	}
}

// Choose implements trace.Guide.
func (s *Strategy) Choose(t *trace.Trace, _ trace.GID, ways []trace.Way) int {
	if s.depth == len(s.stack) {
		if s.depth < cap(s.stack) { // its memory is used again
			s.stack = s.stack[:s.depth+1]
		} else {
			s.stack = append(s.stack, node{})
		}
		n := &s.stack[s.depth]
		n.enabled, n.backtrack, n.done, n.sleep = n.enabled[:0], n.backtrack[:0], n.done[:0], n.sleep[:0]
		s.asleep(n)
		for _, w := range ways {
			n.enabled = append(n.enabled, operation{w.G, w.Op, s.object(t, w.Obj)})
		}
		for _, o := range n.enabled {
			s.race(o)
		}
		awake := slices.IndexFunc(n.enabled, func(o operation) bool { return of(n.sleep, o.g) < 0 })
		if awake < 0 {
			s.stack = s.stack[:len(s.stack)-1]
			return -1
		}
		n.chosen = n.enabled[awake]
		n.backtrack = append(n.backtrack, n.chosen.g)
	}
	n := &s.stack[s.depth]
	s.make(n.chosen)
	return slices.IndexFunc(ways, func(w trace.Way) bool { return w.G == n.chosen.g })
}

// object returns the number of an object, 0 of none.
func (s *Strategy) object(t *trace.Trace, id trace.ObjID) int {
	if id == 0 {
		return 0
	}
	k, ok := s.number[t.Objects[id].Addr]
	if !ok {
		k = len(s.objects)
		s.number[t.Objects[id].Addr] = k
		s.objects = append(s.objects, nil)
	}
	return k
}

// asleep inherits the sleep set of a new node: the operations that slept or were explored at the
// node before and are independent of its operation.
func (s *Strategy) asleep(n *node) {
	if s.depth == 0 {
		return
	}
	last := &s.stack[s.depth-1]
	for _, os := range [...][]operation{last.sleep, last.done} {
		for _, o := range os {
			if o.g != last.chosen.g && !dependent(o, last.chosen) {
				n.sleep = append(n.sleep, o)
			}
		}
	}
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
		if u.g == o.g || !dependent(u.operation, o) || !together(u.operation, o) || s.knows(o.g, u) {
			continue
		}
		n := &s.stack[u.depth]
		switch {
		case of(n.enabled, o.g) < 0:
			s.add(n, n.enabled)
		case s.Others && of(n.sleep, o.g) >= 0:
			s.add(n, slices.DeleteFunc(slices.Clone(n.enabled),
				func(e operation) bool { return of(n.sleep, e.g) >= 0 }))
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

// knows reports whether u happens before what g does next.
func (s *Strategy) knows(g trace.GID, u *made) bool {
	return int(g) < len(s.clocks) && int(u.g) < len(s.clocks[g]) && s.clocks[g][u.g] >= u.seq
}

// make makes a transition: clocks.
func (s *Strategy) make(o operation) {
	for len(s.clocks) <= int(o.g) {
		s.clocks = append(s.clocks, nil)
	}
	c := s.clocks[o.g]
	if len(c) == 0 && s.depth > 0 {
		c = join(c, s.at[0]) // the first step started it
	}
	done := s.objects[o.obj]
	for i := len(done) - 1; i >= 0; i-- {
		if u := &done[i]; dependent(u.operation, o) {
			c = join(c, s.at[u.depth])
			if u.op != trace.OpAtomicLoad {
				break // all before it happens before it
			}
		}
	}
	for len(c) <= int(o.g) {
		c = append(c, 0)
	}
	c[o.g]++
	s.clocks[o.g] = c
	if o.obj != 0 {
		s.objects[o.obj] = append(done, made{o, s.depth, c[o.g]})
	}
	if s.depth == len(s.at) {
		s.at = append(s.at, nil)
	}
	s.at[s.depth] = append(s.at[s.depth][:0], c...)
	s.depth++
}

// join returns c after d, too.
func join(c, d []int32) []int32 {
	for len(c) < len(d) {
		c = append(c, 0)
	}
	for i, v := range d {
		c[i] = max(c[i], v)
	}
	return c
}
