// Package drain lets requests finish before the server ends.
package drain

import (
	"errors"
	"sync"
)

var ErrDraining = errors.New("draining")

type Server struct {
	requests sync.WaitGroup
	mu       sync.Mutex
	draining bool
}

// Handle serves a request, unless the server is draining.
func (s *Server) Handle(serve func()) error {
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		return ErrDraining
	}
	s.requests.Add(1)
	s.mu.Unlock()
	defer s.requests.Done()
	serve()
	return nil
}

// Drain waits for the requests that are being served, and takes no others.
func (s *Server) Drain() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.requests.Wait()
}
