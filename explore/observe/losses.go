package observe

import (
	"slices"

	"heddle/trace"
)

// Losses: how much goroutines may take off a counter.

// A loss is how much, at most, a goroutine and those that it starts take off the counter of a
// WaitGroup at any time from a node on, or off the number of readers of a RWMutex.
type loss struct{ item, most int32 }

// worst returns the loss of an item from a node on.
func (p *program) worst(at, item int32) int32 {
	for _, w := range p.node(at).worst {
		if w.item == item {
			return w.most
		}
	}
	return 0
}

// lose notes that the loss of an item from a node on may be greater than was known; see settle.
func (p *program) lose(at, item int32) { p.late[item] = append(p.late[item], at) }

// settle finds the losses from the nodes that were noted on, and from those before them. old: nodes
// from there on are new. A node comes after those that it depends on: their numbers are greater,
// but for the first nodes of goroutines that are alike. So most are looked at once.
func (p *program) settle(old int32) {
	var dirty bits
	for item, nodes := range p.late {
		dirty.clear()
		for _, at := range nodes {
			dirty.add(at)
		}
		for at := dirty.takeLast(); at >= 0; at = dirty.takeLast() {
			if p.loss(at, item, old) {
				dirty.add(p.before(at))
				p.eachOther(at, dirty.add)
				dirty.remove(0)
			}
		}
	}
	clear(p.late)
}

// loss finds the loss of an item from a node on. It reports whether that is another one than
// before.
func (p *program) loss(at, item, old int32) (changed bool) {
	n := p.node(at)
	most := p.atMost(n, item)
	for i := range n.edges {
		e := &n.edges[i]
		after := p.worst(e.to, item)
		for k := range e.starts {
			after += p.worst(p.kids[kid{e.to, int32(k + 1)}].node, item)
		}
		most = max(most, after-p.adds(&n.op, item, e.at, e.outcome))
	}
	if most == p.worst(at, item) {
		return false
	}
	p.grown = p.grown || at < old
	if i := slices.IndexFunc(n.worst, func(w loss) bool { return w.item == item }); i >= 0 {
		n.worst[i].most = most
	} else {
		n.worst = append(n.worst, loss{item, most})
	}
	return true
}

// atMost returns how much the next step of a node takes off the counter of an item at most,
// whichever outcome executions have shown.
func (p *program) atMost(n *node, item int32) (most int32) {
	switch {
	case n.op.class == comm:
		for i := range n.op.cases {
			c := &n.op.cases[i]
			most = max(most, -p.passes(c, item, 1))
		}
	case n.op.sums:
		most = max(0, -p.adds(&n.op, item, 0, 0))
	}
	return most
}

// adds returns what an operation with that outcome, by the case at of a select, adds to the counter
// of an item.
func (p *program) adds(op *pending, item int32, at int16, outcome int32) int32 {
	if op.class == comm {
		for i := range op.cases {
			if c := &op.cases[i]; c.at == at {
				return p.passes(c, item, outcome)
			}
		}
		return 0
	}
	if op.class != ruled || op.item != item {
		return 0
	}
	if op.op == trace.OpWGAdd {
		outcome = op.arg
	}
	def, o := p.model(item)
	_, n, _ := def.Sum(o, op.op, outcome)
	return n
}
