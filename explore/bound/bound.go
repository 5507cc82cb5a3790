// Package bound covers all interleavings with at most so many preemptions, or so many delays. Most
// bugs need few (Musuvathi, Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007; Emmi, Qadeer, Rakamarić, "Delay-Bounded Scheduling", POPL
// 2011).
//
// A preemption is a switch away from an enabled goroutine. A delay passes over the goroutine whose
// turn it is in the non-preemptive round robin; passing over k goroutines costs k.
//
// It reverses the races that package dpor reverses, and executes no class of equivalent
// interleavings twice: so it never makes more executions than dpor. Of every class that has an
// interleaving within the bounds it executes one. docs/design/dpor.md says why.
package bound

import (
	"slices"

	"heddle/explore"
	"heddle/explore/dpor"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// Options configure a search. A negative number is no bound.
type Options struct {
	Preemptions int
	Delays      int

	// Rising: when all within a bound on preemptions is covered, the next greater bound is next.
	// The first is Preemptions.
	Rising bool

	Loose   bool        // as in dpor.Options
	Expired func() bool // as in dpor.Options; nil: never
}

// cost returns the bounds as a cost.
func (o Options) cost() cost {
	c := cost{o.Preemptions, o.Delays}
	if c.preemptions < 0 {
		c.preemptions = 1 << 30
	}
	if c.delays < 0 {
		c.delays = 1 << 30
	}
	return c
}

// bounds returns the bounds.
func (o Options) bounds() (b why.Bounds) {
	if n := o.Preemptions; n >= 0 {
		b.Preemptions = &n
	}
	if n := o.Delays; n >= 0 {
		b.Delays = &n
	}
	return b
}

// A Strategy is a search in progress. It implements explore.Strategy.
type Strategy struct {
	opt     Options
	tab     *transition.Table
	path    *transition.Path
	races   dpor.Races
	classes *classes
	within  within

	jobs  []job
	short []*trace.Trace // executions of which a bound has left something out
	size  int            // of short, in bytes
	left  bool           // something of this execution is left out
	begun bool
	over  bool
	early []transition.Proc
	cut   []int32
	draft variant

	schedule trace.Schedule
	numbers  transition.Numbers
	result   explore.Result
}

// A job is an execution to make: its schedule leads to a variant.
type job struct {
	variant
	steps []trace.Step
}

// mostShort bounds the memory, in bytes, of executions that are kept for a greater bound.
const mostShort = 64 << 20

// longest is the largest number of steps of an execution that a search accepts.
const longest = 1 << 15

// New begins a search.
func New(o Options) *Strategy {
	if o.Expired == nil {
		o.Expired = func() bool { return false }
	}
	s := &Strategy{opt: o, tab: transition.NewTable()}
	s.races = dpor.Races{Reversed: s.reversed, Drawn: s.drawn, Late: o.Expired}
	s.begin()
	return s
}

// begin forgets all executions.
func (s *Strategy) begin() {
	s.path, s.classes = transition.NewPath(s.tab), newClasses()
	s.within = within{c: s.classes, opt: s.opt, late: s.opt.Expired}
	s.jobs, s.short, s.size, s.begun = nil, nil, 0, false
	s.result.Executions, s.result.Within = 0, why.Bounds{}
}

// Next implements explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	s.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Strict: true, Loose: s.opt.Loose,
		Awaits: true}
	for !s.over {
		switch n := len(s.jobs); {
		case !s.begun:
			return &s.schedule
		case n > 0:
			j := &s.jobs[n-1]
			s.jobs = s.jobs[:n-1]
			if !s.classes.covered(&j.variant) {
				s.schedule.Steps = j.steps
				return &s.schedule
			}
		default:
			s.rise()
		}
	}
	return nil
}

// rise goes on with the next greater bound.
func (s *Strategy) rise() {
	if !s.result.Reason.None() {
		s.over = true
		return
	}
	s.result.Within = s.opt.bounds()
	if !s.opt.Rising || len(s.short) == 0 || s.size > mostShort {
		s.over = true
		return
	}
	s.opt.Preemptions++
	s.within.opt, s.classes.asked = s.opt, map[string]bool{}
	again := s.short
	s.short, s.size = nil, 0
	for _, t := range again {
		if s.path.Read(t, 0) != nil || s.opt.Expired() {
			s.end(why.Of(why.NotAll))
			return
		}
		s.classes.read(s.path)
		s.reverse(t)
	}
}

