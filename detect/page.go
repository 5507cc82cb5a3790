package detect

import (
	"math/bits"

	"heddle/trace"
)

const (
	wordSize  = 8
	pageWords = 64
	pageSize  = wordSize * pageWords
)

// A cell is the record of a word: up to two accesses, or the number of a wide. Invariant: a is
// empty only if b is.
type cell struct{ a, b entry }

// A page has the cells of 512 bytes of memory. It is small, so that an execution of a few
// microseconds that touches some hundred places clears little.
type page struct {
	used    uint64 // words whose cells may be in use; the others are empty
	covered uint64 // words that are in a run
	nruns   uint8
	runs    [maxRuns]run
	cells   [pageWords]cell
}

// pages maps addresses to pages: a hash table with open addressing, at most half full.
type pages struct {
	slots []slot    // a power of two
	shift uint8     // 64 less the power
	used  []uintptr // addresses of the pages in slots
	all   []*page   // the first len(used) of them are in slots, the others are free
}

type slot struct {
	key  uintptr
	page *page
}

const keyBit = ^(^uintptr(0) >> 1) // sets a bit of each key: 0 is an empty slot

func key(p uintptr) uintptr { return p/pageSize | keyBit }

func (t *pages) home(k uintptr) uint64 {
	return uint64(k) * 0x9e3779b97f4a7c15 >> (t.shift & 63)
}

// repeats reports whether the cell has access h at place at already.
func (x *cell) repeats(h entryHead, at trace.Site) bool {
	return x.a.repeats(h, at) || x.b.repeats(h, at)
}

// renew replaces the only entry by access h at place at, if it is of the same goroutine, kind and
// bytes: h stands for it. It reports whether it did.
func (x *cell) renew(h entryHead, at trace.Site) bool {
	if x.b.head != 0 || uint32(x.a.head^h) != 0 { // they differ in the clocks at most
		return false
	}
	x.a.head, x.a.site = h, at
	return true
}

// follow records access h at place at if all accesses to the word are of the same goroutine and of
// the same bytes: they happened before h. It reports whether it did. It does what touch does then.
func (x *cell) follow(h entryHead, at trace.Site) bool {
	const kinds = entryHead(plain|write) << 8
	a, b := x.a.head, x.b.head
	if uint32((a^h)&^kinds) != 0 || b != 0 && uint32((b^h)&^kinds) != 0 {
		return false
	}
	overA, overB := standsFor(h.kind(), a.kind()), b == 0 || standsFor(h.kind(), b.kind())
	switch {
	case overA && overB:
		x.a.head, x.a.site, x.b.head = h, at, 0
	case overA:
		x.a = x.b
		x.b.head, x.b.site = h, at
	case overB:
		x.b.head, x.b.site = h, at
	default:
		return false
	}
	return true
}

// renews reports whether renew would replace an entry by h.
func (x *cell) renews(h entryHead) bool { return x.b.head == 0 && uint32(x.a.head^h) == 0 }

// peek returns the page of p if it is in its first slot, where most are, or nil. The compiler
// inlines it.
func (t *pages) peek(p uintptr) *page {
	k := key(p)
	i := t.home(k)
	if i >= uint64(len(t.slots)) || t.slots[i].key != k {
		return nil
	}
	return t.slots[i].page
}

// find returns the page of p, or nil.
func (t *pages) find(p uintptr) *page {
	if len(t.slots) == 0 {
		return nil
	}
	k, m := key(p), uint64(len(t.slots)-1)
	for i := t.home(k); t.slots[i].key != 0; i = (i + 1) & m {
		if t.slots[i].key == k {
			return t.slots[i].page
		}
	}
	return nil
}

// get returns the page of p, and makes one if there is none.
func (t *pages) get(p uintptr) *page {
	if pg := t.find(p); pg != nil {
		return pg
	}
	if 2*len(t.used) >= len(t.slots) {
		t.grow()
	}
	if len(t.used) == len(t.all) {
		t.makePages()
	}
	pg := t.all[len(t.used)]
	pg.clear()
	t.used = append(t.used, p&^(pageSize-1))
	t.place(key(p), pg)
	return pg
}

// clear makes all cells of a page empty.
func (pg *page) clear() {
	const few = 16
	if bits.OnesCount64(pg.used) > few {
		pg.cells = [pageWords]cell{}
	} else {
		for m := pg.used; m != 0; m &= m - 1 {
			pg.cells[bits.TrailingZeros64(m)] = cell{}
		}
	}
	pg.used, pg.covered, pg.nruns = 0, 0, 0
}

func (t *pages) place(k uintptr, pg *page) {
	m := uint64(len(t.slots) - 1)
	i := t.home(k)
	for t.slots[i].key != 0 {
		i = (i + 1) & m
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

// makePages makes some pages at once, more if there are more.
func (t *pages) makePages() {
	some := make([]page, min(max(8, len(t.all)/4), 512))
	for i := range some {
		t.all = append(t.all, &some[i])
	}
}

// reset removes all pages from the table and keeps their memory.
func (t *pages) reset() {
	if 4*len(t.used) > len(t.slots) {
		clear(t.slots)
	} else {
		m := uint64(len(t.slots) - 1)
		for _, u := range t.used {
			i := t.home(key(u))
			for t.slots[i].key != key(u) { // past slots that are empty already
				i = (i + 1) & m
			}
			t.slots[i] = slot{}
		}
	}
	t.used = t.used[:0]
}
