package predict

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"heddle/trace"
)

// An Anomaly is a pattern with nodes for its events. It is a candidate: an execution of a schedule
// for it shows whether it can happen.
type Anomaly struct {
	Pattern *Pattern
	Nodes   []int32
	// events of the trace instead of nodes, for anomalies that only a Solver makes schedules for
	Events []int32
	Take   *Take // of OtherCase
}

// Goal returns what a schedule for the anomaly must bring about.
func (a *Anomaly) Goal() Goal {
	goal := Goal{Nodes: a.Nodes, Events: a.Events, Take: a.Take, Adjacent: a.Pattern.Adjacent}
	switch a.Pattern {
	case LockCycle:
		goal.Reach = true
	case Stuck:
		goal.Reach, goal.Blocked = true, true
	case SendOnClosed, OtherCase:
		goal.Last = true
	case Negative:
		goal.Last, goal.Below = true, true
	}
	return goal
}

// Solved reports whether only a Solver makes schedules for the pattern. Then a candidate without a
// correct order was not predicted.
func (p *Pattern) Solved() bool {
	switch p {
	case Stuck, EarlyWait, Negative, OtherCase:
		return true
	}
	return false
}

// A Candidate is one predicted bug: instances of one pattern at the same sites. Any of them shows
// it.
type Candidate struct {
	Pattern   *Pattern
	Sites     []trace.Site      // of the events, in the order of the pattern; of races in order of number
	Instances []Anomaly         // at most maxInstances
	More      iter.Seq[Anomaly] // if not nil: all instances
	Weak      bool              // of WeakRaces: the order relation excludes it
}

// All yields the instances of a candidate.
func (c *Candidate) All() iter.Seq[Anomaly] {
	if c.More != nil {
		return c.More
	}
	return slices.Values(c.Instances)
}

// Bounds of the search. They keep its cost at n log n in the events. They bound the instances at
// the same sites that are examined, never the number of sites.
const (
	maxInstances = 3
	// pairs of accesses at the same sites with which the search for patterns begins, if it finds
	// something
	maxSeeds = 8
	maxTries = 256 // the same, if it finds nothing
	// pairs of runs at the same sites: thousands of goroutines with the same code make millions
	maxLooks = 100_000
	// accesses of a region, on each side of a seed, that patterns on several variables examine
	maxRegion  = 256
	maxChoices = 64 // nodes tried for one event of a pattern
)

// Search returns the patterns and races that may happen in another order of the trace, in the order
// of the trace. limit bounds the candidates; 0: no bound.
func (g *Graph) Search(patterns []*Pattern, limit int) []Candidate {
	s := &search{g: g, patterns: patterns, pairs: make(map[pairKey]*pair), found: make(map[string]int),
		limit: limit}
	g.Limit.Within(func() {
		for i := range g.access.locs {
			s.location(int32(i))
		}
	})
	slices.SortStableFunc(s.out, func(a, b Candidate) int { return cmp.Compare(last(a), last(b)) })
	if limit > 0 && len(s.out) > limit {
		s.out = s.out[:limit]
	}
	return s.out
}

// last returns the node of the trace at which a candidate is complete.
func last(c Candidate) int32 { return slices.Max(c.Instances[0].Nodes) }

// A search examines the shared locations. For each it takes pairs of runs: accesses by one
// goroutine at one site with the same locks.
type search struct {
	g        *Graph
	patterns []*Pattern
	pairs    map[pairKey]*pair
	found    map[string]int // by sites: index in out + 1
	out      []Candidate
	limit    int

	sorted []int32
	runs   []run
	key    []byte
}

// A run is accesses that differ only in their time.
type run struct {
	g     trace.GID
	site  trace.Site
	write bool
	locks int32
	nodes []int32
}

type pairKey struct {
	a, b   trace.Site
	aw, bw bool
}

// A pair counts what was found at two sites.
type pair struct{ races, seeds, tries, looks int }

// location examines one location: Algorithm 1 for races, then the patterns that begin with a pair
// of accesses in either order.
func (s *search) location(loc int32) {
	s.split(loc)
	for i := range s.runs {
		for j := i + 1; j < len(s.runs); j++ {
			s.g.Limit.Check()
			a, b := &s.runs[i], &s.runs[j]
			if a.g == b.g || !a.write && !b.write {
				continue
			}
			k := keyOf(a, b)
			p := s.pairs[k]
			if p == nil {
				p = new(pair)
				s.pairs[k] = p
			}
			if p.looks++; p.looks > maxLooks {
				continue
			}
			wantRace := p.races < maxInstances && !s.g.excludeSets(a.locks, b.locks)
			wantSeeds := p.seeds < maxSeeds && p.tries < maxTries && len(s.patterns) > 0
			if wantRace || wantSeeds {
				s.pair(loc, a, b, p, wantRace, wantSeeds)
			}
		}
	}
}

// keyOf returns the sites of two runs.
func keyOf(a, b *run) pairKey {
	if b.site < a.site || a.site == b.site && b.write && !a.write {
		a, b = b, a
	}
	return pairKey{a.site, b.site, a.write, b.write}
}

