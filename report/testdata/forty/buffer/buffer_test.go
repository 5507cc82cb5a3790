package buffer

import (
	"sync"
	"testing"
)

func TestTwoConsumers(t *testing.T) {
	b := New()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { b.Take() })
	}
	b.Put(1)
	b.Put(2)
	wg.Wait()
	if len(b.items) != 0 {
		t.Errorf("%d items left", len(b.items))
	}
}
