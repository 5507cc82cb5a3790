package stopper

import (
	"sync"
	"testing"
)

func TestStop(t *testing.T) {
	l := New()
	var wg sync.WaitGroup
	wg.Go(l.Stop)
	wg.Go(l.Stop)
	l.Run()
	wg.Wait()
}
