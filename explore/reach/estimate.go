package reach

// estimate is how many executions there will have been: of the variants of a
// sequence those that are still to come are taken to lead to as many, for their
// share of the race table, as those that came (the recursive estimator of Kilby,
// Slaney, Thiébaux, Walsh, "Estimating Search Tree Size", AAAI 2006). 0: not known yet.
func (s *Strategy) estimate() float64 {
	total := 0.0
	for i := len(s.stack) - 1; i >= 0; i-- {
		n := s.stack[i]
		s.find.look(n)
		total = n.total(&s.find, total)
	}
	if len(s.stack) == 1 && len(s.stack[0].row) == 0 {
		return 0
	}
	return min(total, 1e300) // no infinity, which JSON has no word for
}

// total is about how many executions n and its variants come to, where above
// are those of the variant of its current row.
func (n *node) total(f *finder, above float64) float64 {
	if len(n.row) == 0 { // none of its variants was exercised
		return 1
	}
	return 1 + (float64(n.done)+above)/n.reached(f, 0)
}

// reached is the share of the rows made so far among those that begin with the
// first k picks and have more. All shapes that have extensions have the same share.
func (n *node) reached(f *finder, k int) float64 {
	p := &n.row[k]
	more := 0.5 // the row itself, and then those that begin with it
	if k+1 < len(n.row) {
		more += n.reached(f, k+1) / 2
	}
	must, gone := n.before(f, k)
	lo, width := 0.0, 1.0
	if f.open(&n.shapes[p.at], must, gone) {
		lo, width = f.portion(&p.walk)
	}
	hits, left := float64(p.hits), float64(len(n.shapes)-p.at-1)
	return (hits + lo + width*more) / (hits + 1 + left*(hits+0.5)/float64(p.tried+1))
}

// portion says which part of all histories of a shape the one that w is at
// is: where it begins, and how wide it is. f was opened for the shape.
func (f *finder) portion(w *walk) (lo, width float64) {
	width = 1
	for k, c := range w.in {
		if c == implied || c == cannot {
			continue
		}
		// Those without the event are without all that come after it.
		n := 1
		for _, j := range f.deps[k:] {
			if f.after(int(f.deps[k])).has(int(j)) {
				n++
			}
		}
		in := width * float64(n-1) / float64(n)
		if c == taken {
			width = in
		} else {
			lo, width = lo+in, width-in
		}
	}
	return lo, width
}
