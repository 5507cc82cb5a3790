package observe

import (
	"math"
	"slices"

	"heddle/explore/transition"
	"heddle/trace"
)

// Memory: what the events and the plain accesses of a step read and write.

// effectOf is effect for an event of either side of a communication.
func (l *lesson) effectOf(e *trace.Event, tr *transition.Transition, u trace.Updated) bool {
	l.by = l.p.tab.ProcOf(e.G)
	if l.by == tr.Proc {
		return l.effect(e, u)
	}
	l.seg, l.partner = l.partner, l.seg
	known := l.effect(e, u)
	l.seg, l.partner = l.partner, l.seg
	return known
}

// effect adds what an event reads and writes.
// It reports whether it is known what they are.
func (l *lesson) effect(e *trace.Event, u trace.Updated) bool {
	if e.Obj == 0 {
		return true
	}
	l.misuse(e)
	o := &l.t.Objects[e.Obj]
	switch e.Op {
	case trace.OpRead, trace.OpWrite:
		return l.memory(&trace.Plain{Mem: *o, Size: transition.MemorySize(e, o.Kind),
			Write: e.Op == trace.OpWrite, Site: e.Site, Made: math.MaxInt32}, 0)
	case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		if o.Kind == trace.ObjAtomic {
			return l.atomic(o, e, u)
		}
	}
	write := true
	switch {
	case o.Kind == trace.ObjMap: // loads commute
		write = e.Op != trace.OpMapLoad && e.Op != trace.OpMapRange
	case o.Kind == trace.ObjPool || o.Kind == trace.ObjModel || o.Kind == trace.ObjAtomic:
	case !e.Quiet && !ofConnection(o):
		return true
	case o.Kind == trace.ObjMutex || o.Kind == trace.ObjRWMutex: // of the standard library
		write = e.Op == trace.OpLock || e.Op == trace.OpTryLock
		if !write && e.Op != trace.OpRLock && e.Op != trace.OpTryRLock || watched(o) {
			return true
		}
	}
	// an object without rules, or one of the standard library: each operation may depend on those
	// before
	i := l.p.object(l.p.tab.ObjectOf(l.t, e.Obj))
	c := l.p.word(i, objectCell)
	l.read(c)
	if write {
		l.p.apart(l.by)
		l.write(c, true)
	}
	return true
}

// ofConnection reports whether an object is the lock of a pipe, or of a connection within the
// process: what they hold is not announced.
func ofConnection(o *trace.Object) bool {
	return o.Made.Kind() == trace.KindPC && (o.Kind == trace.ObjMutex || o.Kind == trace.ObjRWMutex)
}

// watched reports whether the memory that a lock of the standard library guards is announced, as
// far as the place tells that made it. Else a goroutine that takes the lock may see what those did
// that held it before.
func watched(o *trace.Object) bool { return o.Made.Quiet() && o.Made.Kind() != trace.KindPC }

// misuse adds what an operation is to others that must not be concurrent with it: an Add from zero
// to the call of a Wait, a send to a close. That is like a race.
func (l *lesson) misuse(e *trace.Event) {
	write := e.Op == trace.OpClose
	if !write && e.Op != trace.OpSend && (e.Op != trace.OpWGAdd || e.Arg <= 0) {
		return
	}
	obj := l.p.tab.ObjectOf(l.t, e.Obj)
	if e.Op != trace.OpWGAdd {
		l.seg.reach.adds.add(l.p.allocation(itemKey{obj: obj, n: giving}))
	}
	i := l.p.allocation(itemKey{obj: obj, n: order})
	l.seg.reach.add(i, write)
	a := touch{cell: l.p.word(i, 0), write: write, site: e.Site, bytes: allBytes}
	if e.Op == trace.OpWGAdd {
		a.group = l.p.object(obj) + 1
	}
	l.seg.window = append(l.seg.window, a)
}

// Numbers of items that stand for the order of operations on an object: of those that must not be
// concurrent, of Adds, of which one is the first from zero, and of what gives a channel values.
const (
	order  = -1
	first  = -2
	giving = -3
	fires  = -4 // of the clock: a timer fires
	lasts  = -5 // of the clock: the order of timers that run for a time

	anywhere = -6 // of no object: atomics of the standard library without a name
	rests    = -7 // of no object: all goroutines are blocked
)

