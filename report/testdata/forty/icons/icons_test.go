package icons

import (
	"sync"
	"testing"
)

func TestHits(t *testing.T) {
	c := New()
	c.Put("home", "⌂")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { c.Get("home") })
	}
	wg.Wait()
	if n := c.Hits(); n != 2 {
		t.Errorf("%d hits, want 2", n)
	}
}
