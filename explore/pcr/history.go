package pcr

import (
	"heddle/explore/mapcov"
	"heddle/trace"
)

// histories name events by what their goroutines have done and seen up to them. Events of two
// executions with the same name are the same event, and all earlier operations of their goroutines
// are the same.
type histories struct {
	t      *trace.Trace
	ids    []uint64 // by object: a hash of its name
	name   []uint64 // by event
	of     []uint64 // by goroutine: the name of its last event
	thread []uint64 // by goroutine: a hash of its name
}

func newHistories(as *mapcov.Accesses, names *mapcov.Names) *histories {
	t := as.Trace
	n := &histories{t: t, ids: make([]uint64, len(as.Objects)), name: make([]uint64, len(t.Events)),
		of: make([]uint64, len(t.Goroutines)), thread: make([]uint64, len(t.Goroutines))}
	for o, id := range as.Objects {
		n.ids[o] = names.ObjectHash(id)
	}
	for g := range n.thread {
		n.thread[g] = names.ThreadHash(names.Thread(t, trace.GID(g)))
	}
	return n
}

// add names event e, the next of its goroutine.
func (n *histories) add(e int) {
	ev := &n.t.Events[e]
	h := mix(n.of[ev.G], n.thread[ev.G])
	h = mix(mix(h, uint64(ev.Op)), n.ids[max(ev.Obj, 0)])
	h = mix(h, uint64(ev.Site.Plain()))
	switch ev.Op {
	case trace.OpGo:
		if ev.Arg >= 0 && int(ev.Arg) < len(n.thread) {
			h = mix(h, n.thread[ev.Arg])
		}
	case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW: // saw names its value
	case trace.OpRecv:
		h = mix(h, uint64(ev.Arg))
		if ev.Partner >= 0 && int(ev.Partner) < e {
			h = mix(h, n.name[ev.Partner])
		}
	default:
		h = mix(h, uint64(ev.Arg))
	}
	n.name[e], n.of[ev.G] = h, h
}

// saw adds to the name of e, the last event of its goroutine, what it read.
func (n *histories) saw(e int, what uint64) {
	n.name[e] = mix(n.name[e], what)
	n.of[n.t.Events[e].G] = n.name[e]
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h, 11)
}
