// Package versions has values that are replaced if they are still what was read.
package versions

import "sync"

// A Version is of one value.
type Version int64

// Store holds a value. Replace compares in one critical section and sets in another.
type Store struct {
	mu    sync.RWMutex
	at    Version
	value string
}

// Open returns a store with a value.
func Open(value string) *Store { return &Store{value: value} }

// Read returns the value and its version.
func (s *Store) Read() (string, Version) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.value, s.at
}

// Replace sets the value if its version is still at.
func (s *Store) Replace(at Version, value string) bool {
	if _, now := s.Read(); now != at {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = value
	s.at++
	return true
}

// FixedStore is the twin.
type FixedStore struct{ s Store }

// OpenFixed returns a store with a value.
func OpenFixed(value string) *FixedStore { return &FixedStore{Store{value: value}} }

// Read returns the value and its version.
func (s *FixedStore) Read() (string, Version) { return s.s.Read() }

// Replace sets the value if its version is still at.
func (s *FixedStore) Replace(at Version, value string) bool {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	if s.s.at != at {
		return false
	}
	s.s.value = value
	s.s.at++
	return true
}
