// Package gate holds goroutines back until it is opened.
package gate

import "sync"

type Gate struct {
	mu      sync.Mutex
	changed sync.Cond
	open    bool
}

func New() *Gate {
	g := &Gate{}
	g.changed.L = &g.mu
	return g
}

// Pass returns when the gate is open.
func (g *Gate) Pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.open {
		g.changed.Wait()
	}
}

func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	g.changed.Broadcast()
}
