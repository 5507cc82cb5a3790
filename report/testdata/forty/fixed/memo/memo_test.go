package memo

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestCalledOnce(t *testing.T) {
	var calls atomic.Int32
	m := New(func(s string) int {
		calls.Add(1)
		return len(s)
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { m.Get("key") })
	}
	wg.Wait()
	if n := calls.Load(); n != 1 {
		t.Errorf("the slow function was called %d times", n)
	}
}
