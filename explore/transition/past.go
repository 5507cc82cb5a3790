package transition

import "sort"

// A Past is an execution that was read before the present one, which may have replaced its last
// transitions. It keeps those; the others are still those of the Path.
type Past struct {
	p    *Path
	n    int
	upto int // so many transitions are those of p
	rest []segment
}

// A segment is a part of an execution that a path has no more. Pasts share its memory.
type segment struct {
	from, n int
	*replaced
}

// replaced is what a path knew of transitions that follow each other.
type replaced struct {
	steps  []Transition
	stride int
	clocks []uint32
	turns  [][]int32 // by Proc: its transitions as Proc, counted from the first of steps
}

// Past returns the path as it is. Before Read, with keep < n, Replace must be called.
func (p *Path) Past() *Past { return &Past{p: p, n: p.n, upto: p.n} }

// Len returns the number of transitions.
func (o *Past) Len() int { return o.n }

// Shared returns the number of the first transitions that are those of the path.
func (o *Past) Shared() int { return o.upto }

// Words returns about how many words of 32 bits o takes.
func (o *Past) Words() int { return o.p.Words(o.n - o.upto) }

// Words returns about how many words of 32 bits n transitions take in a Past.
func (p *Path) Words(n int) int { return n * (len(p.last) + 40) }

// Replace prepares pasts, or nil, for an execution that shares only its first keep transitions with
// the path.
func (p *Path) Replace(keep int, pasts []*Past) {
	end := keep
	for _, o := range pasts {
		if o != nil {
			end = max(end, o.upto)
		}
	}
	if end == keep {
		return
	}
	r := p.replaced(keep, end)
	for _, o := range pasts {
		if o == nil {
			continue
		}
		if n := o.upto - keep; n > 0 {
			o.rest = append(o.rest, segment{keep, n, r})
			o.upto = keep
		}
	}
}

func (p *Path) replaced(from, end int) *replaced {
	g := &replaced{steps: make([]Transition, end-from), stride: len(p.last),
		clocks: make([]uint32, (end-from)*len(p.last)), turns: make([][]int32, len(p.last))}
	accesses, starts := 0, 0
	for k := from; k < end; k++ {
		accesses, starts = accesses+len(p.steps[k].Accesses), starts+len(p.steps[k].Starts)
	}
	as, ss := make([]Access, 0, accesses), make([]Proc, 0, starts)
	for k := from; k < end; k++ {
		t, i := &p.steps[k], k-from
		n, m := len(as), len(ss)
		as, ss = append(as, t.Accesses...), append(ss, t.Starts...)
		g.steps[i] = *t
		g.steps[i].Accesses, g.steps[i].Starts = as[n:len(as):len(as)], ss[m:len(ss):len(ss)]
		for q := range g.stride {
			g.clocks[i*g.stride+q] = p.clocks.at(k, Proc(q))
		}
		g.turns[t.Proc] = append(g.turns[t.Proc], int32(i))
	}
	return g
}

// part returns the segment with transition k, which the path has no more.
func (o *Past) part(k int) *segment {
	i := len(o.rest) - 1 // they are in reverse order
	for k >= o.rest[i].from+o.rest[i].n {
		i--
	}
	return &o.rest[i]
}

// At returns the k-th transition.
func (o *Past) At(k int) *Transition {
	if k < o.upto {
		return &o.p.steps[k]
	}
	g := o.part(k)
	return &g.steps[k-g.from]
}

// knows is Path.Knows.
func (o *Past) knows(k int, g Proc) uint32 {
	if k < o.upto {
		return o.p.clocks.at(k, g)
	}
	s := o.part(k)
	return s.knows(k, g)
}

func (s *segment) knows(k int, g Proc) uint32 {
	if int(g) >= s.stride {
		return 0
	}
	return s.clocks[(k-s.from)*s.stride+int(g)]
}

// An excluded is a transition that is left out, with all that happens after it.
type excluded struct {
	at   int
	proc Proc
	seq  uint32
}

// excluded appends what is out to xs. -1 stands for none.
func (o *Past) excluded(xs []excluded, out []int32) []excluded {
	for _, x := range out {
		if x >= 0 {
			g := o.At(int(x)).Proc
			xs = append(xs, excluded{int(x), g, o.knows(int(x), g)})
		}
	}
	return xs
}

// Without appends to ks what o has from the from-th transition on without those in out, and without
// all that happens after one of these. Of out, -1 stands for none.
func (o *Past) Without(ks []int32, from int, out ...int32) []int32 {
	var few [fewOut]excluded
	xs := o.excluded(few[:0], out)
	p := o.p
	if from < o.upto {
		end := o.upto
		if o.upto-from >= 16*len(p.last) {
			end = p.until(from, o.upto, func(k int) bool { return p.without(k, xs) })
		}
		for k := from; k < end; k++ {
			if !p.without(k, xs) {
				ks = append(ks, int32(k))
			}
		}
	}
	for i := len(o.rest) - 1; i >= 0; i-- {
		s := &o.rest[i]
		first := max(from, s.from)
		for k, end := first, s.until(first, xs); k < end; k++ {
			if !s.without(k, xs) {
				ks = append(ks, int32(k))
			}
		}
	}
	return ks
}

// Goes reports whether o, after the transitions that it shares with the path, goes on with those of
// the path in ks, without out, as in Without. It looks first at the first few: most differ there.
func (o *Past) Goes(ks []int32, out ...int32) bool {
	var few [fewOut]excluded
	xs := o.excluded(few[:0], out)
	for i := len(o.rest) - 1; i >= 0; i-- {
		const first = 8
		s := &o.rest[i]
		k, end := s.from, s.from+s.n
		for ; k < end; k++ {
			if k == s.from+first {
				end = s.until(k, xs)
				if k >= end {
					break
				}
			}
			if s.without(k, xs) {
				continue
			}
			if len(ks) == 0 || !s.steps[k-s.from].Equal(&o.p.steps[ks[0]]) {
				return false
			}
			ks = ks[1:]
		}
	}
	return len(ks) == 0
}

// without reports whether transition k is one of xs or happens after one.
func (p *Path) without(k int, xs []excluded) bool {
	for i := range xs {
		if x := &xs[i]; x.at <= k && p.clocks.at(k, x.proc) >= x.seq {
			return true
		}
	}
	return false
}

// without is Path.without.
func (s *segment) without(k int, xs []excluded) bool {
	for i := range xs {
		if x := &xs[i]; x.at <= k && s.knows(k, x.proc) >= x.seq {
			return true
		}
	}
	return false
}

// until returns a transition from the from-th on such that all of s from there on are xs or happen
// after these, the end of s where finding one would take as long as looking at them.
func (s *segment) until(from int, xs []excluded) int {
	end := s.from + s.n
	if end-from < 16*s.stride {
		return end
	}
	last := from
	for _, js := range s.turns {
		js = js[sort.Search(len(js), func(i int) bool { return s.from+int(js[i]) >= from }):]
		js = js[:sort.Search(len(js), func(i int) bool { return s.from+int(js[i]) >= end })]
		i := sort.Search(len(js), func(i int) bool { return s.without(s.from+int(js[i]), xs) })
		if i > 0 {
			last = max(last, s.from+int(js[i-1])+1)
		}
	}
	return last
}
