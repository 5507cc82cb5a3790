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
	defer m.mu.Unlock()
	v, ok := m.seen[key]
	if !ok {
		v = m.slow(key)
		m.seen[key] = v
	}
	return v
}
