package net

// The conditions of a place form a forest. Each has, beside the link to the condition that it
// replaced, a jump to a further ancestor, so that every ancestor is reached in logarithmically many
// steps (Myers, "An applicative random-access stack", IPL 17, 1983).

// jumpBelow returns the jump of a condition that replaces up.
func (n *Net) jumpBelow(up Cond) Cond {
	p := n.position(up)
	if p.jump == None {
		return up
	}
	q := n.position(p.jump)
	if q.jump != None && p.depth-q.depth == q.depth-n.position(q.jump).depth {
		return q.jump
	}
	return up
}

// Ancestor returns the ancestor of x at a depth, or x itself.
func (n *Net) Ancestor(x Cond, depth int) Cond { return n.ancestor(x, int32(depth)) }

func (n *Net) ancestor(x Cond, depth int32) Cond {
	for {
		switch p := n.position(x); {
		case p.depth <= depth:
			return x
		case p.jump != None && n.position(p.jump).depth >= depth:
			x = p.jump
		default:
			x = p.up
		}
	}
}

// onOneBranch reports whether two conditions of a place are equal, or one is an ancestor of the
// other; or one is None.
func (n *Net) onOneBranch(x, y Cond) bool {
	if x == None || y == None || x == y {
		return true
	}
	if i, j := n.position(x).depth, n.position(y).depth; i < j {
		return n.ancestor(y, i) == x
	} else {
		return i > j && n.ancestor(x, j) == y
	}
}

// fork returns the last common ancestor of x and y, None if there is none.
func (n *Net) fork(x, y Cond) Cond {
	d := min(n.position(x).depth, n.position(y).depth)
	x, y = n.ancestor(x, d), n.ancestor(y, d)
	for x != y {
		p, q := n.position(x), n.position(y)
		if p.jump != q.jump {
			x, y = p.jump, q.jump
		} else {
			x, y = p.up, q.up
		}
	}
	return x
}
