package bound

import (
	"heddle/explore"
	"heddle/explore/why"
	"heddle/trace"
)

// Plain executes every interleaving within the bounds, without reduction. It is there to check the
// reduction by. It implements explore.Strategy.
type Plain struct {
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

// NewPlain begins a search.
func NewPlain(o Options) *Plain { return &Plain{opt: o} }

// Next returns the last schedule up to the deepest step that has an alternative left, then that
// alternative.
func (s *Plain) Next() *trace.Schedule {
	if s.over {
		return nil
	}
	s.schedule = trace.Schedule{Steps: s.schedule.Steps[:0], Policy: "first", Exhaustive: true, Strict: true,
		Ways: true}
	for i := range s.n {
		at := &s.nodes[i]
		s.schedule.Steps = append(s.schedule.Steps, at.options[at.at].step)
	}
	return &s.schedule
}

// read adds nodes for the steps of t after the schedule.
func (s *Plain) read(t *trace.Trace) {
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
func (s *Plain) branch(prev trace.GID, ways []trace.Way) {
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
		if k > 0 && (alone && d > 0 || !at.spent.plus(c).most(s.opt.cost())) {
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
func (s *Plain) draw(st *trace.Step) {
	at := s.add()
	for c := range st.With {
		at.options = append(at.options, option{step: trace.Step{G: st.G, Op: trace.OpChoose, Choice: c}})
	}
	at.at = int(st.Choice)
}

// add adds a node without options for the next step.
func (s *Plain) add() *node {
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
func (s *Plain) Done(t *trace.Trace) {
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

// Result says how far the exploration is. It is never complete, and claims nothing.
func (s *Plain) Result() explore.Result {
	r := s.result
	r.Estimate = s.estimate()
	r.Reason = why.With(why.Bounded, "%s", s.opt.bounds())
	if !s.over || s.lost {
		r.Reason = why.Of(why.NotAll)
	}
	return r
}

// estimate returns the executions made, divided by the share of the tree that they are (see package
// dpor).
func (s *Plain) estimate() float64 {
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
