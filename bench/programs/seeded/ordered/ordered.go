// Package ordered has a sorted set.
package ordered

import (
	"cmp"
	"slices"
	"sync"
)

// Set is sorted. Add looks with the lock for readers and inserts with the other one.
type Set[K cmp.Ordered] struct {
	mu   sync.RWMutex
	keys []K
}

// NewSet returns a set of these keys.
func NewSet[K cmp.Ordered](keys ...K) *Set[K] {
	s := &Set[K]{}
	for _, k := range keys {
		s.Add(k)
	}
	return s
}

// Add adds a key and reports whether it was not there.
func (s *Set[K]) Add(k K) bool {
	s.mu.RLock()
	i, found := slices.BinarySearch(s.keys, k)
	s.mu.RUnlock()
	if found {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = slices.Insert(s.keys, min(i, len(s.keys)), k)
	return true
}

// Remove removes a key and reports whether it was there.
func (s *Set[K]) Remove(k K) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := slices.BinarySearch(s.keys, k)
	if found {
		s.keys = slices.Delete(s.keys, i, i+1)
	}
	return found
}

// Keys returns the keys.
func (s *Set[K]) Keys() []K {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.keys)
}

// FixedSet is the twin.
type FixedSet[K cmp.Ordered] struct{ s Set[K] }

// NewFixedSet returns a set of these keys.
func NewFixedSet[K cmp.Ordered](keys ...K) *FixedSet[K] {
	s := &FixedSet[K]{}
	for _, k := range keys {
		s.Add(k)
	}
	return s
}

// Add adds a key and reports whether it was not there.
func (s *FixedSet[K]) Add(k K) bool {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	i, found := slices.BinarySearch(s.s.keys, k)
	if !found {
		s.s.keys = slices.Insert(s.s.keys, i, k)
	}
	return !found
}

// Remove removes a key and reports whether it was there.
func (s *FixedSet[K]) Remove(k K) bool { return s.s.Remove(k) }

// Keys returns the keys.
func (s *FixedSet[K]) Keys() []K { return s.s.Keys() }
