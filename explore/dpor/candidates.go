package dpor

import "heddle/explore/transition"

// Race reversal. In the paper a race is a pair of dependent events of the execution, either of
// which may come first. Here an operation may also have been disabled by an earlier one: a lock was
// taken, a partner met another goroutine, a value made a select take another case. So Races looks
// at each reversal candidate (transition.Candidate), and at each rival e that the candidate does
// not need. If the candidate is enabled without e and what happens after e, then
//
//	v = what does not happen after e, then the candidate
//
// is to be explored from the prefix before e.

// Races finds what the races of an execution let come earlier.
type Races struct {
	// Reversed gets each candidate with the largest prefix, without transition e, after which the
	// candidate is enabled. May was called on both; other is its argument.
	Reversed func(e int, prefix *transition.Prefix, c *transition.Candidate, other bool)
	// Drawn gets each transition that is a draw.
	Drawn func(j int)
	// Late reports whether the time is up, after as much work as there are transitions.
	Late func() bool

	path      *transition.Path
	candidate transition.Candidate
	prefix    transition.Prefix
	covered   []int
}

// Of finds them in an execution.
func (r *Races) Of(p *transition.Path) {
	r.path = p
	for j := range p.Len() {
		t := p.At(j)
		if r.Late() {
			return
		}
		if t.Barrier {
			if p.Unfired(&r.candidate, j) {
				r.rivals()
			}
			continue
		}
		if t.Choice >= 0 {
			r.Drawn(j)
			continue
		}
		if len(t.Accesses) > 0 {
			p.Executed(&r.candidate, j)
			r.rivals()
		}
	}
	for k := range p.Left() {
		p.Leftover(&r.candidate, k)
		r.rivals()
	}
	if p.Unfired(&r.candidate, p.Len()) {
		r.rivals()
	}
	p.Alternatives(&r.candidate, r.Late, r.alternative)
}

// alternative reverses the races of a candidate that was not executed.
func (r *Races) alternative(c *transition.Candidate) {
	if r.Late() {
		return
	}
	if c.Done < r.path.Len() {
		r.without(c.Done)
	}
	r.rivals()
}

// rivals tries the candidate without each of its rivals, the latest first. It skips rivals that
// happen before one that sufficed.
func (r *Races) rivals() {
	r.covered = r.covered[:0]
	r.path.Rivals(&r.candidate, func(x transition.Rival) bool {
		if r.Late() {
			return true
		}
		if r.isCovered(x.At) || !r.without(x.At) {
			return false
		}
		r.covered = append(r.covered, x.At)
		return x.Covers
	})
}

// isCovered reports whether e happens before a rival that sufficed.
func (r *Races) isCovered(e int) bool {
	for _, c := range r.covered {
		if e <= c && r.path.Before(e, c) {
			return true
		}
	}
	return false
}

// without reports whether the candidate is enabled at e, and dependent on e with the accesses that
// it has there. If so, it is told.
func (r *Races) without(e int) bool {
	found := r.withoutBut(e, false)
	if r.path.Either(&r.candidate) {
		found = r.withoutBut(e, true) || found
	}
	return found
}

// withoutBut is without for two selects that meet, one of which waits: other says which.
//
// The prefix of the candidate is the largest possible: all that does not happen after e, except
// what disables the candidate.
func (r *Races) withoutBut(e int, other bool) bool {
	c := &r.candidate
	r.path.Begin(&r.prefix, c, e)
	for !r.prefix.May(c, other) {
		if r.prefix.Blocker < 0 || r.Late() {
			return false
		}
		r.prefix.Exclude(r.prefix.Blocker)
	}
	if !r.path.Tab.Dependent(r.path.At(e), &c.Transition) {
		return false
	}
	r.Reversed(e, &r.prefix, c, other)
	return true
}

// reverse reverses the races of the execution just read.
func (s *Strategy) reverse() {
	if s.races.Late == nil {
		s.races = Races{Reversed: s.insertPrefix, Drawn: s.outcomes, Late: s.late}
	}
	s.round++
	s.races.Of(s.path)
}

// outcomes makes sure that every outcome of the draw at j is explored.
func (s *Strategy) outcomes(j int) {
	t := s.path.At(j)
	if j < s.shared() || j == s.keep && s.nodes[j].done > 0 {
		return
	}
	s.settle(j)
	s.drawn.Set(t)
	for c := range t.Choices {
		s.drawn.Choice = c
		s.v = append(s.v[:0], &s.drawn)
		s.insert(j, s.v)
	}
}

// insertPrefix inserts the transitions of a prefix after e, then the candidate, as a wakeup
// sequence, now or when the search comes back to node e.
func (s *Strategy) insertPrefix(e int, prefix *transition.Prefix, c *transition.Candidate, _ bool) {
	if s.postpone(e, prefix, &c.Transition) {
		return
	}
	s.settle(e)
	if t := s.trailTo(e, prefix); t != nil {
		s.follow(t, e, prefix, c)
		return
	}
	s.v = append(prefix.Append(s.v[:0], e+1), &c.Transition)
	s.insert(e, s.v)
}
