// Package transition turns executions into sequences of transitions, for the strategies that cover
// every order of dependent operations. It says what a step did, under a name that two executions
// agree on; which transitions are dependent; what happens before what; and whether an operation
// could have come earlier.
//
// The input is the trace.Trace of an exhaustive execution (trace.Schedule.Exhaustive), the output a
// Path. A Table names goroutines and objects, and outlives executions.
//
// Two transitions are dependent if a goroutine takes part in both, or if they access one object
// with modes that conflict (package model). Happens-before is the transitive closure of the order
// of dependent transitions; executions with the same transitions and the same happens-before are
// equivalent (Mazurkiewicz, Trace Theory, 1987). For channels with a buffer it is finer: the k-th
// receive comes after the k-th send and the (k+C)-th send after the k-th receive, and nothing else
// orders senders and receivers.
package transition

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// A Transition is one step of an execution: the operation that a goroutine had announced, with its
// outcome and its accesses.
//
// Proc, With, Case, WithCase and Choice identify it: no two transitions that are enabled at one
// moment agree in all of them.
type Transition struct {
	// the goroutine that made the step; usually the sender of a communication over an unbuffered
	// channel
	Proc     Proc
	With     Proc  // the partner over an unbuffered channel, or NoProc
	Case     int16 // index + 1 of the case that Proc's select took, 0 outside a select and for default
	WithCase int16
	Choice   int32 // outcome of a draw, -1 for other operations
	Choices  int32 // number of outcomes of the draw

	Op trace.Op // the announced operation
	// no goroutine was enabled, and time passed. No step; ordered after all before it and before
	// all after it
	Barrier bool

	Accesses []Access
	Starts   []Proc // goroutines started, in order
}

// An Access is what a transition did to one object.
type Access struct {
	Obj  Object
	Mode model.Mode
	Op   trace.Op
	Arg  int32 // outcome, as in trace.Event
}

// Same reports whether t and u, both enabled at one moment, are the same transition.
func (t *Transition) Same(u *Transition) bool {
	return t.Proc == u.Proc && t.With == u.With && t.Case == u.Case && t.WithCase == u.WithCase &&
		t.Choice == u.Choice
}

// Equal reports whether t and u are the same transition with the same accesses.
func (t *Transition) Equal(u *Transition) bool {
	missing := func(as []Access) func(Access) bool {
		return func(a Access) bool {
			return !slices.ContainsFunc(as, func(b Access) bool { return a.Obj == b.Obj && a.Mode == b.Mode })
		}
	}
	return t.Same(u) && t.Op == u.Op && t.Barrier == u.Barrier && len(t.Accesses) == len(u.Accesses) &&
		!slices.ContainsFunc(t.Accesses, missing(u.Accesses)) &&
		!slices.ContainsFunc(u.Accesses, missing(t.Accesses))
}

// Involves reports whether p takes part in t.
func (t *Transition) Involves(p Proc) bool { return p == t.Proc || p == t.With && p != NoProc }

// Meets reports whether some goroutine takes part in both t and u.
func (t *Transition) Meets(u *Transition) bool {
	return t.Proc == u.Proc || t.Proc == u.With || t.With != NoProc && (t.With == u.Proc || t.With == u.With)
}

// Set makes t a copy of u that shares no memory with it, reusing t's.
func (t *Transition) Set(u *Transition) {
	as, ss := t.Accesses[:0], t.Starts[:0]
	*t = *u
	t.Accesses = append(as, u.Accesses...)
	t.Starts = append(ss, u.Starts...)
}

// Alone reports whether t is enabled only when no other goroutine is.
func (t *Transition) Alone() bool { return t.Barrier || t.Op == trace.OpIdle }

// Dependent reports whether t and u, both enabled at one moment, are dependent: a goroutine takes
// part in both, or their accesses conflict.
func (tab *Table) Dependent(t, u *Transition) bool {
	if t.Meets(u) || t.Alone() || u.Alone() {
		return true
	}
	for i := range t.Accesses {
		for j := range u.Accesses {
			if tab.Conflict(&t.Accesses[i], &u.Accesses[j]) {
				return true
			}
		}
	}
	return false
}

// Conflict reports whether two accesses are to one object (or to memory that overlaps) with modes
// that conflict.
func (tab *Table) Conflict(a, b *Access) bool {
	return model.Conflict(a.Mode, b.Mode) && (a.Obj == b.Obj || tab.overlap(a.Obj, b.Obj))
}
