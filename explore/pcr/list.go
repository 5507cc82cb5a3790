package pcr

import (
	"time"

	"heddle/explore"
	"heddle/explore/mapcov"
	"heddle/trace"
)

// A fate is what became of the candidates for a pattern.
type fate uint8

const (
	wasLed       fate = 1 << iota // a schedule was made for one
	wasRefuted                    // the formulas of one cannot be met
	wasUndecided                  // a formula of one was not decided in time
)

// note adds what became of a candidate to what is known of its pattern.
func (s *Strategy) note(k *item, what fate) {
	if k.row != 0 {
		s.fates[k.key] |= what
	}
}

// listTime bounds the time for each half of List.
const listTime = time.Second

// List implements explore.Listing: it looks at the executions again, for all patterns that their
// accesses could have. A pattern is refuted only if all of these accesses were asked for.
func (s *Strategy) List() (list explore.Listed) {
	opt := s.opt
	defer func() { s.opt = opt }()
	end := time.Now().Add(listTime)
	s.opt.Expired = func() bool { return time.Now().After(end) }
	open := map[mapcov.Key]bool{} // something of it was not asked for
	for _, q := range [2]*queue{&s.queue, &s.syncs} {
		for _, items := range q {
			for i := range items {
				open[items[i].key] = true
			}
		}
	}
	why := map[mapcov.Key]Rules{} // by which rules accesses for it were left out
	whole := !s.trunc && !s.short && len(s.kept) < maxKept
	cut := map[int32]bool{}
	for i, x := range s.kept {
		c := creation{as: x.c.as, problem: x.c.problem, set: s.set, rules: Map().Rules,
			longest: Map().Longest, expired: s.opt.Expired, cut: cut}
		c.each = func(k candidate, rule Rules) {
			if k.row == 0 || rule == Covered || rule == Interrupted {
				return
			}
			if why[k.key] |= rule; rule == 0 && s.asMCR && i >= s.asMap {
				open[k.key] = true // mcr asks for pairs
			}
		}
		c.create()
		whole = whole && !c.truncated && !c.over
	}
	for k, rules := range why {
		p, f, state := s.set.Names.Pattern(k), s.fates[k], mapcov.Untried
		asked := whole && !open[k] && rules&(OldState|Redundant) == 0
		for _, v := range p.Vars() {
			asked = asked && !cut[v]
		}
		switch {
		case f&wasUndecided != 0:
			state = mapcov.Undecided
		case open[k]:
		case f&wasLed != 0:
			state = mapcov.Led
		case asked && (f&wasRefuted != 0 || rules == HappensBefore):
			state = mapcov.Refuted
		case f == 0 && rules&(OldState|Redundant) != 0:
			state = mapcov.Same
		}
		list.Patterns = append(list.Patterns, mapcov.Listed{Pattern: p, State: state})
	}
	end = time.Now().Add(listTime)
	s.upcoming(&list)
	return list
}

// upcoming fills in the next pattern that has a schedule, and returns that.
func (s *Strategy) upcoming(list *explore.Listed) *trace.Schedule {
	for !s.opt.Expired() {
		k, ok := s.pop()
		if !ok {
			return nil
		}
		if k.row == 0 || s.set.HasKey(k.key) {
			continue
		}
		next := s.schedule(&k)
		if next == nil {
			continue
		}
		list.Next = s.set.Names.Pattern(k.key)
		last := k.event(k.from.c, k.n-1)
		for _, i := range s.order {
			e := &k.from.t.Events[i]
			name := k.from.t.Name(e.G)
			if n := len(list.Steps); n == 0 || list.Steps[n-1].Goroutine != name {
				list.Steps = append(list.Steps, explore.Until{Goroutine: name})
			}
			u := &list.Steps[len(list.Steps)-1]
			u.Events++
			if e.Site != 0 && !e.Site.Quiet() || u.Site == 0 || i == last {
				u.Op, u.Site = e.Op, e.Site
			}
			if i == last {
				break
			}
		}
		return next
	}
	return nil
}
