package observe

import (
	"slices"

	"heddle/explore/transition"
	"heddle/model"
)

// The order of arrival at channels. While no goroutine can go on, and time passes, all goroutines
// that wait at channels have arrived. One that comes to the same side of a channel later does not
// overtake them. So a goroutine that waits at a channel has the rank of the barrier since which it
// does: those of one rank may have arrived in any order.

// outranked reports whether another goroutine, but partner, is known to have come before proc to
// the side of the channel of case c.
func (s *state) outranked(proc transition.Proc, c *offer, partner transition.Proc) bool {
	if s.ranked == 0 {
		return false
	}
	mine := s.rank[proc]
	for other, r := range s.rank {
		if r == 0 || mine != 0 && r >= mine || transition.Proc(other) == proc ||
			transition.Proc(other) == partner {
			continue
		}
		cases := s.local[other].op.cases
		at := slices.IndexFunc(cases, func(d offer) bool { return d.obj == c.obj && d.send == c.send })
		if at >= 0 && (!s.unbuffered(c) || s.waits(transition.Proc(other))) {
			return true
		}
	}
	return false
}

// alone returns the rule by which a case of proc is enabled without a partner; nil if it is not.
func (s *state) alone(proc transition.Proc, c *offer) *model.Rule {
	_, o := s.p.model(c.item)
	now := s.count(c.item)
	r := model.Alone(o, now, c.send)
	if r == nil || s.ranked == 0 {
		return r
	}
	if n, shut := model.Channel(now); shut && (c.send || n == 0) {
		return r
	}
	if s.outranked(proc, c, transition.NoProc) {
		return nil
	}
	return r
}

// rankAll gives the goroutines that have come to channels since the last barrier the next rank. The
// ranks of those that wait since earlier barriers become the least that have the same order.
func (s *state) rankAll() {
	var old []int32
	for _, r := range s.rank {
		if r != 0 && !slices.Contains(old, r) {
			old = append(old, r)
		}
	}
	slices.Sort(old)
	for proc, n := range s.at {
		if op := &s.p.node(n).op; n == 0 || op.class != comm {
			continue
		}
		r := int32(len(old)) + 1
		if k := slices.Index(old, s.rank[proc]); k >= 0 {
			r = int32(k) + 1
		}
		if r != s.rank[proc] {
			s.reRank(transition.Proc(proc), r)
		}
	}
}

// reRank gives a goroutine another rank.
func (s *state) reRank(proc transition.Proc, r int32) {
	s.trail = append(s.trail, change{what: ofRank, i: int32(proc), old: s.rank[proc]})
	s.setRank(proc, r)
}

func (s *state) setRank(proc transition.Proc, r int32) {
	switch {
	case s.rank[proc] == 0 && r != 0:
		s.ranked++
	case s.rank[proc] != 0 && r == 0:
		s.ranked--
	}
	s.rank[proc] = r
	if s.census.on {
		s.localState(proc)
	}
}
