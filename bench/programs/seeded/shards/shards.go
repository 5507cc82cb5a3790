// Package shards has a map in two parts, each with a lock.
package shards

import "sync"

type shard[V any] struct {
	mu sync.Mutex
	m  map[string]V
}

// Map has a lock for each part. Rename removes in one critical section and adds in another.
type Map[V any] struct{ parts [2]shard[V] }

// New returns an empty map.
func New[V any]() *Map[V] {
	m := &Map[V]{}
	for i := range m.parts {
		m.parts[i].m = map[string]V{}
	}
	return m
}

func (m *Map[V]) part(k string) *shard[V] { return &m.parts[len(k)%2] }

// Set sets the value of a key.
func (m *Map[V]) Set(k string, v V) {
	p := m.part(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.m[k] = v
}

// Get returns the value of a key.
func (m *Map[V]) Get(k string) (V, bool) {
	p := m.part(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.m[k]
	return v, ok
}

// Rename gives a value another key and reports whether there was one.
func (m *Map[V]) Rename(from, to string) bool {
	p := m.part(from)
	p.mu.Lock()
	v, ok := p.m[from]
	delete(p.m, from)
	p.mu.Unlock()
	if ok {
		m.Set(to, v)
	}
	return ok
}

// FixedMap is the twin.
type FixedMap[V any] struct {
	mu sync.Mutex
	m  map[string]V
}

// NewFixedMap returns an empty map.
func NewFixedMap[V any]() *FixedMap[V] { return &FixedMap[V]{m: map[string]V{}} }

// Set sets the value of a key.
func (m *FixedMap[V]) Set(k string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m[k] = v
}

// Get returns the value of a key.
func (m *FixedMap[V]) Get(k string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.m[k]
	return v, ok
}

// Rename gives a value another key and reports whether there was one.
func (m *FixedMap[V]) Rename(from, to string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.m[from]
	delete(m.m, from)
	if ok {
		m.m[to] = v
	}
	return ok
}
