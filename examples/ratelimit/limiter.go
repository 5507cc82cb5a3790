// Package ratelimit is a token bucket: a request takes a token, and a ticker fills the bucket.
package ratelimit

import "time"

// A Limiter lets a burst of requests through in every period.
type Limiter struct {
	tokens     chan struct{}
	ticker     *time.Ticker
	stop, done chan struct{}
}

// New returns a limiter with an empty bucket that is filled with burst tokens in every period.
func New(burst int, period time.Duration) *Limiter {
	l := &Limiter{
		tokens: make(chan struct{}, burst),
		ticker: time.NewTicker(period),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go l.run()
	return l
}

func (l *Limiter) run() {
	defer close(l.done)
	for {
		select {
		case <-l.ticker.C:
			l.fill()
		case <-l.stop:
			return
		}
	}
}

func (l *Limiter) fill() {
	for len(l.tokens) < cap(l.tokens) {
		l.tokens <- struct{}{}
	}
}

// Take waits for a token.
func (l *Limiter) Take() {
	<-l.tokens
}

// GiveBack returns the token of a request that was not made.
func (l *Limiter) GiveBack() {
	select {
	case l.tokens <- struct{}{}:
	default: // the bucket is full again
	}
}

// Stop ends the filling.
func (l *Limiter) Stop() {
	l.ticker.Stop()
	close(l.stop)
	<-l.done
}
