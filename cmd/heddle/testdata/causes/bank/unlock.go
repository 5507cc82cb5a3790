package bank

import (
	"errors"
	"sync"
)

// A Safe can be opened once at a time.
type Safe struct {
	mu    sync.Mutex
	coins int
}

// ErrEmpty says that a safe has not enough coins.
var ErrEmpty = errors.New("not enough coins")

// Take takes n coins. Where there are too few it keeps the lock.
func (s *Safe) Take(n int) error {
	s.mu.Lock()
	if s.coins < n {
		return ErrEmpty
	}
	s.coins -= n
	s.mu.Unlock()
	return nil
}
