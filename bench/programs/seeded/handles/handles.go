// Package handles has a registry that is to give one handle for a name.
package handles

import "sync"

// A Handle counts.
type Handle struct{ name string }

// Name returns its name.
func (h *Handle) Name() string { return h.name }

// Registry makes handles. Two goroutines that ask for a new name get two of them.
type Registry struct {
	mu   sync.RWMutex
	byID map[string]*Handle
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{byID: map[string]*Handle{}} }

// Handle returns the handle of a name.
func (r *Registry) Handle(name string) *Handle {
	r.mu.RLock()
	h := r.byID[name]
	r.mu.RUnlock()
	if h != nil {
		return h
	}
	h = &Handle{name}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[name] = h
	return h
}

// FixedRegistry is the twin.
type FixedRegistry struct {
	mu   sync.RWMutex
	byID map[string]*Handle
}

// NewFixedRegistry returns an empty registry.
func NewFixedRegistry() *FixedRegistry { return &FixedRegistry{byID: map[string]*Handle{}} }

// Handle returns the handle of a name.
func (r *FixedRegistry) Handle(name string) *Handle {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.byID[name]
	if h == nil {
		h = &Handle{name}
		r.byID[name] = h
	}
	return h
}
