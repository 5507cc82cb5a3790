package detect

import "heddle/trace"

// A wide is the record of a word for which two entries are not enough: several goroutines read it,
// or its bytes were accessed apart.
type wide struct {
	// es[:hot] are writes, which may race with reads. The rest are reads.
	es  []entry
	hot int

	// While there are many reads, own[g] is one more than the index of g's newest read, and next[i]
	// one more than the index of the read before es[i] of the same chain. So a read need not pass
	// over the reads of all other goroutines (FastTrack's read vector). Reads for which a later
	// read of another goroutine stands are kept then: they do no harm.
	own     []int32
	next    []int32
	indexed bool
}

const manyReads = 12

// wideMark is the head of a cell's first entry if its site is the number of a wide: no bytes, and
// not 0.
const wideMark entryHead = 1 << 8

func (x *cell) wide() bool  { return x.a.head == wideMark }
func (x *cell) number() int { return int(x.a.site) }

// wides has all of them. Those not in use keep their memory.
type wides struct {
	all  []*wide
	used int   // all[used:] were not used in this execution
	free []int // returned in this execution
}

func (t *wides) get() (int, *wide) {
	if n := len(t.free); n > 0 {
		i := t.free[n-1]
		t.free = t.free[:n-1]
		return i, t.all[i]
	}
	if t.used == len(t.all) {
		some := make([]wide, 32)
		room := make([]entry, 4*len(some))
		for i := range some {
			some[i].es = room[4*i : 4*i : 4*i+4]
			t.all = append(t.all, &some[i])
		}
	}
	w := t.all[t.used]
	w.clear()
	t.used++
	return t.used - 1, w
}

func (t *wides) put(i int) {
	t.all[i].clear()
	t.free = append(t.free, i)
}

func (t *wides) reset() { t.used, t.free = 0, t.free[:0] }

func (w *wide) clear() {
	w.es, w.hot = w.es[:0], 0
	w.unindex()
}

// widen replaces a full cell by a wide and adds e.
func (s *Shadow) widen(x *cell, e entry) {
	i, w := s.wides.get()
	w.add(x.a)
	w.add(x.b)
	w.add(e)
	*x = cell{a: entry{wideMark, trace.Site(i)}}
}

// narrow moves what is left into the cell if it fits.
func (s *Shadow) narrow(x *cell, w *wide) {
	if len(w.es) > 2 {
		return
	}
	i := x.number()
	*x = cell{}
	if len(w.es) > 0 {
		x.a = w.es[0]
	}
	if len(w.es) > 1 {
		x.b = w.es[1]
	}
	s.wides.put(i)
}

// repeats reports whether w has access h at place at.
func (w *wide) repeats(h entryHead, at trace.Site) bool {
	for i := range w.es {
		if w.es[i].repeats(h, at) {
			return true
		}
	}
	return false
}

func (s *Shadow) touchWide(x *cell, base uintptr, h entryHead, at trace.Site, c *trace.Vector) {
	w := s.wides.all[x.number()]
	writes := h.kind()&write != 0
	if !writes && w.indexed {
		s.meetAll(w.es[:w.hot], base, h, at, c) // no read stands for a write: none is dropped
		w.addOwn(entry{h, at})
		return
	}
	if s.repeated = w.repeats(h, at); s.repeated {
		return
	}
	w.unindex()
	// entries that became empty, one of them, and one that differs in the bytes only
	empty, hole, same := 0, -1, -1
	for i := range w.es {
		e := &w.es[i]
		if uint8(e.head&h) != 0 {
			if e.head = s.meet(e, base, h, at, c); e.head.mask() == 0 {
				empty++
				if i < w.hot == writes {
					hole = i
				}
				continue
			}
		}
		if e.site == at && e.head.sameBut(h) {
			same = i
		}
	}
	switch {
	case same >= 0:
		w.es[same].head |= h
	case hole >= 0:
		w.es[hole] = entry{h, at}
		empty--
	default:
		w.push(entry{h, at})
	}
	if empty > 0 {
		w.compact()
	}
	w.reindex()
	s.narrow(x, w)
}

func (s *Shadow) meetAll(es []entry, base uintptr, h entryHead, at trace.Site, c *trace.Vector) {
	for i := range es {
		es[i].head = s.meet(&es[i], base, h, at, c)
	}
}

func (s *Shadow) eraseWide(x *cell, m uint8) {
	w := s.wides.all[x.number()]
	w.unindex()
	for i := range w.es {
		w.es[i].head = w.es[i].head.without(m)
	}
	w.compact()
	w.reindex()
	s.narrow(x, w)
}

// compact removes empty entries.
func (w *wide) compact() {
	n, hot := 0, 0
	for i, e := range w.es {
		if e.head.mask() == 0 {
			continue
		}
		w.es[n] = e
		n++
		if i < w.hot {
			hot++
		}
	}
	w.es, w.hot = w.es[:n], hot
}

// add records e, in an entry that differs in the bytes only if there is one. There is no index.
func (w *wide) add(e entry) {
	for i := range w.es {
		if f := &w.es[i]; f.site == e.site && f.head.sameBut(e.head) {
			f.head |= e.head
			return
		}
	}
	w.push(e)
	w.reindex()
}

// push inserts e where it belongs. There is no index.
func (w *wide) push(e entry) {
	w.es = append(w.es, e)
	if e.head.kind()&write != 0 {
		last := len(w.es) - 1
		w.es[last], w.es[w.hot] = w.es[w.hot], e
		w.hot++
	}
}

// reindex makes the index if there are many reads.
func (w *wide) reindex() {
	if len(w.es)-w.hot <= manyReads {
		return
	}
	w.indexed = true
	w.next = w.next[:0]
	for range w.hot {
		w.next = append(w.next, 0)
	}
	for i := w.hot; i < len(w.es); i++ {
		w.link(i)
	}
}

func (w *wide) unindex() {
	if w.indexed {
		clear(w.own)
		w.own = w.own[:0]
		w.indexed = false
	}
}

// link puts the last entry, i, before the others of its chain.
func (w *wide) link(i int) {
	k := int(w.es[i].head.chain())
	if k >= len(w.own) {
		if k >= cap(w.own) {
			own := make([]int32, k+1, 2*(k+1))
			copy(own, w.own)
			w.own = own
		} else {
			w.own = w.own[:k+1] // clear beyond its length, see unindex
		}
	}
	w.next = append(w.next, w.own[k])
	w.own[k] = int32(i + 1)
}

// addOwn is add for a read if there is an index. It drops the reads of its chain for which e
// stands.
func (w *wide) addOwn(e entry) {
	slot := -1 // the entry to use
	m := entryHead(e.head.mask())
	if k := int(e.head.chain()); k < len(w.own) {
		for i := w.own[k]; i > 0; i = w.next[i-1] {
			f := &w.es[i-1]
			if standsFor(e.head.kind(), f.head.kind()) {
				f.head &^= m // stays in the list of its chain
			}
			same := f.site == e.site && f.head.sameBut(e.head)
			if same || f.head.mask() == 0 && slot < 0 {
				slot = int(i - 1)
			}
			if same {
				e.head |= f.head
			}
		}
	}
	if slot >= 0 {
		w.es[slot] = e
		return
	}
	w.es = append(w.es, e)
	w.link(len(w.es) - 1)
}
