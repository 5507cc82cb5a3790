package inventory

import (
	"sync"
	"testing"
)

func TestTake(t *testing.T) {
	inv := New()
	var wg sync.WaitGroup
	for _, item := range []string{"screw", "nail"} {
		wg.Go(func() { inv.Take(item) })
	}
	wg.Wait()
	if n := inv.items["screw"]; n != 9 {
		t.Errorf("%d screws, want 9", n)
	}
}
