package timerreset

import (
	"testing"
	"time"
)

func TestPoller(t *testing.T) {
	polls := 0
	polled := make(chan struct{}, 1)
	p := Start(time.Millisecond, func() {
		polls++
		select {
		case polled <- struct{}{}:
		default:
		}
	})
	<-polled
	p.Stop()
	if polls == 0 {
		t.Error("not polled")
	}
}
