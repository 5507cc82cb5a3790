package reach

// estimate returns the expected number of executions in the end. The variants of a sequence that
// are still to come are assumed to lead to as many executions, for their share of the race table,
// as those before (the recursive estimator of Kilby, Slaney, Thiébaux, Walsh, "Estimating Search
// Tree Size", AAAI 2006). 0 means not known yet.
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
	return min(total, 1e300) // JSON cannot encode infinity
}

// total returns the expected number of executions of n and its variants; above is that of the
// current variant.
func (n *node) total(f *finder, above float64) float64 {
	if len(n.row) == 0 { // none of its variants was exercised
		return 1
	}
	return 1 + (float64(n.done)+above)/n.reached(f, 0)
}

// reached returns the share of the rows made so far among the rows that begin with the first k
// picks and have more. All shapes that have extensions have equal shares.
func (n *node) reached(f *finder, k int) float64 {
	p := &n.row[k]
	more := 1.0 // the rows that begin with a row count half, the row itself, which comes last, the other half
	if k+1 < len(n.row) {
		more = n.reached(f, k+1) / 2
	}
	must, gone := n.before(f, k)
	lo, width := 0.0, 1.0
	if f.open(&n.shapes[p.at], must, gone) {
		lo, width = f.portion(&p.walk)
	}
	hits, left := float64(p.hits), float64(len(n.shapes)-p.at-1)
	return (hits + lo + width*more) / (hits + 1 + left*(hits+0.5)/float64(p.tried+1))
}

// portion returns the part of a shape's histories at which w stands: its beginning and its width. f
// was opened for the shape.
func (f *finder) portion(w *walk) (lo, width float64) {
	width = 1
	for k, c := range w.in {
		if c == implied || c == cannot {
			continue
		}
		// Histories without the event are without all events after it.
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
