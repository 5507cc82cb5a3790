package predict

import "heddle/trace"

// A Spot describes the access that an event of a pattern is.
type Spot struct {
	G     string // the goroutine's name; "": any
	Site  trace.Site
	Write bool
}

// maxFind bounds the steps of one Find.
const maxFind = 1 << 20

// Find returns the nodes of g that are the accesses of spots and make pattern p in the order of
// execution, nil if there are none: it tells whether the anomaly happened in this execution.
func Find(g *Graph, p *Pattern, spots []Spot) []int32 {
	if len(spots) != len(p.E) {
		return nil
	}
	s := &search{g: g}
	f := &finder{m: newMatch(s, p), left: maxFind}
	for _, spot := range spots {
		var fit []int32
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if accessOf(n.Op) && (n.Op == trace.OpWrite) == spot.Write &&
				n.Site.Plain() == spot.Site.Plain() && (spot.G == "" || g.Trace.Name(n.G) == spot.G) {
				fit = append(fit, int32(i))
			}
		}
		f.fit = append(f.fit, fit)
	}
	if !f.from(0) {
		return nil
	}
	return f.m.nodes
}

// A finder tries, in order, the nodes that fit each event.
type finder struct {
	m    *match
	fit  [][]int32
	left int
}

func (f *finder) from(i int) bool {
	if i == len(f.fit) {
		return true
	}
	e := f.m.p.E[i]
	loc, id := f.m.locs[e.SV], f.m.gs[e.T]
	for _, n := range f.fit[i] {
		if f.left--; f.left < 0 {
			return false
		}
		if i > 0 && (n <= f.m.nodes[i-1] || f.m.p.Adjacent && n != f.m.nodes[i-1]+1) {
			continue
		}
		for _, l := range f.m.s.g.access.touches(n) {
			if loc >= 0 && l != loc || loc < 0 && has(f.m.locs, l) {
				continue
			}
			f.m.assign(i, n, l)
			if f.m.inOrder() && f.from(i+1) {
				return true
			}
		}
	}
	f.m.nodes[i], f.m.locs[e.SV], f.m.gs[e.T] = -1, loc, id
	return false
}

func has(s []int32, x int32) bool {
	for _, y := range s {
		if x == y {
			return true
		}
	}
	return false
}
