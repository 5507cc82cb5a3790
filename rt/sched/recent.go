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
// So for each place the memory that it went over in this window is kept as one
// range: most accesses of a loop only lengthen it, or are inside. The race
// detector answers later then, so a race's stack is that of the end of the
// window; what is reported comes from an execution that records, where every
// access is told at once.

// A recent is what one place of the program accessed in the running window.
type recent struct {
	site     trace.Site
	window   uint64
	from, to uintptr // the memory
	told     uintptr // the race detector knows of [from, told)
}

// recents are kept by the low bits of their site.
type recents [nRecent]recent

const nRecent = 64

// A windowed keeps what the running goroutine accessed since it left the scheduler.
type windowed struct {
	number        uint64 // of the window
	reading       uint64 // of the window of reads, which may last longer
	longReads     uint64 // which of reads got longer, and so have memory that was not told, by bit
	longWrites    uint64
	reads, writes recents
}

// read and write are the hooks. They are functions, not methods, because a
// method value is called through a wrapper.

func read(p unsafe.Pointer, n uintptr, site hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	s := S
	e, at := &s.det.win.reads[site%nRecent], uintptr(p)
	if e.site == trace.Site(site) && e.window == s.det.win.reading {
		if at-e.from <= e.to-e.from {
			if end := at + n; end > e.to { // else inside
				e.to = end
				s.det.win.longReads |= 1 << (site % nRecent)
				s.unsettled = true // the window may have outlived an operation that settled it
			}
			s.alive(n)
			return
		}
	}
	if n != 0 && !onStack(p) {
		s.access(p, n, trace.Site(site), trace.OpRead)
	}
}

func write(p unsafe.Pointer, n uintptr, site hook.Site) {
	if hook.Cur != getg() {
		hook.Touch(p)
		return
	}
	s := S
	e, at := &s.det.win.writes[site%nRecent], uintptr(p)
	if e.site == trace.Site(site) && e.window == s.det.win.number {
		if at-e.from <= e.to-e.from {
			if end := at + n; end > e.to { // else inside
				e.to = end
				s.det.win.longWrites |= 1 << (site % nRecent)
			}
			s.alive(n)
			return
		}
	}
	if n != 0 && !onStack(p) {
		s.access(p, n, trace.Site(site), trace.OpWrite)
	}
}

// keep notes an access that was told just now: its place may go on from there.
// It reports whether races were found by what had to be told of another place.
func (s *Sched) keep(p, n uintptr, site trace.Site, write bool) (raced bool) {
	e, window := &s.det.win.reads[site%nRecent], s.det.win.reading
	if write {
		e, window = &s.det.win.writes[site%nRecent], s.det.win.number
	}
	if e.window == window && e.told != e.to {
		raced = s.tell(e, write)
	}
	e.site, e.window, e.from, e.to, e.told = site, window, p, p+n, p+n
	s.unsettled = true
	return raced
}

// endWindow tells what was not told yet, and begins a new window.
func (s *Sched) endWindow() {
	w := &s.det.win
	for ; w.longReads != 0; w.longReads &= w.longReads - 1 {
		if s.tell(&w.reads[bits.TrailingZeros64(w.longReads)], false) {
			s.raced()
		}
	}
	for ; w.longWrites != 0; w.longWrites &= w.longWrites - 1 {
		if s.tell(&w.writes[bits.TrailingZeros64(w.longWrites)], true) {
			s.raced()
		}
	}
	w.number++
	if s.opt.Plain {
		w.reading++ // every access is noted once between two events
	}
}

// tell tells the race detector the part of e that it does not know, and reports whether that showed
// races.
func (s *Sched) tell(e *recent, write bool) bool {
	p, n, g := e.told, e.to-e.told, s.cur
	e.told = e.to
	if s.twins.on {
		s.twinAccess(g, p, n, write)
	}
	if s.opt.Plain {
		s.notePlain(g, p, n, e.site, write)
	}
	if s.det.lent.some {
		s.det.meetsLent(g, &s.findings, p, n)
	}
	if write {
		return s.det.shadow.Write(g.chain, g.clock, p, n, e.site) != nil
	}
	return s.det.shadow.Read(g.chain, g.clock, p, n, e.site) != nil
}

// reset forgets what was kept, before an execution.
func (w *windowed) reset() {
	w.number++ // entries of a window 0 were never made
	w.reading++
	w.longReads, w.longWrites = 0, 0
}
