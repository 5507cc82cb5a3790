// Package spec is specification-based testing (Lei and Carver, IEEE TSE 32(6), 2006, section 10).
// It finds out whether a program allows a given sequence of operations, or which step is the first
// that the program cannot make.
//
// A sequence names kinds of operations by using them. Operations of those kinds happen exactly in
// that order. All others happen in any order before a step; those that it needs are tried first.
package spec

import (
	"fmt"
	"strings"

	"heddle/trace"
)

// A Step is one operation of a sequence.
type Step struct {
	G    string // "main/2"
	Op   trace.Op
	With string                // partner of a communication over an unbuffered channel; "": any
	At   func(trace.Site) bool // whether a site is the right place; nil: any place
}

// A Follower is the guide of one execution of a Search.
type Follower struct {
	steps []Step
	named [trace.OpMax]bool
	next  int  // index of the step to be made
	at    bool // the operation of the step is pending, but at another place

	search *Search
	depth  int  // number of choices made for the search
	equal  bool // it is stuck where what is left is equivalent to an execution before
}

// Choose implements trace.Guide.
func (f *Follower) Choose(t *trace.Trace, prev trace.GID, ways []trace.Way) int {
	if f.next == len(f.steps) {
		return prefer(prev, ways)
	}
	s := &f.steps[f.next]
	f.at = false
	i := f.search.choose(f, t, ways)
	if i >= 0 && f.does(t, s, &ways[i]) {
		f.makes(t, s, &ways[i])
	}
	return i
}

// makes notes that way w, which is step s, is taken.
func (f *Follower) makes(t *trace.Trace, s *Step, w *trace.Way) {
	f.next++
	if w.With > 0 && f.next < len(f.steps) && f.other(t, &f.steps[f.next], s, w) {
		f.next++ // the same communication, named by its other side
	}
}

func prefer(prev trace.GID, ways []trace.Way) int {
	for i := range ways {
		if ways[i].G == prev {
			return i
		}
	}
	return 0
}

// does reports whether w is step s.
func (f *Follower) does(t *trace.Trace, s *Step, w *trace.Way) bool {
	mine, theirs := t.Name(w.G) == s.G, w.With > 0 && t.Name(trace.GID(w.With)-1) == s.G
	switch {
	case mine && same(s.Op, w.Op):
		if s.With != "" && (w.With == 0 || t.Name(trace.GID(w.With)-1) != s.With) {
			return false
		}
		return f.there(s, w.Site)
	case theirs && s.Op == opposite(w.Op):
		return (s.With == "" || t.Name(w.G) == s.With) && f.there(s, w.WithSite)
	}
	return false
}

// there reports whether the operation of s has the right place, and records if it has not.
func (f *Follower) there(s *Step, site trace.Site) bool {
	if s.At != nil && !s.At(site) {
		f.at = true
		return false
	}
	return true
}

// other reports whether s is the other side of communication w, one side of which was done.
func (f *Follower) other(t *trace.Trace, s, done *Step, w *trace.Way) bool {
	if s.G == done.G || s.Op != opposite(done.Op) || s.With != "" && s.With != done.G {
		return false
	}
	if t.Name(w.G) == s.G {
		return s.At == nil || s.At(w.Site)
	}
	return t.Name(trace.GID(w.With)-1) == s.G && (s.At == nil || s.At(w.WithSite))
}

func opposite(op trace.Op) trace.Op {
	switch op {
	case trace.OpSend:
		return trace.OpRecv
	case trace.OpRecv:
		return trace.OpSend
	}
	return trace.OpNone
}

// same reports whether a step may name an operation so. A CompareAndSwap may be named by its
// outcome.
func same(op, way trace.Op) bool {
	return op == way || way == trace.OpAtomicCAS && (op == trace.OpAtomicRMW || op == trace.OpAtomicLoad)
}

// advance returns the index of an operation that the sequence does not name and that brings the
// goroutine with that name closer to its step: its own, or that of the goroutine that is to start
// it; if it is blocked, one of any other goroutine. -1: there is none.
func (f *Follower) advance(t *trace.Trace, name string, ways []trace.Way) int {
	g := name
	for !exists(t, g) {
		i := strings.LastIndexByte(g, '/')
		if i < 0 {
			return -1
		}
		g = g[:i]
	}
	waits := true
	for i := range ways {
		if t.Name(ways[i].G) == g {
			if waits = false; !f.names(&ways[i]) {
				return i
			}
		}
	}
	if !waits {
		return -1 // the sequence says when its next operation happens
	}
	for i := range ways {
		if !f.names(&ways[i]) {
			return i
		}
	}
	return -1
}

func exists(t *trace.Trace, name string) bool {
	for g := range t.Goroutines {
		if t.Name(trace.GID(g)) == name {
			return true
		}
	}
	return false
}

// names reports whether the sequence names operations of that kind.
func (f *Follower) names(w *trace.Way) bool {
	if w.Op == trace.OpAtomicCAS && (f.named[trace.OpAtomicRMW] || f.named[trace.OpAtomicLoad]) {
		return true
	}
	return f.named[w.Op] || w.With > 0 && f.named[opposite(w.Op)]
}

// Allowed reports whether the execution made all steps.
func (f *Follower) Allowed() bool { return f.next == len(f.steps) }

// Infeasible returns the index of the first step that was not made, and the reason, in words that
// follow "because". t is the execution; where describes a site.
func (f *Follower) Infeasible(t *trace.Trace, where func(trace.Site) string) (step int, why string) {
	return f.next, f.because(t, &f.steps[f.next], where)
}

// Repeats reports whether the execution was ended early because it would have gone on as one before
// did.
func (f *Follower) Repeats() bool { return f.equal }

func (f *Follower) because(t *trace.Trace, s *Step, where func(trace.Site) string) string {
	g := s.G
	for !exists(t, g) {
		i := strings.LastIndexByte(g, '/')
		if i < 0 {
			return "there is no such goroutine"
		}
		g = g[:i]
	}
	what := "has ended"
	for i := range t.Left {
		l := &t.Left[i]
		if t.Name(l.G) != g {
			continue
		}
		at := ""
		if p := where(l.Site); p != "" {
			at = " at " + p
		}
		switch {
		case l.Enabled && g == s.G && f.at:
			what = fmt.Sprintf("comes to its %s%s", l.Op, at)
		case l.Enabled:
			what = fmt.Sprintf("comes to another operation first: %s%s", l.Op, at)
		default:
			what = fmt.Sprintf("waits: %s%s is not possible then", l.Op, at)
		}
	}
	if g != s.G {
		return fmt.Sprintf("%s has not been started: %s %s", s.G, g, what)
	}
	return g + " " + what
}
