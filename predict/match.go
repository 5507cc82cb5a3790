package predict

import (
	"slices"
	"sort"

	"heddle/trace"
)

// A match is a pattern some of whose events have nodes.
type match struct {
	s     *search
	p     *Pattern
	nodes []int32 // -1: none yet
	locs  []int32 // by variable; -1: none yet
	gs    []trace.GID
}

func newMatch(s *search, p *Pattern) *match {
	m := &match{s: s, p: p, nodes: make([]int32, len(p.E)), locs: make([]int32, len(p.E)),
		gs: make([]trace.GID, len(p.E))}
	for i := range p.E {
		m.nodes[i], m.locs[i], m.gs[i] = -1, -1, trace.NoG
	}
	return m
}

func (m *match) assign(i int, n, loc int32) {
	m.nodes[i], m.locs[m.p.E[i].SV], m.gs[m.p.E[i].T] = n, loc, m.s.g.Nodes[n].G
}

// extend gives the other events nodes, in all ways within the bounds, and adds the anomalies to the
// candidates. It reports whether it added one.
func (m *match) extend() bool {
	if !m.fits() {
		return false
	}
	i := m.next()
	if i < 0 {
		if !m.mutable() {
			return false
		}
		m.s.add(Anomaly{Pattern: m.p, Nodes: slices.Clone(m.nodes)})
		return true
	}
	e := m.p.E[i]
	loc, g := m.locs[e.SV], m.gs[e.T]
	any := false
	for _, c := range m.choices(i) {
		m.s.g.Limit.Check()
		for _, l := range m.s.g.access.touches(c) {
			if loc >= 0 && l != loc || loc < 0 && slices.Contains(m.locs, l) {
				continue
			}
			m.assign(i, c, l)
			if m.extend() {
				any = true
				if loc >= 0 || g < 0 {
					break
				}
			}
		}
		if any && loc >= 0 {
			break // one instance of each variable is enough
		}
	}
	m.nodes[i], m.locs[e.SV], m.gs[e.T] = -1, loc, g
	return any
}

// next returns an event without a node, the one with the strongest restrictions; -1: all have one.
func (m *match) next() int {
	best, most := -1, -1
	for i, e := range m.p.E {
		if m.nodes[i] >= 0 {
			continue
		}
		known := 0
		if m.gs[e.T] >= 0 {
			known += 2
		}
		if m.locs[e.SV] >= 0 {
			known++
		}
		if known > most {
			best, most = i, known
		}
	}
	return best
}

// choices returns nodes for event i, near the nodes of the match.
func (m *match) choices(i int) []int32 {
	e := m.p.E[i]
	var from []int32 // candidates
	if m.gs[e.T] >= 0 {
		from = m.near(i)
	} else if l := m.locs[e.SV]; l >= 0 {
		from = around(m.s.g.access.locs[l].nodes, m.anchor(), maxRegion)
	}
	var out []int32
	type place struct {
		site trace.Site
		loc  int32
	}
	var seen []place
	for _, n := range from {
		if len(out) == maxChoices {
			break
		}
		if !m.s.is(e, n) || slices.Contains(m.nodes, n) {
			continue
		}
		if l := m.locs[e.SV]; l >= 0 && !slices.Contains(m.s.g.access.touches(n), l) {
			continue
		}
		// Of accesses at one site, to one location, the nearest is enough.
		p := place{m.s.g.Nodes[n].Site, m.s.g.access.one[n]}
		if slices.Contains(seen, p) {
			continue
		}
		seen = append(seen, p)
		out = append(out, n)
	}
	return out
}

// near returns accesses of event i's goroutine around its nodes in the match, nearest first; of the
// same region if the pattern requires it.
func (m *match) near(i int) []int32 {
	e := m.p.E[i]
	all := m.s.g.access.byG[m.gs[e.T]]
	for j, f := range m.p.E {
		if n := m.nodes[j]; n >= 0 && f.AR == e.AR {
			return m.s.g.sameRegion(all, n)
		}
	}
	anchor := m.anchor()
	for j, f := range m.p.E {
		if m.nodes[j] >= 0 && f.T == e.T {
			anchor = m.nodes[j]
		}
	}
	return around(all, anchor, maxRegion)
}

