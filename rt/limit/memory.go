package limit

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// A Memory bounds what a search holds in memory: what is on the heap beyond what was there before.
//
// The heap tells what is in use only after a collection, and collections are dear: one is made when
// the heap has grown, garbage included, beyond the bound, and then after each eighth of the bound.
type Memory struct {
	bound  uint64
	before uint64 // on the heap when the search began
	next   uint64 // from how many bytes on it is collected
	looked time.Time
	full   bool

	heap    func() uint64 // bytes on the heap, garbage included
	collect func()
}

// NewMemory returns a Memory of so many bytes; nil, which is never full, if that is 0.
func NewMemory(bound int64) *Memory {
	if bound <= 0 {
		return nil
	}
	m := &Memory{bound: uint64(bound), heap: Heap, collect: runtime.GC}
	m.Begin()
	return m
}

// Begin makes what is on the heap now count as having been there before.
func (m *Memory) Begin() {
	if m == nil {
		return
	}
	m.full = false
	m.before = m.heap()
	if m.before > m.bound/8 { // much of that may be garbage
		m.collect()
		m.before = m.heap()
	}
	m.next = m.before + m.bound
}

// lookEvery is how often the heap is looked at; looking takes half a microsecond.
const lookEvery = 2 * time.Millisecond

// Full reports whether the search holds as much as it may, as of lookEvery before now. It must not
// be called during an execution, in which nothing is collected.
func (m *Memory) Full(now time.Time) bool {
	if m == nil || m.full || now.Sub(m.looked) < lookEvery {
		return m != nil && m.full
	}
	m.looked = now
	if m.heap() <= m.next {
		return false
	}
	m.Release()
	return m.full
}

// Release is called when what a search held was given up: it is not full any more, if that has made
// room.
func (m *Memory) Release() {
	if m == nil {
		return
	}
	m.collect()
	held := m.heap()
	m.next = max(held, m.before+m.bound) + m.bound/8
	m.full = held > m.before+m.bound
}

// Reached reports whether Full has returned true, and nothing was given up since.
func (m *Memory) Reached() bool { return m != nil && m.full }

// Heap returns the bytes of objects on the heap, garbage included.
func Heap() uint64 {
	var s [1]metrics.Sample
	s[0].Name = "/memory/classes/heap/objects:bytes"
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}
