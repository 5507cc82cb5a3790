package net

// The conditions of a place are a forest. From each one there is, beside the way to the one that it
// replaced, a jump to one further up, by which any is reached in logarithmically many steps (Myers,
// "An applicative random-access stack", IPL 17, 1983).

// jumpBelow returns where the jump of a condition leads that replaces up.
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

// Ancestor returns the condition at or before x that came after so many of their place.
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

// onOneBranch reports whether one of two conditions of a place, or both, lead to the other; or one
// is None.
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

// fork returns the last condition that leads to both x and y, None if there is none.
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
