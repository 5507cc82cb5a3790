package settings

import (
	"sync"
	"testing"
)

func TestGet(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if s := Get(); s.Lines != 40 {
				t.Errorf("%d lines", s.Lines)
			}
		})
	}
	wg.Wait()
}
