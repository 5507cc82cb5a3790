// Package debounce saves a document a moment after its last change.
package debounce

import (
	"sync"
	"time"
)

type Saver struct {
	mu     sync.Mutex
	timer  *time.Timer
	saves  chan string
	closed bool
}

func New() *Saver { return &Saver{saves: make(chan string, 4)} }

// Changed saves text after a moment, in place of an earlier change.
func (s *Saver) Changed(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(time.Millisecond, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed {
			s.saves <- text
		}
	})
}

// Close ends the saver.
func (s *Saver) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.closed = true
	close(s.saves)
}
