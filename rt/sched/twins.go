package sched

import (
	"unsafe"

	"heddle/rt/hook"
	"heddle/trace"
)

// noteTwin notes what n is alike: the first goroutine that parent started by
// the same go statement with equal arguments, itself if there is none.
func (s *Sched) noteTwin(n *G, parent trace.GID) {
	n.args = hook.Args
	twin := n.id
	for id := trace.GID(0); id < n.id; id++ {
		g, h := &s.t.Goroutines[id], &s.t.Goroutines[n.id]
		if g.Parent == parent && g.Site == h.Site && equalArgs(s.gs[id].args, n.args) {
			twin = s.t.Twins[id]
			break
		}
	}
	for len(s.t.Twins) < int(n.id) { // main and the timers
		s.t.Twins = append(s.t.Twins, trace.GID(len(s.t.Twins)))
	}
	s.t.Twins = append(s.t.Twins, twin)
}

func equalArgs(as, bs []any) bool {
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if !equal(as[i], bs[i]) {
			return false
		}
	}
	return true
}

// equal compares two values. Slices, and what holds some, are never equal; maps
// and functions only if they are one.
func equal(a, b any) (same bool) {
	type words [2]unsafe.Pointer
	if *(*words)(unsafe.Pointer(&a)) == *(*words)(unsafe.Pointer(&b)) {
		return true
	}
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}
