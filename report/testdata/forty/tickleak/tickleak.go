// Package tickleak sends heartbeats.
package tickleak

import (
	"sync/atomic"
	"time"
)

type Heart struct {
	ticker *time.Ticker
	Beats  atomic.Int32
}

func Start(every time.Duration) *Heart {
	h := &Heart{ticker: time.NewTicker(every)}
	go func() {
		for range h.ticker.C {
			h.Beats.Add(1)
		}
	}()
	return h
}

// Stop ends the heartbeats.
func (h *Heart) Stop() { h.ticker.Stop() }
