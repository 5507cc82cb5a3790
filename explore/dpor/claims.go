package dpor

import "heddle/explore/transition"

// What is reversed. In the paper a race is a pair of dependent events of which
// either may come first, and both are in the execution. Here an operation may
// also have been disabled by what came first: a lock was taken, a partner met
// somebody else, a value made a select take another case. So after every
// execution each claim is looked at (transition.Claim: a transition that was
// done, or could have been): for every rival e that it does not need, whether it
// could have been done without e and what follows from e. Then
//
//	v = what does not happen after e, and the claim
//
// is to be explored in the place of e.

// reverse looks for claims in the execution just read.
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
			p.Executed(&s.claim, j)
			s.rivals()
		}
	}
	for k := range p.Left() {
		p.Leftover(&s.claim, k)
		s.rivals()
	}
	p.Alternatives(&s.claim, s.alternative)
}

// outcomes makes sure that every outcome of the draw at j is explored.
func (s *Strategy) outcomes(j int) {
	t := s.path.At(j)
	if j < s.shared() || j == s.keep && s.nodes[j].done > 0 {
		return
	}
	s.claim.Transition.Set(t)
	for c := range t.Choices {
		s.claim.Choice = c
		s.v = append(s.v[:0], &s.claim.Transition)
		s.insert(j, s.v)
	}
}

// alternative looks at a claim of something that was not done.
func (s *Strategy) alternative(c *transition.Claim) {
	if s.late() {
		return
	}
	if c.Done < s.path.Len() {
		s.without(c.Done)
	}
	s.rivals()
}

// rivals looks at the claim s.claim without each of its rivals, the latest that will do.
func (s *Strategy) rivals() {
	p := s.path
	rs := p.Rivals(&s.claim)
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

// isCovered reports whether e happens before a rival that was looked at.
func (s *Strategy) isCovered(e int) bool {
	for _, c := range s.covered {
		if e <= c && s.path.Before(e, c) {
			return true
		}
	}
	return false
}

// without looks whether the claim could have been done in the place of e, and
// reports whether it could, and would not have come after e as well: what it
// accesses depends on where it comes, and what conflicts with e may not be that.
func (s *Strategy) without(e int) bool {
	found := s.withoutBut(e, false)
	if s.path.Either(&s.claim) {
		found = s.withoutBut(e, true) || found
	}
	return found
}

// withoutBut is without where, of two selects that meet, a certain one waits.
//
// What comes before the claim then is as much as can be: the most that others
// did independently of e, but for what disables the claim.
func (s *Strategy) withoutBut(e int, other bool) bool {
	c := &s.claim
	s.path.Begin(&s.cut, c, e)
	for !s.cut.May(c, other) {
		if s.cut.Blocker < 0 || s.late() {
			return false
		}
		s.cut.Exclude(s.cut.Blocker)
	}
	if !s.tab.Dependent(s.path.At(e), &c.Transition) {
		return false
	}
	s.insertCut(e)
	return true
}

// insertCut has the cut explored, and the claim after it.
func (s *Strategy) insertCut(e int) {
	p := s.path
	s.v = s.v[:0]
	for k := e + 1; k < p.Len(); k++ {
		if s.cut.Has(k) {
			s.v = append(s.v, p.At(k))
		}
	}
	s.v = append(s.v, &s.claim.Transition)
	s.insert(e, s.v)
}
