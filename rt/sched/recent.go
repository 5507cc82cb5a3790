package sched

import (
	"math/bits"
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// Loops over memory. Between two operations of the scheduler (a window) all
// accesses are one goroutine's, at one moment of its clock. Within a window
//
//   - an access to bytes that the same place accessed already changes nothing:
//     what it could race with was told then, and what stands for it is remembered;
//   - the accesses of one place to memory that is adjacent, or overlaps, may be told together, as
//     long as they are told before the window ends.
//
// For reads the first goes on holding after an operation of a quiet package (a Once that is done, a
// load), as long as no other one runs, no step is made and the goroutine's own clock stands: such
// operations only end what may be told together.
//
// So for each place the memory that it went over in this window is kept as one range: most accesses
// of a loop only lengthen it, or are inside. Of a place that goes on in equal steps (down a column,
// over a field of the elements of a slice) the steps are counted, once it has made two. The race
// detector answers later then, so a race's stack is that of the end of the window; what is reported
// comes from an execution that records, where every access is told at once.

// hook.Recent is such a range; package hook lengthens it.

// read and write are the hooks. They are functions, not methods, because a
// method value is called through a wrapper. Reads and writes each have their own
// way down to the race detector: one for both makes an access 5 to 10 % dearer.

func read(p unsafe.Pointer, n uintptr, site hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	S.alive(n)
	if !hook.RecentReads.Repeats(uintptr(p), n, site) {
		S.reads(p, n, site)
	}
}

func write(p unsafe.Pointer, n uintptr, site hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	S.alive(n)
	if !hook.RecentWrites.Repeats(uintptr(p), n, site) {
		S.writes(p, n, site)
	}
}

// reads is told of a read that was counted.
func (s *Sched) reads(p unsafe.Pointer, n uintptr, site hook.Site) {
	if !onStack(p) {
		newRead(p, n, site)
	}
}

// newRead is reads for memory that is not on the goroutine's own stack.
func newRead(p unsafe.Pointer, n uintptr, site hook.Site) {
	s := S
	if n == 0 {
		return
	}
	if !s.det.only {
		s.access(p, n, trace.Site(site), trace.OpRead)
		return
	}
	g := s.cur
	g.touched = g.now.C()
	s.detects(g, uintptr(p), n)
	if s.det.shadow.Read(g.chain, &g.clock, uintptr(p), n, trace.Site(site)) != nil {
		s.racedHere()
	}
	s.keep(&hook.RecentReads, uintptr(p), n, site, false)
}

// writes is told of a write that was counted.
func (s *Sched) writes(p unsafe.Pointer, n uintptr, site hook.Site) {
	switch {
	case n == 0:
	case !onStack(p):
		newWrite(p, n, site)
	case hook.Heads:
		s.cur.heads.wrote(stackDepth(uintptr(p)))
	}
}

// newWrite is writes for memory that is not on the goroutine's own stack.
func newWrite(p unsafe.Pointer, n uintptr, site hook.Site) {
	s := S
	if n == 0 {
		return
	}
	if !s.det.only {
		s.access(p, n, trace.Site(site), trace.OpWrite)
		return
	}
	g := s.cur
	if len(g.loans) > 0 {
		g.recall()
	}
	g.idle, g.nows = 0, 0
	g.touched = g.now.C()
	s.detects(g, uintptr(p), n)
	if s.det.shadow.Write(g.chain, &g.clock, uintptr(p), n, trace.Site(site)) != nil {
		s.racedHere()
	}
	s.keep(&hook.RecentWrites, uintptr(p), n, site, true)
}

// keep notes an access that was told just now: its place may go on from there, or repeat it.
func (s *Sched) keep(r *hook.Recents, p, n uintptr, site hook.Site, write bool) {
	hook.Unsettled = true // so the window ends
	e := &r.Of[site%hook.NRecent]
	goesOn := e.Site == site && e.Window == r.Window && e.To-e.From == n
	if s.det.shadow.Repeated() {
		r.Twice(p, n, site)
		if !goesOn {
			return
		}
	}
	if e.Window == r.Window && (e.Told != e.To || e.Steps > 0) && s.tell(e, write) {
		s.racedHere()
	}
	last := e.Last
	if e.Last, e.Step = 0, 0; goesOn {
		if e.Last = p - e.From; e.Last == last {
			e.Step = last
		}
	}
	e.Site, e.Window, e.From, e.To, e.Told = site, r.Window, p, p+n, p+n // each alone: a copy takes long
}

// endWindow tells what was not told yet, and begins a new window.
func (s *Sched) endWindow() {
	if hook.RecentReads.Long|hook.RecentWrites.Long != 0 {
		s.tellLong(&hook.RecentReads, false)
		s.tellLong(&hook.RecentWrites, true)
	}
	hook.RecentWrites.Window++
	if s.opt.Plain {
		endReads() // every access is noted once between two events
		s.noteValues()
	}
}

// tellLong tells what got longer.
func (s *Sched) tellLong(r *hook.Recents, write bool) {
	for ; r.Long != 0; r.Long &= r.Long - 1 {
		if s.tell(&r.Of[bits.TrailingZeros64(r.Long)], write) {
			s.raced()
		}
	}
}

// endReads begins a new window of reads. What was not told yet belongs to the one before.
func endReads() { hook.RecentReads.Window++ }

// tell tells the race detector the part of e that it does not know, and reports whether that showed
// races.
func (s *Sched) tell(e *hook.Recent, write bool) bool {
	g, site := s.cur, trace.Site(e.Site)
	p, n, step, times := e.Told, e.To-e.Told, uintptr(0), uintptr(1)
	if e.Steps > 0 {
		n, step, times = e.To-e.From, e.Step, e.Steps
		p = e.From - (times-1)*step
	}
	e.Told, e.Steps = e.To, 0
	if s.twins.on || s.opt.Plain || s.det.lent.some {
		for i := range times {
			s.tellOthers(g, p+i*step, n, site, write)
		}
	}
	switch {
	case step != 0:
		return s.det.shadow.Steps(g.chain, &g.clock, p, n, step, times, site, write) != nil
	case write:
		return s.det.shadow.Write(g.chain, &g.clock, p, n, site) != nil
	}
	return s.det.shadow.Read(g.chain, &g.clock, p, n, site) != nil
}

// tellOthers tells an access to whatever else may want to know of it.
func (s *Sched) tellOthers(g *G, p, n uintptr, site trace.Site, write bool) {
	if s.twins.on {
		s.twinAccess(g, p, n, write)
	}
	if s.opt.Plain {
		s.notePlain(g, p, n, site, write)
	}
	if s.det.lent.some {
		s.det.meetsLent(g, &s.findings, p, n)
	}
}
