package limiter

import (
	"sync"
	"testing"
)

func TestAllow(t *testing.T) {
	l := New(1)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { l.Allow() })
	}
	wg.Wait()
	if l.denied != 1 {
		t.Errorf("%d denied, want 1", l.denied)
	}
}
