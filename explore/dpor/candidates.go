package dpor

import "heddle/explore/transition"

// Race reversal. In the paper a race is a pair of dependent events of the execution, either of
// which may come first. Here an operation may also have been disabled by an earlier one: a lock was
// taken, a partner met another goroutine, a value made a select take another case. So reverse looks
// at each reversal candidate (transition.Candidate), and at each rival e that the candidate does
// not need. If the candidate is enabled without e and what happens after e, then
//
//	v = what does not happen after e, then the candidate
//
// is to be explored from the prefix before e.

// reverse reverses the races of the execution just read.
func (s *Strategy) reverse() {
	p := s.path
	for j := range p.Len() {
		t := p.At(j)
		if t.Barrier {
			continue
		}
		if s.late() {
			return
		}
		if t.Choice >= 0 {
			s.outcomes(j)
			continue
		}
		if len(t.Accesses) > 0 {
			p.Executed(&s.candidate, j)
			s.rivals()
		}
	}
	for k := range p.Left() {
		p.Leftover(&s.candidate, k)
		s.rivals()
	}
	p.Alternatives(&s.candidate, s.alternative)
}

// outcomes makes sure that every outcome of the draw at j is explored.
func (s *Strategy) outcomes(j int) {
	t := s.path.At(j)
	if j < s.shared() || j == s.keep && s.nodes[j].done > 0 {
		return
	}
	s.candidate.Transition.Set(t)
	for c := range t.Choices {
		s.candidate.Choice = c
		s.v = append(s.v[:0], &s.candidate.Transition)
		s.insert(j, s.v)
	}
}

// alternative reverses the races of a candidate that was not executed.
func (s *Strategy) alternative(c *transition.Candidate) {
	if s.late() {
		return
	}
	if c.Done < s.path.Len() {
		s.without(c.Done)
	}
	s.rivals()
}

// rivals tries the candidate without each of its rivals, the latest first. It skips rivals that
// happen before one that sufficed.
func (s *Strategy) rivals() {
	p := s.path
	rs := p.Rivals(&s.candidate)
	s.covered = s.covered[:0]
	for k := 0; k < len(rs) && !s.late(); k++ {
		r := rs[k]
		if s.isCovered(r.At) || !s.without(r.At) {
			continue
		}
		s.covered = append(s.covered, r.At)
		if r.Covers {
			for k+1 < len(rs) && rs[k+1].Object == r.Object {
				k++
			}
		}
	}
}

// isCovered reports whether e happens before a rival that sufficed.
func (s *Strategy) isCovered(e int) bool {
	for _, c := range s.covered {
		if e <= c && s.path.Before(e, c) {
			return true
		}
	}
	return false
}

// without reports whether the candidate is enabled at e, and dependent on e with the accesses that
// it has there. If so, it has that explored.
func (s *Strategy) without(e int) bool {
	found := s.withoutBut(e, false)
	if s.path.Either(&s.candidate) {
		found = s.withoutBut(e, true) || found
	}
	return found
}

// withoutBut is without for two selects that meet, one of which waits: other says which.
//
// The prefix of the candidate is the largest possible: all that does not happen after e, except
// what disables the candidate.
func (s *Strategy) withoutBut(e int, other bool) bool {
	c := &s.candidate
	s.path.Begin(&s.prefix, c, e)
	for !s.prefix.May(c, other) {
		if s.prefix.Blocker < 0 || s.late() {
			return false
		}
		s.prefix.Exclude(s.prefix.Blocker)
	}
	if !s.tab.Dependent(s.path.At(e), &c.Transition) {
		return false
	}
	s.insertPrefix(e)
	return true
}

// insertPrefix inserts the transitions of s.prefix after e, then the candidate, as a wakeup
// sequence.
func (s *Strategy) insertPrefix(e int) {
	p := s.path
	s.v = s.v[:0]
	for k := e + 1; k < p.Len(); k++ {
		if s.prefix.Has(k) {
			s.v = append(s.v, p.At(k))
		}
	}
	s.v = append(s.v, &s.candidate.Transition)
	s.insert(e, s.v)
}
