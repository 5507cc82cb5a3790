// Package dpor is optimal dynamic partial-order reduction. It executes one schedule of every class
// of equivalent executions (package transition says which are equivalent), and no execution that is
// redundant or blocked by its sleep set.
//
// The algorithm is Optimal-DPOR with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas, "Source Sets:
// A Foundation for Optimal Dynamic Partial Order Reduction", JACM 64(4), 2017, section 6). The
// paper has no operations that block, that have several outcomes, or that two goroutines perform
// together; candidates.go says what is reversed for those, and docs/design/dpor.md why nothing is
// missed.
//
// Memory grows with the length of an execution, not with their number.
package dpor

import (
	"heddle/explore"
	"heddle/explore/transition"
	"heddle/explore/why"
	"heddle/trace"
)

// Options configure a search. The zero value explores everything.
type Options struct {
	// Loose: executions are made with trace.Schedule.Loose, so that no order inside the standard
	// library hides a race.
	Loose bool

	// Free: executions are in free time, which is covered too (trace.Schedule.Free).
	Free bool

	// Twins takes goroutines as interchangeable where that is known (docs/design/symmetry.md), but
	// not in free time. Executions must tell (trace.Trace.Twins).
	Twins bool

	// Retries: iterations of polling loops that failed are events, as they are for other
	// strategies.
	Retries bool

	// Expired, if not nil, is called now and then during Done. The search ends when it returns
	// true.
	Expired func() bool
}

// A Strategy is a search in progress. It implements explore.Strategy.
type Strategy struct {
	opt  Options
	tab  *transition.Table
	path *transition.Path

	nodes     []node
	branch    []*wakeup // the transitions to execute after the first keep transitions of the path
	keep      int       // the number of transitions that the next execution shares with the last
	over      bool
	made      int // executions below the root
	result    explore.Result
	restarts  int // how often the search began anew
	redundant int // executions of classes that were executed before, see enter

	schedule trace.Schedule
	numbers  transition.Numbers

	work    int // work since the last call of Expired
	expired bool

	part *part // of a search in parts, see split.go; nil: this strategy has all of it

	others     made
	renumbered bool // the path is of one of those: the next execution numbers its objects differently

	races Races
	drawn transition.Transition
	v     []*transition.Transition
	free  []*wakeup

	later later

	round int     // executions whose races were reversed
	index []int32 // see follow

	wakeups int  // how many there are, free or not
	full    bool // they are too many
}

// A node is the state of the search at the prefix before one transition of the path.
type node struct {
	// sleep is the sleep set: transitions all of whose continuations have been executed. It has the
	// transitions of this node that were explored, and those of earlier nodes that are independent
	// of everything since.
	sleep list
	tree  []*wakeup // the wakeup tree, without the transition of the path
	done  int       // the number of transitions that were explored
	since int       // the number of executions before the first that reached this node

	// For a node above the root of a part: the wakeup tree of the holder, in its order, as far as
	// this strategy knows it, with what is to be inserted there.
	others []*wakeup
	found  []*wakeup

	trail trail

	later []reversal // to be inserted when the search comes back
	more  int32      // how many executions have added to them
	busy  bool       // so many that they are inserted at once
}

// A list is a list of transitions that reuses memory.
type list struct {
	ts []transition.Transition
	n  int
}

func (l *list) add(t *transition.Transition) {
	if l.n == len(l.ts) {
		l.ts = append(l.ts, transition.Transition{})
	}
	l.ts[l.n].Set(t)
	l.n++
}

func (l *list) all() []transition.Transition { return l.ts[:l.n] }

// longest is the largest number of steps of an execution that a search accepts.
const longest = 1_100_000

// New begins a search.
func New(o Options) *Strategy {
	s := &Strategy{opt: o, tab: transition.NewTable()}
	if o.Twins && !o.Free {
		s.tab.Interchange(transition.All)
	}
	s.path = transition.NewPath(s.tab)
	s.result.Complete = true
	s.later.now = -1
	return s
}

// Table returns the names of goroutines and objects, and the dependence between operations.
func (s *Strategy) Table() *transition.Table { return s.tab }

// Next returns the next schedule: a prefix that leads into a new class, then the non-preemptive
// policy. See explore.Strategy.
func (s *Strategy) Next() *trace.Schedule {
	for s.takeMade() {
	}
	if s.over {
		return nil
	}
	s.makeSchedule()
	return &s.schedule
}

// Over reports whether no schedule is left.
func (s *Strategy) Over() bool { return s.over }

// Result says how far the exploration is.
func (s *Strategy) Result() explore.Result {
	r := s.result
	r.Complete = r.Reason.None() && s.over
	r.Estimate = s.estimate()
	return r
}

// Done takes the trace of the last schedule.
func (s *Strategy) Done(t *trace.Trace) {
	shared := s.shared()
	if s.renumbered {
		shared = 0
	}
	s.renumbered = false
	s.take(t, shared)
}

