package poller

import (
	"context"
	"testing"
)

func TestPoll(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	readings := Poll(ctx, func() int { return 21 })
	if v := <-readings; v != 21 {
		t.Errorf("reading is %d", v)
	}
	cancel()
}
