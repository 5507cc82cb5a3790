package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Updates: x += v, and atomic operations whose results go nowhere. Strategies that ask for memory
// accesses within steps are told of them, since updates of one kind commute.

// A changing is what is known of the updates of the running step.
type changing struct {
	site    trace.Site // of the access that is about to be noted as now; 0: none is
	now     trace.Update
	leaves  trace.Leaves // if that is of no update
	notes   []int32      // indices in Trace.Plain of updates, all of step
	settled int          // notes before this one get no key any more
	step    int
	updated trace.Updated // the atomic operation that has just ended, if it can be an update
}

// mostUpdates bounds the updates that are told of one step. More are reads and writes.
const mostUpdates = 32

// sent tells which value an event sends, if that is asked for.
func (s *Sched) sent(event int32, o *object, at slot) {
	if !hook.Updates {
		return
	}
	if v, ok := chanvalue(o.ref, at.pointer()); ok {
		s.t.Sent = append(s.t.Sent, trace.Sent{Event: event, Number: v})
	}
}

// begin begins an execution.
func (c *changing) begin(on bool) {
	hook.Updates, hook.Heads, hook.Shallow = on, on && !hook.Muted, hook.Unwritten
	*c = changing{notes: c.notes[:0]}
}

// updateOf returns the update x op= by.
func updateOf(op byte, by uint64, n uintptr) trace.Update {
	u := trace.Update{By: by}
	switch op {
	case '+':
		u.Kind = trace.UpdateAdd
	case '-':
		u.Kind, u.By = trace.UpdateAdd, -by
	case '|':
		u.Kind = trace.UpdateOr
	case '&':
		u.Kind = trace.UpdateAnd
	case '~':
		u.Kind, u.By = trace.UpdateAnd, ^by
	case '^':
		u.Kind = trace.UpdateXor
	}
	u.By = trace.UpdateOr.Of(0, u.By, uint32(n))
	return u
}

// update is hook.Update.
func (s *Sched) update(p unsafe.Pointer, n uintptr, site hook.Site, op byte, by uint64, wr bool) {
	if hook.Cur != getg() || onStack(p) {
		if wr {
			write(p, n, site)
		} else {
			read(p, n, site)
		}
		return
	}
	s.alive(n)
	c := &s.changing
	c.inStep(len(s.t.Steps))
	u, kind := updateOf(op, by, n), trace.OpRead
	if wr {
		kind = trace.OpWrite
	}
	room := len(c.notes) < mostUpdates && len(s.t.Plain) < trace.MostPlain ||
		s.noted(uintptr(p), n, trace.Site(site), u.Kind, wr) >= 0
	if wr && room {
		i := s.noted(uintptr(p), n, trace.Site(site), u.Kind, false)
		if room = i >= 0; room { // else it read in another step, and another goroutine may have written since
			s.t.Plain[i].Update.By = 1
		}
	}
	if c.now = u; room {
		c.site = trace.Site(site)
	}
	s.access(p, n, trace.Site(site), kind)
	c.site = 0
}

// inStep forgets the updates of earlier steps.
func (c *changing) inStep(n int) {
	if c.step != n {
		c.notes, c.settled, c.step = c.notes[:0], 0, n
	}
}

// leaves says what is left by what is done with an entry of a map.
var leaves = [...]trace.Leaves{hook.EntrySet: trace.LeavesKey, hook.EntryDrop: trace.LeavesNoKey}

// mapEntry is hook.MapEntry. Until its key is told it is an access to all of the map.
func (s *Sched) mapEntry(p unsafe.Pointer, site hook.Site, use uint8) {
	c := &s.changing
	c.inStep(len(s.t.Steps))
	switch {
	case hook.Cur == getg() && !onStack(p):
		s.alive(1)
		if len(c.notes) < mostUpdates && len(s.t.Plain) < trace.MostPlain {
			c.site, c.now, c.leaves = trace.Site(site), trace.Update{}, leaves[use]
		}
		kind := trace.OpRead
		if use != hook.EntryRead {
			kind = trace.OpWrite
		}
		s.access(p, 1, trace.Site(site), kind)
		c.site = 0
	case use != hook.EntryRead:
		write(p, 1, site)
	default:
		read(p, 1, site)
	}
}

