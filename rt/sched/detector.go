package sched

import (
	"heddle/detect"
	"heddle/rt/hook"
	"heddle/trace"
)

// detector detects data races and what is not seen of them.
type detector struct {
	on        bool
	only      bool // accesses are told to nothing else
	shadow    detect.Shadow
	chains    chains
	lent      lent   // to code that is not rewritten
	gc        uint32 // collections before shadow began afresh
	solo      bool   // no other goroutine can go on, see solo.go
	untilSolo uint32 // accesses to be told until that is asked again
	accessed  map[accessor]accessedAt
}

// reset begins an execution.
func (d *detector) reset(on bool) {
	d.on = on
	if on {
		d.shadow.Reset()
	}
	d.chains.reset()
	d.lent.reset()
	hook.RecentReads.Reset()
	hook.RecentWrites.Reset()
	d.gc, d.untilSolo = numgc(), SoloAfter
	clear(d.accessed)
}

// afresh forgets all accesses: after collection gc memory may have been used again.
func (d *detector) afresh(gc uint32) {
	d.gc = gc
	d.shadow.Reset()
	d.lent.shadow.Reset()
	hook.RecentWrites.Window++
	endReads()
}

// An accessor is a goroutine at a site.
type accessor struct {
	g    trace.GID
	site trace.Site
}

// accesses keeps a stack as that of g's last access at site, for an execution that records: the
// earlier access of a race is known to the detector by its site only, and a site in the standard
// library says little.
func (d *detector) accesses(g trace.GID, site trace.Site, steps int, stack []uintptr) {
	if d.accessed == nil {
		d.accessed = make(map[accessor]accessedAt)
	}
	d.accessed[accessor{g, site.Plain()}] = accessedAt{stack, steps}
}

// An accessedAt is the stack of an access, and how many steps the execution had then.
type accessedAt struct {
	stack []uintptr
	steps int
}
