package spec

import (
	"slices"

	"heddle/trace"
)

// A Search looks for an execution that makes a sequence: the order in which other goroutines do
// what the sequence does not name is not given, and may decide. It makes one execution for each
// class of equivalent orders (sleep sets, Godefroid 1996), and an execution ends where the next
// step cannot be made any more. Operations that the sequence names do not commute with each other.
//
//	s := NewSearch(steps)
//	for f := s.Next(); f != nil; f = s.Next() {
//		execute under guide f
//		s.Done(trace)
//	}
type Search struct {
	steps []Step
	nodes []node
	f     *Follower
	begun bool

	lost     bool // orders are left out: a prefix came out otherwise, or values were drawn
	made     int  // executions
	complete bool
}

// A node is a moment of the execution under way at which several operations may come next.
type node struct {
	ways  []trace.Way // to try, those that were tried first
	at    int         // the one under way
	sleep []trace.Way // not to try: what follows is equivalent to what was tried before
}

// NewSearch returns a search before its first execution.
func NewSearch(steps []Step) *Search { return &Search{steps: steps} }

// Next returns the guide of the next execution; nil if none is left.
func (s *Search) Next() *Follower {
	for s.begun && len(s.nodes) > 0 {
		n := &s.nodes[len(s.nodes)-1]
		if n.at++; n.at < len(n.ways) {
			break
		}
		s.nodes = s.nodes[:len(s.nodes)-1]
	}
	if s.begun && len(s.nodes) == 0 {
		s.complete = !s.lost
		return nil
	}
	s.begun = true
	s.f = &Follower{steps: s.steps, search: s}
	for i := range s.steps {
		s.f.named[s.steps[i].Op] = true
	}
	return s.f
}

// Done takes the trace of the execution.
func (s *Search) Done(t *trace.Trace) {
	s.made++
	for i := range t.Steps {
		s.lost = s.lost || t.Steps[i].Op == trace.OpChoose
	}
	if len(s.nodes) > s.f.depth { // it ended early: what follows is unknown
		s.lost = true
		s.nodes = s.nodes[:s.f.depth]
	}
}

// Executions returns the number of executions so far. complete: no other one can make more steps.
func (s *Search) Executions() (n int, complete bool) { return s.made, s.complete }

// choose is Choose for a follower of the search.
func (s *Search) choose(f *Follower, t *trace.Trace, ways []trace.Way) int {
	d := f.depth
	if d == len(s.nodes) {
		n, left := s.node(f, t, ways)
		if len(n.ways) == 0 {
			f.equal = left
			return -1
		}
		s.nodes = append(s.nodes, n)
	}
	f.depth++
	n := &s.nodes[d]
	w := n.ways[n.at]
	i := slices.IndexFunc(ways, func(v trace.Way) bool { return equal(&v, &w) })
	if i < 0 {
		s.lost = true
		return -1
	}
	return i
}

// node returns the node of a moment. left: there is something to do that need not be tried again.
func (s *Search) node(f *Follower, t *trace.Trace, ways []trace.Way) (n node, left bool) {
	if len(s.nodes) > 0 {
		p := &s.nodes[len(s.nodes)-1]
		done := &p.ways[p.at]
		for _, w := range append(slices.Clone(p.sleep), p.ways[:p.at]...) {
			if f.independent(&w, done) {
				n.sleep = append(n.sleep, w)
			}
		}
	}
	step := &f.steps[f.next]
	first := f.advance(t, step.G, ways)
	var others []trace.Way
	for i := range ways {
		w := &ways[i]
		does := f.does(t, step, w)
		if !does && f.names(w) {
			continue
		}
		if slices.ContainsFunc(n.sleep, func(v trace.Way) bool { return equal(&v, w) }) {
			left = true
			continue
		}
		if does || i == first && len(n.ways) == 0 {
			n.ways = append(n.ways, *w)
		} else {
			others = append(others, *w)
		}
	}
	n.ways = append(n.ways, others...)
	return n, left
}

func equal(v, w *trace.Way) bool {
	return v.G == w.G && v.Op == w.Op && v.Obj == w.Obj && v.With == w.With && v.Case == w.Case &&
		v.WithCase == w.WithCase && v.Site == w.Site
}

// single are the operations that depend on one object alone.
var single = [trace.OpMax]bool{
	trace.OpSend: true, trace.OpRecv: true, trace.OpClose: true, trace.OpLock: true, trace.OpUnlock: true,
	trace.OpRLock: true, trace.OpRUnlock: true, trace.OpAtomicLoad: true, trace.OpAtomicStore: true,
	trace.OpAtomicRMW: true, trace.OpAtomicCAS: true, trace.OpRead: true, trace.OpWrite: true,
	trace.OpWGAdd: true, trace.OpWGWait: true,
}

// independent reports whether two operations that could be made now lead to the same state in
// both orders, and neither order matters to the sequence.
func (f *Follower) independent(v, w *trace.Way) bool {
	if f.names(v) && f.names(w) || v.G == w.G || v.With > 0 && trace.GID(v.With-1) == w.G ||
		w.With > 0 && (trace.GID(w.With-1) == v.G || w.With == v.With) {
		return false
	}
	switch {
	case v.Op == trace.OpStart, w.Op == trace.OpStart:
		return true
	case !single[v.Op] || !single[w.Op] || v.Obj <= 0 || w.Obj <= 0:
		return false
	case v.Obj != w.Obj:
		return true
	}
	return looks(v.Op) && looks(w.Op)
}

func looks(op trace.Op) bool { return op == trace.OpAtomicLoad || op == trace.OpRead }
