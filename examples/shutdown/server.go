// Package shutdown is a server that handles requests until it is stopped or one of them goes wrong.
package shutdown

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrFatal is what a request returns after which the server cannot go on.
var ErrFatal = errors.New("shutdown: fatal")

// A Server handles one request after the other.
type Server struct {
	requests chan func() error
	quit     chan struct{}
	stopping atomic.Bool
	handled  atomic.Int32
	loop     sync.WaitGroup
}

// Start returns a server at work, with room for n requests that wait.
func Start(n int) *Server {
	s := &Server{requests: make(chan func() error, n), quit: make(chan struct{})}
	s.loop.Go(s.run)
	return s
}

func (s *Server) run() {
	for {
		select {
		case req := <-s.requests:
			s.handled.Add(1)
			if errors.Is(req(), ErrFatal) && !s.stopping.Load() {
				s.Stop()
			}
		case <-s.quit:
			return
		}
	}
}

// Do hands a request to the server. It reports false when the server is stopped.
func (s *Server) Do(req func() error) bool {
	select {
	case s.requests <- req:
		return true
	case <-s.quit:
		return false
	}
}

// Stop ends the server and waits for the request at work. Requests that still wait are dropped.
func (s *Server) Stop() {
	if s.stopping.CompareAndSwap(false, true) {
		close(s.quit)
	}
	s.loop.Wait()
}
