// Package tickleak sends heartbeats.
package tickleak

import (
	"sync/atomic"
	"time"
)

type Heart struct {
	ticker *time.Ticker
	stop   chan struct{}
	Beats  atomic.Int32
}

func Start(every time.Duration) *Heart {
	h := &Heart{ticker: time.NewTicker(every), stop: make(chan struct{})}
	go func() {
		for {
			select {
			case <-h.ticker.C:
				h.Beats.Add(1)
			case <-h.stop:
				return
			}
		}
	}()
	return h
}

// Stop ends the heartbeats.
func (h *Heart) Stop() {
	h.ticker.Stop()
	close(h.stop)
}
