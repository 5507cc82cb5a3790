// Package memo remembers the results of a slow function.
package memo

import "sync"

type Memo struct {
	mu   sync.Mutex
	seen map[string]int
	slow func(string) int
}

func New(slow func(string) int) *Memo {
	return &Memo{seen: map[string]int{}, slow: slow}
}

// Get calls the function once for each key.
func (m *Memo) Get(key string) int {
	m.mu.Lock()
	v, ok := m.seen[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = m.slow(key)
	m.mu.Lock()
	m.seen[key] = v
	m.mu.Unlock()
	return v
}
