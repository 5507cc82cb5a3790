package reach

import "heddle/explore/transition"

// A node is a sequence with race variants still to be exercised: an entry of the stack. It holds
// its race table (section 6.2), one row at a time. A row is a non-empty set of extensions that can
// happen together; Construct-Race-Table (Fig. 7) writes it as a number whose digits are the
// receiving events. An extension that changes the control structure of another, or of its call,
// excludes it: rules 2 and 3.
type node struct {
	seq sequence
	// GenerateVariants prunes by these: old events, and events that no later variant may change
	old, black set
	shapes     []shape
	row        []pick
	picks      []pick // memory of picks that are in no row
	done       int    // executions of its variants in the rows before this one
	wit        witnesses
	elders     []elder
	parted     bool // its variant is without events of the sequence that no extension displaces

	// Of searches in parts. apart: the node is not a variant of the node below it on the stack.
	// pending: the row was made and not exercised.
	apart, pending bool
}

// A pick is an extension in a row. Its shape comes after the shapes of the picks before it.
type pick struct {
	extension
	at   int // index of its shape
	walk walk

	// For the estimate: how many of the shapes before were tried and had extensions that fit; and
	// whether this shape has.
	tried, hits int
	hit         bool

	must set // the events that this pick and those before it keep: their histories, and the black events
	gone set // the events that they remove
	id   id  // its name, if it was asked for
}

// next makes the next row and reports whether there is one. Rows come after the rows that have
// their picks and more. f looks at n's sequence. With f.ways every combination of that many
// extensions that can happen together is a row, and no greater one.
func (n *node) next(f *finder) bool {
	if len(n.row) == 0 {
		n.push(0)
	}
	if !n.seek(f) {
		if !f.late {
			n.pop()
		}
		return len(n.row) > 0 && !f.late
	}
	for !f.late && (f.ways == 0 || len(n.row) < f.ways) {
		if n.push(n.row[len(n.row)-1].at + 1); !n.seek(f) {
			n.pop()
			break
		}
	}
	return !f.late
}

// push adds a pick without an extension.
func (n *node) push(shape int) {
	p := pick{}
	if k := len(n.picks); k > 0 {
		p, n.picks = n.picks[k-1], n.picks[:k-1]
	}
	p.at, p.walk.begun = shape, false
	p.tried, p.hits, p.hit = 0, 0, false
	n.row = append(n.row, p)
}

func (n *node) pop() {
	k := len(n.row) - 1
	n.picks, n.row = append(n.picks, n.row[k]), n.row[:k]
}

// seek moves the last pick to its next extension that fits the picks before it.
func (n *node) seek(f *finder) bool {
	k := len(n.row) - 1
	p := &n.row[k]
	must, gone := n.before(f, k)
	for ; p.at < len(n.shapes); p.skip() {
		opened := n.free(&n.shapes[p.at], k) && f.open(&n.shapes[p.at], must, gone)
		if f.late {
			return false
		}
		if !opened || f.exact && n.conflict(f, f.like.Accesses, k) {
			continue
		}
		for f.next(&p.walk) {
			if f.spent() {
				return false
			}
			if f.make(&p.extension, f.h) && f.may(&p.extension) && !p.displace.meets(must) &&
				!n.conflict(f, p.accesses, k) {
				p.keep(must, gone)
				p.hit = true
				return true
			}
		}
	}
	return false
}

// skip continues with the next shape.
func (p *pick) skip() {
	if p.tried++; p.hit {
		p.hits++
	}
	p.at, p.walk.begun, p.hit = p.at+1, false, false
}

// before returns what the first k picks keep and what they remove.
func (n *node) before(f *finder, k int) (must, gone set) {
	if k == 0 {
		return n.black, f.none[:f.w]
	}
	return n.row[k-1].must, n.row[k-1].gone
}

// keep sets what p and the picks before it keep and remove.
func (p *pick) keep(must, gone set) {
	p.must, p.gone = append(p.must[:0], must...), append(p.gone[:0], gone...)
	p.must.join(p.history)
	p.gone.join(p.displace)
	p.id = id{}
}

// free reports whether no goroutine of a shape is in the first k picks.
func (n *node) free(sh *shape, k int) bool {
	a, b := n.seq.calls[sh.call].proc, transition.NoProc
	if sh.with >= 0 {
		b = n.seq.calls[sh.with].proc
	}
	for i := range n.row[:k] {
		p := &n.row[i]
		if a == p.proc || a == p.with || b != transition.NoProc && (b == p.proc || b == p.with) {
			return false
		}
	}
	return true
}

// conflict reports whether one of the accesses conflicts with one of the first k picks.
func (n *node) conflict(f *finder, as []transition.Access, k int) bool {
	for i := range n.row[:k] {
		for j := range n.row[i].accesses {
			for l := range as {
				if f.Tab.Conflict(&n.row[i].accesses[j], &as[l]) {
					return true
				}
			}
		}
	}
	return false
}
