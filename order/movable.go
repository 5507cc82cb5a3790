package order

import (
	"sort"

	"heddle/rt/limit"
	"heddle/trace"
)

// A movable is what may be reordered in a trace. Its nodes are events of one goroutine that the
// scheduler cannot separate. Its order holds in every execution of the same operations.
type movable struct {
	limit  *limit.Limit
	t      *trace.Trace
	events []trace.Event // events of the trace, then one for each leftover, which is never done
	done   int           // number of events that were done

	nodes  []node
	node   []int32   // by event
	firsts []int32   // by goroutine: its first node, -1
	byG    [][]int32 // by goroutine: its events
	place  []int32   // by event: its index in byG

	hard  []edge
	cross map[int32][]int32 // by node: nodes of other goroutines with an edge to or from it
	// clocks: by node, how many nodes of each goroutine precede it or are it. Nodes of a goroutine
	// share a clock until the goroutine learns from another.
	clocks []trace.Clock
}

// A node is done as a whole.
type node struct {
	g           trace.GID
	at          int32 // its number in its goroutine, from 1
	first, last int32 // events
	prev, next  int32 // nodes of the same goroutine, -1
}

// An edge says that node a precedes node b in every order.
type edge struct {
	a, b int32
	kind Kind
}

func newMovable(t *trace.Trace, l *limit.Limit) *movable {
	m := &movable{t: t, limit: l, done: len(t.Events)}
	m.events = append(make([]trace.Event, 0, len(t.Events)+len(t.Left)), t.Events...)
	for i := range t.Left {
		l := &t.Left[i]
		m.events = append(m.events, trace.Event{G: l.G, Op: l.Op, Obj: l.Obj, Site: l.Site, Partner: -1,
			Step: int32(len(t.Steps) + i)})
	}
	m.makeNodes()
	m.makeEdges()
	m.makeClocks()
	return m
}

// makeNodes makes a node of the events of a goroutine in one step.
func (m *movable) makeNodes() {
	n := len(m.t.Goroutines)
	for i := range m.events {
		n = max(n, int(m.events[i].G)+1)
	}
	m.byG = make([][]int32, n)
	m.firsts = make([]int32, n)
	last := make([]int32, n)
	for g := range n {
		m.firsts[g], last[g] = -1, -1
	}
	m.node, m.place = make([]int32, len(m.events)), make([]int32, len(m.events))
	for i := range m.events {
		m.limit.Check()
		e := &m.events[i]
		m.place[i] = int32(len(m.byG[e.G]))
		m.byG[e.G] = append(m.byG[e.G], int32(i))
		if l := last[e.G]; l >= 0 && m.together(int(m.nodes[l].last), i) {
			m.nodes[l].last = int32(i)
			m.node[i] = l
			continue
		}
		v := int32(len(m.nodes))
		nd := node{g: e.G, at: 1, first: int32(i), last: int32(i), prev: last[e.G], next: -1}
		if nd.prev >= 0 {
			nd.at = m.nodes[nd.prev].at + 1
			m.nodes[nd.prev].next = v
		} else {
			m.firsts[e.G] = v
		}
		m.nodes = append(m.nodes, nd)
		m.node[i] = v
		last[e.G] = v
	}
}

// together reports whether i, which follows e in its goroutine, cannot be separated from it.
func (m *movable) together(e, i int) bool {
	return m.events[e].Step == m.events[i].Step && m.events[e].Step >= 0 && i < m.done
}

// makeEdges collects the order of goroutines, of go statements with the goroutines that they start,
// and of the clock. When the clock jumped no goroutine was enabled, so events before the jump
// precede those after it in every order.
func (m *movable) makeEdges() {
	for v := range m.nodes {
		if p := m.nodes[v].prev; p >= 0 {
			m.hard = append(m.hard, edge{p, int32(v), ProgramOrder})
		}
	}
	barrier := int32(-1)
	latest := make([]int32, len(m.byG)) // by goroutine: its latest node
	for g := range latest {
		latest[g] = -1
	}
	for i := range m.events {
		m.limit.Check()
		e, v := &m.events[i], m.node[i]
		if e.Op == trace.OpGo && i < m.done {
			if f := m.firsts[e.Arg]; f >= 0 {
				m.hard = append(m.hard, edge{v, f, Start})
			}
		}
		if barrier >= 0 && barrier != v && (latest[e.G] < 0 || latest[e.G] < barrier) {
			m.hard = append(m.hard, edge{barrier, v, Clock})
		}
		if (e.Op == trace.OpTimerFire || e.Op == trace.OpIdle) && i < m.done {
			for _, u := range latest {
				if u >= 0 && u != v {
					m.hard = append(m.hard, edge{u, v, Clock})
				}
			}
			barrier = v
		}
		latest[e.G] = v
	}
}

// makeClocks computes the predecessors of each node along the edges, all of which lead to later
// nodes.
func (m *movable) makeClocks() {
	sort.SliceStable(m.hard, func(i, j int) bool { return m.hard[i].b < m.hard[j].b })
	m.cross = make(map[int32][]int32)
	for _, e := range m.hard {
		if e.kind != ProgramOrder {
			m.cross[e.a] = append(m.cross[e.a], e.b)
			m.cross[e.b] = append(m.cross[e.b], e.a)
		}
	}
	m.clocks = make([]trace.Clock, len(m.nodes))
	k := 0
	for v := range m.nodes {
		m.limit.Check()
		n := &m.nodes[v]
		var c trace.Clock
		own := true // c is shared with another node and must not be changed
		for ; k < len(m.hard) && int(m.hard[k].b) == v; k++ {
			a := m.hard[k].a
			if m.nodes[a].g == n.g {
				if c == nil {
					c = m.clocks[a]
					own = false
				}
				continue
			}
			if !own {
				c, own = append(trace.Clock(nil), c...), true
			}
			c = c.Join(m.clocks[a])
			if c.At(trace.Chain(m.nodes[a].g)) < uint32(m.nodes[a].at) {
				c = c.Set(trace.Chain(m.nodes[a].g), uint32(m.nodes[a].at))
			}
		}
		m.clocks[v] = c
	}
}

// reaches reports whether node a precedes node b in every order.
func (m *movable) reaches(a, b int32) bool {
	if a == b {
		return false
	}
	na, nb := &m.nodes[a], &m.nodes[b]
	if na.g == nb.g {
		return na.at < nb.at
	}
	return m.clocks[b].At(trace.Chain(na.g)) >= uint32(na.at)
}

// next returns the event after e in its goroutine, -1 if there is none.
func (m *movable) next(e int) int {
	es := m.byG[m.events[e].G]
	if k := int(m.place[e]) + 1; k < len(es) {
		return int(es[k])
	}
	return -1
}
