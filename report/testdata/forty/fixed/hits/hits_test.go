package hits

import (
	"sync"
	"testing"
)

func TestTotal(t *testing.T) {
	var c Counter
	var wg sync.WaitGroup
	wg.Go(func() { c.Hit(3) })
	wg.Go(func() { c.Hit(4) })
	wg.Wait()
	if n := c.Total(); n != 7 {
		t.Errorf("Total = %d, want 7", n)
	}
}