// split makes the runs of a location.
func (s *search) split(loc int32) {
	nodes := s.g.Nodes
	s.sorted = append(s.sorted[:0], s.g.access.locs[loc].nodes...)
	slices.SortFunc(s.sorted, func(i, j int32) int {
		a, b := &nodes[i], &nodes[j]
		switch {
		case a.G != b.G:
			return cmp.Compare(a.G, b.G)
		case a.Site != b.Site:
			return cmp.Compare(a.Site, b.Site)
		case a.Op != b.Op:
			return cmp.Compare(a.Op, b.Op)
		case a.locks != b.locks:
			return cmp.Compare(a.locks, b.locks)
		}
		return cmp.Compare(i, j)
	})
	s.runs = s.runs[:0]
	for from := 0; from < len(s.sorted); {
		a, to := &nodes[s.sorted[from]], from+1
		for to < len(s.sorted) {
			b := &nodes[s.sorted[to]]
			if a.G != b.G || a.Site != b.Site || a.Op != b.Op || a.locks != b.locks {
				break
			}
			to++
		}
		s.runs = append(s.runs, run{a.G, a.Site.Plain(), a.Op == trace.OpWrite, a.locks, s.sorted[from:to]})
		from = to
	}
}

// pair looks for concurrent nodes of two runs, close to each other first.
func (s *search) pair(loc int32, a, b *run, p *pair, races, seeds bool) {
	g := s.g
	closest, far := [2]int32{-1, -1}, int32(-1)
	first := [2]int32{-1, -1} // in both goroutines: what leads there is short
	tried := 0
	consider := func(x, y int32) {
		if seeds && tried < maxSeeds && p.seeds < maxSeeds {
			tried++
			p.tries++
			if s.seeds(loc, x, y) {
				p.seeds++
			}
		}
		if d := max(x-y, y-x); far < 0 || d < far {
			closest, far = [2]int32{x, y}, d
		}
	}
	from := 0
	for _, x := range a.nodes {
		g.Limit.Check()
		// The nodes of b that are concurrent with x are adjacent.
		for from < len(b.nodes) && g.Before(b.nodes[from], x) {
			from++
		}
		rest := b.nodes[from:]
		n := sort.Search(len(rest), func(i int) bool { return g.Before(x, rest[i]) })
		if n == 0 {
			continue
		}
		if first[0] < 0 {
			first = [2]int32{x, rest[0]}
		}
		i := sort.Search(n, func(i int) bool { return rest[i] > x })
		if i < n {
			consider(x, rest[i])
		}
		if i > 0 {
			consider(x, rest[i-1])
		}
		if (far == 1 || !races) && (tried >= maxSeeds || !seeds) {
			break
		}
	}
	if races && far >= 0 {
		p.races++
		for _, at := range [][2]int32{first, closest} {
			s.add(Anomaly{Pattern: Race, Nodes: []int32{min(at[0], at[1]), max(at[0], at[1])}})
			if first == closest {
				break
			}
		}
	}
}

// add records an anomaly as an instance at its sites.
func (s *search) add(a Anomaly) {
	k := s.key[:0]
	sites := make([]trace.Site, len(a.Nodes))
	for i, n := range a.Nodes {
		sites[i] = s.g.Nodes[n].Site.Plain()
	}
	ops := a.Nodes
	if a.Pattern == Race {
		if sites[0] > sites[1] || sites[0] == sites[1] && s.g.Nodes[ops[0]].Op > s.g.Nodes[ops[1]].Op {
			ops = []int32{ops[1], ops[0]}
			sites[0], sites[1] = sites[1], sites[0]
		}
	}
	for i, x := range sites {
		k = append(k, byte(x), byte(x>>8), byte(x>>16), byte(x>>24), byte(x>>32), byte(x>>40), byte(x>>48),
			byte(x>>56), byte(s.g.Nodes[ops[i]].Op))
	}
	s.key = append(k, a.Pattern.Name...)
	i := s.found[string(s.key)]
	if i == 0 {
		s.out = append(s.out, Candidate{Pattern: a.Pattern, Sites: sites})
		i = len(s.out)
		s.found[string(s.key)] = i
	}
	if c := &s.out[i-1]; len(c.Instances) < maxInstances {
		c.Instances = append(c.Instances, a)
	}
}

// seeds looks for the patterns that two concurrent nodes which access a location are part of. It
// reports whether there was one.
func (s *search) seeds(loc int32, x, y int32) bool {
	any := false
	for _, p := range s.patterns {
		for i := range p.E {
			for j := range p.E {
				if i == j || p.E[i].T == p.E[j].T || p.E[i].SV != p.E[j].SV ||
					!(p.E[i].Write || p.E[j].Write) {
					continue
				}
				if s.is(p.E[i], x) && s.is(p.E[j], y) {
					m := newMatch(s, p)
					m.assign(i, x, loc)
					m.assign(j, y, loc)
					any = m.extend() || any
				}
			}
		}
	}
	return any
}

// is reports whether n can be event e of a pattern. An access to a map cannot: its key is unknown,
// and accesses to different keys are no anomaly.
func (s *search) is(e Event, n int32) bool {
	x := &s.g.Nodes[n]
	return (x.Op == trace.OpWrite) == e.Write && !x.ofMap()
}

// ofMap reports whether n accesses a map: hooks announce that as one byte at the map's pointer.
func (n *Node) ofMap() bool { return n.size == 1 && n.Site.Kind() == trace.KindPointer }
