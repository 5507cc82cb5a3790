package ratelimit

import (
	"testing"
	"time"
)

func TestGiveBack(t *testing.T) {
	l := New(1, time.Millisecond)
	l.Take()
	l.GiveBack()
	l.Stop()
	if n := len(l.tokens); n != 1 {
		t.Errorf("%d tokens are left, want 1", n)
	}
}
