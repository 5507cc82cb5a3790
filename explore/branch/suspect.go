package branch

import (
	"heddle/explore"
	"heddle/order"
	"heddle/trace"
)

// Where locking is broken there may be a data race. The schedules that make two accesses of the
// variable adjacent are executed, and the race detector decides.

// pairsTried bounds the pairs of accesses that are executed for one variable.
const pairsTried = 8

type suspicions struct {
	told   map[[2]trace.Site]bool
	broken []explore.Suspicion
	checks []*trace.Schedule
	ahead  int // number of them that Foresee has returned

	confronted int // number of schedules executed
}

func newSuspicions() suspicions { return suspicions{told: map[[2]trace.Site]bool{}} }

// Suspicions implements explore.Suspecting. Each pair of sites occurs once.
func (s *Strategy) Suspicions() []explore.Suspicion { return s.broken }

// suspect looks for broken locking in an execution (section IV.A).
func (s *Strategy) suspect(f *source) {
	t := f.x.Trace
	for _, b := range Check(t, nil) {
		e, o := &t.Events[b.Event], &t.Events[b.Other]
		key := [2]trace.Site{min(e.Site.Plain(), o.Site.Plain()), max(e.Site.Plain(), o.Site.Plain())}
		if s.told[key] {
			continue
		}
		s.told[key] = true
		s.broken = append(s.broken, explore.Suspicion{Site: e.Site, Other: o.Site, Op: e.Op, OtherOp: o.Op,
			Goroutine: t.Name(e.G), Second: t.Name(o.G)})
		s.confront(f, e.Obj)
	}
}

// confront makes schedules in which two accesses to an object, one of them a write, are adjacent.
func (s *Strategy) confront(f *source, obj trace.ObjID) {
	p := order.New(f.x.Trace, order.Options{})
	var events []int
	for i := range f.x.Trace.Events {
		if e := &f.x.Trace.Events[i]; e.Obj == obj && (e.Op == trace.OpRead || e.Op == trace.OpWrite) {
			events = append(events, i)
		}
	}
	tried := map[[4]uint64]bool{}
	for k, j := range events {
		for _, i := range events[:k] {
			a, b := &f.x.Trace.Events[i], &f.x.Trace.Events[j]
			key := [4]uint64{uint64(a.G), uint64(a.Site.Plain()), uint64(b.G), uint64(b.Site.Plain())}
			if a.G == b.G || a.Op == trace.OpRead && b.Op == trace.OpRead || tried[key] {
				continue
			}
			if tried[key] = true; len(tried) > pairsTried {
				return
			}
			if ans := p.Solve(s.opt.Context, order.Race(i, j)); ans.Verdict == order.Found {
				q, _ := p.Schedule(append(ans.Order, i, j), nil)
				q.Seed = f.seed
				s.checks = append(s.checks, q)
			}
		}
	}
}

// check returns the next schedule that may show a race, nil if there is none.
func (s *suspicions) check() *trace.Schedule {
	if len(s.checks) == 0 {
		return nil
	}
	q := s.checks[0]
	s.checks, s.ahead = s.checks[1:], max(0, s.ahead-1)
	s.confronted++
	return q
}