// take is Done for a trace that shares its first transitions with the path; these are not read
// again.
func (s *Strategy) take(t *trace.Trace, shared int) {
	s.count(t)
	if long := explore.TooLong(t, longest); !long.None() {
		s.incomplete(long)
		s.over = true
		return
	}
	if t.Untimed != trace.Timed {
		s.incomplete(why.With(why.Untimed, "%s", t.Untimed))
		s.over = true
		return
	}
	err := s.path.Read(t, shared)
	if s.tab.Changed && err == nil {
		s.restart()
		return
	}
	if err == nil {
		err = s.followed()
	}
	if err != nil {
		s.incomplete(why.From(err))
		s.over = true
		return
	}
	s.made++
	if s.result.Reason.None() && s.path.Hidden(t, s.opt.Loose) {
		s.incomplete(why.Of(why.Hidden))
	}
	if !s.enter() {
		s.redundant++
	}
	s.reverse()
	s.arrive()
	switch {
	case s.full || s.expired:
	case s.tab.Changed:
		s.restart()
	default:
		s.backtrack()
	}
	switch {
	case s.full:
		s.incomplete(why.Of(why.TooLong))
		s.over = true
	case s.expired:
		s.incomplete(why.Of(why.NotAll))
		s.over = true
	}
}

// count counts an execution. One that ends before a goroutine that would ask again is no event of
// the program: where that goroutine asks later is another execution.
func (s *Strategy) count(t *trace.Trace) {
	if t.Verdict == trace.Aborted {
		s.result.Aborted++
		s.incomplete(explore.Held(t))
		return
	}
	s.result.Executions++
	s.incomplete(explore.Short(t))
}

// late reports whether Expired returned true, or the wakeup trees are full. It asks once in a
// while.
func (s *Strategy) late() bool { return s.lateAfter(s.path.Len()) }

// lateAfter is late after so much work.
func (s *Strategy) lateAfter(work int) bool {
	const often = 1 << 14
	if s.work += work; s.work > often && s.opt.Expired != nil {
		s.work = 0
		s.expired = s.expired || s.opt.Expired()
	}
	return s.expired || s.full
}

// incomplete records the first reason why the result is not complete.
func (s *Strategy) incomplete(reason why.Reason) {
	if s.result.Reason.None() {
		s.result.Reason = reason
	}
}

// restart begins the search anew, when more operations turned out to be dependent.
func (s *Strategy) restart() {
	s.tab.Changed = false
	s.restarts++
	if s.part != nil {
		s.part.outdated, s.over = true, true
		return
	}
	s.result.Executions, s.result.Aborted, s.made = 0, 0, 0
	s.path = transition.NewPath(s.tab)
	for i := range s.nodes {
		s.freeAll(s.nodes[i].tree)
		s.nodes[i].tree, s.nodes[i].sleep.n, s.nodes[i].done = s.nodes[i].tree[:0], 0, 0
		s.nodes[i].later, s.nodes[i].busy = nil, false
	}
	s.later.begin()
	s.freeAll(s.branch)
	s.branch, s.keep = s.branch[:0], 0
	s.readMade()
}

// enter adds nodes for the new transitions. It reports whether the execution is of a new class.
func (s *Strategy) enter() bool {
	n := s.path.Len()
	leaf := s.keep + len(s.branch)
	s.nodes = append(s.nodes, make([]node, max(0, n-len(s.nodes)))...)
	for i := s.keep; i < n; i++ {
		at := &s.nodes[i]
		if i > s.keep {
			at.done, at.since = 0, s.made-1
			at.sleep.n = 0
			s.inheritSleep(i, s.path.At(i-1))
			if k := i - s.keep; k >= len(s.branch) {
				at.tree = at.tree[:0]
			}
		}
	}
	s.dropBranch(n)
	return leaf >= n || s.nodes[leaf].sleep.n == 0
}

// inheritSleep fills the sleep set of node i > 0 from the node before: the transitions that are
// independent of t, the transition between the two.
func (s *Strategy) inheritSleep(i int, t *transition.Transition) {
	l, before := &s.nodes[i].sleep, s.nodes[i-1].sleep.all()
	for k := range before {
		if !s.tab.Dependent(&before[k], t) {
			l.add(&before[k])
		}
	}
}

// dropBranch frees the branch that was executed.
func (s *Strategy) dropBranch(n int) {
	for k, w := range s.branch {
		if s.keep+k >= n {
			// The execution ended early, and with it what was to follow.
			s.freeAll(s.nodes[s.keep+k].tree)
			s.nodes[s.keep+k].tree = s.nodes[s.keep+k].tree[:0]
		}
		s.free = append(s.free, w)
	}
	s.branch = s.branch[:0]
}

// backtrack chooses the next branch: the first of the deepest node that has one.
func (s *Strategy) backtrack() {
	for i := s.path.Len() - 1; i >= s.base(); i-- {
		at := &s.nodes[i]
		at.busy = false
		if s.settle(i); len(at.tree) == 0 {
			continue
		}
		at.sleep.add(s.path.At(i))
		at.done++
		s.keep = i
		s.replace(i)
		s.descend(i)
		return
	}
	s.over = s.part == nil || !s.nextEntry()
}

// descend takes the first branch below node i, down to a leaf.
func (s *Strategy) descend(i int) {
	tree := &s.nodes[i].tree
	for {
		w := (*tree)[0]
		*tree = append((*tree)[:0], (*tree)[1:]...)
		s.branch = append(s.branch, w)
		if len(w.tree) == 0 {
			return
		}
		i++
		for len(s.nodes) <= i {
			s.nodes = append(s.nodes, node{})
		}
		tree = &s.nodes[i].tree
		*tree, w.tree = append((*tree)[:0], w.tree...), w.tree[:0]
	}
}
