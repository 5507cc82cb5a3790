// Package drain lets requests finish before the server ends.
package drain

import (
	"errors"
	"sync"
	"sync/atomic"
)

var ErrDraining = errors.New("draining")

type Server struct {
	requests sync.WaitGroup
	draining atomic.Bool
}

// Handle serves a request, unless the server is draining.
func (s *Server) Handle(serve func()) error {
	if s.draining.Load() {
		return ErrDraining
	}
	s.requests.Add(1)
	defer s.requests.Done()
	serve()
	return nil
}

// Drain waits for the requests that are being served, and takes no others.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.requests.Wait()
}
