package sched

import (
	"math"

	"heddle/rt/hook"
	"heddle/trace"
)

// Heads of loops: trace.Head.

// heads are what a goroutine's loops have to know.
type heads struct {
	loops int32  // loops that it has come to
	names uint64 // a digest of the places of its allocations, in no order
	// shallow is how deep it has written on its stack, in bytes: the least since its last head; 0
	// where that is not known. In the zero value it is not known either, and no loop has begun.
	shallow uintptr

	step int   // of the execution for which base holds, + 1
	base int32 // how many allocations it had made when that step began

	told, here int   // the step of the last head, + 1, and how many are told of it
	loop       int32 // the loop of the last of them
}

// wrote notes a write to the stack.
func (h *heads) wrote(depth uintptr) { h.shallow = min(h.shallow, depth) }

// made notes an allocation.
func (h *heads) made(site uint64) { h.names += (site ^ site>>29) * 0x9e3779b97f4a7c15 }

// madeBefore returns how many allocations g had made when the running step began, which is the
// steps-th. It is asked before each allocation, and at accesses.
func (h *heads) madeBefore(g *G, steps int) int32 {
	if h.step != steps+1 {
		h.step, h.base = steps+1, g.allocs
	}
	return h.base
}

// Of one step few heads are told, and of one execution: others are as if the loop had not come
// there.
const (
	mostHeads     = 1 << 14
	mostStepHeads = 32
)

// head is hook.LoopHead.
func (s *Sched) head(t hook.Turns, values uint64, depth uintptr) hook.Turns {
	if s.ending.on || !hook.Heads {
		return t
	}
	h := &s.cur.heads
	begins := t == 0
	loop := int32(t >> 32)
	if loop == 0 {
		h.loops++
		loop = h.loops
		t |= hook.Turns(loop) << 32
	}
	if h.told != len(s.t.Steps)+1 {
		h.told, h.here, h.loop = len(s.t.Steps)+1, 0, 0
	}
	if h.loop == loop || h.here == mostStepHeads || len(s.t.Heads) == mostHeads {
		return t
	}
	h.here++
	h.loop = loop
	g := s.enter()
	s.endWindow() // accesses that come after it are told again
	for _, v := range [...]uint64{h.names, uint64(h.loops)} {
		values = hook.HI(values, v)
	}
	s.t.Heads = append(s.t.Heads, trace.Head{G: g.id, Begins: begins, Loop: loop,
		Step: int32(len(s.t.Steps)) - 1, Event: int32(len(s.t.Events)), Plain: int32(len(s.t.Plain)),
		Values: values, Frame: depth32(depth), Wrote: depth32(h.shallow)})
	h.shallow = hook.Unwritten
	s.leave()
	return t
}

func depth32(d uintptr) uint32 { return uint32(min(d, math.MaxUint32)) }

// lastHead returns how many accesses Trace.Plain had at the last head of any loop.
func (s *Sched) lastHead() int {
	if n := len(s.t.Heads); n > 0 {
		return int(s.t.Heads[n-1].Plain)
	}
	return 0
}
