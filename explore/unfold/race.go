package unfold

import (
	"cmp"
	"slices"

	"heddle/explore/transition"
	"heddle/explore/unfold/net"
	"heddle/order/sat"
	"heddle/trace"
)

// Data races between local states that no execution has shown together. Accesses that are no
// scheduling points belong to the event of their step. Two conflicting accesses race if their
// events can both happen and neither happens before the other. That is a question to the net. Its
// answers are executed, and the race detector decides.
//
// Accesses that are scheduling points need no such search: they are events, and where two can be
// adjacent, both orders are extensions.
type races struct {
	accesses map[memory][]access
	progress *progress
	made     map[sitePair]int // number of executions made for two sites
	sat      *rest
	asked    map[sitePair]bool
}

// A memory is a range of bytes, named by the goroutine and the index of its allocation, or by its
// address.
type memory struct {
	by     transition.Proc
	made   trace.Site
	n      int32
	offset uint64
	size   uint32
}

func (m *memory) meets(o *memory) bool {
	return m.by == o.by && m.made == o.made && m.n == o.n && m.offset < o.offset+uint64(o.size) &&
		o.offset < m.offset+uint64(m.size)
}

// An access is a plain access that belongs to an event.
type access struct {
	event net.Event
	site  trace.Site
	write bool
}

type sitePair [2]trace.Site

func newRaces() races {
	return races{accesses: map[memory][]access{}, made: map[sitePair]int{}}
}

// maxTries bounds the executions for two sites: synchronisation inside the standard library may
// give an order that the net does not have.
const maxTries = 3

// readPlain sorts the plain accesses of an execution by transition.
func (s *Strategy) readPlain(t *trace.Trace) {
	if len(t.Plain) == 0 {
		s.read.plain = nil
		return
	}
	s.read.plain = map[int32][]int32{}
	for i := range t.Plain {
		s.read.plain[t.Plain[i].Step] = append(s.read.plain[t.Plain[i].Step], int32(i))
	}
}

// notePlain adds the plain accesses of event e, piece p of transition j.
func (s *Strategy) notePlain(e net.Event, j int, p *piece) {
	t := s.read.trace
	s.noteEvents(e, j, p)
	for _, i := range s.read.plain[int32(s.path.Step(j))] {
		a := &t.Plain[i]
		if !p.holds(int(a.After)) {
			continue
		}
		m := memory{by: transition.NoProc, offset: uint64(a.Mem.Addr), size: a.Size}
		if a.Mem.G != trace.NoG {
			m.by, m.made, m.n, m.offset = s.tab.ProcOf(a.Mem.G), a.Mem.Made, a.Mem.Nth, uint64(a.Mem.Offset)
		}
		s.noteMemory(e, a)
		if a.Site.Quiet() {
			continue
		}
		x := access{e, a.Site.Plain(), a.Write}
		if as := s.races.accesses[m]; len(as) == 0 || as[len(as)-1] != x {
			s.races.accesses[m] = append(as, x)
		}
	}
}

// procOfEvent returns the goroutine of event e.
func (s *Strategy) procOfEvent(e net.Event) transition.Proc {
	return s.procOf[s.net.Place(s.net.Arcs(e)[0].Cond())]
}

// racing returns conditions after two events that may race and were not executed for that yet; nil
// if there are none.
func (s *Strategy) racing() []net.Cond {
	if len(s.races.accesses) == 0 || s.net.Len() > tooMany {
		return nil
	}
	if s.races.progress == nil || len(s.races.progress.of) != s.net.Conds() {
		s.races.progress, s.races.asked, s.races.sat = s.holds(), map[sitePair]bool{}, nil
	}
	var goal []net.Cond
	s.eachConflict(func(p sitePair, pairs [][2][]access) bool {
		if s.races.made[p] >= maxTries || s.races.asked[p] || s.late() {
			return true
		}
		if goal = s.racesAt(slices.DeleteFunc(pairs, s.ordered)); goal == nil {
			s.races.asked[p] = true
			return true
		}
		s.races.made[p]++
		return false
	})
	return goal
}

// eachConflict calls f for any two sites with conflicting accesses by different goroutines that do
// not hold the same mutex, with the accesses for each range of memory, until f returns false.
func (s *Strategy) eachConflict(f func(p sitePair, pairs [][2][]access) bool) {
	found := map[sitePair][][2][]access{}
	var order []sitePair
	add := func(as, bs []access) {
		sites := map[trace.Site][]access{}
		for _, b := range bs {
			sites[b.site] = append(sites[b.site], b)
		}
		mine := map[trace.Site][]access{}
		for _, a := range as {
			mine[a.site] = append(mine[a.site], a)
		}
		for x, xs := range mine {
			for y, ys := range sites {
				s.limit.Check()
				if x > y && len(mine[y]) > 0 && len(sites[x]) > 0 {
					continue // the pair comes in the other order as well
				}
				if !xs[0].write && !ys[0].write || !s.twoGoroutines(xs, ys) || s.guarded(xs, ys) {
					continue
				}
				p := sitePair{min(x, y), max(x, y)}
				if found[p] == nil {
					order = append(order, p)
				}
				found[p] = append(found[p], [2][]access{xs, ys})
			}
		}
	}
	var ms []memory
	for m := range s.races.accesses {
		ms = append(ms, m)
	}
	slices.SortFunc(ms, func(a, b memory) int {
		return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.n, b.n), cmp.Compare(a.offset, b.offset),
			cmp.Compare(a.size, b.size))
	})
	for i := range ms {
		s.limit.Check()
		// ms is sorted by the start of the ranges, so the rest does not overlap either
		for k := i; k < len(ms) && ms[i].meets(&ms[k]); k++ {
			add(s.races.accesses[ms[i]], s.races.accesses[ms[k]])
		}
	}
	slices.SortFunc(order, func(p, q sitePair) int { return slices.Compare(p[:], q[:]) })
	for _, p := range order {
		if !f(p, found[p]) {
			return
		}
	}
}

