package unfold

import (
	"slices"

	"heddle/explore/unfold/net"
	"heddle/order/sat"
)

// What happens before an event that has joined goroutines: in each history it is what one member of
// each merged condition comes after. The accesses in the step of an Add come after the Add.

// wants returns the merged conditions that events of in follow.
func wants(in *net.Config) (ms []net.Cond) {
	in.Wants(func(m net.Cond) {
		if !slices.Contains(ms, m) {
			ms = append(ms, m)
		}
	})
	return ms
}

// joinsPast reports whether in all histories of in the goroutine at place k is past its accesses
// xs: it has joined one that is.
func (s *Strategy) joinsPast(in *net.Config, k net.Place, xs []access, past func(net.Cond) bool) bool {
	seen := map[net.Cond]bool{}
	var joins func(ms []net.Cond) bool
	joins = func(ms []net.Cond) bool {
		for _, m := range ms {
			if seen[m] {
				continue
			}
			seen[m] = true
			all := true
			for _, y := range s.net.Members(m) {
				s.limit.Check()
				by := s.net.By(y)
				in := s.joins.check
				in.Begin()
				all = all && !slices.ContainsFunc(xs, func(a access) bool { return a.event == by }) &&
					in.Add(by) && (past(in.Last(k)) || joins(wants(in)))
			}
			if all {
				return true
			}
		}
		return false
	}
	return joins(wants(in))
}

// joinedOrder demands that the event of in, chosen by l, is chosen with none of others that happens
// before it in its history.
func (s *Strategy) joinedOrder(r *rest, in *net.Config, l sat.Lit, others map[net.Event]sat.Lit) {
	before := map[net.Cond]sat.Lit{} // a member of the merged condition happens before
	var queue []net.Cond
	follow := func(in *net.Config, so ...sat.Lit) {
		for _, m := range wants(in) {
			if _, ok := before[m]; !ok {
				before[m], queue = r.solver.NewVar().Pos(), append(queue, m)
			}
			r.solver.Add(0, append(so, before[m])...)
		}
	}
	follow(in, l.Not())
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		for _, y := range s.net.Members(m) {
			s.limit.Check()
			by := s.net.By(y)
			happens, ok := r.event(by)
			if !ok {
				continue
			}
			in := s.joins.check
			in.Begin()
			in.Add(by)
			for _, f := range in.Events() {
				if o, ok := others[f]; ok && f != by {
					r.solver.Add(0, l.Not(), o.Not(), before[m].Not(), happens.Not())
				}
			}
			follow(in, before[m].Not(), happens.Not())
		}
	}
}
