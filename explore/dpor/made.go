package dpor

import (
	"heddle/explore/transition"
	"heddle/trace"
)

// Executions that were made already, for something else. What follows a
// schedule's prefix is up to whoever executes it, as long as it goes on to an
// end. So where an execution that was made is equivalent to one that begins with
// the prefix, that one is taken, in the order that the prefix asks for, and none
// is made. Each class is explored once, so each of them is taken once, unless
// two are equivalent.

// made are the executions that were made already.
type made struct {
	traces  []*trace.Trace
	records []*transition.Record // nil: it was taken, or cannot be read

	// begin[i] are the records that are equivalent to executions which begin with the first i transitions of the next one.
	// Of those after its prefix, or after what the next one shares with the last, nothing is kept.
	begin [][]int32
	turns transition.Turns
	order []int
}

// Made is told before the first Next of executions of a schedule like Next's that were made
// already, no two of them equivalent: they are part of the exploration, and none is made again.
func (s *Strategy) Made(traces []*trace.Trace) {
	s.others.traces = traces
	s.readMade()
}

// readMade makes records of all, with all that they teach of what depends on what.
func (s *Strategy) readMade() {
	m := &s.others
	m.records = make([]*transition.Record, len(m.traces))
	for again := len(m.traces) > 0; again; again = s.tab.Changed {
		s.tab.Changed = false
		for i, t := range m.traces {
			m.records[i], _ = s.tab.Record(t)
		}
	}
	m.begin = m.begin[:0]
}

// takeMade takes an execution that was made in the place of the next one, and reports whether there was one.
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

// beginning returns the records that are equivalent to executions which begin as the next one is to.
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
		t := s.prefix(i)
		if i+1 == len(m.begin) {
			m.begin = append(m.begin, m.goingOn(m.begin[i], t))
		}
		m.turns.Add(t)
	}
	return m.begin[len(m.begin)-1]
}

// goingOn returns those of some records that go on with t, or end, where the transitions that m.turns counts were made.
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

// orderOf returns which transitions of r those of the next execution's prefix are, as far as r goes.
func (s *Strategy) orderOf(r *transition.Record) []int {
	m := &s.others
	m.order, m.turns = m.order[:0], m.turns[:0]
	for i := range s.keep + len(s.branch) {
		j, ok := r.GoesOn(m.turns, s.prefix(i))
		if !ok {
			break
		}
		m.order = append(m.order, j)
		m.turns.Add(s.prefix(i))
	}
	return m.order
}

// prefix returns the i-th transition of the next execution's prefix.
func (s *Strategy) prefix(i int) *transition.Transition {
	if i < s.keep {
		return s.at(i)
	}
	return &s.branch[i-s.keep].t
}
