package feature

import (
	"sync"
	"testing"
)

func TestOn(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if !On("dark") {
				t.Error("off")
			}
		})
	}
	wg.Wait()
}
