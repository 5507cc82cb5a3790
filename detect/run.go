package detect

import (
	"math/bits"

	"heddle/trace"
)

// A run is words of a page that were always accessed together: one cell stands for all of theirs.
// Hashing a megabyte costs 2,048 runs instead of 131,072 cells. Invariants: the runs of a page are
// disjoint, none of their words has a cell in use, and their cells are neither empty nor wide.
type run struct {
	from, to uint8 // indices of words in the page
	cell     cell
}

const (
	maxRuns = 6 // per page
	minRun  = 6 // words; fewer words have cells
)

func wordsOf(i, j uint) uint64 { return (1<<(j-i) - 1) << i } // j-i == 64: all, a shift by 64 gives 0

// runAt returns the run of word i, which is covered.
func (pg *page) runAt(i uint) *run {
	for k := range pg.runs[:pg.nruns] {
		if r := &pg.runs[k]; i-uint(r.from) < uint(r.to-r.from) {
			return r
		}
	}
	panic("heddle: a word of shadow memory is covered by no run")
}

// words records access h at place at for the whole words from i to j on page pg, which begins at
// base.
func (s *Shadow) words(pg *page, base uintptr, i, j uint, c *trace.Vector, h entryHead, at trace.Site) {
	for i < j {
		switch bit := uint64(1) << i; {
		case pg.covered&bit != 0:
			r := pg.runAt(i)
			k := min(j, uint(r.to))
			if r.cell.repeats(h, at) {
				i = k
				continue
			}
			if k-i < minRun && (i != uint(r.from) || k != uint(r.to)) ||
				!r.cell.renews(h) && !r.cell.simple(h, at, c) {
				pg.expose(r, i, k) // continue with cells
				continue
			}
			x := r.cell
			if !x.renew(h, at) {
				s.touch(&x, base, h, at, c)
			}
			if i == uint(r.from) && k == uint(r.to) {
				r.cell = x
				pg.join(r)
			} else {
				pg.carve(r, i, k)
				pg.put(i, k, x)
			}
			i = k
		case pg.used&bit != 0:
			k := min(j, i+uint(bits.TrailingZeros64(^(pg.used>>i))))
			for w := i; w < k; w++ {
				s.cell(&pg.cells[w%pageWords], base+uintptr(w)*wordSize, c, h, at)
			}
			if k-i >= minRun {
				pg.gather(i, k)
			}
			i = k
		default:
			k := min(j, i+uint(bits.TrailingZeros64((pg.covered|pg.used)>>i)))
			pg.put(i, k, cell{a: entry{h, at}})
			i = k
		}
	}
}

// put makes x the record of the words from i to j, which have none: as a run, or as cells if they
// are few or there are too many runs.
func (pg *page) put(i, j uint, x cell) {
	if i > 0 && pg.covered>>(i-1)&1 != 0 {
		if r := pg.runAt(i - 1); r.cell == x {
			pg.covered |= wordsOf(i, j)
			r.to = uint8(j)
			pg.join(r)
			return
		}
	}
	if j-i >= minRun && pg.nruns < maxRuns {
		pg.covered |= wordsOf(i, j)
		pg.runs[pg.nruns] = run{uint8(i), uint8(j), x}
		pg.nruns++
		pg.join(&pg.runs[pg.nruns-1])
		return
	}
	pg.used |= wordsOf(i, j)
	for w := i; w < j; w++ {
		pg.cells[w%pageWords] = x
	}
}

// join joins r with the runs beside it that have the same cell.
func (pg *page) join(r *run) {
	for k := 0; k < int(pg.nruns); k++ {
		o := &pg.runs[k]
		switch {
		case o.to == r.from && o.cell == r.cell:
			r.from = o.from
		case o.from == r.to && o.cell == r.cell:
			r.to = o.to
		default:
			continue
		}
		last := &pg.runs[pg.nruns-1]
		moved := r == last
		*o = *last
		if moved {
			r = o
		}
		pg.nruns--
		k = -1
	}
}

// carve removes the words from i to j from run r. The rest stays a run, or becomes cells.
func (pg *page) carve(r *run, i, j uint) {
	from, to, x := uint(r.from), uint(r.to), r.cell
	pg.covered &^= wordsOf(from, to)
	pg.nruns--
	*r = pg.runs[pg.nruns]
	pg.left(from, i, x)
	pg.left(j, to, x)
}

func (pg *page) left(i, j uint, x cell) {
	if i < j {
		pg.put(i, j, x)
	}
}

// expose gives the words from i to j of run r cells of their own.
func (pg *page) expose(r *run, i, j uint) {
	x := r.cell
	switch {
	case i == uint(r.from) && j < uint(r.to):
		r.from = uint8(j)
		pg.covered &^= wordsOf(i, j)
	case i > uint(r.from) && j == uint(r.to):
		r.to = uint8(i)
		pg.covered &^= wordsOf(i, j)
	default:
		pg.carve(r, i, j)
	}
	pg.used |= wordsOf(i, j)
	for w := i; w < j; w++ {
		pg.cells[w%pageWords] = x
	}
}

// gather makes runs of the words from i to j that have equal cells.
func (pg *page) gather(i, j uint) {
	for i < j {
		x := pg.cells[i%pageWords]
		k := i + 1
		for k < j && pg.cells[k%pageWords] == x {
			k++
		}
		if k-i >= minRun && pg.nruns < maxRuns && !x.wide() && x.a.head != 0 {
			pg.wipe(i, k)
			pg.put(i, k, x)
		}
		i = k
	}
}

// wipe empties the cells of the words from i to j.
func (pg *page) wipe(i, j uint) {
	clear(pg.cells[i:j])
	pg.used &^= wordsOf(i, j)
}

// simple reports whether an access races with nothing in x, and x has room for it.
func (x *cell) simple(h entryHead, at trace.Site, c *trace.Vector) bool {
	return x.a.allows(h, at, c) && x.b.allows(h, at, c) &&
		(x.b.head == 0 || x.a.givesWay(h, at, c) || x.b.givesWay(h, at, c))
}

// allows reports whether access h does not race with e, which has the same bytes.
func (e *entry) allows(h entryHead, at trace.Site, c *trace.Vector) bool {
	return !conflict(h.kind(), e.head.kind()) || e.head.before(c)
}

// givesWay reports whether h replaces e.
func (e *entry) givesWay(h entryHead, at trace.Site, c *trace.Vector) bool {
	return e.head.sameBut(h) && e.site == at || e.head.before(c) && standsFor(h.kind(), e.head.kind())
}