// Done implements explore.Strategy.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	s.begun = true
	if long := explore.TooLong(t, longest); !long.None() {
		s.end(long)
		return
	}
	s.incomplete(explore.Short(t))
	err := s.path.Read(t, 0)
	if s.restart() {
		return
	}
	if err != nil {
		s.end(why.From(err))
		return
	}
	if s.path.Hidden(t, s.opt.Loose) {
		s.incomplete(why.Of(why.Hidden))
	}
	if s.result.Executions == 1 {
		s.early = append(s.early[:0], s.path.Early()...)
	}
	s.classes.read(s.path)
	if s.classes.add() {
		s.reverse(t)
	}
	if s.restart() {
		return
	}
	if s.opt.Expired() {
		s.end(why.Of(why.NotAll))
	}
}

// restart begins the search anew if more operations turned out to be dependent.
func (s *Strategy) restart() bool {
	if !s.tab.Changed {
		return false
	}
	s.tab.Changed = false
	s.begin()
	return true
}

// end ends the search early.
func (s *Strategy) end(reason why.Reason) {
	s.incomplete(reason)
	s.over = true
}

// incomplete records the first reason why not all within the bounds is covered.
func (s *Strategy) incomplete(reason why.Reason) {
	if s.result.Reason.None() {
		s.result.Reason = reason
	}
}

// reverse reverses the races of the path, which was read from t.
func (s *Strategy) reverse(t *trace.Trace) {
	s.within.begin(s.path, t, s.tab.Proc)
	s.left = false
	s.races.Of(s.path)
	if s.left && s.opt.Rising && s.size <= mostShort {
		t = transition.Copy(t)
		s.short = append(s.short, t)
		s.size += transition.Size(t)
	}
}

// reversed implements dpor.Races.
func (s *Strategy) reversed(e int, prefix *transition.Prefix, c *transition.Candidate, other bool) {
	s.cutAt(e, prefix)
	s.variant(c, false, other)
}

// cutAt makes s.cut the transitions of a prefix that leaves out e.
func (s *Strategy) cutAt(e int, prefix *transition.Prefix) {
	s.cut = append(s.cut[:0], make([]int32, s.path.Procs())...)
	for k := range s.path.Len() {
		if k < e || prefix.Has(k) {
			t := s.path.At(k)
			s.cut[t.Proc]++
			if t.With != transition.NoProc {
				s.cut[t.With]++
			}
		}
	}
}

// drawn has every outcome of the draw at j explored.
func (s *Strategy) drawn(j int) {
	var c transition.Candidate
	var prefix transition.Prefix
	s.path.Executed(&c, j)
	for x := range s.path.At(j).Choices {
		s.path.Begin(&prefix, &c, j)
		s.cutAt(j, &prefix)
		c.Choice = x
		s.variant(&c, true, false)
	}
}

// variant has executions made that begin with s.cut, or with as much of it as the bounds allow, and
// then c.
func (s *Strategy) variant(c *transition.Candidate, draw, other bool) {
	v := &s.draft
	if s.front(v, s.cut, c); s.classes.again(v, other) || s.classes.covered(v) {
		return
	}
	ways, whole := s.within.ways(s.cut, c, draw, other)
	if whole && ways == nil {
		ways = []way{{order: s.inOrder(), cut: s.cut}}
	}
	s.left = s.left || !whole
	for i := range ways {
		if s.front(v, ways[i].cut, c); s.classes.covered(v) {
			continue
		}
		s.jobs = append(s.jobs, job{variant{slices.Clone(v.front), v.last}, s.steps(ways[i].order, c)})
	}
}

// front makes v the variant that has a cut of the path, then c.
func (s *Strategy) front(v *variant, cut []int32, c *transition.Candidate) {
	v.front = append(v.front[:0], make([]int32, len(cut))...)
	for g, n := range cut {
		if n > 0 {
			v.front[g] = s.classes.ids[s.classes.turns[g][n-1]]
		}
	}
	t := &c.Transition
	v.last = transition.Transition{Proc: t.Proc, With: t.With, Case: t.Case, WithCase: t.WithCase,
		Choice: t.Choice, Op: t.Op}
}

// inOrder returns the transitions of s.cut in the order of the path.
func (s *Strategy) inOrder() (order []int32) {
	for i := range s.path.Len() {
		if s.within.in(i, s.cut) {
			order = append(order, int32(i))
		}
	}
	return order
}

// steps returns the schedule of some transitions of the path, then c.
func (s *Strategy) steps(order []int32, c *transition.Candidate) []trace.Step {
	s.numbers.Begin(s.early)
	var steps []trace.Step
	for _, i := range order {
		t := s.path.At(int(i))
		if !t.Barrier {
			steps = append(steps, s.numbers.Step(t))
		}
		s.numbers.Start(t.Starts)
	}
	return append(steps, s.numbers.Step(&c.Transition))
}

// Result says how far the exploration is. It is never complete.
func (s *Strategy) Result() explore.Result {
	r := s.result
	if r.Reason.None() && s.over {
		r.Reason = why.With(why.Bounded, "%s", r.Within)
	}
	return r
}
