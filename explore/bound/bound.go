// Package bound explores all schedules with at most so many preemptions, or so many delays. Most
// bugs need few (Musuvathi, Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007; Emmi, Qadeer, Rakamarić, "Delay-Bounded Scheduling", POPL
// 2011).
//
// A preemption is a switch away from an enabled goroutine. A delay passes over the goroutine whose
// turn it is in the non-preemptive round robin; passing over k goroutines costs k.
//
// It executes every schedule within the bounds, or an equivalent one that is within them too.
// Reduction as in package dpor would lose schedules: of a class, the one that it takes may exceed
// the bounds.
//
// Memory grows with the length of an execution, not with their number.
package bound

import (
	"fmt"
	"strings"

	"heddle/explore"
	"heddle/explore/why"
	"heddle/trace"
)

// Options configure a search. A negative number is no bound.
type Options struct {
	Preemptions int
	Delays      int
	Seed        uint64 // for map iteration and random numbers, the same in all executions
}

// A Strategy is a search in progress. It implements explore.Strategy.
type Strategy struct {
	opt      Options
	nodes    []node // one per step of the execution, in use up to n
	n        int
	schedule trace.Schedule
	over     bool
	lost     bool // the alternatives of some execution are unknown
	result   explore.Result
}

// A node is a step with its alternatives.
type node struct {
	options []option
	at      int // index of the one that was taken
	spent   cost
}

// An option is a step and its cost.
type option struct {
	step trace.Step
	cost cost
}

type cost struct{ preemptions, delays int }

func (c cost) plus(d cost) cost { return cost{c.preemptions + d.preemptions, c.delays + d.delays} }

// New begins a search.
func New(o Options) *Strategy {
	return &Strategy{opt: o}
}

// reason says why the result is not complete: "preemption bound 2".
func (o Options) reason() string {
	var rs []string
	if o.Preemptions >= 0 {
		rs = append(rs, fmt.Sprintf("preemption bound %d", o.Preemptions))
	}
	if o.Delays >= 0 {
		rs = append(rs, fmt.Sprintf("delay bound %d", o.Delays))
	}
	return strings.Join(rs, ", ")
}

// within reports whether c is within the bounds.
func (o Options) within(c cost) bool {
	return (o.Preemptions < 0 || c.preemptions <= o.Preemptions) && (o.Delays < 0 || c.delays <= o.Delays)
}

// Next returns the last schedule up to the deepest step that has an alternative left, then that
// alternative.
func (s *Strategy) Next() *trace.Schedule {
	if s.over {
		return nil
	}
	s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Seed: s.opt.Seed,
		Exhaustive: true, Strict: true, Ways: true}
	for i := range s.n {
		at := &s.nodes[i]
		s.schedule.Steps = append(s.schedule.Steps, at.options[at.at].step)
	}
	return &s.schedule
}

// read adds nodes for the steps of t after the schedule.
func (s *Strategy) read(t *trace.Trace) {
	prev, ways := trace.NoG, t.Ways
	for k := range t.Steps {
		st := &t.Steps[k]
		n := 0
		for n < len(ways) && ways[n].Step == int32(k) {
			n++
		}
		switch {
		case k < s.n:
		case st.Op == trace.OpChoose:
			s.draw(st)
		case n > 0:
			s.branch(prev, ways[:n])
		default: // its process died before it could report
			at := s.add()
			at.options = append(at.options, option{step: *st})
			s.lost = true
		}
		ways = ways[n:]
		if st.Op != trace.OpChoose {
			prev = st.G
		}
	}
}

// branch adds the node of a step that took the first continuation of the goroutine whose turn it
// was. The alternatives within the bounds are left to do.
func (s *Strategy) branch(prev trace.GID, ways []trace.Way) {
	at := s.add()
	first := turn(prev, ways)
	alone := ways[first].G == prev && s.opt.Delays < 0 && unseen(ways[first].Op)
	d := 0
	for k := range ways {
		i := (first + k) % len(ways)
		w := &ways[i]
		if k > 0 && w.G != ways[(i+len(ways)-1)%len(ways)].G {
			d++
		}
		c := cost{0, d}
		if w.G != prev && ways[first].G == prev {
			c.preemptions = 1
		}
		if k > 0 && (alone && d > 0 || !s.opt.within(at.spent.plus(c))) {
			continue
		}
		at.options = append(at.options, option{trace.Step{G: w.G, Choice: -1, With: w.With, Case: w.Case,
			WithCase: w.WithCase}, c})
	}
}

// turn returns the index of the first continuation of the goroutine whose turn it is: the goroutine
// of the last step if it is enabled, else the next one.
func turn(prev trace.GID, ways []trace.Way) int {
	next := 0
	for i := len(ways) - 1; i >= 0; i-- {
		if ways[i].G >= prev {
			next = i
		}
	}
	return next
}

// unseen reports whether no other goroutine can observe when op is performed. A switch before it is
// not needed: a switch after it reaches the same, at the same cost.
func unseen(op trace.Op) bool {
	return op == trace.OpStart || op == trace.OpResume || op == trace.OpGosched || op == trace.OpIdle
}

// draw adds the node of a draw, with all outcomes.
func (s *Strategy) draw(st *trace.Step) {
	at := s.add()
	for c := range st.With {
		at.options = append(at.options, option{step: trace.Step{G: st.G, Op: trace.OpChoose, Choice: c}})
	}
	at.at = int(st.Choice)
}

// add adds a node without options for the next step.
func (s *Strategy) add() *node {
	if s.n == len(s.nodes) {
		s.nodes = append(s.nodes, node{})
	}
	at := &s.nodes[s.n]
	*at = node{options: at.options[:0]}
	if s.n > 0 {
		before := &s.nodes[s.n-1]
		at.spent = before.spent.plus(before.options[before.at].cost)
	}
	s.n++
	return at
}

// Done takes the trace of the last schedule.
func (s *Strategy) Done(t *trace.Trace) {
	s.result.Executions++
	s.read(t)
	for ; s.n > 0; s.n-- {
		if at := &s.nodes[s.n-1]; at.at+1 < len(at.options) {
			at.at++
			return
		}
	}
	s.over = true
}

// Result says how far the exploration is. It is never complete.
func (s *Strategy) Result() explore.Result {
	r := s.result
	text := s.opt.reason()
	r.Estimate = s.estimate()
	if !s.over || s.lost {
		text = "not all within " + text
	}
	r.Reason = why.With(why.Bounded, "%s", text)
	return r
}

// estimate returns the executions made, divided by the share of the tree that they are (see package
// dpor).
func (s *Strategy) estimate() float64 {
	n := float64(s.result.Executions)
	if s.over || n == 0 {
		return n
	}
	share, done := 1.0, 0.0
	for i := range s.n {
		at := &s.nodes[i]
		width := float64(len(at.options))
		done += share * float64(at.at) / width
		share /= width
	}
	return n / max(done, 1e-300)
}
