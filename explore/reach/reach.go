// Package reach is reachability testing (Lei & Carver, IEEE TSE 32(6), 2006):
// it exercises every partially ordered synchronisation sequence of a program
// exactly once, and keeps no history, only a stack of variants.
//
// An execution is a sequence of events. Its extensions are the events that
// could have happened in their stead: other sending partners of its receiving
// events (section 5). A race variant makes some of them happen and keeps all
// events that do not come after what they displace (section 6); it is executed
// again and completed freely, but for events all of whose causes are old
// (section 7). docs/rooms/reach.md says what is as in the paper and what Go adds.
package reach

import (
	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

// Options change what is explored. The zero value explores everything.
type Options struct {
	// PV ignores races that a V of a counting semaphore has won (section 7).
	PV bool
	// Symmetry takes goroutines that were started by the same go statement and
	// have made as many steps to be interchangeable: of those that announce
	// the same operation, only the oldest does it first.
	Symmetry bool
	// OneOrder, if not nil, names channels whose receivers ignore in which
	// order different senders' values come.
	OneOrder func(kind trace.ObjKind, obj transition.Object) bool
	// Order is how executions go on when their variant is replayed.
	Order Order
}

// Stats count beside sequences.
type Stats struct {
	Sequences   int // complete executions
	Partial     int // executions that could not be completed without an old event
	Redundant   int // executions that turned out to be another variant's business
	Transitions int // events executed beyond what their variant replayed
	Depth       int // greatest number of variants on the stack
}

// Strategy is reachability testing. It implements explore.Strategy.
type Strategy struct {
	opt    Options
	stats  Stats
	tab    *transition.Table
	seq    sequence
	find   finder
	stack  []*node
	free   []*node
	v      variant
	guide  guide
	begun  bool
	failed string
	old    set
	black  set
}

// New returns a strategy that has not begun.
func New(opt Options) *Strategy {
	s := &Strategy{opt: opt, tab: transition.NewTable()}
	s.seq.Path = transition.NewPath(s.tab)
	s.find.sequence = &s.seq
	s.find.reduce = s.reduction()
	s.guide.tab, s.guide.order = s.tab, opt.Order
	s.v.schedule = trace.Schedule{Policy: "first", Exhaustive: true, Strict: true}
	return s
}

var _ explore.Strategy = (*Strategy)(nil)

// Next returns the schedule of the next variant, nil when there is none.
func (s *Strategy) Next() *trace.Schedule {
	v := &s.v
	if s.failed != "" {
		return nil
	}
	if !s.begun {
		v.schedule.Steps, v.events, v.from, v.sleepers = v.schedule.Steps[:0], v.events[:0], v.from[:0], v.sleepers[:0]
		v.old, v.black = nil, nil
	} else {
		for len(s.stack) > 0 {
			n := s.stack[len(s.stack)-1]
			if n.table.next() {
				v.derive(n, s.tab)
				break
			}
			s.stack = s.stack[:len(s.stack)-1]
			s.free = append(s.free, n)
		}
		if len(s.stack) == 0 {
			return nil
		}
	}
	v.schedule.Guide = nil
	if len(v.sleepers) > 0 || s.opt.Order != First {
		s.guide.begin(v)
		v.schedule.Guide = &s.guide
	}
	return &v.schedule
}

// Done takes the sequence that the variant was exercised in.
func (s *Strategy) Done(t *trace.Trace) {
	v := &s.v
	s.begun = true
	switch {
	case t.Verdict == trace.Diverged:
		s.failed = "a variant could not be replayed"
		return
	case t.Verdict == trace.Bounded:
		s.failed = "step bound reached"
	case t.Verdict == trace.Livelocked && s.failed == "":
	case t.Spun:
		s.failed = "a goroutine that polls was held back"
	}
	if err := s.seq.Read(t, 0); err != nil {
		s.failed = err.Error()
		return
	}
	if s.tab.Changed {
		s.restart()
		return
	}
	q := &s.seq
	q.read()
	s.old, s.black = resize(s.old, v.old, q.w), resize(s.black, v.black, q.w)
	switch s.check() {
	case unfaithful:
		s.failed = "a variant was not replayed faithfully"
		s.dump("unfaithful", 0, nil, nil)
		return
	case redundant:
		s.stats.Redundant++
		return
	}
	s.stats.Transitions += q.n - len(v.events)
	if v.schedule.Guide != nil && s.guide.partial {
		s.stats.Partial++
		if s.stats.Partial < 4 {
			s.dump("partial", 0, nil, nil)
		}
	} else {
		s.stats.Sequences++
	}
	n := s.newNode()
	n.take(q, s.find.find(s.old, s.black), s.black)
	s.stack = append(s.stack, n)
	s.stats.Depth = max(s.stats.Depth, len(s.stack))
}

func resize(to, from set, w int) set {
	to = append(to[:0], from...)
	for len(to) < w {
		to = append(to, 0)
	}
	return to[:w]
}

func (s *Strategy) newNode() *node {
	if n := len(s.free); n > 0 {
		x := s.free[n-1]
		s.free = s.free[:n-1]
		return x
	}
	return new(node)
}

// restart begins again, after more operations turned out to depend on each other than was known.
func (s *Strategy) restart() {
	s.tab.Changed = false
	s.free = append(s.free, s.stack...)
	s.stack = s.stack[:0]
	s.begun = false
	s.stats = Stats{}
}

type verdict uint8

const (
	fresh verdict = iota
	redundant
	unfaithful
)

// check makes sure that the sequence is the variant's: it begins with its
// events, and every other one comes after one of those that were changed. Where
// the outcome of an operation was a guess (a CompareAndSwap), it may have
// turned out to be an event that another variant has.
func (s *Strategy) check() verdict {
	q, v := &s.seq, &s.v
	if q.n < len(v.events) {
		return unfaithful
	}
	changed := q.alive.set(q.w)
	for j := range v.events {
		t, e := q.At(j), &v.events[j]
		if t.Barrier != e.barrier || t.Proc != e.proc || t.With != e.with || t.Case != e.at || t.WithCase != e.theirs || t.Choice != e.choice {
			return unfaithful
		}
		if v.from[j] >= 0 {
			continue
		}
		changed.add(j)
		past := q.alive.copy(q.before(j))
		past.remove(j)
		if want := s.expected(v, j); !past.equal(want) {
			s.dump("history", j, past, want)
			return redundant
		}
	}
	if len(v.events) == 0 {
		return fresh
	}
	for j := len(v.events); j < q.n; j++ {
		if !q.before(j).meets(changed) {
			s.dump("old", j, q.before(j), changed)
			return redundant
		}
	}
	return fresh
}

// expected is the history that the changed event j of the variant was to have.
func (s *Strategy) expected(v *variant, j int) set {
	n := s.stack[len(s.stack)-1]
	x := &n.exts[n.table.row[-v.from[j]-1]]
	h := s.seq.alive.set(s.seq.w)
	for k, i := range v.from {
		if i >= 0 && x.history.has(int(i)) {
			h.add(k)
		}
	}
	return h
}

// Stats returns the counts so far.
func (s *Strategy) Stats() Stats { return s.stats }

// Result implements explore.Strategy.
func (s *Strategy) Result() explore.Result {
	debugf("DEBUG", s.stats.Sequences, s.stats.Partial, s.stats.Redundant, s.stats.Transitions, s.stats.Depth, s.Bytes())
	r := explore.Result{Executions: s.stats.Sequences + s.stats.Partial + s.stats.Redundant, Reason: s.failed}
	switch {
	case s.failed != "":
	case s.opt.Symmetry:
		r.Reason = "goroutines were taken to be interchangeable"
	default:
		r.Complete = s.begun && len(s.stack) == 0
	}
	return r
}

// Bytes is about how much memory the strategy holds.
func (s *Strategy) Bytes() int {
	b := 8*(len(s.seq.past)+len(s.seq.future)+len(s.seq.alive.buf)+len(s.find.work.buf)+len(s.v.store.buf)) + 80*cap(s.v.schedule.Steps)
	for _, l := range [2][]*node{s.stack, s.free} {
		for _, n := range l {
			b += n.bytes()
		}
	}
	return b
}
