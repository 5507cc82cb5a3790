// Package transition sees executions as sequences of transitions, for the
// strategies that cover every order of dependent operations: what a step did,
// named so that two executions agree on it; which transitions depend on each
// other; what happened before what; and whether an operation could have been
// done earlier than it was.
//
// Input is a trace.Trace of an exhaustive execution (trace.Schedule.Exhaustive),
// output a Path. A Table names goroutines and objects and outlives executions.
//
// Two transitions are dependent when a goroutine takes part in both, or when
// they access one object and their modes conflict (mode.go). What happens before
// what is the order of dependent transitions in an execution, and what follows
// from it; executions with the same transitions in the same such order are
// equivalent (Mazurkiewicz, Trace Theory, 1987). Channels with a buffer go
// further: the k-th receive comes after the k-th send and the (k+C)-th send
// after the k-th receive, and nothing else orders senders and receivers.
package transition

import (
	"slices"

	"heddle/model"
	"heddle/trace"
)

// A Transition is one step of an execution: the operation that a goroutine had
// announced, with its outcome and what it accessed.
//
// Proc, With, Case, WithCase and Choice say which transition it is: of those
// that are possible at one moment no two agree on all of them.
type Transition struct {
	Proc     Proc  // who made the step; of a communication over an unbuffered channel usually the sender
	With     Proc  // the partner of such a communication, or NoProc
	Case     int16 // index + 1 of the case that Proc's select took, 0 outside one and for default
	WithCase int16
	Choice   int32 // outcome of a draw, -1 for other operations
	Choices  int32 // number of outcomes of the draw

	Op      trace.Op // what Proc had announced
	Barrier bool     // nobody could go on: time passed. No step; comes after all that was before, before all that follows

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

// Same reports whether t and u, both possible at one moment, are the same transition.
func (t *Transition) Same(u *Transition) bool {
	return t.Proc == u.Proc && t.With == u.With && t.Case == u.Case && t.WithCase == u.WithCase && t.Choice == u.Choice
}

// Equal reports whether t and u are the same transition and depend on the same.
func (t *Transition) Equal(u *Transition) bool {
	missing := func(as []Access) func(Access) bool {
		return func(a Access) bool {
			return !slices.ContainsFunc(as, func(b Access) bool { return a.Obj == b.Obj && a.Mode == b.Mode })
		}
	}
	return t.Same(u) && t.Op == u.Op && t.Barrier == u.Barrier && len(t.Accesses) == len(u.Accesses) &&
		!slices.ContainsFunc(t.Accesses, missing(u.Accesses)) && !slices.ContainsFunc(u.Accesses, missing(t.Accesses))
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

// Alone reports whether t comes only when no other goroutine can go on.
func (t *Transition) Alone() bool { return t.Barrier || t.Op == trace.OpIdle }

// Dependent reports whether t and u, both possible at one moment, may not be
// swapped: a goroutine takes part in both, or their accesses conflict.
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

// Conflict reports whether two accesses are of one object (or of memory that
// overlaps) and their order matters.
func (tab *Table) Conflict(a, b *Access) bool {
	return model.Conflict(a.Mode, b.Mode) && (a.Obj == b.Obj || tab.overlap(a.Obj, b.Obj))
}
