package reach

import (
	"heddle/explore/transition"
	"heddle/rt/splitmix"
)

// An id names an event with its history: the same in all sequences that have it.
type id [2]uint64

func (x *id) mix(y uint64) {
	x[0] = splitmix.Mix(x[0] + y + 0x9e3779b97f4a7c15)
	x[1] = splitmix.Mix(x[1] ^ y + 0xd1b54a32d192ed03)
}

// identify returns the id of an event; knows calls its argument with the last event of each
// goroutine before it.
func (e *event) identify(knows func(add func(g int, last id))) (x id) {
	x.mix(uint64(uint32(e.proc)) | uint64(uint32(e.with))<<32)
	x.mix(uint64(uint16(e.at)) | uint64(uint16(e.theirs))<<16 | uint64(uint32(e.choice))<<32)
	x.mix(uint64(bit(e.barrier)))
	knows(func(g int, last id) {
		x.mix(uint64(g) + 1)
		x.mix(last[0])
		x.mix(last[1])
	})
	return x
}

// name names the events of the sequence.
func (q *sequence) name() {
	if q.named {
		return
	}
	q.named, q.ids = true, q.ids[:0]
	if q.index == nil {
		q.index = map[id]int32{}
	}
	clear(q.index)
	for j := range q.n {
		e := eventOf(q.At(j))
		x := e.identify(func(add func(int, id)) {
			for g := range q.of {
				if k := min(q.Knows(j, transition.Proc(g)), len(q.of[g])); k > 0 {
					if i := q.of[g][k-1]; int(i) < j {
						add(g, q.ids[i])
					} else if k > 1 {
						add(g, q.ids[q.of[g][k-2]])
					}
				}
			}
		})
		q.ids = append(q.ids, x)
		q.index[x] = int32(j)
	}
}

// nameOf returns the id of an event with history h.
func (q *sequence) nameOf(e *event, h set) id {
	q.name()
	return e.identify(func(add func(int, id)) {
		for g := range q.of {
			for k := len(q.of[g]) - 1; k >= 0; k-- {
				if i := q.of[g][k]; h.has(int(i)) {
					add(g, q.ids[i])
					break
				}
			}
		}
	})
}

// A rowName names a row: the sum of the ids of its picks.
type rowName id

func (x *rowName) add(y id) {
	x[0] += splitmix.Mix(y[0])
	x[1] += splitmix.Mix(y[1] ^ 1)
}

// named returns the name of the node's current row.
func (n *node) named() (x rowName) {
	for k := range n.row {
		x.add(n.idOf(k))
	}
	return x
}

// idOf returns the id of the k-th pick.
func (n *node) idOf(k int) id {
	p := &n.row[k]
	if p.id == (id{}) {
		p.id = n.seq.nameOf(&p.event, p.history)
	}
	return p.id
}
