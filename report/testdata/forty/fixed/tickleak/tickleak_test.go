package tickleak

import (
	"testing"
	"time"
)

func TestStop(t *testing.T) {
	h := Start(10 * time.Millisecond)
	time.Sleep(25 * time.Millisecond)
	h.Stop()
	if h.Beats.Load() == 0 {
		t.Error("no heartbeat")
	}
}
