package observe

import (
	"slices"

	"heddle/trace"
)

// Maps whose entries are told apart by their keys.

// keysWord stands, among the words of an allocation, for the entries of a map, which has fewer
// words.
const keysWord = 63

// hasEntries reports whether the entries of the map in an allocation are told apart.
func (l *lesson) hasEntries(i int32) bool {
	l.refine(i, keysWord)
	return !l.finer && l.p.items[i].fine.has(keysWord)
}

// entry adds an access to an entry of the map in allocation i. c is the cell of the map itself:
// what changes the map as a whole changes each entry.
func (l *lesson) entry(i, c int32, a *trace.Plain) {
	e := l.p.entry(i, c, a.Key)
	if a.Write {
		if slices.Contains(l.growths, c) { // whether it has the key decides how much it grows
			l.read(c)
			l.read(e)
		}
		l.leave(e, a.Leaves)
		l.seg.reach.adds.add(l.p.cells[l.p.entriesOf(i)].item)
		l.seg.reach.adds.add(l.p.cells[c].item) // for races
		return
	}
	l.read(c)
	l.read(e)
}

// leave adds a write to an entry. Several in one step leave what they have in common: the order in
// which they were told may be another one.
func (l *lesson) leave(e int32, what trace.Leaves) {
	if l.written(e) && l.seg.writes[l.spot(e).at].leaves != what {
		what = trace.LeavesAny
	}
	l.write(e, false)
	l.seg.writes[l.spot(e).at].leaves = what
}

// settleEntries takes back what writes to entries leave where the step has written the map too.
func (l *lesson) settleEntries() {
	for i := range l.seg.writes {
		if w := &l.seg.writes[i]; w.leaves != 0 && l.written(l.p.cells[w.cell].of) {
			w.leaves = 0
		}
	}
}

// entriesOf returns the cell that stands for all entries of the map in allocation i that are known
// by their keys.
func (p *program) entriesOf(i int32) int32 {
	k := p.items[i].key
	k.entry = allEntries
	return p.word(p.allocation(k), 0)
}

// allEntries stands for the keys of all entries. Hashes are odd.
const allEntries = 2

// entry returns the cell of an entry of the map in allocation i, whose own cell is of.
func (p *program) entry(i, of int32, key uint64) int32 {
	k := p.items[i].key
	k.entry = key
	c := p.word(p.allocation(k), 0)
	all := p.entriesOf(i)
	p.cells[c].entries, p.cells[c].of = all+1, of
	p.items[p.cells[of].item].entries = true
	return c
}
