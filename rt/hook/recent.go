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
	return r.inside(p, n, s) || r.longer(p, n, s) || r.saw(p, n, s) || r.further(p, n, s)
}

// inside reports whether an access is inside of what its place accessed before.
func (r *Recents) inside(p, n uintptr, s Site) bool {
	e := &r.Of[s%NRecent]
	return e.Site == s && p-e.From <= e.To-e.From && p+n <= e.To && e.Window == r.Window
}

// longer reports whether an access begins inside of it, and adds the access. None is inside.
func (r *Recents) longer(p, n uintptr, s Site) bool {
	e := &r.Of[s%NRecent]
	if e.Site != s || e.Window != r.Window || p-e.From > e.To-e.From || e.Steps > 0 {
		return false
	}
	e.To = p + n
	r.Long |= 1 << (s % NRecent)
	Unsettled = true // the window may have outlived an operation that settled it
	return true
}

// further reports whether an access is one step further, and adds it. None is inside.
func (r *Recents) further(p, n uintptr, s Site) bool {
	e := &r.Of[s%NRecent]
	if p-e.From != e.Step || p+n-e.To != e.Step || e.Told != e.To || e.Site != s || e.Window != r.Window {
		return false
	}
	e.From, e.To, e.Told = p, p+n, p+n
	e.Steps++
	r.Long |= 1 << (s % NRecent)
	Unsettled = true
	return true
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
// no variables, and take few arguments, so that what calls them is inlined. One question a
// statement: of several that are joined by || the compiler computes a value.
//
//go:noinline
func read(p unsafe.Pointer, n uintptr, s Site) {
	if r, at := &RecentReads, uintptr(p); Left >= 0 && Cur == getg() && !Each {
		if r.inside(at, n, s) {
			return
		}
		if onStack(at) {
			return
		}
		if r.longer(at, n, s) {
			return
		}
		if r.saw(at, n, s) {
			return
		}
		if r.further(at, n, s) {
			return
		}
	}
	if On {
		NewRead(noescape(p), n, s)
	}
}

//go:noinline
func write(p unsafe.Pointer, n uintptr, s Site) {
	if r, at := &RecentWrites, uintptr(p); Left >= 0 && Cur == getg() && !Each {
		if r.inside(at, n, s) {
			return
		}
		if onStack(at) {
			wroteStack(at)
			return
		}
		if r.longer(at, n, s) {
			return
		}
		if r.saw(at, n, s) {
			return
		}
		if r.further(at, n, s) {
			return
		}
	}
	if On {
		NewWrite(noescape(p), n, s)
	}
}
