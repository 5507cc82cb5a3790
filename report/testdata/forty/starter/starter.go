// Package starter starts a service at most once.
package starter

import "sync/atomic"

type Service struct {
	started atomic.Bool
	starts  atomic.Int32
}

// Start starts the service, unless it runs already.
func (s *Service) Start() {
	if s.started.Load() {
		return
	}
	s.started.Store(true)
	s.listen()
}

func (s *Service) listen() { s.starts.Add(1) }
