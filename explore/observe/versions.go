package observe

import (
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// Versions: what a cell has, without its value.

type mixed struct{ before, node int32 }

// A sum is the version of a variable after updates: what it had before them, and their operand.
type sum struct {
	before int32
	by     trace.Update
	size   uint32
}

// A span is the cells of an integer variable.
type span struct {
	cells []int32
	size  uint32 // in bytes
}

// A spanKey names a span: by its first cell, which no span of another length has.
type spanKey struct {
	cell int32
	size uint32
}

// version returns a new version.
func (p *program) version() int32 {
	return -int32(len(p.mixes)+len(p.numbers)+len(p.sums)+len(p.several)+len(p.digests)) - 1
}

// versionOf returns the version of k in all, a new one if it has none yet. fresh: it is new.
func versionOf[K comparable](p *program, all map[K]int32, k K) (v int32, fresh bool) {
	v, ok := all[k]
	if !ok {
		v = p.version()
		all[k] = v
	}
	return v, !ok
}

// mix returns the version of a cell with version before of which a step to node wrote a part.
func (p *program) mix(before, at int32) int32 {
	v, _ := versionOf(p, p.mixes, mixed{before, at})
	return v
}

// left returns the version of an entry of a map after a write that always leaves the same. of is
// the version of the map's own cell. So two entries with one version are equal: what changes the
// map as a whole gives that cell another version, for good.
func (p *program) left(what trace.Leaves, of int32) int32 {
	v, _ := versionOf(p, p.mixes, mixed{of, -int32(what)})
	return v
}

// number returns the version of an atomic that holds a number.
func (p *program) number(value uint64) int32 {
	v, fresh := versionOf(p, p.numbers, value)
	if fresh {
		p.values[v] = value
	}
	return v
}

// writesNumber notes which number the segment has written to a cell, as a whole: by which step is
// no observation then.
func (l *lesson) writesNumber(c int32, value uint64) {
	if !l.p.byStep[l.p.items[l.p.cells[c].item].key] {
		l.seg.writes[l.spot(c).at].value = l.p.number(value)
	}
}

// differs reports whether two steps of goroutines that observed the same have written other
// numbers, and nothing else. Then they were made from something that is not observed, such as an
// address: that memory goes by the step, and the search begins anew.
func (l *lesson) differs(a, b []writing) bool {
	if len(a) != len(b) {
		return false
	}
	found := false
	for i := range a {
		x, y := a[i], b[i]
		if k := l.p.items[l.p.cells[x.cell].item].key; x.value != y.value && !l.p.byStep[k] {
			found, l.p.byStep[k] = true, true
			x.value = y.value
		}
		if x != y {
			return false
		}
	}
	l.finer = l.finer || found
	return found
}

// span returns the number of the span of some cells.
func (p *program) span(cells []int32, size uint32) int32 {
	k := spanKey{cells[0], size}
	i, ok := p.spanOf[k]
	if !ok {
		i = int32(len(p.spans))
		p.spans = append(p.spans, span{slices.Clone(cells), size})
		p.spanOf[k] = i
	}
	return i
}

// summed returns the version of a variable with version before after an update. It does not depend
// on the order of updates of one kind.
func (p *program) summed(before int32, u trace.Update, size uint32) int32 {
	if v, ok := p.values[before]; ok {
		return p.number(u.Kind.Of(v, u.By, size))
	}
	if s, ok := p.sumOf[before]; ok && s.by.Kind == u.Kind && s.size == size {
		before, u.By = s.before, u.Kind.Of(s.by.By, u.By, size)
	}
	if u.By == 0 && u.Kind != trace.UpdateAnd {
		return before
	}
	k := sum{before, u, size}
	v, fresh := versionOf(p, p.sums, k)
	if fresh {
		p.sumOf[v] = k
	}
	return v
}

// digested returns the version of the entries of a map, by the digest of their versions.
func (p *program) digested(d digest) int32 {
	if d == (digest{}) {
		return 0
	}
	v, _ := versionOf(p, p.digests, d)
	return v
}

// together returns the version of a variable whose cells have these versions. To look up a text
// made of bytes on the spot allocates nothing, which versionOf would.
func (p *program) together(versions []byte) int32 {
	v, ok := p.several[string(versions)]
	if !ok {
		v = p.version()
		p.several[string(versions)] = v
	}
	return v
}

// sent returns the version of the value that a goroutine sends to a channel in a node by that case:
// of its number, if it has one, and else of the local state.
func (p *program) sent(i, at int32, by int16) int32 {
	if p.tab.Empty(p.items[i].obj) {
		at, by = 0, -1
	}
	for _, x := range p.node(at).sends {
		if x.by == by {
			return x.version
		}
	}
	return p.mix(at, -int32(by)-1)
}

// A sending is the version of what a goroutine sends by a case.
type sending struct {
	by      int16
	version int32
}

// sendings adds the numbers of the values that transition j sends. They follow from the local
// states of the senders; if one does not, as it may have been made from the time, values of that
// channel go by the local state: the search begins anew.
func (l *lesson) sendings(j int, tr *transition.Transition) {
	last := l.lastEvent(j)
	for ; l.sent < len(l.t.Sent) && int(l.t.Sent[l.sent].Event) < last; l.sent++ {
		x := &l.t.Sent[l.sent]
		e := &l.t.Events[x.Event]
		obj := l.p.tab.ObjectOf(l.t, e.Obj)
		if l.p.byState[obj] {
			continue
		}
		sender, by := l.p.tab.ProcOf(e.G), tr.Case
		if sender != tr.Proc {
			by = tr.WithCase
		}
		n, version := l.s.local[sender], l.p.number(x.Number)
		own := func(c offer) bool { return c.send && c.at == by && c.obj == obj }
		if !slices.ContainsFunc(n.op.cases, own) {
			continue // inside the standard library, after the step's own operation
		}
		k := slices.IndexFunc(n.sends, func(s sending) bool { return s.by == by })
		if k < 0 {
			n.sends = append(n.sends, sending{by, version})
		} else if n.sends[k].version != version {
			l.p.byState[obj], l.finer = true, true
		}
	}
}
