package acyclic

import (
	"slices"

	"heddle/order/sat"
)

// A graph keeps a topological order of its nodes while edges are added and removed, by the
// algorithm of Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs"
// (ACM JEA 11, 2006). An edge that fits the order costs nothing. One that does not fit moves only
// nodes between its ends. Removing an edge keeps the order.
type graph struct {
	ord   []int32 // by node: its place in the order
	place []int32 // by place: the node

	edges    []edge
	out, in  []int32 // by node: the edge added last, -1
	fwd, bwd []int32 // nodes reached by the last search
	mark     []int32 // by node: the last search that reached it, forwards (even) or backwards (odd)
	search   int32
	via      []int32 // by node: the edge by which a search reached it
	places   []int32
}

type edge struct {
	from, to        int32
	nextOut, nextIn int32
	lit             int32   // the number of the assertion, from 0; fixed if the edge is permanent
	atom            sat.Lit // the asserted literal
}

const fixed = int32(-1)

func newGraph(n int) *graph {
	g := &graph{}
	for range n {
		g.addNode()
	}
	return g
}

// addNode adds a node, last in the order.
func (g *graph) addNode() int32 {
	n := int32(len(g.ord))
	g.ord, g.place = append(g.ord, n), append(g.place, n)
	g.out, g.in = append(g.out, -1), append(g.in, -1)
	g.mark, g.via = append(g.mark, 0), append(g.via, -1)
	return n
}

// add adds an edge, unless it closes a cycle. Then it returns false, and path returns the way from
// to back to from.
func (g *graph) add(from, to, lit int32, atom sat.Lit) bool {
	g.fwd, g.bwd = g.fwd[:0], g.bwd[:0]
	if g.ord[from] >= g.ord[to] {
		if from == to || !g.forwards(to, from) {
			return false
		}
		g.backwards(from, to)
		g.reorder()
	}
	e := int32(len(g.edges))
	g.edges = append(g.edges, edge{from, to, g.out[from], g.in[to], lit, atom})
	g.out[from], g.in[to] = e, e
	return true
}

// pop removes the edge that was added last.
func (g *graph) pop() {
	e := &g.edges[len(g.edges)-1]
	g.out[e.from], g.in[e.to] = e.nextOut, e.nextIn
	g.edges = g.edges[:len(g.edges)-1]
}

// forwards marks the nodes that a node reaches and that precede limit in the order. It returns
// false if it meets limit.
func (g *graph) forwards(from, limit int32) bool {
	g.search += 2
	ub := g.ord[limit]
	g.fwd = append(g.fwd[:0], from)
	g.mark[from] = g.search
	for i := 0; i < len(g.fwd); i++ {
		for e := g.out[g.fwd[i]]; e >= 0; e = g.edges[e].nextOut {
			n := g.edges[e].to
			if n == limit {
				return false
			}
			if g.mark[n] != g.search && g.ord[n] < ub {
				g.mark[n] = g.search
				g.fwd = append(g.fwd, n)
			}
		}
	}
	return true
}

// backwards marks the nodes that reach a node and that follow limit in the order.
func (g *graph) backwards(from, limit int32) {
	back := g.search + 1
	lb := g.ord[limit]
	g.bwd = append(g.bwd[:0], from)
	g.mark[from] = back
	for i := 0; i < len(g.bwd); i++ {
		for e := g.in[g.bwd[i]]; e >= 0; e = g.edges[e].nextIn {
			n := g.edges[e].from
			if g.mark[n] != back && g.ord[n] > lb {
				g.mark[n] = back
				g.bwd = append(g.bwd, n)
			}
		}
	}
}

// reorder puts the nodes found backwards before those found forwards, in the places that they have
// together.
func (g *graph) reorder() {
	g.sortByOrder(g.bwd)
	g.sortByOrder(g.fwd)
	g.places = g.places[:0]
	i, k := 0, 0
	for i < len(g.bwd) || k < len(g.fwd) {
		if k == len(g.fwd) || i < len(g.bwd) && g.ord[g.bwd[i]] < g.ord[g.fwd[k]] {
			g.places = append(g.places, g.ord[g.bwd[i]])
			i++
		} else {
			g.places = append(g.places, g.ord[g.fwd[k]])
			k++
		}
	}
	for i, n := range g.bwd {
		g.put(n, g.places[i])
	}
	for i, n := range g.fwd {
		g.put(n, g.places[len(g.bwd)+i])
	}
}

