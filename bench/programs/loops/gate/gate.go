// Package gate is a package of which others poll.
package gate

import (
	"sync"
	"sync/atomic"
)

// A Gate opens once.
type Gate struct {
	open  atomic.Bool
	asked int
	mu    sync.Mutex
}

// Open opens g.
func (g *Gate) Open() { g.open.Store(true) }

// IsOpen reports whether g is open.
func (g *Gate) IsOpen() bool { return g.open.Load() }

// Ask is IsOpen, and counts how often it was asked.
func (g *Gate) Ask() bool {
	g.mu.Lock()
	g.asked++
	g.mu.Unlock()
	return g.open.Load()
}

// Asked returns how often g was asked.
func (g *Gate) Asked() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}