// atomic adds an operation on an atomic.
func (l *lesson) atomic(o *trace.Object, e *trace.Event, u trace.Updated) bool {
	i, at, ok := l.allocation(o)
	if !ok {
		return e.Quiet && l.somewhere(o, e)
	}
	if l.private(i) {
		if e.Op != trace.OpAtomicLoad {
			l.altersOwn(o, math.MaxInt32, word{i, uint32(at), uint32(e.Bytes()), uint64(e.Arg)}, o.Number)
		}
		return true
	}
	if l.p.tab.Torn(l.t, e.Obj) {
		l.wrong = "atomics that overlap"
	}
	c := l.p.atomic(i, uint32(at))
	l.beside(i, uint32(at), e)
	if o.Number {
		l.begins(c, o, e, u)
		if u.Kind != trace.NoUpdate && !l.written(c) && l.updated([]int32{c}, u.Update, 0, u.Size) {
			return true
		}
	}
	if e.Op != trace.OpAtomicStore {
		l.read(c)
	}
	if e.Op != trace.OpAtomicLoad {
		l.write(c, false)
		if !o.Number {
			l.p.apart(l.by)
		} else {
			l.seg.writes[l.spot(c).at].value = l.p.number(uint64(e.Arg))
		}
	}
	return true
}

// somewhere adds an operation of the standard library on an atomic whose allocation is unknown,
// such as the lock of a file that is older than the test. All of these have one cell: each depends
// on all changes to any of them. It reports whether no other goroutine accesses the atomic plainly.
func (l *lesson) somewhere(o *trace.Object, e *trace.Event) bool {
	c := l.p.word(l.p.allocation(itemKey{obj: -1, by: transition.NoProc, n: anywhere}), objectCell)
	l.read(c)
	if e.Op != trace.OpAtomicLoad {
		l.p.apart(l.by)
		l.write(c, true)
	}
	return l.p.namelessAtomic(l.by, o.Addr, e.Bytes())
}

// beside adds what an atomic operation is to plain accesses, with which it may race. at: where the
// atomic is in allocation i.
func (l *lesson) beside(i int32, at uint32, e *trace.Event) {
	for b := at; b < at+uint32(e.Bytes()); {
		word, end := b/8, min(at+uint32(e.Bytes()), b/8*8+8)
		if l.p.items[i].fine.has(int32(word)) {
			l.besideCell(i, at, byteCell|b, allBytes, e)
			b++
			continue
		}
		l.besideCell(i, at, word, uint8(allBytes)<<(b%8)&(allBytes>>(word*8+8-end)), e)
		b = end
	}
}

// besideCell is beside for one cell, of which the atomic has these bytes.
func (l *lesson) besideCell(i int32, at, word uint32, bytes uint8, e *trace.Event) {
	if _, plain := l.p.cellOf[cellKey{i, word}]; plain {
		l.mix(i, at)
	}
	if !slices.Contains(l.p.both[l.p.items[i].key], at) {
		return
	}
	a := touch{cell: l.p.word(i, word), write: e.Op != trace.OpAtomicLoad, site: e.Site, atomic: true,
		bytes: bytes}
	if a.write {
		l.seg.reach.adds.add(l.p.cells[a.cell].item)
	} else {
		l.seg.reach.reads.add(l.p.cells[a.cell].item)
	}
	l.seg.window = append(l.seg.window, a)
}

// mix notes that an atomic is accessed plainly too: the search begins anew.
func (l *lesson) mix(i int32, at uint32) {
	k := l.p.items[i].key
	if !slices.Contains(l.p.both[k], at) {
		l.p.both[k] = append(l.p.both[k], at)
		l.finer = true
	}
}

