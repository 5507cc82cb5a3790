// Package limiter lets so many requests pass.
package limiter

import "sync"

type Limiter struct {
	mu     sync.Mutex
	tokens int
	denied int
}

func New(tokens int) *Limiter { return &Limiter{tokens: tokens} }

// Allow takes a token, if there is one.
func (l *Limiter) Allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tokens == 0 {
		l.denied++
		l.mu.Unlock()
		return false
	}
	l.tokens--
	return true
}
