// Package routes maps paths to handlers.
package routes

import "sync"

type Table struct {
	mu     sync.RWMutex
	routes map[string]string
}

func New() *Table { return &Table{routes: map[string]string{"/": "index"}} }

func (t *Table) Add(path, handler string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes[path] = handler
}

func (t *Table) Find(path string) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.routes[path]
}

// FindAny returns the handler of the first path that has one.
func (t *Table) FindAny(paths ...string) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, p := range paths {
		if h := t.Find(p); h != "" {
			return h
		}
	}
	return ""
}
