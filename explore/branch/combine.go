package branch

import (
	"slices"

	"heddle/explore/why"
	"heddle/order"
	"heddle/trace"
)

// When all groups are tested, combinations of outcomes may be left: one branch in a thread's path
// as in one execution, another branch as in another. So for every execution, every operation that
// affects a branch is made to see each other version, while everything that does not depend on the
// operation stays as it was: the versions that other operations see, and the cases that selects
// take. A combination that no execution has shown is executed.

type combinations struct {
	sources []*source // executions, in order
	plans   []*plan   // found in advance
	at      int       // index of the present source
	op      int32     // its present operation
	tried   map[string]bool

	// see matters
	of     *source
	rounds int
	ops    []bool
}

// relaxed bounds how many operations may change, besides what depends on the chosen one, to make a
// variant possible.
const relaxed = 12

// combine returns the schedule of the next combination, nil if there is none.
func (s *Strategy) combine() *trace.Schedule {
	p := s.planned()
	if p == nil {
		if p = s.plan(); p == nil {
			return nil
		}
		clear(s.sources[:s.at]) // they have no more combinations
	}
	s.running = p.candidate
	return p.schedule
}

// plan returns the next combination, nil if there is none.
func (s *Strategy) plan() *plan {
	for ; s.at < len(s.sources); s.at, s.op = s.at+1, 0 {
		f := s.sources[s.at]
		for ; int(s.op) < len(f.x.Ops); s.op++ {
			if s.opt.Context.Err() != nil {
				return nil
			}
			if p := s.another(f, s.op); p != nil {
				p.at, p.op, p.rounds = s.at, s.op, len(s.active)
				p.schedule = f.seeker.Schedule(&p.Variant)
				return p
			}
		}
	}
	return nil
}

// another returns a combination in which op sees a version that no execution has shown it.
func (s *Strategy) another(f *source, op int32) *plan {
	o := &f.x.Ops[op]
	matters := s.matters(f)
	if !matters[op] {
		return nil
	}
	for i, c := range o.sees {
		changers := f.x.bumpers(c)
		for k := 0; k <= len(changers) && s.opt.Context.Err() == nil; k++ {
			if k == int(o.saw[i]) || k > 0 && !matters[changers[k-1]] || !f.mayCome(op, changers, k) {
				continue
			}
			if p := s.keeping(f, op, changers, k); p != nil {
				return p
			}
		}
	}
	return nil
}

// matters returns, by op, whether it affects a branch that does not wait.
func (s *Strategy) matters(f *source) []bool {
	if s.of != f || s.rounds != len(s.active) {
		s.of, s.rounds = f, len(s.active)
		s.ops = make([]bool, len(f.x.Ops))
		for _, b := range s.considered(f) {
			for _, op := range f.rel(b).ops {
				s.ops[op] = true
			}
		}
	}
	return s.ops
}

// mayCome reports whether op can see the version after the first k of changers, as far as its own
// goroutine goes.
func (f *source) mayCome(op int32, changers []int32, k int) bool {
	for i, w := range changers {
		if w != op && f.x.Ops[w].G == f.x.Ops[op].G && (i < k) != (w < op) {
			return false
		}
	}
	return k == 0 || changers[k-1] != op
}

// keeping looks for a variant in which op sees the first k of changers, and as many as possible of
// the independent operations see what they saw.
func (s *Strategy) keeping(f *source, op int32, changers []int32, k int) *plan {
	gone := make([]bool, len(f.x.Ops))
	gone[op] = true
	for _, w := range changers[k:] {
		gone[w] = true
	}
	var all [][]sight
	for range relaxed {
		f.spread(gone)
		if k > 0 && slices.ContainsFunc(changers[:k], func(w int32) bool { return gone[w] }) {
			return nil
		}
		sees := f.kept(gone, s.ops)
		sees = append(sees, sight{f.ops[op], f.version(op,
			func(w int32) bool { i := slices.Index(changers, w); return i < k && i >= 0 })})
		if all = append(all, sees); s.hasSeen(sees) {
			return nil
		}
		key := keyOf(sees)
		if s.tried[key] {
			return nil
		}
		a := f.seeker.p.Solve(s.opt.Context, f.goal(gone, s.ops, op, changers, k))
		switch a.Verdict {
		case order.Found:
			s.tried[key] = true
			return &plan{candidate: s.add(&candidate{from: f, found: true,
				Variant: f.seeker.variant(a.Order, op)}), sees: all, key: key}
		case order.Unknown:
			s.bad = why.With(why.Limit, "the solver did not decide some orders")
			return nil
		}
		s.tried[key] = true
		if !f.giveUp(gone, a.Core) {
			return nil
		}
	}
	return nil
}

// spread marks as gone what depends on a gone operation: the later operations of its goroutine, and
// operations that affect a branch and saw it.
func (f *source) spread(gone []bool) {
	last := make([]bool, len(f.x.byG))
	for i := range f.x.Ops {
		o := &f.x.Ops[i]
		gone[i] = gone[i] || last[o.G]
		for k, c := range o.sees {
			for _, w := range f.x.bumpers(c)[:o.saw[k]] {
				gone[i] = gone[i] || gone[w]
			}
		}
		last[o.G] = gone[i]
	}
}

// kept returns the sights of the operations that matter and are not gone, and of the selects.
func (f *source) kept(gone, matters []bool) (sees []sight) {
	for i := range f.x.Ops {
		if !gone[i] && matters[i] {
			op := int32(i)
			sees = append(sees, sight{f.ops[i], f.version(op, func(w int32) bool { return w < op })})
		}
	}
	for _, c := range f.taken {
		if !gone[c.op] {
			sees = append(sees, c.sight)
		}
	}
	return sees
}

// goal returns the goal that all operations that are not gone stay, and that op is next with that
// version.
func (f *source) goal(gone, matters []bool, op int32, changers []int32, k int) order.Goal {
	goal := order.Goal{At: []int{int(f.x.Ops[op].Event)}, Ready: true}
	selects := map[int32]bool{}
	for _, c := range f.taken {
		selects[c.op] = true
	}
	for _, own := range f.x.byG {
		last := int32(-1)
		for _, i := range own {
			if !gone[i] && (matters[i] || selects[i]) {
				last = i
			}
		}
		if last >= 0 {
			goal.Keep = append(goal.Keep, int(f.x.Ops[last].Event))
		}
	}
	for _, w := range changers[k:] {
		if w != op {
			goal.Undone = append(goal.Undone, int(f.x.Ops[w].Event))
			break
		}
	}
	return goal
}

// giveUp marks as gone the latest operation that a refutation needs. It returns false if there is
// none.
func (f *source) giveUp(gone []bool, core []order.Constraint) bool {
	latest := int32(-1)
	for _, c := range core {
		if c.Kind != order.Target {
			continue
		}
		for _, e := range c.Events {
			if e >= len(f.x.op) {
				continue
			}
			if i := f.x.op[e]; i >= 0 && !gone[i] {
				latest = max(latest, i)
			}
		}
	}
	if latest < 0 {
		return false
	}
	gone[latest] = true
	return true
}
