package net

// A table finds events by what they are: open addressing, eight bytes a slot.
type table struct {
	slots []slot
	n     int
}

// A slot has an event, + 1, and some of its hash, so that others are not looked at; 0 if it is empty.
type slot struct {
	e   Event
	tag uint32
}

func hash(label int32, arcs []Arc) uint64 {
	h := uint64(uint32(label))*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	for _, a := range arcs {
		h = (h ^ uint64(a)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// start returns where to look first for what has a hash, and its tag.
func (t *table) start(h uint64) (int, uint32) {
	return int(h >> 20 % uint64(len(t.slots))), uint32(h)
}

func (t *table) next(i int) int {
	if i++; i == len(t.slots) {
		return 0
	}
	return i
}

func (t *table) add(n *Net, e Event) {
	if t.n++; t.n*4 >= len(t.slots)*3 {
		old := t.slots
		t.slots = make([]slot, max(64, len(old)+len(old)/2))
		for _, s := range old {
			if s.e != 0 {
				t.put(n, s.e-1)
			}
		}
	}
	t.put(n, e)
}

func (t *table) put(n *Net, e Event) {
	i, tag := t.start(hash(n.events[e].label, n.Arcs(e)))
	for t.slots[i].e != 0 {
		i = t.next(i)
	}
	t.slots[i] = slot{e + 1, tag}
}
