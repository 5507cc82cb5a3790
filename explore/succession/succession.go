// Package succession measures coverage by pairs of conflicting operations of different goroutines
// that followed each other on one object: for variables the write that another write overwrote, or
// that a read returned; for locks the next holder. Every strategy can be measured so, at the cost
// of a look at each event. An execution with a new pair has an order that no execution before had.
//
// It is compiled into the program under test.
package succession

import (
	"heddle/model"
	"heddle/trace"
)

// most bounds the number of pairs in a Set.
const most = 1 << 18

// A Set has the pairs that executions have shown, as hashes. Goroutines and objects go by their
// place in the tree of creation, so all executions agree on them.
type Set struct {
	// Memory reports at which sites accesses to memory count; nil: at none. Strategies differ in
	// which of them are events.
	Memory func(trace.Site) bool
	// Keep: Recent will be called.
	Keep bool

	recent  []uint64
	pairs   map[uint64]struct{}
	names   []uint64 // by GID
	objects []uint64 // names by ObjID; 0: not known yet
	last    []int32  // by ObjID: the index of the last event on it, plus 1
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{pairs: make(map[uint64]struct{})} }

// Len returns the number of pairs.
func (s *Set) Len() int { return len(s.pairs) }

// Add adds the pairs of t and returns how many of them are new.
func (s *Set) Add(t *trace.Trace) (fresh int) {
	s.begin(t)
	n := len(s.pairs)
	for i := range t.Events {
		e := &t.Events[i]
		if !s.counts(t, e) {
			continue
		}
		last := s.last[e.Obj]
		s.last[e.Obj] = int32(i + 1)
		if len(s.pairs) >= most {
			continue
		}
		key := mix(s.object(t, e.Obj), s.does(e))
		if last > 0 {
			p := &t.Events[last-1]
			if p.G == e.G || commute(p, e) {
				continue
			}
			key = mix(key, s.does(p))
		}
		before := len(s.pairs)
		if s.pairs[key] = struct{}{}; s.Keep && len(s.pairs) > before {
			s.recent = append(s.recent, key)
		}
	}
	return len(s.pairs) - n
}

// Recent returns the pairs that were new to Add since the last call, the last most of them.
func (s *Set) Recent(most int) []uint64 {
	pairs := s.recent[max(0, len(s.recent)-most):]
	s.recent = nil
	return pairs
}

// Know adds pairs that Recent of another Set returned.
func (s *Set) Know(pairs []uint64) {
	for _, key := range pairs {
		s.pairs[key] = struct{}{}
	}
}

// counts reports whether an event is an operation on an object that every strategy observes.
func (s *Set) counts(t *trace.Trace, e *trace.Event) bool {
	if e.Quiet || e.Obj <= 0 || int(e.Obj) >= len(t.Objects) {
		return false
	}
	switch e.Op {
	case trace.OpArrive, trace.OpResume, trace.OpAwait, trace.OpBranch: // events of some strategies only
		return false
	case trace.OpRead, trace.OpWrite:
		return s.Memory != nil && s.Memory(e.Site.Plain())
	}
	return true
}

// commute reports whether two operations on one object commute.
func commute(a, b *trace.Event) bool {
	return a.Op == trace.OpWGAdd && b.Op == trace.OpWGAdd || !model.MayConflict(a.Op, b.Op)
}

// begin names the goroutines of t.
func (s *Set) begin(t *trace.Trace) {
	s.names = s.names[:0]
	for _, g := range t.Goroutines {
		parent := uint64(0)
		if g.Parent != trace.NoG {
			parent = s.names[g.Parent]
		}
		s.names = append(s.names, mix(parent, uint64(g.N)+1))
	}
	for len(s.last) < len(t.Objects) {
		s.last, s.objects = append(s.last, 0), append(s.objects, 0)
	}
	clear(s.last[:len(t.Objects)])
	clear(s.objects[:len(t.Objects)])
}

// object returns the name of an object: its maker, and the index among the allocations of its
// maker.
func (s *Set) object(t *trace.Trace, o trace.ObjID) uint64 {
	if s.objects[o] == 0 {
		x := &t.Objects[o]
		by := uint64(0)
		if x.G != trace.NoG {
			by = s.names[x.G]
		}
		s.objects[o] = mix(mix(by, uint64(x.N)<<32|uint64(x.Offset)),
			mix(uint64(x.Kind)+1, uint64(x.Site.Plain()))) | 1
	}
	return s.objects[o]
}

// does returns the name of an event: goroutine, operation and place.
func (s *Set) does(e *trace.Event) uint64 {
	return mix(s.names[e.G], mix(uint64(e.Op), uint64(e.Site.Plain())))
}

// mix returns a hash of two numbers.
func mix(a, b uint64) uint64 {
	z := a*0x9e3779b97f4a7c15 ^ b + 0x632be59bd9b4e019
	z = (z ^ z>>32) * 0xd6e8feb86659fd93
	return z ^ z>>32
}
