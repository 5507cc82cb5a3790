package observe

import (
	"slices"

	"heddle/trace"
)

// Losses: how much goroutines may take off a counter.

// A loss is how much, at most, a goroutine and those that it starts take off the counter of a
// WaitGroup at any time from a node on, or off the number of readers of a RWMutex.
type loss struct{ item, most int32 }

// A loop that takes more off than mostLoss may take off any number. boundless stands for that: more
// than counters have.
const (
	mostLoss  = 1 << 10
	boundless = 1 << 20
)

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
	q := &p.unsettled
	for item, nodes := range p.late {
		for _, at := range nodes {
			q.add(at, 0)
		}
		for last := uint64(0); len(*q) > 0; {
			x := q.takeLast()
			again := x == last
			last = x
			at, to := int32(x>>32), int32(uint32(x))
			if again || at == 0 || !p.loss(at, to, item, old) {
				continue
			}
			n := p.node(at)
			through := at
			if p.node(n.parent).proc != n.proc { // the step that started it
				through = n.parent
			}
			q.add(p.before(at), through)
			if n.many {
				for _, w := range p.others[at] {
					q.add(w.from, w.through)
				}
			}
		}
	}
	clear(p.late)
}

// loss finds the loss of an item from a node on, as far as its edge that leads to node to has
// changed; 0: any of it. It reports whether that is another one than before. A loss never shrinks.
func (p *program) loss(at, to, item, old int32) (changed bool) {
	n := p.node(at)
	most := p.worst(at, item)
	was := most
	if to == 0 {
		most = max(most, p.atMost(n, item))
	}
	for i := range n.edges {
		e := &n.edges[i]
		if to != 0 && e.to != to {
			continue
		}
		after := p.worst(e.to, item)
		for k := range e.starts {
			after += p.worst(p.kids[kid{e.to, int32(k + 1)}].node, item)
		}
		most = max(most, after-p.adds(&n.op, item, e.at, e.outcome))
	}
	if most > mostLoss {
		most = boundless
	}
	if most == was {
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

// unsettled are nodes whose losses are to be found, each with the node after it whose loss has
// changed, or 0: a heap, the greatest first.
type unsettled []uint64

func (q *unsettled) add(at, to int32) {
	h := append(*q, uint64(at)<<32|uint64(to))
	for i := len(h) - 1; i > 0 && h[(i-1)/2] < h[i]; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*q = h
}

func (q *unsettled) takeLast() uint64 {
	h := *q
	x, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	for i, k := 0, 1; k < n; i, k = k, 2*k+1 {
		if k+1 < n && h[k+1] > h[k] {
			k++
		}
		if h[i] >= h[k] {
			break
		}
		h[i], h[k] = h[k], h[i]
	}
	*q = h
	return x
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
