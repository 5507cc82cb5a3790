package observe

import (
	"slices"

	"heddle/trace"
)

// Updates: changes of a variable that observe nothing and commute with each other.

// update returns the update that event i is, if it is one.
func (l *lesson) update(i int) (u trace.Updated) {
	for l.updates < len(l.t.Updates) && int(l.t.Updates[l.updates].Event) < i {
		l.updates++
	}
	if l.updates < len(l.t.Updates) && int(l.t.Updates[l.updates].Event) == i {
		u = l.t.Updates[l.updates]
	}
	return u
}

// begins learns which number an atomic has before the first operation, and checks that an update
// comes to what is expected.
func (l *lesson) begins(c int32, o *trace.Object, e *trace.Event, u trace.Updated) {
	l.s.resize()
	if l.changed(c) {
		return
	}
	if p := &l.p.cells[c].begins; l.s.seen[c] == 0 && *p != varies {
		switch v := l.p.number(o.Init); *p {
		case v:
		case 0:
			*p = v
		default: // it depends on what made it
			*p, l.p.grown = varies, true
		}
	}
	if u.Kind == trace.NoUpdate {
		return
	}
	before, ok := l.p.values[l.s.whole(&span{cells: []int32{c}})]
	if ok && u.Kind.Of(before, u.By, u.Size) != uint64(e.Arg) {
		l.wrong = "an atomic was changed by something that was not observed"
	}
}

// updated adds an update of the variable that consists of cells. at: where it is within a word. It
// returns false where the update has to be a read and a write.
func (l *lesson) updated(cells []int32, u trace.Update, at uint64, size uint32) bool {
	g := &l.seg
	writes := 0
	for _, c := range cells {
		if l.written(c) {
			writes++
		}
		// one that depends on something else than the first of them does not commute with it
		m, how := &l.p.items[l.p.cells[c].item].updated, manner{u.Kind, uint8(at), uint8(size)}
		if *m == (manner{}) {
			*m = how
		}
		if *m != how {
			return false
		}
	}
	switch writes {
	case 0:
	case len(cells): // by the same step, whose version stands for that too
		for _, c := range cells {
			l.write(c, true)
		}
		return true
	default:
		return false
	}
	s := l.p.span(cells, size)
	for _, c := range cells {
		l.seg.reach.adds.add(l.p.cells[c].item)
	}
	for i := range g.updates {
		if w := &g.updates[i]; w.span == s {
			w.By = u.Kind.Of(w.By, u.By, size)
			return true
		}
	}
	g.updates = append(g.updates, updating{s, u})
	return true
}

// changed reports whether the segment has changed a cell.
func (l *lesson) changed(c int32) bool { return l.written(c) || l.updatedIn(c) >= 0 }

// updatedIn returns the index of the update of a cell in the segment, -1 if there is none.
func (l *lesson) updatedIn(c int32) int {
	return slices.IndexFunc(l.seg.updates,
		func(u updating) bool { return slices.Contains(l.p.spans[u.span].cells, c) })
}

// written reports whether the segment has written a cell.
func (l *lesson) written(c int32) bool { return l.spot(c).wrote == l.turn }

// updatesAt adds an update of size bytes at an offset of an allocation. It returns false where the
// update has to be a read and a write.
func (l *lesson) updatesAt(i int32, at uint64, u trace.Update, size uint32) bool {
	for _, a := range l.p.items[i].atomics {
		if uint64(a) < at+uint64(size) && uint64(a)+8 > at {
			return false
		}
	}
	var cells []int32
	switch w := at / 8; {
	case at%8+uint64(size) > 8:
		return false
	case l.p.items[i].fine.has(int32(w)):
		for b := at; b < at+uint64(size); b++ {
			cells = append(cells, l.p.word(i, byteCell|uint32(b)))
		}
	case size == 8:
		cells = append(cells, l.p.word(i, uint32(w)))
	default:
		return false
	}
	return l.updated(cells, u, at%8, size)
}

// dissolve makes an update a read and a write.
func (l *lesson) dissolve(i int) {
	cells := l.p.spans[l.seg.updates[i].span].cells
	l.seg.updates = slices.Delete(l.seg.updates, i, i+1)
	for _, c := range cells {
		l.read(c)
		l.write(c, false)
	}
}

// A manner is how an item is updated. Updates of one manner commute.
type manner struct {
	kind     trace.UpdateKind
	at, size uint8 // within a word
}
