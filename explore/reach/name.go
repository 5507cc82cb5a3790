package reach

import "heddle/rt/splitmix"

// An id names an event with its history: the same in all sequences that have it.
type id [2]uint64

func (x *id) mix(y uint64) {
	x[0] = splitmix.Mix(x[0] + y + 0x9e3779b97f4a7c15)
	x[1] = splitmix.Mix(x[1] ^ y + 0xd1b54a32d192ed03)
}

// add adds y to a sum of names: their order does not matter.
func (x *id) add(y id) {
	x[0] += splitmix.Mix(y[0])
	x[1] += splitmix.Mix(y[1] ^ 1)
}

// identify returns the id of an event. causes is the sum of the names of the events before it that
// happened before no other event before it: they tell all of its history.
func (e *event) identify(causes id) (x id) {
	x.mix(uint64(uint32(e.proc)) | uint64(uint32(e.with))<<32)
	x.mix(uint64(uint16(e.at)) | uint64(uint16(e.theirs))<<16 | uint64(uint32(e.choice))<<32)
	x.mix(uint64(bit(e.barrier)))
	x.mix(causes[0])
	x.mix(causes[1])
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
		var causes id
		for _, i := range q.causes[q.from[j]:q.from[j+1]] {
			causes.add(q.ids[i])
		}
		e := eventOf(q.At(j))
		x := e.identify(causes)
		q.ids = append(q.ids, x)
		q.index[x] = int32(j)
	}
}

// nameOf returns the id of an event with history h.
func (q *sequence) nameOf(e *event, h set) id {
	q.name()
	var causes id
	q.rest = append(q.rest[:0], h...)
	// the latest that is left happened before none of the others
	for i := q.rest.last(); i >= 0; i = q.rest.last() {
		causes.add(q.ids[i])
		q.rest.drop(q.before(i), i)
	}
	return e.identify(causes)
}

// named returns the name of the node's current row: the sum of the names of its picks.
func (n *node) named() (x id) {
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
