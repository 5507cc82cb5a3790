package detect

import "heddle/trace"

const (
	wordSize  = 8
	pageWords = 64
	pageSize  = wordSize * pageWords
)

// A cell is what is remembered of a word: up to two accesses, or the number of a wide.
// Invariant: a is empty only when b is.
type cell struct{ a, b entry }

// A page is the cells of 512 bytes of memory: small, so that an execution of a
// few microseconds that touches some hundred places clears little. While all accesses were of
// the whole page, one cell stands for all: a megabyte that is hashed costs 2,048 cells, not 131,072.
type page struct {
	cells [pageWords]cell // what they hold means nothing while the page is uniform
	whole cell            // never wide
	even  bool            // the page is uniform
}

// pages finds the page of an address: a hash table with open addressing, at most half full.
type pages struct {
	slots []slot    // a power of two
	shift uint8     // 64 less the power
	used  []uintptr // addresses of the pages in slots
	all   []*page   // the first len(used) of them are in slots, the others free
}

type slot struct {
	key  uintptr
	page *page
}

const keyBit = ^(^uintptr(0) >> 1) // so that no key is 0, an empty slot's

// evenBit is set in the key of a uniform page, so that peek does not find it.
const evenBit = keyBit >> 1

func key(p uintptr) uintptr { return p/pageSize | keyBit }

func (t *pages) home(k uintptr) uint64 {
	return uint64(k) * 0x9e3779b97f4a7c15 >> (t.shift & 63)
}

// repeats reports whether the access h at place at is remembered as it is: nothing to do.
func (x *cell) repeats(h entryHead, at trace.Site) bool {
	return x.a.repeats(h, at) || x.b.repeats(h, at)
}

// renew puts the access h at place at where the only one remembered is the same
// goroutine's, of the same kind and to the same bytes: h stands for it.
func (x *cell) renew(h entryHead, at trace.Site) bool {
	if x.b.head != 0 || uint32(x.a.head^h) != 0 { // all but the clocks
		return false
	}
	x.a.head, x.a.site = h, at
	return true
}

// peek returns the cell of p if its page is in its home slot, where most are, or nil. It is inlined.
func (t *pages) peek(p uintptr) *cell {
	k := key(p)
	i := t.home(k)
	if i >= uint64(len(t.slots)) || t.slots[i].key != k {
		return nil
	}
	return &t.slots[i].page.cells[p/wordSize%pageWords]
}

// slotOf returns the slot of p's page, nil if there is none.
func (t *pages) slotOf(p uintptr) *slot {
	if len(t.slots) == 0 {
		return nil
	}
	k, m := key(p), uint64(len(t.slots)-1)
	for i := t.home(k); t.slots[i].key != 0; i = (i + 1) & m {
		if t.slots[i].key&^evenBit == k {
			return &t.slots[i]
		}
	}
	return nil
}

// find returns the page of p, with cells of its own, or nil.
func (t *pages) find(p uintptr) *page {
	if sl := t.slotOf(p); sl != nil {
		return sl.spread()
	}
	return nil
}

// spread gives a page cells of its own.
func (sl *slot) spread() *page {
	pg := sl.page
	if pg.even {
		for i := range pg.cells {
			pg.cells[i] = pg.whole
		}
		pg.even = false
		sl.key &^= evenBit
	}
	return pg
}

// even makes a page uniform if its cells are equal.
func (sl *slot) even() {
	pg := sl.page
	first := pg.cells[0]
	if first.wide() {
		return
	}
	for i := range pg.cells {
		if pg.cells[i] != first {
			return
		}
	}
	pg.whole, pg.even = first, true
	sl.key |= evenBit
}

// get returns the page of p, a clear one the first time.
func (t *pages) get(p uintptr) *page {
	if pg := t.find(p); pg != nil {
		return pg
	}
	pg := t.fresh()
	pg.cells, pg.even = [pageWords]cell{}, false
	t.put(key(p), pg, p)
	return pg
}

// fresh returns a page that is not in use, whatever it holds.
func (t *pages) fresh() *page {
	if 2*len(t.used) >= len(t.slots) {
		t.grow()
	}
	if len(t.used) == len(t.all) {
		t.makePages()
	}
	return t.all[len(t.used)]
}

// put puts the page that fresh returned in the table.
func (t *pages) put(k uintptr, pg *page, p uintptr) {
	t.used = append(t.used, p&^(pageSize-1))
	t.place(k, pg)
}

func (t *pages) place(k uintptr, pg *page) {
	m := uint64(len(t.slots) - 1)
	i := t.home(k)
	for t.slots[i].key != 0 {
		i = (i + 1) & m
	}
	if pg.even {
		k |= evenBit
	}
	t.slots[i] = slot{k, pg}
}

func (t *pages) grow() {
	n := max(64, 2*len(t.slots))
	t.slots = make([]slot, n)
	for t.shift = 64; n > 1; n /= 2 {
		t.shift--
	}
	for i, u := range t.used {
		t.place(key(u), t.all[i])
	}
}

// makePages makes some pages at a time, more the more there are.
func (t *pages) makePages() {
	some := make([]page, min(max(8, len(t.all)/4), 512))
	for i := range some {
		t.all = append(t.all, &some[i])
	}
}

// reset takes all pages out of the table; their memory is used again.
func (t *pages) reset() {
	if 4*len(t.used) > len(t.slots) {
		clear(t.slots)
	} else {
		m := uint64(len(t.slots) - 1)
		for _, u := range t.used {
			i := t.home(key(u))
			for t.slots[i].key&^evenBit != key(u) { // past slots emptied already
				i = (i + 1) & m
			}
			t.slots[i] = slot{}
		}
	}
	t.used = t.used[:0]
}