// mapKey is hook.MapKey. Hash 0 says that the key is not told: the access stays one to all of the
// map, and no later key is taken for its own.
func (s *Sched) mapKey(hash uint64, site hook.Site) {
	c := &s.changing
	c.inStep(len(s.t.Steps))
	for i := len(c.notes) - 1; i >= c.settled; i-- {
		a := &s.t.Plain[c.notes[i]]
		if a.Site != trace.Site(site) || a.G != s.cur.id || a.Key != 0 {
			continue
		}
		a.Key = hash
		if int(c.notes[i]) == len(s.t.Plain)-1 && s.twice(c.notes[:i], a) {
			s.t.Plain, c.notes = s.t.Plain[:c.notes[i]], c.notes[:i]
		} else if hash == 0 {
			c.settled = i + 1
		}
		return
	}
}

// mapLength is hook.MapLength. The number of a length is its index in Trace.Plain, and 1.
func (s *Sched) mapLength(p unsafe.Pointer, site hook.Site, since int) int {
	n := len(s.t.Plain)
	s.mapEntry(p, site, hook.EntryRead)
	if !s.here() {
		return 0
	}
	i := len(s.t.Plain) - 1
	if notes := s.changing.notes; i < n || len(notes) == 0 || int(notes[len(notes)-1]) != i ||
		s.t.Plain[i].G != s.cur.id || s.t.Plain[i].Site != trace.Site(site) {
		return 0 // it is no access within a step, or one of too many
	}
	a := &s.t.Plain[i]
	a.Key = trace.Length
	if since > 0 && since <= i {
		if b := &s.t.Plain[since-1]; b.Step == a.Step && b.G == a.G && b.Mem.Addr == a.Mem.Addr &&
			b.Key == trace.Length {
			a.Key, b.Key = trace.Growth, trace.Growth
		}
	}
	return i + 1
}

// twice reports whether an access is among those noted.
func (s *Sched) twice(notes []int32, a *trace.Plain) bool {
	for _, i := range notes {
		if s.t.Plain[i] == *a {
			return true
		}
	}
	return false
}

// noted returns the index in Trace.Plain of an update of this step, its read or its write. -1:
// none.
func (s *Sched) noted(p, n uintptr, site trace.Site, kind trace.UpdateKind, write bool) int32 {
	for _, i := range s.changing.notes {
		a := &s.t.Plain[i]
		if a.Mem.Addr == p && uintptr(a.Size) == n && a.Site == site && a.Update.Kind == kind &&
			a.G == s.cur.id && a.Write == write && a.After == int32(len(s.t.Events)) &&
			int(i) >= s.lastHead() {
			return i
		}
	}
	return -1
}

// noteUpdate is notePlain for an update. It is made into one with those before it, in the same
// place of the same step: what the goroutine does between them depends on the first of them alone.
func (s *Sched) noteUpdate(a *trace.Plain) {
	u := s.changing.now
	if u.Kind == trace.NoUpdate { // of a map
		a.Leaves = s.changing.leaves
		s.changing.notes = append(s.changing.notes, int32(len(s.t.Plain)))
		s.t.Plain = append(s.t.Plain, *a)
		return
	}
	if i := s.noted(a.Mem.Addr, uintptr(a.Size), a.Site, u.Kind, a.Write); i < 0 {
		a.Update = u
		s.changing.notes = append(s.changing.notes, int32(len(s.t.Plain)))
		s.t.Plain = append(s.t.Plain, *a)
	} else if b := &s.t.Plain[i]; a.Write {
		b.Update.By = u.Kind.Of(b.Update.By, u.By, a.Size)
		s.valued = min(s.valued, int(i))
	} else {
		b.Update.By = 0
	}
}

// atomicUpdated is hook.AtomicUpdated.
func (s *Sched) atomicUpdated(op byte, by, bits uint64) {
	o, n := pendingAtomic.o, pendingAtomic.n
	pendingAtomic.by = by
	s.atomicEnd(true, bits)
	if o != nil && hook.Updates && !s.ending.on {
		s.changing.updated = trace.Updated{Event: int32(len(s.t.Events)) - 1, Size: uint32(n),
			Update: updateOf(op, by, n)}
	}
}

// atomicUnused is hook.AtomicUnused.
func (s *Sched) atomicUnused() {
	u := &s.changing.updated
	if u.Kind != trace.NoUpdate && int(u.Event) == len(s.t.Events)-1 && s.t.Events[u.Event].G == s.cur.id &&
		!s.ending.on {
		s.t.Updates = append(s.t.Updates, *u)
	}
	*u = trace.Updated{}
}
