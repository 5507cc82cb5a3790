package observe

import (
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
		l.write(e, false)
		l.seg.reach.adds.add(l.p.cells[l.p.entriesOf(i)].item)
		l.seg.reach.adds.add(l.p.cells[c].item) // for races
		return
	}
	l.read(c)
	l.read(e)
}
