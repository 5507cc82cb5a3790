package flow

import (
	"unsafe"

	"heddle/trace"
)

// shadow holds the labels of memory: one for every eight bytes, and on pages
// where parts of those differ one for every byte. Pages without labels are
// not there. Addresses on the heap are not used again within an execution, since nothing
// is collected; those on a stack are, by variables that begin with a label (see Var).
type shadow struct {
	slots []*page // by hash of their base; a power of two of them
	pages []*page // all that were ever made; the first n are in use
	n     int
	last  *page
	bytes int64 // of the pages in use
	lost  bool  // there was no memory for a page: what has none may have any label
}

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

const (
	pageBytes = int64(unsafe.Sizeof(page{}))
	fineBytes = int64(unsafe.Sizeof([pageSize]Label{}))
)

type page struct {
	base  uintptr
	words [pageSize / 8]Label
	fine  *[pageSize]Label // by byte, where it is not nil
}

var memory shadow

// Above all addresses are the labels of stacks.
const (
	stacks    = 1 << 48
	stackBits = 32
)

// StackOf returns where the shadow has the labels of the stack of goroutine k: below that.
func StackOf(k int) uintptr { return stacks + uintptr(k+1)<<stackBits }

// place returns where the shadow has the label of *p. Stacks move when they grow; what stays is how
// far from its upper end something is. Where labels are expressions the variables that hooks access
// are on the heap (see Heap).
func place(p unsafe.Pointer) uintptr {
	if Exprs {
		return uintptr(p)
	}
	lo, hi := Stack() // first: it may move *p
	at := uintptr(p)
	if at < lo || at >= hi {
		return at
	}
	below := hi - at
	return Running().Stack - below
}

func (m *shadow) reset() {
	clear(m.slots)
	m.n, m.last, m.bytes, m.lost = 0, nil, 0, false
}

// find returns the page that p is on; nil if it has no labels and add is false.
func (m *shadow) find(p uintptr, add bool) *page {
	base := p &^ (pageSize - 1)
	if m.last != nil && m.last.base == base {
		return m.last
	}
	if 2*m.n >= len(m.slots) {
		if !add && m.n == 0 {
			return nil
		}
		m.grow()
	}
	i := m.slot(base)
	if pg := m.slots[i]; pg != nil {
		m.last = pg
		return pg
	}
	if !add {
		return nil
	}
	if m.lost = m.lost || full(pageBytes); m.lost {
		return nil
	}
	m.bytes += pageBytes
	if m.n == len(m.pages) {
		m.pages = append(m.pages, new(page))
	}
	pg := m.pages[m.n]
	m.n++
	pg.base, pg.fine = base, nil
	clear(pg.words[:])
	m.slots[i], m.last = pg, pg
	return pg
}

// slot returns where the page with that base is, or goes.
func (m *shadow) slot(base uintptr) uintptr {
	mask := uintptr(len(m.slots) - 1)
	i := (base >> pageBits) * 0x9e3779b97f4a7c15 >> 32 & mask
	for m.slots[i] != nil && m.slots[i].base != base {
		i = (i + 1) & mask
	}
	return i
}

func (m *shadow) grow() {
	m.slots = make([]*page, max(64, 2*len(m.slots)))
	for _, pg := range m.pages[:m.n] {
		m.slots[m.slot(pg.base)] = pg
	}
}

// get returns the label of n bytes at p: the union of theirs.
func (m *shadow) get(p, n uintptr) (l Label) {
	if m.lost {
		return trace.Everything
	}
	if m.n == 0 {
		return 0
	}
	if Exprs {
		return m.parts(p, n)
	}
	for n > 0 {
		k := min(n, pageSize-p%pageSize)
		if pg := m.find(p, false); pg != nil {
			l = U(l, pg.get(p%pageSize, k))
		}
		p, n = p+k, n-k
	}
	return l
}

func (pg *page) get(at, n uintptr) (l Label) {
	if pg.fine != nil {
		last := Label(0)
		for _, x := range pg.fine[at : at+n] {
			if x != last {
				l, last = U(l, x), x
			}
		}
		return l
	}
	for i := at / 8; i <= (at+n-1)/8; i++ {
		l = U(l, pg.words[i])
	}
	return l
}

// set gives n bytes at p the label l.
func (m *shadow) set(p, n uintptr, l Label) {
	if l == 0 && m.n == 0 {
		return
	}
	if ps := partsOf(l); ps != nil && !beyond(ps, n) {
		m.setParts(p, n, ps)
		return
	}
	for n > 0 {
		k := min(n, pageSize-p%pageSize)
		if pg := m.find(p, l != 0); pg != nil {
			pg.set(p%pageSize, k, l)
		}
		p, n = p+k, n-k
	}
}

func (pg *page) set(at, n uintptr, l Label) {
	if pg.fine == nil && (at|n)%8 != 0 && !pg.uniform(at, n, l) {
		if full(fineBytes) {
			pg.add(at, n, l)
			return
		}
		memory.bytes += fineBytes
		pg.fine = new([pageSize]Label)
		for i := range pg.fine {
			pg.fine[i] = pg.words[i/8]
		}
	}
	if pg.fine != nil {
		for i := at; i < at+n; i++ {
			pg.fine[i] = l
		}
		return
	}
	for i := at / 8; i <= (at+n-1)/8; i++ {
		pg.words[i] = l
	}
}

// add gives the words that the bytes belong to the label l beside theirs.
func (pg *page) add(at, n uintptr, l Label) {
	for i := at / 8; i <= (at+n-1)/8; i++ {
		pg.words[i] = U(pg.words[i], l)
	}
}

// uniform reports whether the words that the bytes belong to have the label l already.
func (pg *page) uniform(at, n uintptr, l Label) bool {
	for i := at / 8; i <= (at+n-1)/8; i++ {
		if pg.words[i] != l {
			return false
		}
	}
	return true
}

// add gives n bytes at p the label l beside those they have.
func (m *shadow) add(p, n uintptr, l Label) {
	if l != 0 {
		m.set(p, n, U(m.get(p, n), l))
	}
}

// move gives n bytes at to the labels of those at from, and l. The two may overlap.
func (m *shadow) move(to, from, n uintptr, l Label) {
	if l == 0 && m.n == 0 || to == from && l == 0 {
		return
	}
	unit := uintptr(1)
	if (to|from|n)%8 == 0 {
		unit = 8
	}
	if to <= from {
		for i := uintptr(0); i < n; i += unit {
			m.set(to+i, unit, U(m.get(from+i, unit), l))
		}
		return
	}
	for i := n; i > 0; i -= unit {
		m.set(to+i-unit, unit, U(m.get(from+i-unit, unit), l))
	}
}
