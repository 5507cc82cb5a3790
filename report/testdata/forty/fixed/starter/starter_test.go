package starter

import (
	"sync"
	"testing"
)

func TestStartOnce(t *testing.T) {
	var s Service
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(s.Start)
	}
	wg.Wait()
	if n := s.starts.Load(); n != 1 {
		t.Errorf("started %d times", n)
	}
}
