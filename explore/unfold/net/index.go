package net

// A table finds events by what they are: open addressing, four bytes a slot.
type table struct {
	slots []Event // event + 1; 0: empty
	n     int
}

func hash(label int32, arcs []Arc) uint64 {
	h := uint64(uint32(label))*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
	for _, a := range arcs {
		h = (h ^ uint64(a)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func (t *table) start(label int32, arcs []Arc) int {
	return int(hash(label, arcs) >> 20 % uint64(len(t.slots)))
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
		t.slots = make([]Event, max(64, len(old)+len(old)/2))
		for _, s := range old {
			if s != 0 {
				t.put(n, s-1)
			}
		}
	}
	t.put(n, e)
}

func (t *table) put(n *Net, e Event) {
	i := t.start(n.events[e].label, n.Arcs(e))
	for t.slots[i] != 0 {
		i = t.next(i)
	}
	t.slots[i] = e + 1
}
