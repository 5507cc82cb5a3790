// Package endpoint knows where the database is, and learns of fail-overs.
package endpoint

import (
	"fmt"
	"sync"
)

type Endpoint struct {
	mu   sync.RWMutex
	host string
	port int
}

func (e *Endpoint) Host() string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.host
}

func (e *Endpoint) Port() int {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.port
}

// Move changes both parts of the address.
func (e *Endpoint) Move(host string, port int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.host, e.port = host, port
}

// Addr returns the address to dial.
func (e *Endpoint) Addr() string {
	return fmt.Sprintf("%s:%d", e.Host(), e.Port())
}
