package net

// A table finds events by label and arcs: a hash table with open addressing, 8 bytes for each slot,
// ordered by hash except for slots that were displaced.
type table struct {
	slots []slot
	n     int
}

// A slot has an event + 1 and its hash, so that a search reads few events and growing reads none; 0
// if it is empty.
type slot struct {
	e   Event
	tag uint32
}

func hash(label int32, arcs []Arc) uint32 {
	h := uint64(uint32(label))*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	for _, a := range arcs {
		h = (h ^ uint64(a)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h >> 20)
}

// start returns the index at which the search for a hash begins.
func (t *table) start(tag uint32) int { return int(uint64(tag) * uint64(len(t.slots)) >> 32) }

func (t *table) next(i int) int {
	if i++; i == len(t.slots) {
		return 0
	}
	return i
}

func (t *table) add(tag uint32, e Event) {
	if t.n++; t.n*4 >= len(t.slots)*3 {
		old := t.slots
		t.slots = make([]slot, max(64, len(old)+len(old)/2))
		for _, s := range old {
			if s.e != 0 {
				t.put(s)
			}
		}
	}
	t.put(slot{e + 1, tag})
}

func (t *table) put(s slot) {
	i := t.start(s.tag)
	for t.slots[i].e != 0 {
		i = t.next(i)
	}
	t.slots[i] = s
}
