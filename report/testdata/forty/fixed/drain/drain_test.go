package drain

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestDrain(t *testing.T) {
	var s Server
	var down atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		s.Handle(func() {
			if down.Load() {
				t.Error("a request is served after Drain returned")
			}
		})
	})
	s.Drain()
	down.Store(true)
	wg.Wait()
}
