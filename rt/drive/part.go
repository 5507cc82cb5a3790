package drive

import (
	"math"
	"slices"
	"time"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/reach"
	"heddle/explore/transition"
	"heddle/rt/wire"
	"heddle/trace"
)

// A part is a search, or part of one, that can be split: the strategy of a worker.
type part interface {
	explore.Strategy
	Table() *transition.Table
	Outdated() bool // it has learnt something, and the search is to begin anew
	Broken() bool   // it ended before everything was explored

	// take makes a piece what is explored.
	take(data []byte) error
	// again reports whether the schedule that Next returned last was executed before, and counts for nothing.
	again() bool
	// split gives back what is left, in n pieces or what can be n; none: nothing is left and nothing is to be told.
	split(n int) []wire.Piece
	wakeups() bool
}

// newPart returns the strategy of a worker; known is what objects are known to have operations that depend on each other.
func (e *exploration) newPart(known []trace.Identity) part {
	if e.cfg.Strategy == "reach" {
		return &reachPart{opt: reachOptions(e), known: known, places: e.places()}
	}
	s := dpor.NewPart(dpor.Options{Expired: e.overdue, Loose: e.loose})
	s.Table().Between(e.places())
	s.Table().Know(known)
	return dporPart{s}
}

// partOf returns s as what can be split; nil if it cannot be: it is another strategy, is over, or would have to
// tell of objects that have no name that other processes know.
func (e *exploration) partOf(s explore.Strategy) part {
	var p part
	switch s := s.(type) {
	case *reach.Strategy:
		p = &reachPart{Strategy: s}
	case *dpor.Strategy:
		if s.Over() {
			return nil
		}
		p = dporPart{s}
	default:
		return nil
	}
	p.Table().Between(e.places())
	if !p.Table().Nameable() {
		return nil
	}
	return p
}

// errUnnamed says why the worker cannot go on that is the first to come to such an object.
const errUnnamed = "an object older than the test is at another address in every process"

// overtime is how long what an execution leads to may take beyond the budget: what is not thought to
// the end is lost to who goes on later.
const overtime = time.Second

func (e *exploration) overdue() bool {
	return !e.deadline.IsZero() && time.Since(e.deadline) > overtime || e.ctx.Err() != nil || e.overfull(time.Now())
}

// A reachPart is reachability testing.
type reachPart struct {
	*reach.Strategy
	opt    reach.Options
	known  []trace.Identity
	places *places
	held   []byte // what it holds in memory, as it was given back
}

func (p *reachPart) take(data []byte) error {
	if len(data) > 0 && slices.Equal(p.held, data) {
		return nil
	}
	s, err := reach.Resume(p.opt, data)
	if err == nil {
		s.Table().Between(p.places)
		s.Table().Know(p.known)
		p.Strategy = s
	}
	return err
}

func (p *reachPart) again() bool   { return p.Again() }
func (p *reachPart) wakeups() bool { return false }

func (p *reachPart) split(n int) (pieces []wire.Piece) {
	p.held = nil
	for i, x := range p.Split(n) {
		if i == 0 {
			p.held = x.Data
		}
		pieces = append(pieces, wire.Piece{Data: x.Data, Size: min(x.Size, math.MaxFloat64)})
	}
	return pieces
}

// A dporPart is optimal dynamic partial order reduction.
type dporPart struct{ *dpor.Strategy }

func (p dporPart) take(data []byte) error { return p.Take(data) }
func (p dporPart) again() bool            { return false }
func (p dporPart) wakeups() bool          { return true }

func (p dporPart) split(n int) []wire.Piece { return []wire.Piece{{Data: p.Split(n)}} }
