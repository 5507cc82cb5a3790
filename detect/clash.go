package detect

import "heddle/trace"

// Clash reports whether a write of the n bytes at p by a goroutine of chain k with clock c would
// race with a recorded access. It returns the place of one. It records and reports nothing.
func (s *Shadow) Clash(k trace.Chain, c *trace.Vector, p, n uintptr) (prev trace.Site, ok bool) {
	h := head(k, c.At(k), plain|write, 0)
	for n > 0 {
		size := min(n, wordSize-p%wordSize)
		pg := s.pages.find(p)
		if pg == nil {
			size = min(n, pageSize-p%pageSize)
		} else if prev, ok = s.clash(pg.at(p), h|entryHead(mask(p, size)), c); ok {
			return prev, true
		}
		p, n = p+size, n-size
	}
	return 0, false
}

// at returns the cell of p's word.
func (pg *page) at(p uintptr) *cell {
	i := uint(p / wordSize % pageWords)
	if pg.covered>>i&1 != 0 {
		return &pg.runAt(i).cell
	}
	return &pg.cells[i]
}

// clash implements Clash for one word.
func (s *Shadow) clash(x *cell, h entryHead, c *trace.Vector) (prev trace.Site, ok bool) {
	if !x.wide() {
		if x.a.clashes(h, c) {
			return x.a.site, true
		}
		return x.b.site, x.b.clashes(h, c)
	}
	w := s.wides.all[x.number()]
	for i := range w.es {
		if w.es[i].clashes(h, c) {
			return w.es[i].site, true
		}
	}
	return 0, false
}

// clashes reports whether e is concurrent with write h and shares a byte with it.
func (e *entry) clashes(h entryHead, c *trace.Vector) bool {
	return uint8(e.head&h) != 0 && !e.head.before(c) && conflict(h.kind(), e.head.kind())
}