// memory adds an access to memory. It reports whether the memory has a name. starts is how many
// goroutines the step had started before.
func (l *lesson) memory(a *trace.Plain, starts int16) bool {
	i, at, ok := l.allocation(&a.Mem)
	if !ok {
		return false
	}
	if a.Mem.G == trace.NoG && at+uint64(a.Size) > 1<<blockBits {
		part := *a
		part.Update = trace.Update{}
		for size := a.Size; size > 0; size -= part.Size { // over several blocks
			part.Size = min(size, uint32(1<<blockBits-part.Mem.Addr&(1<<blockBits-1)))
			l.memory(&part, starts)
			part.Mem.Addr += uintptr(part.Size)
		}
		return true
	}
	if l.private(i) {
		if a.Write {
			l.altersOwn(&a.Mem, a.Made, word{i, uint32(at), a.Size, a.Value}, a.Valued)
		}
		return true
	}
	if a.Write {
		l.leaves(a.Site)
	}
	end := at + uint64(max(a.Size, 1))
	entry := a.Key&1 != 0 && at == 0 && l.hasEntries(i)
	grows := a.Key == trace.Growth && at == 0
	whole := a.Write && blind(a.Site, a.Size)
	update := a.Update.Kind != trace.NoUpdate &&
		(!a.Write && a.Update.By == 1 || whole && l.updatesAt(i, at, a.Update, a.Size))
	whole = whole && (update || a.Update.Kind == trace.NoUpdate)
	access := func(c int32, part bool, bytes uint8) {
		switch {
		case update:
		case entry:
			l.entry(i, c, a)
		case a.Write:
			if !whole {
				l.read(c)
			}
			l.write(c, part)
			if whole && a.Valued && !part && a.Size == 8 {
				l.writesNumber(c, a.Value)
			}
		default:
			l.read(c)
			if grows {
				l.growths = append(l.growths, c)
			}
		}
		l.seg.window = append(l.seg.window, touch{cell: c, write: a.Write, site: a.Site, starts: starts,
			update: update, bytes: bytes})
	}
	for w := at / 8; w*8 < end; w++ {
		part := at > w*8 || end < w*8+8
		if !l.p.items[i].fine.has(int32(w)) {
			bytes := uint8(allBytes) << (max(at, w*8) - w*8) & (allBytes >> (w*8 + 8 - min(end, w*8+8)))
			access(l.p.word(i, uint32(w)), part, bytes)
			if part && w < byteCell/8 {
				l.refine(i, int32(w))
			}
			continue
		}
		for b := max(at, w*8); b < min(end, w*8+8); b++ {
			access(l.p.word(i, byteCell|uint32(b)), false, allBytes)
		}
	}
	for _, at2 := range l.p.items[i].atomics {
		if uint64(at2) < end && uint64(at2)+8 > at {
			c := l.p.atomic(i, at2)
			l.mix(i, at2)
			if !a.Write || a.Update.Kind != trace.NoUpdate {
				l.read(c)
			}
			if a.Write {
				l.write(c, true)
			}
		}
	}
	if !entry && !grows && at < 8 && l.p.items[i].fine.has(keysWord) {
		l.read(l.p.entriesOf(i))
	}
	return true
}

// refine notes what accesses to an allocation are told apart by: the search begins anew.
func (l *lesson) refine(i, what int32) {
	if !l.settled && !l.p.items[i].fine.has(what) {
		l.p.items[i].fine.add(what)
		l.finer = true
	}
}

// blind reports whether what a write leaves does not depend on what was there before. That is so
// for an assignment. What the standard library announces of its own state stands for changes to it,
// and one byte of a map for a change to the map.
func blind(site trace.Site, size uint32) bool {
	kind := site.Kind()
	return !site.Quiet() && kind != trace.KindPC &&
		(size != 1 || kind != trace.KindPointer && kind != trace.KindOther)
}

func (l *lesson) read(c int32) {
	at := l.spot(c)
	l.s.resize()
	l.looked(c)
	if at.read == l.turn {
		return
	}
	at.read = l.turn
	l.seg.reach.add(l.p.cells[c].item, false)
	l.seg.reads = append(l.seg.reads, reading{c, l.s.seen[c]})
}

func (l *lesson) write(c int32, part bool) {
	if i := l.updatedIn(c); i >= 0 {
		l.dissolve(i)
	}
	at := l.spot(c)
	if at.wrote == l.turn {
		w := &l.seg.writes[at.at]
		w.part, w.value, w.leaves = w.part && part, 0, 0
		return
	}
	at.wrote, at.at = l.turn, int32(len(l.seg.writes))
	l.seg.reach.add(l.p.cells[c].item, true)
	l.seg.writes = append(l.seg.writes, writing{cell: c, part: part})
}

func (l *lesson) spot(c int32) *spot {
	for len(l.spots) <= int(c) {
		l.spots = append(l.spots, spot{})
	}
	return &l.spots[c]
}
