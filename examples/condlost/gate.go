// Package condlost is a gate at which goroutines wait until it is opened.
package condlost

import (
	"sync"
	"sync/atomic"
)

// A Gate is closed at first. Opened, it stays open.
type Gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open atomic.Bool
}

// New returns a closed gate.
func New() *Gate {
	g := new(Gate)
	g.cond = sync.NewCond(&g.mu)
	return g
}

// Open lets all goroutines through that wait or come later.
func (g *Gate) Open() {
	g.open.Store(true)
	g.cond.Broadcast()
}

// Wait returns when the gate is open.
func (g *Gate) Wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.open.Load() {
		g.cond.Wait()
	}
}
