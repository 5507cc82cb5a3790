package observe

import "slices"

// The edges of a node: which of them a goroutine takes in a state. A node may have thousands, one
// for each version of a cell that its step reads.

// find returns the edge that a goroutine takes in this state, nil if no execution has shown it.
func (s *state) find(n int32, at int16, result, message int32) *edge {
	x := s.p.node(n)
	if len(x.edges) > fewEdges {
		return s.findByRead(x, outcome{at, result, message})
	}
	for i := range x.edges {
		if e := &x.edges[i]; s.fits(e, at, result, message) {
			return e
		}
	}
	return nil
}

// fits reports whether a step in this state is e.
func (s *state) fits(e *edge, at int16, outcome, message int32) bool {
	return e.at == at && e.outcome == outcome && e.message == message && s.reads(e)
}

// reads reports whether a step in this state reads what e has.
func (s *state) reads(e *edge) bool {
	for _, r := range e.reads {
		if s.seen[r.cell] != r.version {
			return false
		}
	}
	return true
}

// fewEdges is how many edges of a node are looked at one after the other.
const fewEdges = 8

// An outcome is what a goroutine observes of a step beside memory; see edge.
type outcome struct {
	at              int16
	result, message int32
}

// A fork tells edges of a node apart that have one outcome, by the version of a cell.
type fork struct {
	cell int32
	to   map[int32]*fork // by version; nil: they are looked at one after the other
	// edges that are not below: they do not read the cell. Ascending
	edges []int32
}

// findByRead is find by what edges read.
func (s *state) findByRead(n *node, o outcome) *edge {
	n.index()
	least := len(n.edges)
	for f := n.forks[o]; f != nil; f = f.next(s) {
		for _, i := range f.edges {
			if int(i) < least && s.reads(&n.edges[i]) {
				least = int(i)
				break
			}
		}
	}
	if least == len(n.edges) {
		return nil
	}
	return &n.edges[least]
}

// next returns the fork by the version that the cell has in a state; nil: there is none.
func (f *fork) next(s *state) *fork {
	if f.to == nil {
		return nil
	}
	return f.to[s.seen[f.cell]]
}

// index adds the edges to forks that are not in them yet.
func (n *node) index() {
	for ; n.indexed < len(n.edges); n.indexed++ {
		e := &n.edges[n.indexed]
		o := outcome{e.at, e.outcome, e.message}
		if n.forks == nil {
			n.forks = map[outcome]*fork{}
		}
		f := n.forks[o]
		if f == nil {
			f = &fork{}
			n.forks[o] = f
		}
		n.put(f, int32(n.indexed))
	}
}

// put adds an edge to a fork. A fork without a cell gets one by whose version the edge can be told
// from the first one there.
func (n *node) put(f *fork, i int32) {
	e := &n.edges[i]
	for {
		if f.to == nil && len(f.edges) > 0 {
			n.divide(f, e)
		}
		v, reads := e.read(f.cell)
		if f.to == nil || !reads {
			f.edges = append(f.edges, i)
			return
		}
		if f.to[v] == nil {
			f.to[v] = &fork{}
		}
		f = f.to[v]
	}
}

// divide gives a fork a cell that its first edge and e have read, with different versions; none if
// there is no such cell.
func (n *node) divide(f *fork, e *edge) {
	for _, r := range n.edges[f.edges[0]].reads {
		if v, reads := e.read(r.cell); !reads || v == r.version {
			continue
		}
		f.cell, f.to = r.cell, map[int32]*fork{}
		f.edges = slices.DeleteFunc(f.edges, func(i int32) bool {
			v, reads := n.edges[i].read(r.cell)
			if !reads {
				return false
			}
			if f.to[v] == nil {
				f.to[v] = &fork{}
			}
			f.to[v].edges = append(f.to[v].edges, i)
			return true
		})
		return
	}
}

// read returns the version of a cell that a step read, and whether it read it.
func (e *edge) read(cell int32) (version int32, reads bool) {
	for _, r := range e.reads {
		if r.cell == cell {
			return r.version, true
		}
	}
	return 0, false
}