// twoGoroutines reports whether some of xs and some of ys are of different goroutines.
func (s *Strategy) twoGoroutines(xs, ys []access) bool {
	p := s.procOfEvent(xs[0].event)
	other := func(a access) bool { return s.procOfEvent(a.event) != p }
	return slices.ContainsFunc(xs, other) || slices.ContainsFunc(ys, other)
}

// guarded reports whether all of xs and ys are made while holding an object that excludes any two
// of them.
func (s *Strategy) guarded(xs, ys []access) bool {
	p := s.races.progress
	held, mine, theirs := map[transition.Object]int{}, map[transition.Object]int{},
		map[transition.Object]int{}
	p.countHolds(xs, held, mine)
	p.countHolds(ys, held, theirs)
	for obj, n := range held {
		if n == len(xs)+len(ys) && !p.given[obj] && s.objects[obj].cap <= 1 &&
			(mine[obj] == len(xs) || theirs[obj] == len(ys)) {
			return true
		}
	}
	return false
}

// countHolds counts, by object, the accesses that are made while holding it, and holding it to
// write.
func (p *progress) countHolds(as []access, held, writing map[transition.Object]int) {
	for _, a := range as {
		p.s.limit.Check()
		t, _ := p.s.net.Given(a.event)
		seen := map[transition.Object]bool{}
		for i := p.of[t]; i > 0; i = p.list[i].next {
			h := p.list[i].hold
			if !seen[h.obj] {
				seen[h.obj] = true
				held[h.obj]++
				if !h.reading {
					writing[h.obj]++
				}
			}
		}
	}
}

// ordered reports whether, in every execution, all of one side that happens is ordered before the
// other side: for example the accesses of goroutines that were waited for.
func (s *Strategy) ordered(pair [2][]access) bool {
	return s.allBefore(pair[0], pair[1]) || s.allBefore(pair[1], pair[0])
}

// allBefore reports whether the past of each of ys has all of xs that can happen together with it.
func (s *Strategy) allBefore(xs, ys []access) bool {
	later := map[net.Cond]bool{} // conditions that one of xs can happen after
	places := map[net.Place]bool{}
	for _, a := range xs {
		t := s.net.Arcs(a.event)[0].Cond()
		for places[s.net.Place(t)] = true; t != net.None && !later[t]; t = s.net.Up(t) {
			later[t] = true
		}
	}
	in := s.find
	for _, b := range ys {
		s.limit.Check()
		mine := s.net.Place(s.net.Arcs(b.event)[0].Cond())
		in.Begin()
		in.Add(b.event)
		for k := range places {
			past := func(x net.Cond) bool { return x != net.None && !later[x] }
			if k != mine && !past(in.Last(k)) && !s.joinsPast(in, k, xs, past) {
				return false
			}
		}
		if s.late() {
			return false
		}
	}
	return true
}

// racesAt returns conditions after two events, one of each side of a pair, that can both happen,
// neither before the other; nil if there are none.
func (s *Strategy) racesAt(pairs [][2][]access) (goal []net.Cond) {
	if len(pairs) == 0 {
		return nil
	}
	if s.races.sat == nil {
		s.races.sat = s.formulaOf(s.whole(), false)
	}
	r := s.races.sat
	such := r.solver.NewVar().Pos()
	some := []sat.Lit{such.Not()}
	chosen := map[sat.Lit][2]map[net.Event]sat.Lit{}
	for _, p := range pairs {
		here := r.solver.NewVar().Pos()
		some = append(some, here)
		var of [2]map[net.Event]sat.Lit
		for i := range p {
			of[i] = map[net.Event]sat.Lit{}
			one := []sat.Lit{here.Not()}
			for _, a := range p[i] {
				if _, ok := of[i][a.event]; ok {
					continue
				}
				l := r.solver.NewVar().Pos()
				r.solver.Add(0, l.Not(), r.must(a.event))
				of[i][a.event], one = l, append(one, l)
			}
			r.solver.Add(0, one...)
		}
		s.unordered(r, of)
		chosen[here] = of
	}
	r.solver.Add(0, some...)
	was := s.rest
	s.rest = r
	s.eachEnd(such, func([]net.Cond) bool {
		for here, of := range chosen {
			if !r.solver.True(here) {
				continue
			}
			for i := range of {
				for e, l := range of[i] {
					if r.solver.True(l) {
						y, _ := s.net.Given(e)
						goal = append(goal, y)
						break
					}
				}
			}
			break
		}
		return false
	})
	s.rest = was
	return goal
}

// unordered demands that the two chosen events, one of each set, are concurrent.
func (s *Strategy) unordered(r *rest, of [2]map[net.Event]sat.Lit) {
	in := s.find
	for i := range of {
		for e, l := range of[i] {
			s.limit.Check()
			in.Begin()
			in.Add(e)
			for _, f := range in.Events() { // e included
				if m, ok := of[1-i][f]; ok {
					r.solver.Add(0, l.Not(), m.Not())
				}
			}
			s.joinedOrder(r, in, l, of[1-i])
		}
	}
	in.Begin()
}
