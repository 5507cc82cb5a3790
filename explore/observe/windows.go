package observe

import (
	"cmp"
	"encoding/binary"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// What a goroutine accesses within a step, for races.

// A window is the memory that a goroutine accessed within a step, for races.
type window []touch

// A touch is an access to memory within a step.
type touch struct {
	cell   int32
	write  bool
	site   trace.Site
	starts int16 // how many goroutines the step had started before
	update bool  // it is the read, or the write, of an update
	atomic bool  // it is that of an atomic operation
	bytes  uint8 // of the cell that it accesses, a bit each
	group  int32 // of an Add and a Wait: the WaitGroup, as item + 1; else 0
}

// appendTo appends all of the touch to b.
func (a *touch) appendTo(b []byte) []byte {
	b = binary.AppendVarint(b, int64(a.cell))
	b = binary.AppendUvarint(b, uint64(a.site))
	b = binary.AppendVarint(b, int64(a.starts))
	b = binary.AppendVarint(b, int64(a.group))
	return append(b, a.flags(), a.bytes)
}

// flags returns what kind of access it is, a bit each.
func (a *touch) flags() byte { return packed(a.write, a.update, a.atomic) }

// packed returns a bit for each of at most eight.
func packed(each ...bool) (bits byte) {
	for i, is := range each {
		if is {
			bits |= 1 << i
		}
	}
	return bits
}

// allBytes are those of a cell that is accessed as a whole.
const allBytes = 0xff

// several stands for the goroutines of which there are more than one.
const several = transition.NoProc - 1

// and returns the goroutines p and q: one, or several.
func and(p, q transition.Proc) transition.Proc {
	if p == q || p == transition.NoProc {
		return q
	}
	return several
}

// accessedBy notes by which goroutine a window is. It reports whether the search has to begin anew:
// an access may race that was left out.
func (p *program) accessedBy(proc transition.Proc, w window) (anew bool) {
	if p.kin.alike(proc) {
		proc = several
	}
	for i := range w {
		x := &p.items[p.cells[w[i].cell].item]
		x.accessed = and(x.accessed, proc)
		if w[i].write {
			x.written = and(x.written, proc)
		}
		if x.leftOut && x.contested() {
			p.contested[x.key] = true
			anew = true
		}
	}
	return anew
}

// contested reports whether accesses to the item within steps may race: one goroutine writes it,
// and another one accesses it.
func (x *item) contested() bool { return x.accessed == several && x.written != transition.NoProc }

// leavesOut reports whether a local state may go without an access: nothing that is known can race
// with it.
func (p *program) leavesOut(a *touch) bool {
	x := &p.items[p.cells[a.cell].item]
	if p.allShared || a.group != 0 || x.contested() || p.contested[x.key] {
		return false
	}
	x.leftOut = true
	return true
}

// races reports whether two accesses, of two goroutines, are a data race if nothing is between
// them.
func (a *touch) races(b *touch) bool {
	return a.cell == b.cell && (a.write || b.write) && a.bytes&b.bytes != 0 && !(a.atomic && b.atomic)
}

// fewPairs is of how many pairs of touches each is looked at.
const fewPairs = 1 << 12

// eachPair calls do with pairs of touches of two windows, with all that are of the same cell, but
// for repetitions. Windows stay as they are once they are those of a node.
func (x *search) eachPair(v, w window, do func(a, b *touch)) {
	if len(v) == 0 || len(w) <= fewPairs/len(v) {
		for i := range v {
			for k := range w {
				do(&v[i], &w[k])
			}
		}
		return
	}
	v, w = x.byCell(v), x.byCell(w)
	for len(v) > 0 && len(w) > 0 {
		i, k := v.sameCell(), w.sameCell()
		switch {
		case v[0].cell < w[0].cell:
			v = v[i:]
			continue
		case v[0].cell > w[0].cell:
			w = w[k:]
			continue
		}
		for a := range v[:i] {
			for b := range w[:k] {
				do(&v[a], &w[b])
			}
		}
		v, w = v[i:], w[k:]
	}
}

// sameCell returns how many touches at the beginning are of one cell.
func (w window) sameCell() int {
	n := 1
	for n < len(w) && w[n].cell == w[0].cell {
		n++
	}
	return n
}

// A stretch is where a window stands: it may grow in place, and else stays as it is.
type stretch struct {
	first *touch
	n     int
}

// byCell returns the touches of a window in the order of their cells, each once.
func (x *search) byCell(w window) window {
	at := stretch{&w[0], len(w)}
	if s := x.sorted[at]; s != nil {
		return s
	}
	s := slices.Clone(w)
	slices.SortFunc(s, func(a, b touch) int { return a.compare(&b) })
	s = slices.Compact(s)
	x.sorted[at] = s
	return s
}

// compare orders touches by their cells, and then by all else.
func (a *touch) compare(b *touch) int {
	return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.site, b.site), cmp.Compare(a.starts, b.starts),
		cmp.Compare(a.group, b.group), cmp.Compare(a.bytes, b.bytes), cmp.Compare(a.flags(), b.flags()))
}