func (g *graph) put(n, at int32) { g.ord[n], g.place[at] = at, n }

// sortByOrder sorts nodes by their places.
func (g *graph) sortByOrder(nodes []int32) {
	slices.SortFunc(nodes, func(a, b int32) int { return int(g.ord[a] - g.ord[b]) })
}

// ancestors marks n and all nodes that reach it, and returns them in bwd.
func (g *graph) ancestors(n int32) {
	g.search += 2
	g.bwd = append(g.bwd[:0], n)
	g.mark[n] = g.search
	for i := 0; i < len(g.bwd); i++ {
		for e := g.in[g.bwd[i]]; e >= 0; e = g.edges[e].nextIn {
			if m := g.edges[e].from; g.mark[m] != g.search {
				g.mark[m] = g.search
				g.bwd = append(g.bwd, m)
			}
		}
	}
}

// advance puts n right after its last ancestor, and its ancestors before all other nodes.
func (g *graph) advance(n int32) {
	g.ancestors(n)
	first, rest := g.places[:0], g.fwd[:0]
	for at := int32(0); at <= g.ord[n]; at++ {
		if m := g.place[at]; g.mark[m] == g.search {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	for i, m := range first {
		g.put(m, int32(i))
	}
	for i, m := range rest {
		g.put(m, int32(len(first)+i))
	}
	g.places, g.fwd, g.bwd = first[:0], rest[:0], g.bwd[:0]
}

// arrange makes an order that has room for more edges, if there is one: the nodes in their order,
// each after its predecessors, which are moved to the front as far as that demands.
func (g *graph) arrange(more []pair) {
	first := make([]int32, len(g.ord)) // by node: 1 + the index of the last of more that leads there
	next := make([]int32, len(more))
	for i, e := range more {
		next[i], first[e.b] = first[e.b], int32(i+1)
	}
	const begun, done = 1, 2
	state := make([]uint8, len(g.ord))
	out := make([]int32, 0, len(g.ord))
	var stack []int32
	for _, n := range g.place {
		stack = append(stack, n)
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if state[n] != 0 {
				stack = stack[:len(stack)-1]
				if state[n] == begun {
					state[n] = done
					out = append(out, n)
				}
				continue
			}
			state[n] = begun
			from := len(stack)
			cycle := false
			before := func(m int32) {
				if cycle = cycle || state[m] == begun; state[m] == 0 {
					stack = append(stack, m)
				}
			}
			for e := g.in[n]; e >= 0; e = g.edges[e].nextIn {
				before(g.edges[e].from)
			}
			for i := first[n]; i > 0; i = next[i-1] {
				before(more[i-1].a)
			}
			if cycle {
				return
			}
			g.sortByOrder(stack[from:])
			slices.Reverse(stack[from:]) // the first is on top
		}
	}
	for at, n := range out {
		g.put(n, int32(at))
	}
}

// path returns the edges of a shortest way between two nodes, counting only edges that are not
// fixed, and using only assertions before limit. nil if there is none.
func (g *graph) path(from, to, limit int32, buf []int32) []int32 {
	g.search += 2
	near, far := append(g.fwd[:0], from), g.bwd[:0]
	g.mark[from] = g.search
	g.via[from] = -1
	// near has the nodes at one distance, far those at the next.
	for len(near) > 0 && g.mark[to] != g.search {
		for i := 0; i < len(near); i++ {
			for e := g.out[near[i]]; e >= 0; e = g.edges[e].nextOut {
				d := &g.edges[e]
				if d.lit >= limit || g.mark[d.to] == g.search || g.ord[d.to] > g.ord[to] {
					continue
				}
				if d.lit != fixed {
					far = append(far, e)
					continue
				}
				g.mark[d.to], g.via[d.to] = g.search, e
				near = append(near, d.to)
			}
		}
		near = near[:0]
		for _, e := range far {
			if n := g.edges[e].to; g.mark[n] != g.search {
				g.mark[n], g.via[n] = g.search, e
				near = append(near, n)
			}
		}
		far = far[:0]
	}
	g.fwd, g.bwd = near[:0], far[:0]
	if g.mark[to] != g.search {
		return nil
	}
	buf = buf[:0]
	for n := to; g.via[n] >= 0; n = g.edges[g.via[n]].from {
		buf = append(buf, g.via[n])
	}
	slices.Reverse(buf)
	return buf
}
