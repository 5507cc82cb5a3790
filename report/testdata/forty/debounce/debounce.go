// Package debounce saves a document a moment after its last change.
package debounce

import (
	"sync"
	"time"
)

type Saver struct {
	mu    sync.Mutex
	timer *time.Timer
	saves chan string
}

func New() *Saver { return &Saver{saves: make(chan string, 4)} }

// Changed saves text after a moment, in place of an earlier change.
func (s *Saver) Changed(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(time.Millisecond, func() { s.saves <- text })
}

// Close ends the saver.
func (s *Saver) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	close(s.saves)
}
