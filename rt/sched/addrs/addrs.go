// Package addrs has a table of addresses that is emptied in no time.
package addrs

// A Table maps addresses to indices: open addressing, emptied by raising gen. The zero Table is
// empty.
type Table struct {
	slots []Slot // a power of two of them
	n     int
	gen   uint32 // slots of another one are empty
}

// A Slot holds an address and its index.
type Slot struct {
	addr uintptr
	gen  uint32
	id   int32
}

func hash(p uintptr) uintptr { return (p >> 2) * 0x9e3779b97f4a7c15 >> 20 }

// Peek returns the index of p if p is in its first slot, where most are.
func (t *Table) Peek(p uintptr) (id int32, ok bool) {
	i := hash(p) & uintptr(len(t.slots)-1)
	if i >= uintptr(len(t.slots)) {
		return 0, false
	}
	sl := &t.slots[i]
	return sl.id, sl.addr == p && sl.gen == t.gen
}

// Find returns the slot of p, or the empty one for it. It holds until Find is called again.
func (t *Table) Find(p uintptr) *Slot {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	mask := uintptr(len(t.slots) - 1)
	for i := hash(p) & mask; ; i = (i + 1) & mask {
		sl := &t.slots[i]
		if sl.gen != t.gen || sl.addr == p {
			return sl
		}
	}
}

// Index returns the index in a slot of t; ok is false where the slot is empty.
func (t *Table) Index(sl *Slot) (id int32, ok bool) { return sl.id, sl.gen == t.gen }

// Fill fills an empty slot that Find returned for p.
func (t *Table) Fill(sl *Slot, p uintptr, id int32) {
	sl.addr, sl.gen, sl.id = p, t.gen, id
	t.n++
}

// Has reports whether p is in t.
func (t *Table) Has(p uintptr) bool { return t.Find(p).gen == t.gen }

// Insert adds p, of no index, and reports whether it was new.
func (t *Table) Insert(p uintptr) bool {
	sl := t.Find(p)
	if sl.gen == t.gen {
		return false
	}
	t.Fill(sl, p, 0)
	return true
}

// Empty takes everything out of t.
func (t *Table) Empty() {
	t.n = 0
	t.gen++
	if t.gen == 0 {
		clear(t.slots)
		t.gen = 1
	}
}

func (t *Table) grow() {
	old := t.slots
	t.slots = make([]Slot, max(64, 2*len(old)))
	if t.gen == 0 {
		t.gen = 1
	}
	mask := uintptr(len(t.slots) - 1)
	for _, sl := range old {
		if sl.gen != t.gen {
			continue
		}
		i := hash(sl.addr) & mask
		for t.slots[i].gen == t.gen {
			i = (i + 1) & mask
		}
		t.slots[i] = sl
	}
}
