package dpor

import (
	"slices"

	"heddle/explore"
	"heddle/explore/transition"
	"heddle/trace"
)

// Executions that another strategy has made. The executor chooses freely after a schedule's prefix,
// as long as it reaches an end. So if an execution that was made is equivalent to one that begins
// with the prefix, the search takes it, in the order that the prefix asks for, and makes none. The
// search explores each class once, so it takes each of these executions once, unless two are
// equivalent.

// made has the executions that were made already.
type made struct {
	traces  []*trace.Trace
	records []*transition.Record // nil: taken already, or unreadable

	// begin[i] lists the records that are equivalent to executions with the first i transitions of
	// the next one. It is not kept for transitions after the prefix, or after those that the next
	// execution shares with the last.
	begin [][]int32
	turns transition.Turns
	order []int
}

// Made implements explore.Heir. If an execution is too long to look for others the search is over.
func (s *Strategy) Made(traces []*trace.Trace) {
	for _, t := range traces {
		if long := explore.TooLong(t, longest); !long.None() {
			s.incomplete(long)
			s.over = true
			return
		}
	}
	s.others.traces = traces
	if len(traces) > 0 {
		s.tab.Interchange(0) // they may have any order of goroutines that are interchangeable
	}
	s.readMade()
}

// readMade makes records of them. It learns from all of them which operations are dependent.
func (s *Strategy) readMade() {
	m := &s.others
	m.records = make([]*transition.Record, len(m.traces))
	for again := len(m.traces) > 0; again; again = s.tab.Changed {
		s.tab.Changed = false
		for i, t := range m.traces {
			if s.retries() || !retried(t) {
				m.records[i], _ = s.tab.Record(t)
			}
		}
	}
	m.begin = m.begin[:0]
}

// retried reports whether a goroutine asked again in a polling loop: no execution of this search
// has that (trace.Schedule.NoRetry).
func retried(t *trace.Trace) bool {
	return slices.ContainsFunc(t.Offers, func(o trace.Offer) bool {
		return o.Case == trace.LoopWaits || o.Case == trace.LoopGoesOn
	})
}

// takeMade takes an execution that was made, instead of the next one. It reports whether there was
// one.
func (s *Strategy) takeMade() bool {
	m := &s.others
	if s.over || s.part != nil || len(m.traces) == 0 {
		return false
	}
	last := s.beginning()
	for _, i := range last {
		if r := m.records[i]; r != nil {
			m.records[i] = nil
			s.renumbered = true
			s.take(r.From(s.orderOf(r)), 0)
			return true
		}
	}
	return false
}

// beginning returns the records that are equivalent to executions with the prefix of the next one.
func (s *Strategy) beginning() []int32 {
	m := &s.others
	if len(m.begin) == 0 {
		m.begin = append(m.begin, nil)
		for i := range m.records {
			m.begin[0] = append(m.begin[0], int32(i))
		}
	}
	m.begin = m.begin[:min(len(m.begin), s.keep+1)]
	m.turns = m.turns[:0]
	for i := range s.keep + len(s.branch) {
		t := s.prefixAt(i)
		if i+1 == len(m.begin) {
			m.begin = append(m.begin, m.goingOn(m.begin[i], t))
		}
		m.turns.Add(t)
	}
	return m.begin[len(m.begin)-1]
}

// goingOn returns those records among some that continue with t, or end, after the transitions that
// m.turns counts.
func (m *made) goingOn(some []int32, t *transition.Transition) (those []int32) {
	for _, i := range some {
		r := m.records[i]
		if r == nil {
			continue
		}
		if _, ok := r.GoesOn(m.turns, t); ok || r.Over(m.turns) {
			those = append(those, i)
		}
	}
	return those
}

// orderOf returns the transitions of r that the next execution's prefix has, in its order, as far
// as r has them.
func (s *Strategy) orderOf(r *transition.Record) []int {
	m := &s.others
	m.order, m.turns = m.order[:0], m.turns[:0]
	for i := range s.keep + len(s.branch) {
		j, ok := r.GoesOn(m.turns, s.prefixAt(i))
		if !ok {
			break
		}
		m.order = append(m.order, j)
		m.turns.Add(s.prefixAt(i))
	}
	return m.order
}

// prefixAt returns the i-th transition of the next execution's prefix.
func (s *Strategy) prefixAt(i int) *transition.Transition {
	if i < s.keep {
		return s.at(i)
	}
	return &s.branch[i-s.keep].t
}
