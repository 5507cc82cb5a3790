package reach

import "slices"

// An elder of a node is a node below it on the stack whose sequence has events that are neither in
// the sequence above it nor excluded by its row: a witness excludes them. They may come back, so
// what is old is asked of the elder too.
type elder struct {
	node *node
	both set // the events of the node's sequence that are in the elder's too
}

// inherit sets the elders of n, whose variant came from p.
func (n *node) inherit(p *node, parted bool) {
	n.elders, n.parted = n.elders[:0], parted
	if len(p.elders) == 0 && !parted {
		return
	}
	n.seq.name()
	add := func(a *node) {
		e := elder{a, make(set, n.seq.w)}
		for i, x := range n.seq.ids {
			if _, ok := a.seq.index[x]; ok {
				e.both.add(i)
			}
		}
		n.elders = append(n.elders, e)
	}
	for _, e := range p.elders {
		add(e.node)
	}
	if parted {
		p.seq.name()
		add(p)
	}
}

// isOld reports whether x is an extension of the sequence of a node below: the sequences with it
// belong to another of its rows.
func (f *finder) isOld(x *extension) bool {
	if !f.node.parted && x.history.within(f.old) {
		return true
	}
	return slices.ContainsFunc(f.node.elders, func(e elder) bool {
		if !x.history.within(e.both) {
			return false
		}
		_, has := e.node.seq.index[f.nameOf(&x.event, x.history)]
		return !has
	})
}