// sameRegion returns the entries of sorted around n that are of its region, at most maxRegion on
// each side, in order.
func (g *Graph) sameRegion(sorted []int32, n int32) []int32 {
	r := g.Nodes[n].Region
	if r == 0 {
		return nil
	}
	mid, _ := slices.BinarySearch(sorted, n)
	lo, hi := mid, mid
	for lo > 0 && mid-lo < maxRegion && g.Nodes[sorted[lo-1]].Region == r {
		lo--
	}
	for hi < len(sorted) && hi-mid < maxRegion && g.Nodes[sorted[hi]].Region == r {
		hi++
	}
	return sorted[lo:hi]
}

// anchor returns a node of the match.
func (m *match) anchor() int32 {
	for _, n := range m.nodes {
		if n >= 0 {
			return n
		}
	}
	return 0
}

// around returns up to n entries on each side of at's position in sorted, nearest first.
func around(sorted []int32, at int32, n int) []int32 {
	mid := sort.Search(len(sorted), func(i int) bool { return sorted[i] >= at })
	lo, hi := mid-1, mid
	var out []int32
	for k := 0; k < n && (lo >= 0 || hi < len(sorted)); k++ {
		if hi < len(sorted) {
			out = append(out, sorted[hi])
			hi++
		}
		if lo >= 0 {
			out = append(out, sorted[lo])
			lo--
		}
	}
	return out
}

// fits reports whether the nodes so far have the goroutines and regions of the pattern, in an order
// that program order allows.
func (m *match) fits() bool { return m.possible(true) }

// inOrder is fits for nodes whose order is right.
func (m *match) inOrder() bool { return m.possible(false) }

func (m *match) possible(ordered bool) bool {
	nodes := m.s.g.Nodes
	for i, a := range m.nodes {
		if a < 0 {
			continue
		}
		e := m.p.E[i]
		for j := i + 1; j < len(m.nodes); j++ {
			b := m.nodes[j]
			if b < 0 {
				continue
			}
			f := m.p.E[j]
			x, y := &nodes[a], &nodes[b]
			if (x.G == y.G) != (e.T == f.T) || ordered && m.s.g.Before(b, a) {
				return false
			}
			if same := x.Region == y.Region && x.Region != 0; x.G == y.G && same != (e.AR == f.AR) {
				return false
			}
		}
	}
	return true
}

// mutable is Algorithm 2, for any number of events: if the event of one goroutine comes between two
// of another, the latter has an operation between them before which it holds no lock that excludes
// the event.
func (m *match) mutable() bool {
	for i := range m.p.E {
		j := i + 1
		for j < len(m.p.E) && m.p.E[j].T != m.p.E[i].T {
			j++
		}
		if j == len(m.p.E) {
			continue
		}
		for k := i + 1; k < j; k++ {
			if !m.s.g.comesBetween(m.nodes[i], m.nodes[k], m.nodes[j]) {
				return false
			}
		}
	}
	return true
}

// maxGap bounds the operations between two of one goroutine that are examined.
const maxGap = 4096

// comesBetween reports whether node k may come after i and before j, two nodes of one goroutine:
// canSatisfyByMutation(v_i, v_k, v_j).
func (g *Graph) comesBetween(i, k, j int32) bool {
	if g.Before(k, i) || g.Before(j, k) {
		return false
	}
	return g.between(i, k, j) >= 0
}

// between returns v_x: the first operation after i, up to j, before which k may come, since the
// goroutine then holds no lock that protects k; -1 if there is none.
func (g *Graph) between(i, k, j int32) int32 {
	seq := g.seqs[g.Nodes[i].G]
	from, to := g.Nodes[i].Pos+1, g.Nodes[j].Pos
	if to-from > maxGap {
		return j
	}
	for p := from; p <= to; p++ {
		if x := seq[p]; !g.Before(x, k) && !g.exclude(x, k) {
			return x
		}
	}
	return -1
}
