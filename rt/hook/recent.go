package hook

import "unsafe"

// A Recent is what one place of the program accessed in the running window: between two operations
// of the scheduler. What the place accesses next only lengthens it, in a loop over memory, is
// inside, or is one step further. Package sched says what that is good for, and what windows are.
type Recent struct {
	Site     Site
	Window   uint64
	From, To uintptr // the memory
	Told     uintptr // the race detector knows of [From, Told)
	// Step is the distance between accesses of one size: it was found twice in a row, as Last. If
	// the place goes on in such steps, [From, To) is its last access only.
	Last, Step uintptr
	Steps      uintptr // how many of them were not told; Told is To then
}

// Recents are what was read, or written, in a window.
type Recents struct {
	Of     [NRecent]Recent
	Window uint64 // its number
	Long   uint64 // which of Of got longer, and so have memory that was not told, by bit
	seen   [nSeen]seen
	pays   int // how often seen was of use, less how often it was filled
}

// NRecent is how many places are kept, by the low bits of their site.
const NRecent = 64

// seen is an access that was told twice: a place that goes over memory in no order comes back to
// it. It is kept by its address and its place. Where there is too much memory for that the table is
// no longer looked at, since it is out of the processor's cache.
type seen struct {
	p    uintptr
	site Site
	at   uint64 // window and size
}

const (
	nSeen    = 1 << 12
	sizeBits = 8
)

// RecentReads and RecentWrites are those of the running goroutine. The window of reads may last
// longer than that of writes.
var RecentReads, RecentWrites Recents

// Each is true while Read and Write want to be told of accesses that repeat too: data flow.
var Each bool

// Unsettled says that the scheduler has something to do when it is entered next.
var Unsettled bool

// Repeats reports whether nothing is to be told of an access to n bytes at p by the goroutine under
// test, since its place goes on from where it was, or has made it before.
func (r *Recents) Repeats(p, n uintptr, s Site) bool {
	if e := &r.Of[s%NRecent]; e.Site == s && e.Window == r.Window {
		switch {
		case p-e.From > e.To-e.From:
			if e.isStep(p, n) {
				r.step(e, p, n)
				return true
			}
		case p+n <= e.To:
			return true
		case e.Steps == 0:
			r.lengthen(e, p, n)
			return true
		}
	}
	return r.saw(p, n, s)
}

// lengthen adds an access that begins inside of e and ends behind it.
func (r *Recents) lengthen(e *Recent, p, n uintptr) {
	e.To = p + n
	r.Long |= 1 << (e.Site % NRecent)
	Unsettled = true // the window may have outlived an operation that settled it
}

// isStep reports whether an access that does not begin inside of e is one step further.
func (e *Recent) isStep(p, n uintptr) bool {
	return p-e.From == e.Step && p+n-e.To == e.Step && e.Told == e.To
}

// step adds an access that is one step further.
func (r *Recents) step(e *Recent, p, n uintptr) {
	e.From, e.To, e.Told = p, p+n, p+n
	e.Steps++
	r.Long |= 1 << (e.Site % NRecent)
	Unsettled = true
}

// saw reports whether Twice noted an access.
func (r *Recents) saw(p, n uintptr, s Site) bool {
	if r.pays < -2*nSeen {
		return false
	}
	x := &r.seen[slotOf(p, s)]
	if x.p != p || x.site != s || x.at != r.Window<<sizeBits|uint64(n) || n >= 1<<sizeBits {
		return false
	}
	r.pays++
	return true
}

// Reset forgets all, before an execution.
func (r *Recents) Reset() {
	r.Window++ // no entry of a window 0 was ever made
	r.Long, r.pays = 0, 0
}

func slotOf(p uintptr, s Site) uintptr { return (p/8 + p%8*(nSeen/8) + uintptr(s)) % nSeen }

// Twice notes that an access to n bytes at p was told twice.
func (r *Recents) Twice(p, n uintptr, s Site) {
	if n < 1<<sizeBits && r.pays >= -2*nSeen {
		r.pays--
		x := &r.seen[slotOf(p, s)]
		x.p, x.site, x.at = p, s, r.Window<<sizeBits|uint64(n)
	}
}

// read and write are told of an access where WatchReads, WatchWrites or Left asks for it. They are
// no variables, and take few arguments, so that what calls them is inlined. They are Repeats,
// written out: a call more would cost as much as the question.
//
//go:noinline
func read(p unsafe.Pointer, n uintptr, s Site) {
	if r, at := &RecentReads, uintptr(p); Left >= 0 && Cur == getg() && !Each {
		if e := &r.Of[s%NRecent]; e.Site == s && e.Window == r.Window {
			if at-e.From > e.To-e.From {
				if e.isStep(at, n) && !onStack(at) {
					r.step(e, at, n)
					return
				}
			} else if at+n <= e.To {
				return
			} else if e.Steps == 0 && !onStack(at) {
				r.lengthen(e, at, n)
				return
			}
		}
		if onStack(at) {
			return
		}
		if r.saw(at, n, s) {
			return
		}
		NewRead(noescape(p), n, s)
		return
	}
	if On {
		Left++
		Read(noescape(p), n, s)
	}
}

//go:noinline
func write(p unsafe.Pointer, n uintptr, s Site) {
	if r, at := &RecentWrites, uintptr(p); Left >= 0 && Cur == getg() && !Each {
		if e := &r.Of[s%NRecent]; e.Site == s && e.Window == r.Window {
			if at-e.From > e.To-e.From {
				if e.isStep(at, n) && !onStack(at) {
					r.step(e, at, n)
					return
				}
			} else if at+n <= e.To {
				return
			} else if e.Steps == 0 && !onStack(at) {
				r.lengthen(e, at, n)
				return
			}
		}
		if onStack(at) {
			wroteStack(at)
			return
		}
		if r.saw(at, n, s) {
			return
		}
		NewWrite(noescape(p), n, s)
		return
	}
	if On {
		Left++
		Write(noescape(p), n, s)
	}
}
