// Package timerreset calls a function again and again.
package timerreset

import (
	"sync"
	"time"
)

// A Poller calls its function once in every period until it is stopped.
type Poller struct {
	period time.Duration
	poll   func()
	timer  *time.Timer

	mu      sync.Mutex
	stopped bool
}

// Start returns a poller at work.
func Start(period time.Duration, poll func()) *Poller {
	p := &Poller{period: period, poll: poll}
	p.timer = time.AfterFunc(period, p.tick)
	return p
}

func (p *Poller) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	if p.timer != nil {
		p.timer.Reset(p.period)
	}
	p.poll()
}

// Stop ends the polling: the function is not called any more when Stop has returned.
func (p *Poller) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.timer.Stop()
}
