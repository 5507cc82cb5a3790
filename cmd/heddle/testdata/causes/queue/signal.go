package queue

import "sync"

// A Gate is opened once.
type Gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open bool
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	g := &Gate{}
	g.cond = sync.NewCond(&g.mu)
	return g
}

// Open opens the gate.
func (g *Gate) Open() {
	g.mu.Lock()
	g.open = true
	g.mu.Unlock()
	g.cond.Signal()
}

// Pass waits without a look at whether the gate is open already.
func (g *Gate) Pass() {
	g.mu.Lock()
	g.cond.Wait()
	g.mu.Unlock()
}
